/**
 * One connection to NATS, from when it is made until it is lost; and what is wrong with the files that it needs. Used by
 * nats-bus.ts, which opens the next one: the client's own way to reconnect cannot be ended before it has ever been connected.
 */
import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { isIP } from "node:net"
import { checkServerIdentity, type PeerCertificate } from "node:tls"
import { connect, credsAuthenticator, type NatsConnection } from "@nats-io/transport-node"
import type { NatsConfig } from "../../config/processes-config.ts"
import { oneLine } from "../one-line.ts"

const openMilliseconds = 5_000
/** A server that answers none of two is lost. */
const pingMilliseconds = 5_000

/** Rejects with one line that names the setting. `take` throws where the file is of another sort than `wanted`. */
const read = async <A>(setting: string, path: string | null, wanted: string, take: (bytes: Buffer) => A) => {
  if (path === null) return null
  const wrong = (why: string) => new Error(`${setting} is ${JSON.stringify(path)}: ${why}`)
  const bytes = await readFile(path).catch((error: unknown) => {
    throw wrong(oneLine(error))
  })
  try {
    return take(bytes)
  } catch {
    throw wrong(`it has no ${wanted}`)
  }
}

const takeCredentials = (bytes: Buffer) => {
  const authenticator = credsAuthenticator(bytes)
  // Throws where nothing can be signed with them.
  authenticator("a nonce")
  return authenticator
}

const takeAuthorities = (bytes: Buffer): string => {
  new X509Certificate(bytes)
  return bytes.toString()
}

/** The files are read for each connection, because credentials are renewed. */
const readFiles = async ({ credentialsFile, authoritiesFile }: NatsConfig) => ({
  authenticator: await read("PARLEY_BUS_CREDENTIALS_FILE", credentialsFile, "credentials of NATS", takeCredentials),
  authorities: await read("PARLEY_BUS_CA_FILE", authoritiesFile, "certificate", takeAuthorities),
})

/** What is wrong with them, in one line; null: nothing. */
export const findFileFault = (config: NatsConfig): Promise<string | null> => readFiles(config).then(() => null, oneLine)

/** The client has no name for a server that is an address, and would ask for a certificate of localhost. */
const ownIdentity = (server: string) => {
  const host = server.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1")
  if (isIP(host) === 0) return {}
  return {
    checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
  }
}

/** `server`: one of them; `name`: as it shows the connection. Rejects where it does not take it. */
export const openConnection = async (config: NatsConfig, server: string, name: string): Promise<NatsConnection> => {
  const { login, isTls } = config
  const { authenticator, authorities } = await readFiles(config)
  return connect({
    servers: server,
    name,
    reconnect: false,
    noEcho: true,
    timeout: openMilliseconds,
    pingInterval: pingMilliseconds,
    maxPingOut: 2,
    ...(login === null ? {} : "token" in login ? { token: login.token } : { user: login.user, pass: login.password }),
    ...(isTls ? { tls: { ...ownIdentity(server), ...(authorities === null ? {} : { ca: authorities }) } } : {}),
    ...(authenticator === null ? {} : { authenticator }),
  })
}
