/**
 * Opens what a power cut has left, as the program does after the machine has started again, and tells what of it is not
 * as it was promised: it opens, every acknowledged message is there once, and it can be served and written to.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { startApp } from "../../../src/app.ts"
import { systemClock } from "../../../src/clock.ts"
import { readCommand } from "../../../src/config/read-settings.ts"
import { requireSecret } from "../../../src/config/secret.ts"
import { Database, type Row } from "../../../src/db/database.ts"
import { markOf } from "../../../src/db/disk/durability.ts"
import { openMigratedDatabase } from "../../../src/db/open/open-database.ts"
import { compilePglite } from "../../../src/db/pglite/pglite-open.ts"
import { type Account, personOf } from "../../kit/client.ts"

/** While this one lives, the engine compiles none of the following: that is two thirds of an opening's work. */
export const compiled = compilePglite()

export interface Promised {
  /** First words of messages, and ids of queues. */
  readonly messages: ReadonlyArray<string>
  readonly queues: ReadonlyArray<string>
  readonly owner: Account
  readonly mark: string
}

export interface Found {
  readonly faults: ReadonlyArray<string>
  /** Acknowledged messages that are missing. */
  readonly lost: number
  readonly opened: boolean
  /** Whether the server took the log's past for whole; null where there was none. */
  readonly trusted: boolean | null
}

/** The mark names a file, which an image cannot have. */
const mendMark = (folder: string, known: string): void => {
  const mark = join(folder, "database", "synced")
  const control = join(folder, "database", "cluster", "global", "pg_control")
  if (!existsSync(mark) || !existsSync(control) || readFileSync(mark, "utf8") !== known) return
  writeFileSync(mark, markOf(join(folder, "database", "cluster")) ?? "")
}

/** Counts by the table itself and by each way of an index must agree. */
const counts = `select (select count(*) from message) as messages, (select count(*) from log where type = 'message') as rows,
  (select coalesce(max(position), 0) - count(*) from log) as gaps, (select count(*) from log) as log`

const checkRows = async (query: (sql: string) => Promise<ReadonlyArray<Row>>, promised: Promised) => {
  const faults: Array<string> = []
  await query("set enable_indexscan = off")
  await query("set enable_indexonlyscan = off")
  await query("set enable_bitmapscan = off")
  const [bySequence] = await query(counts)
  const stored = await query("select split_part(content, ' ', 1) as name, count(*)::int as n from message group by 1")
  await query("reset all")
  await query("set enable_seqscan = off")
  const [byIndex] = await query(counts)
  await query("reset all")
  if (JSON.stringify(bySequence) !== JSON.stringify(byIndex))
    faults.push(`the table has ${JSON.stringify(bySequence)}, its index ${JSON.stringify(byIndex)}`)
  if (bySequence?.["gaps"] !== 0 || bySequence?.["messages"] !== bySequence?.["rows"])
    faults.push(`the log is odd: ${JSON.stringify(bySequence)}`)
  const times = new Map(stored.map((row) => [row["name"], Number(row["n"])]))
  const twice = promised.messages.filter((name) => (times.get(name) ?? 0) > 1)
  if (twice.length > 0) faults.push(`${twice.length} messages are stored twice`)
  const lost = promised.messages.filter((name) => !times.has(name)).length
  const queues = new Set((await query("select id from event_queue")).map((row) => row["id"]))
  const lostQueues = promised.queues.filter((id) => !queues.has(id)).length
  return { faults, lost, lostQueues }
}

/** Opens `folder`, a data folder; rejects where it cannot be opened or served. */
const open = async (folder: string, promised: Promised, scope: Scope.Closeable): Promise<Omit<Found, "opened">> => {
  const command = Result.getOrThrow(readCommand({ PARLEY_DATA_DIR: folder, PARLEY_PORT: "0" }, []))
  if (command._tag !== "Serve") throw new Error("there is nothing to serve")
  const { settings } = command
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(effect.pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(Logger.layer([]))))
  const services = await run(Layer.build(openMigratedDatabase(settings.database)))
  const database = Context.get(services, Database)
  const query = (sql: string) => Effect.runPromise(database.query(sql))
  const { faults, lost, lostQueues } = await checkRows(query, promised)
  const epochs = async () => (await query("select epoch from realm")).map((row) => row["epoch"])
  const before = await epochs()
  await query("update server_state set trust = 'an earlier start of the machine' where trust <> ''")
  const config = Result.getOrThrow(requireSecret(settings))
  const app = await run(
    startApp({
      config,
      database: Layer.succeedContext(services),
      clock: systemClock,
      commitTime: () => null,
      onForeign: (why) => faults.push(why),
    }),
  )
  const trusted = before.length === 0 ? null : before[0] === (await epochs())[0]
  if (trusted === true && lost > 0) faults.push(`${lost} acknowledged messages are lost`)
  if (trusted === true && lostQueues > 0) faults.push(`${lostQueues} queues are lost`)
  if (promised.messages.length > 0) {
    const person = personOf(`http://127.0.0.1:${app.server.port}`, promised.owner)
    const id = await person.send("general", "after the power cut")
    // The server may have written since, too.
    const [row] = await query(
      `select count(*) filter (where position = ${id} and type = 'message')::int as messages,
              max(position) - count(*) as gaps from log`,
    )
    if (row?.["messages"] !== 1 || row["gaps"] !== 0) faults.push(`the next message is ${id}: ${JSON.stringify(row)}`)
  }
  return { faults, lost, trusted }
}

export const checkImage = async (folder: string, promised: Promised): Promise<Found> => {
  mendMark(folder, promised.mark)
  const scope = await Effect.runPromise(Scope.make())
  try {
    return { opened: true, ...(await open(folder, promised, scope)) }
  } catch (error) {
    return {
      opened: false,
      faults: [inspect(error).slice(0, 500)],
      lost: promised.messages.length,
      trusted: null,
    }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
