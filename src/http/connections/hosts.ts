/**
 * Which Host headers are answered. Development mode gives everybody the owner's key, so it answers only to names of
 * this machine: a web page whose own name is made to resolve to 127.0.0.1 (DNS rebinding) counts as of the same origin
 * for its browser, and would read the key. Production answers to every Host. Asked by server.ts for each request.
 */
import type { ConfigShape } from "../../config/config.ts"
import { isLoopback } from "../../loopback.ts"
import { hostName, readHost } from "../request/request-headers.ts"

export type ServedHosts = (header: string) => boolean

export const makeServedHosts = ({
  mode,
  developmentOpenToEverybody,
  externalUrl,
}: Pick<ConfigShape, "mode" | "developmentOpenToEverybody" | "externalUrl">): ServedHosts => {
  if (mode === "production" || developmentOpenToEverybody) return () => true
  const own = externalUrl === null ? undefined : new URL(externalUrl).hostname
  return (header) => {
    const host = readHost(header)
    if (host === undefined || host === "") return false
    const name = hostName(host)
    return name === own || isLoopback(name)
  }
}
