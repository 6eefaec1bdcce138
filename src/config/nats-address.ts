/** The address of a bus by NATS, such as `nats://user:password@host:4222,host`. Part of processes-settings.ts. */
import type { NatsConfig } from "./processes-config.ts"
import { isHost } from "./setting.ts"

export type NatsAddress = Pick<NatsConfig, "servers" | "isTls" | "login">

export const expectedNatsAddress =
  "nats://host:port,host:port or tls://host:port, with user:password@ or token@ before the hosts"

const usualPort = "4222"

const readServer = (text: string): string | undefined => {
  const [, inBrackets, plain, port = usualPort] = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = inBrackets ?? plain ?? ""
  if (!isHost(host) || host.includes(":") !== (inBrackets !== undefined)) return undefined
  return Number(port) >= 1 && Number(port) <= 65_535 ? text.replace(/(:\d+)?$/, "").concat(`:${port}`) : undefined
}

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Undefined: it is none. */
const readLogin = (text: string | undefined): NatsConfig["login"] | undefined => {
  if (text === undefined) return null
  const at = text.indexOf(":")
  const [first, second] = [decode(at < 0 ? text : text.slice(0, at)), at < 0 ? "" : decode(text.slice(at + 1))]
  if (first === undefined || first === "" || second === undefined) return undefined
  return at < 0 ? { token: first } : { user: first, password: second }
}

export const readNatsAddress = (text: string): NatsAddress | undefined => {
  const [, scheme, given, hosts = ""] = /^(nats|tls):\/\/(?:(.*)@)?([^@/]+)\/?$/.exec(text) ?? []
  if (scheme === undefined) return undefined
  const servers = hosts.split(",").map((host) => readServer(host.trim()))
  const known = servers.filter((server) => server !== undefined)
  const login = readLogin(given)
  if (known.length < servers.length || login === undefined) return undefined
  return { servers: known, isTls: scheme === "tls", login }
}

/** The address as it may be shown. */
export const describeNats = ({ servers, isTls, login }: NatsAddress): string => {
  const who = login === null ? "" : "token" in login ? "***@" : `${login.user}:***@`
  return `${isTls ? "tls" : "nats"}://${who}${servers.join(",")}`
}

/** What of it no line of the log may have. */
export const secretsOfNats = ({ login }: NatsAddress): ReadonlyArray<string> => {
  if (login === null) return []
  const secret = "token" in login ? login.token : login.password
  return [secret, encodeURIComponent(secret)]
}
