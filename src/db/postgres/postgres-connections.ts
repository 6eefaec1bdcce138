/**
 * One generation of connections to PostgreSQL: all opened and verified before the first statement, all dropped as soon
 * as any of them is lost. postgres.js hangs or answers with another statement's result when an instance is used after
 * a lost connection, so none is ever used again. The sockets are ours: that is how a loss is seen before postgres.js
 * sees it, and why no socket of a dropped generation reconnects. Used by postgres.ts and postgres-hold.ts.
 */
import { connect, type Socket } from "node:net"
import postgres from "postgres"
import type { Row } from "../database.ts"
import { postgresTrust } from "../server-state.ts"

export interface PostgresConnections {
  /** Rejects with errors that `judgeError` understands. The caller's watchdog calls `drop` after a timeout. */
  readonly run: (sql: string, parameters: ReadonlyArray<string | null>) => Promise<ReadonlyArray<Row>>
  /** Several statements as one transaction, by the simple protocol. */
  readonly runScript: (sql: string) => Promise<void>
  readonly drop: (reason: string) => void
  /** What tells this database's history from another one's (server-state.ts). */
  readonly trust: string
  /** Ends the sessions in good order. */
  readonly end: () => Promise<void>
}

export interface ConnectionsOptions {
  readonly url: string
  readonly size: number
  readonly openWithinMs: number
  /** The server cancels a statement after this time, before the watchdog drops all connections. */
  readonly statementMs: number
  /** Called with what NOTIFY sends, on the channels that a statement has listened to. */
  readonly onNotify?: (text: string) => void
  /** Called once, also if opening fails. */
  readonly onLost: (reason: string) => void
}

/** Reads the server's version, encoding and role. It runs once on every connection, which opens them all. */
const verify = `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
  pg_is_in_recovery() as standby, ${postgresTrust} as trust`
const oldestVersion = 150_000
const isolation = "read committed" as const

/** The server answered, but its version, encoding or role does not fit. */
export class UnsuitableServer extends Error {}
/** postgres.js resolved with something that is no answer to a statement. */
export class MalformedAnswer extends Error {}
export class ConnectionLost extends Error {}

const unchanged = (text: string): string => text
/** Parameters are sent as the text that they are; only results are parsed. */
const types = {
  bigint: { to: 20, from: [20], serialize: unchanged, parse: Number },
  json: { to: 114, from: [114, 3802], serialize: unchanged, parse: (text: string): unknown => JSON.parse(text) },
  boolean: { to: 16, from: [16], serialize: unchanged, parse: (text: string): boolean => text === "t" },
  date: { to: 1184, from: [1082, 1114, 1184], serialize: unchanged, parse: (text: string): Date => new Date(text) },
  bytea: {
    to: 17,
    from: [17],
    serialize: unchanged,
    parse: (text: string): Buffer => Buffer.from(text.slice(2), "hex"),
  },
}
/** `simple: false` because postgres.js sends a statement without parameters unprepared otherwise. */
const prepared = { prepare: true, simple: false }

