/**
 * Why a port cannot be listened on. The library says only that it could not; the system says why when it is asked once more by
 * Node, at the end of a start that is refused anyway. Used by uws.ts; main.ts asks before it starts processes that share a port.
 */
import { createServer } from "node:net"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

export interface WantedPort {
  readonly host: string
  readonly port: number
  /** What an operator sets them by. */
  readonly portSetting: string
  readonly hostSetting: string
}

const reasonOf = (code: string, { host, port, portSetting, hostSetting }: WantedPort): string => {
  switch (code) {
    case "EADDRINUSE":
      return `taken by another process; ${portSetting} sets another port`
    case "EACCES":
    case "EPERM":
      return `this user may not listen on port ${port}; ${portSetting} sets another port`
    case "EADDRNOTAVAIL":
    case "ENETUNREACH":
    case "EAFNOSUPPORT":
      return `${host} is not an address of this machine; ${hostSetting} sets another address`
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EAI_FAIL":
    case "EINVAL":
      return `no address of this machine is known for ${host}; ${hostSetting} sets another address`
    default:
      return `taken by another process, not allowed, or not an address of this machine (${code}); ${portSetting} sets another port, ${hostSetting} another address`
  }
}

/** The port is taken, or the address cannot be listened on by this process. `code` is the system's word for it. */
export class PortInUse extends Data.TaggedError("PortInUse")<WantedPort & { readonly code: string }> {
  override get message(): string {
    return `Cannot listen on ${this.host}:${this.port}: ${reasonOf(this.code, this)}`
  }
}

/** The system's word for why this process cannot listen there alone; null: it can. */
const codeOf = ({ host, port }: WantedPort): Effect.Effect<string | null> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error) =>
      resume(Effect.succeed(Predicate.hasProperty(error, "code") ? String(error.code) : "unknown")),
    )
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => resume(Effect.succeed(null)))
    })
  })

/** Fails with the reason why the library could not listen there. */
export const refusePort = (wanted: WantedPort): Effect.Effect<never, PortInUse> =>
  Effect.flatMap(codeOf(wanted), (code) =>
    Effect.fail(new PortInUse({ ...wanted, code: code ?? "it was taken a moment ago" })),
  )

/** Fails where this process could not listen alone: another one does, even if it would share the port. */
export const checkPort = ({ host, port, portSetting, hostSetting }: WantedPort): Effect.Effect<void, PortInUse> => {
  const wanted = { host, port, portSetting, hostSetting }
  return Effect.flatMap(codeOf(wanted), (code) =>
    code === null ? Effect.void : Effect.fail(new PortInUse({ ...wanted, code })),
  )
}
