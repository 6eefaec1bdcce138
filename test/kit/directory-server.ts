/**
 * A directory (LDAP) on loopback with a few people, for tests of signing in by it: an ldapjs server, and in front of it
 * what it cannot do itself, such as StartTLS. It notes each bind, and can be made to lie, to fail and to be silent.
 */
import { connect, createServer as createTcpServer, type Socket } from "node:net"
import { TLSSocket } from "node:tls"
import ldap from "ldapjs"
import type { DirectoryConfig } from "../../src/config/config.ts"

export interface Listed {
  readonly uid: string
  readonly password: string
  readonly mail: string | ReadonlyArray<string>
  /** Absent: `people`. Several may have the same uid in different units. */
  readonly unit?: string
}

const base = "dc=test,dc=example"
const reader = { dn: `cn=reader,${base}`, password: "the reader's own" }
/** Some names have characters that mean something in a distinguished name. */
const dnOf = ({ uid, unit = "people" }: Listed) =>
  ldap.parseDN(`uid=${uid.replace(",", "\\2c").replace("+", "\\2b")},ou=${unit},${base}`).toString()

type Next = (fault?: unknown) => void
interface BindRequest {
  readonly dn: { readonly toString: () => string }
  readonly credentials: string
}
interface SearchRequest {
  readonly dn: { readonly toString: () => string }
  readonly scope: string | number
  readonly filter: { readonly matches: (attributes: object) => boolean; readonly toString: () => string }
}
interface Response {
  readonly end: () => void
  readonly send: (entry: unknown) => void
  readonly createSearchReference: (uris: ReadonlyArray<string>) => unknown
}

/** How it behaves; changed by tests. */
interface Mood {
  /** Called instead of the usual answer to a bind of anybody but the reader; answers a fault or null for success. */
  bind: ((dn: string) => unknown) | undefined
  /** Addresses of other directories that it sends along with each search. */
  references: ReadonlyArray<string>
  /** The error with which a search fails. */
  searchFault: unknown
  /** Accepts connections and answers nothing. */
  isSilent: boolean
  /** Bytes with which it answers whatever it is sent. */
  nonsense: Buffer | undefined
}