export const openConnections = async (options: ConnectionsOptions): Promise<PostgresConnections> => {
  const { size, openWithinMs, onLost } = options
  const dial = makeDial((reason) => drop(reason))
  let rejectOpening: (error: Error) => void = () => undefined
  let dropped = false

  const drop = (reason: string): void => {
    if (dropped) return
    dropped = true
    rejectOpening(new ConnectionLost(reason))
    dial.close()
    onLost(reason)
  }

  const settings = {
    max: size,
    idle_timeout: undefined,
    max_lifetime: null,
    connect_timeout: Math.ceil(openWithinMs / 1000),
    keep_alive: 15,
    // Asking for array types has an unguarded promise inside: a connection lost there would end the process.
    fetch_types: false,
    prepare: true,
    types,
    onnotice: () => undefined,
    // Not among the driver's types: with it a connection of ours hears what it has listened to.
    onnotify: (_channel: string, text: string) => options.onNotify?.(text),
    onclose: () => drop("a connection to PostgreSQL closed"),
    socket: dial.open,
    connection: {
      application_name: "parley",
      default_transaction_isolation: isolation,
      statement_timeout: options.statementMs,
      TimeZone: "UTC",
      DateStyle: "ISO",
      // Compiling a search of 3 ms has been seen to take 68.
      // Left out by the driver where it is `false`.
      jit: "off",
      // A machine that lost its power must not keep the advisory lock (postgres-hold.ts) for two hours.
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
    },
  }
  const sql = postgres(withoutSessionAttributes(options.url), settings)

  const run = async (text: string, parameters: ReadonlyArray<string | null>): Promise<ReadonlyArray<Row>> => {
    const result = await sql.unsafe(text, [...parameters], prepared)
    const rows: ReadonlyArray<Row> = Array.from(result)
    const complete = typeof result.command === "string" && rows.every((row) => typeof row === "object" && row !== null)
    if (!complete) throw new MalformedAnswer("PostgreSQL's answer has no form")
    return rows
  }

  const opening = new Promise<never>((_, reject) => {
    rejectOpening = reject
  })
  const late = setTimeout(() => drop("PostgreSQL does not answer"), openWithinMs)
  let trust = ""
  try {
    const verified = Promise.all(
      Array.from({ length: size }, async () => {
        trust = requireSuitable(await run(verify, []))
      }),
    )
    await Promise.race([verified, opening])
  } catch (error) {
    drop("PostgreSQL cannot be opened")
    throw error
  } finally {
    clearTimeout(late)
  }

  return {
    run,
    trust,
    runScript: async (text) => {
      await sql.unsafe(`set local statement_timeout = 0; ${text}`).simple()
    },
    drop,
    end: async () => {
      await sql.end({ timeout: 2 }).catch(() => undefined)
      drop("closed")
    },
  }
}

const requireSuitable = ([row]: ReadonlyArray<Row>): string => {
  const version = Number(row?.["version"])
  if (version < oldestVersion) {
    throw new UnsuitableServer(`PostgreSQL 15 or newer is needed, this is ${Math.floor(version / 10_000)}`)
  }
  if (row?.["encoding"] !== "UTF8") {
    throw new UnsuitableServer(`The database must have the encoding UTF8, this one has ${String(row?.["encoding"])}`)
  }
  if (row["standby"] === true)
    throw new UnsuitableServer("This PostgreSQL server is a standby and cannot be written to")
  return String(row["trust"])
}

/** postgres.js asks for these with an unguarded promise; a standby is refused by `requireSuitable` instead. */
const withoutSessionAttributes = (url: string): string =>
  url.replace(/([?&])target_session_attrs=[^&]*&?/, "$1").replace(/[?&]$/, "")

/** The value that postgres.js passes to its `socket` option. */
interface Target {
  readonly host: ReadonlyArray<string>
  readonly port: ReadonlyArray<number>
  readonly path?: string | false | undefined
}

const makeDial = (onLost: (reason: string) => void) => {
  const sockets = new Set<Socket>()
  let closed = false

  const dialOne = (to: { path: string } | { host: string; port: number }): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(to)
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on("error", reject)
      socket.once("close", () => sockets.delete(socket))
      socket.once("connect", () => {
        socket.on("error", (error) => onLost(error.message))
        socket.once("close", () => onLost("the connection to PostgreSQL was closed"))
        // TLS takes the name it checks from here.
        resolve(Object.assign(socket, to))
      })
    })

  return {
    open: async ({ host, port, path }: Target): Promise<Socket> => {
      if (closed) throw new ConnectionLost("these connections were dropped")
      if (typeof path === "string") return dialOne({ path })
      let failure: unknown = new ConnectionLost("no host is named")
      for (const [i, name] of host.entries()) {
        try {
          return await dialOne({ host: name, port: port[i] ?? 5432 })
        } catch (error) {
          failure = error
        }
      }
      throw failure
    },
    /**
     * In a later turn: postgres.js throws where nobody can catch it if a socket closes while it is being handed over.
     */
    close: () => {
      closed = true
      setImmediate(() => {
        for (const socket of sockets) socket.on("error", () => undefined).destroy()
      })
    },
  }
}
