/**
 * The one session of a process among several that serve a database: it holds the database's lock together with the others,
 * so that neither a server that wants it alone nor a restore comes between, hears their messages and takes the process's own.
 * When it is lost a new one is opened, again and again. Used by postgres-cluster.ts.
 */
import type { Row } from "../database.ts"
import { DatabaseHeld } from "../open-failures.ts"
import { addressOf } from "./postgres.ts"
import { ConnectionLost, openConnections, type PostgresConnections } from "./postgres-connections.ts"
import { lockKeys } from "./postgres-hold.ts"

const tryShared = `select pg_try_advisory_lock_shared(${lockKeys}) as held`
/** Only one process joins at a time. */
const joiningKeys = "1886413932, 1785686382"
const tryJoining = `select pg_try_advisory_lock(${joiningKeys}) as held`
const endJoining = `select pg_advisory_unlock(${joiningKeys})`
const countOthers = `select count(distinct pid)::integer as others from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint, objid::bigint) = (${lockKeys}) and granted and pid <> pg_backend_pid()`

/** The channel of NOTIFY. It is the database's own. */
const channel = "parley"

/** Another that joins may be bringing the database to the program's version. */
const joiningMs = 120_000
/** A server that ends needs a moment to let go. */
const sharedMs = 3_000
const betweenTriesMs = 100
const reopenMs = 500
const answerMs = 5_000
/** PostgreSQL's own timeout comes first. */
const statementMs = 4_000

export interface Session {
  /** Rejects where the session is lost, also while it is being opened again. */
  readonly run: (sql: string, parameters?: ReadonlyArray<string | null>) => Promise<ReadonlyArray<Row>>
  readonly isOpen: () => boolean
  /** What tells its database's history from another one's (server-state.ts). */
  readonly trust: string
  /** How many others hold the lock when this one has joined. */
  readonly others: number
  /** Lets the next one join. */
  readonly endJoining: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface SessionOptions {
  readonly url: string
  /** Absent: messages are not listened for. */
  readonly onMessage?: (text: string) => void
}

/** Opens the session and waits until this process may join. */
export const openSession = async ({ url, onMessage }: SessionOptions): Promise<Session> => {
  let current: PostgresConnections | null = null
  let reopening: NodeJS.Timeout | undefined
  let closed = false

  const runOn = async (
    connections: PostgresConnections,
    sql: string,
    parameters: ReadonlyArray<string | null> = [],
  ) => {
    const watchdog = setTimeout(() => connections.drop("the session of this process does not answer"), answerMs)
    try {
      return await connections.run(sql, parameters)
    } finally {
      clearTimeout(watchdog)
    }
  }
  const pause = () => new Promise((resolve) => setTimeout(resolve, betweenTriesMs))

  const tryFor = async (connections: PostgresConnections, sql: string, patience: number): Promise<boolean> => {
    const giveUpAt = performance.now() + patience
    for (;;) {
      const [row] = await runOn(connections, sql)
      if (row?.["held"] === true) return true
      if (closed || performance.now() > giveUpAt) return false
      await pause()
    }
  }

  const open = async (isFirst: boolean): Promise<PostgresConnections> => {
    const state = { isOpen: false, isLost: false }
    const connections = await openConnections({
      url,
      size: 1,
      openWithinMs: answerMs,
      statementMs,
      ...(onMessage === undefined ? {} : { onNotify: onMessage }),
      onLost: () => {
        state.isLost = true
        current = null
        if (state.isOpen) reopen()
      },
    })
    try {
      if (isFirst && !(await tryFor(connections, tryJoining, joiningMs)))
        throw new DatabaseHeld({ message: `Another process is just joining at ${addressOf(url)}` })
      if (!(await tryFor(connections, tryShared, isFirst ? sharedMs : 0)))
        throw new DatabaseHeld({ message: `Another server is using the database at ${addressOf(url)} alone` })
      if (onMessage !== undefined) await runOn(connections, `listen ${channel}`)
      if (state.isLost || closed) throw new ConnectionLost("lost while it was opened")
    } catch (error) {
      connections.drop("the session could not be opened")
      throw error
    }
    state.isOpen = true
    current = connections
    return connections
  }

  const reopen = (): void => {
    if (closed) return
    reopening = setTimeout(() => void open(false).catch(reopen), reopenMs)
  }

  const first = await open(true)
  const [row] = await runOn(first, countOthers)
  const run: Session["run"] = async (sql, parameters) => {
    if (current === null) throw new ConnectionLost("the session of this process is being opened")
    return runOn(current, sql, parameters)
  }
  return {
    run,
    isOpen: () => current !== null,
    trust: first.trust,
    others: Number(row?.["others"]),
    endJoining: async () => void (await run(endJoining)),
    close: async () => {
      closed = true
      clearTimeout(reopening)
      await current?.end()
    },
  }
}

/** Sends the messages of a JSON list. */
export const notifySql = `select pg_notify('${channel}', text) from json_array_elements_text($1::text::json) as each(text)`