/** For `localhost` and 127.0.0.1, signed by itself, for a hundred years. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUJQlFvFLZPITYItWfNQVxU7MLvPEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTA5NDk1NloYDzIxMjYxMTAx
MDk0OTU2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATHOpZakxcqsYy4HmGx6hFpBt3ctOjfRm1MkBF/HJOIANsqvqmmXy64
tkRq/q5BUtX4OYzgxoDQMgXX2H+N5bVFo28wbTAdBgNVHQ4EFgQUrtOj4TISRG2J
D7VdEfxYXtRnkQIwHwYDVR0jBBgwFoAUrtOj4TISRG2JD7VdEfxYXtRnkQIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAIWfqPLD9xCCGtMS0XuLSGcILOew2oKt3ygExdDL8q3XAiB4
+ai2Ya3Q3FHEcXYQHxNIptXLX/wOiGEd3faS16V4hg==
-----END CERTIFICATE-----
`
/** Known to everybody who reads this: good for nothing but these tests. */
export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPqn3h1EAobi44Lkz
0j8UdnTuFxikOyD0FGWj+XHf3/ahRANCAATHOpZakxcqsYy4HmGx6hFpBt3ctOjf
Rm1MkBF/HJOIANsqvqmmXy64tkRq/q5BUtX4OYzgxoDQMgXX2H+N5bVF
-----END PRIVATE KEY-----
`

const listen = (server: ReturnType<typeof createTcpServer>): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    }),
  )

const joined = (one: Socket, other: Socket) => {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => {})
    from.on("close", () => to.destroy())
    from.pipe(to)
  }
}

/** The success of an extended request, whose number is the fifth byte of a short message. */
const extendedSuccess = (request: Buffer) =>
  Buffer.from([0x30, 12, 2, 1, request[4] ?? 0, 0x78, 7, 10, 1, 0, 4, 0, 4, 0])

export const startDirectory = async (people: ReadonlyArray<Listed>) => {
  const mood: Mood = {
    bind: undefined,
    references: [],
    searchFault: undefined,
    isSilent: false,
    nonsense: undefined,
  }
  /** The entries that somebody tried to sign in as, and the filters that were looked for. */
  const binds: Array<string> = []
  const filters: Array<string> = []
  /** The gate for which answers to binds wait. */
  let gate: Promise<void> = Promise.resolve()
  const server = ldap.createServer()

  server.bind("", (request: BindRequest, response: Response, next: Next) => {
    const [dn, password] = [request.dn.toString(), request.credentials]
    if (dn === reader.dn) {
      if (password !== reader.password) return next(new ldap.InvalidCredentialsError())
      return response.end()
    }
    binds.push(dn)
    const person = people.find((each) => dnOf(each) === dn)
    // As RFC 4513 has it of a bind without a password, success here means that nobody has signed in.
    const isRight = password === "" || person?.password === password
    const fault = mood.bind === undefined ? (isRight ? null : new ldap.InvalidCredentialsError()) : mood.bind(dn)
    return gate.then(() => (fault === null ? response.end() : next(fault)))
  })
  server.search("", (request: SearchRequest, response: Response, next: Next) => {
    filters.push(request.filter.toString())
    if (mood.searchFault !== undefined) return next(mood.searchFault)
    for (const person of people) {
      const dn = dnOf(person)
      const attributes = { objectclass: "person", uid: person.uid, mail: person.mail }
      const isAsked = request.dn.toString() === base || request.dn.toString() === dn
      if (isAsked && request.filter.matches(attributes)) response.send({ dn, attributes })
    }
    if (mood.references.length > 0) response.send(response.createSearchReference(mood.references))
    response.end()
    return next()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const behind = Number(new URL(server.url).port)

  const open = new Set<Socket>()
  let accepted = 0
  const serve = (socket: Socket, whenStarted: (socket: Socket) => void) => {
    accepted += 1
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    socket.on("error", () => {})
    if (mood.isSilent) return socket.resume()
    const { nonsense } = mood
    if (nonsense !== undefined) return socket.on("data", () => socket.write(nonsense))
    return whenStarted(socket)
  }
  const toLdap = (socket: Socket) => joined(socket, connect(behind, "127.0.0.1"))
  const secured = (socket: Socket) => new TLSSocket(socket, { isServer: true, key: privateKey, cert: certificate })
  const plain = createTcpServer((socket) => serve(socket, toLdap))
  const safe = createTcpServer((socket) => serve(socket, (raw) => toLdap(secured(raw))))
  /** Bytes that somebody on the way adds to the answer to StartTLS. */
  let planted: Uint8Array = Buffer.alloc(0)
  const starting = createTcpServer((socket) =>
    serve(socket, (raw) =>
      raw.once("data", (request) => {
        raw.write(Buffer.concat([extendedSuccess(request), planted]))
        toLdap(secured(raw))
      }),
    ),
  )
  const ports = { plain: await listen(plain), safe: await listen(safe), starting: await listen(starting) }

  return {
    mood,
    binds,
    filters,
    /** Connections that are open now, and that there ever were. */
    open: () => open.size,
    accepted: () => accepted,
    url: `ldap://127.0.0.1:${ports.plain}`,
    hold: (until: Promise<void>) => {
      gate = until
    },
    plant: (bytes: Buffer) => {
      planted = bytes
    },
    /** The settings of a server that looks people up here. */
    config: (
      kind: "plain" | "safe" | "starting" = "plain",
      changed: Partial<DirectoryConfig> = {},
    ): DirectoryConfig => ({
      url: `${kind === "safe" ? "ldaps" : "ldap"}://127.0.0.1:${ports[kind]}`,
      startTls: kind === "starting",
      search: { kind: "search", bindDn: reader.dn, bindPassword: reader.password, base, filter: "(uid={name})" },
      emailAttribute: "mail",
      namesAreAddresses: false,
      authorities: certificate,
      ...changed,
    }),
    /** It no longer accepts connections, and ends those there are. */
    stop: async () => {
      for (const socket of open) socket.destroy()
      await Promise.all(
        [plain, safe, starting].map((each) => new Promise<void>((resolve) => each.close(() => resolve()))),
      )
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}
export type TestDirectory = Awaited<ReturnType<typeof startDirectory>>
