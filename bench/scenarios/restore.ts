/**
 * Backups and restores of a large server: what they take, how long others wait beside a backup, and whether what was restored is
 * what was there, by every table and by what people of each role are told at their start.
 */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { quantile } from "../../src/command-line/bench/statistics.ts"
import { personOf } from "../../test/kit/client.ts"
import { type Account, leave } from "../client/http.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { Remote } from "../remote.ts"
import { type Place, runCommand, secret, type Taken } from "../restore/commands.ts"
import { doEverything, registersOf } from "../restore/deeds.ts"
import { roles } from "../restore/plan.ts"
import type { Row, Scenario, Settings } from "../scenario.ts"
import { Server } from "../siege/server.ts"
import { channel } from "../target/people.ts"

const Filled = Schema.decodeUnknownSync(Schema.Struct({ bytes: Schema.Number }))
const Digested = Schema.decodeUnknownSync(
  Schema.Struct({
    tables: Schema.Record(Schema.String, Schema.Struct({ rows: Schema.Number, sum: Schema.String })),
  }),
)
type Tables = ReturnType<typeof Digested>["tables"]

/** Milliseconds from one send to the next, and from one read to the next, of others, where they are not slower. */
const pace = 50
/** So long others send and read without a backup, for comparison. */
const aloneMilliseconds = 10_000
const mostMemory = 4 * 2 ** 30
const megabyte = 2 ** 20

const askDatabase = async <A>(command: string, wanted: object, decode: (value: unknown) => A): Promise<A> => {
  const remote = Remote.start("restore/database.js", null)
  return remote.ask(command, wanted, decode).finally(() => remote.stop())
}

const withServer = async <A>(place: Place, act: (server: Server, origin: string) => Promise<A>): Promise<A> => {
  const log = join(place.folder, "server.log")
  const server = await Server.start({ ...place, secret, rateLimit: false, log, mostMemory })
  const done = await act(server, `http://127.0.0.1:${server.port}`).finally(() => {
    leave()
    return server.stop()
  })
  if (server.deaths.length > 0) throw new Error(`the server died: ${server.deaths.join("; ")}`)
  return done
}

const keyOf = async (place: Place, email: string) =>
  (await runCommand(place, ["user", "api-key", email])).out.trim().split(/\s/).at(-1) ?? ""

const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes
}

const row = (label: string, figures: Row["figures"], remarks: ReadonlyArray<string> = []): Row => ({
  label,
  figures,
  remarks,
})

const takenRow = (label: string, { seconds, cpuSeconds, peak }: Taken, figures: Row["figures"] = {}): Row =>
  row(label, { seconds, "cpu s": cpuSeconds, "peak MB": peak / megabyte, ...figures })

/** How long each of these took, one after the other, for as long as `work` takes; and how many were refused. */
const inTurn = async (one: () => Promise<number>, work: Promise<unknown>) => {
  const times: Array<number> = []
  let [isDone, refused] = [false, 0]
  const end = () => {
    isDone = true
  }
  void work.then(end, end)
  while (!isDone) {
    const began = performance.now()
    // One that is refused, because it took too long, has been waited for as well.
    const took = await one().catch(() => {
      refused += 1
      return performance.now() - began
    })
    times.push(took)
    await wait(Math.max(0, pace - took))
  }
  return { times, refused }
}

/** How long sends and reads of others take while something is done. */
const beside = async <A>(port: number, account: Account, work: Promise<A>) => {
  const message = { type: "stream", to: `${channel.id}`, topic: "beside", content: "hi" }
  const page = { anchor: "newest", num_before: "50", num_after: "0" }
  const [sent, read, done] = await Promise.all([
    inTurn(() => timedAsk(port, account, "POST", "/messages", message), work),
    inTurn(() => timedAsk(port, account, "GET", "/messages", page), work),
    work,
  ])
  const figures = {
    "send p50 ms": quantile(sent.times, 0.5),
    "send most ms": Math.max(...sent.times),
    "read p50 ms": quantile(read.times, 0.5),
    "read most ms": Math.max(...read.times),
    refused: sent.refused + read.refused,
  }
  return { figures, done }
}

/** Tables, or registers, that differ. */
const differing = (first: Readonly<Record<string, unknown>>, second: Readonly<Record<string, unknown>>) =>
  [...new Set([...Object.keys(first), ...Object.keys(second)])].filter(
    (name) => JSON.stringify(first[name]) !== JSON.stringify(second[name]),
  )

const sameRow = (
  label: string,
  tables: readonly [Tables, Tables],
  registers: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>],
): Row => {
  const [tablesOff, registersOff] = [differing(...tables), differing(...registers)]
  const filled = Object.values(tables[0]).filter(({ rows }) => rows > 0)
  return row(
    label,
    {
      tables: Object.keys(tables[0]).length,
      "with rows": filled.length,
      rows: filled.reduce((sum, { rows }) => sum + rows, 0),
      "tables that differ": tablesOff.length,
      registers: Object.keys(registers[0]).length,
      "registers that differ": registersOff.length,
    },
    [...tablesOff, ...registersOff],
  )
}

const measure = async (settings: Settings, messages: number, folder: string): Promise<ReadonlyArray<Row>> => {
  const { progress } = settings
  const source: Place = { databaseUrl: null, folder: join(folder, "first") }
  const archives = { busy: join(folder, "busy.tar.gz"), quiet: join(folder, "quiet.tar.gz") }
  progress(`${messages} messages: filling`)
  const { bytes } = await askDatabase("fill", { ...source, messages }, Filled)

  const rows: Array<Row> = []
  const { accounts, registers } = await withServer(source, async (server, origin) => {
    const keys: Record<string, Account> = {}
    for (const { name, email } of roles) keys[name] = { email, key: await keyOf(source, email) }
    const { owner, member, guest } = keys
    if (owner === undefined || member === undefined || guest === undefined) throw new Error("a role is missing")
    const [first, second, third] = [owner, member, guest].map((account) => personOf(origin, account))
    if (first === undefined || second === undefined || third === undefined) throw new Error("a person is missing")
    const accounts = { ...keys, bot: await doEverything(origin, first, second, third) }
    progress(`${messages} messages: others alone`)
    const alone = await beside(server.port, member, wait(aloneMilliseconds))
    rows.push(row("others alone", alone.figures))
    server.clear()
    progress(`${messages} messages: a backup while others send and read`)
    const busy = await beside(server.port, member, runCommand(source, ["backup", archives.busy]))
    rows.push(
      takenRow("a backup while others send and read", busy.done, {
        ...busy.figures,
        "server's peak MB": server.mostResident / megabyte,
      }),
    )
    return { accounts, registers: await registersOf(origin, accounts) }
  })
  // Of a server that runs, the index of words would have moved on before its tables are compared.
  progress(`${messages} messages: a backup without a server`)
  const quiet = await runCommand(source, ["backup", archives.quiet])
  const { size } = await stat(archives.quiet)
  rows.push(
    takenRow("a backup without a server", quiet, {
      "database MB": bytes / megabyte,
      "folder MB": (await bytesIn(source.folder)) / megabyte,
      "archive MB": size / megabyte,
    }),
  )
  progress(`${messages} messages: digests`)
  const { tables } = await askDatabase("digest", source, Digested)

  const postgres = await settings.fresh()
  const targets = [
    { kind: "embedded", databaseUrl: null },
    ...(postgres === null ? [] : [{ kind: "PostgreSQL", databaseUrl: postgres }]),
  ]
  for (const { kind, databaseUrl } of targets) {
    const target: Place = { databaseUrl, folder: join(folder, kind) }
    progress(`${messages} messages: restore, ${kind}`)
    rows.push(takenRow(`a restore, ${kind}`, await runCommand(target, ["restore", archives.quiet])))
    progress(`${messages} messages: digests, ${kind}`)
    const restored = await askDatabase("digest", target, Digested)
    const told = await withServer(target, (_, origin) => registersOf(origin, accounts))
    rows.push(sameRow(`what was restored, ${kind}`, [tables, restored.tables], [registers, told]))
  }
  return rows
}

export const restore: Scenario = {
  name: "restore",
  about:
    "a backup of N messages beside sends and reads, restores of it, and a comparison of every table and of registers",
  targets: {
    "send most ms": { most: 1000, of: /a backup while/ },
    "read most ms": { most: 1000, of: /a backup while/ },
    "peak MB": { most: 500, of: /: a (backup|restore)/ },
    "tables that differ": { most: 0, of: /what was restored/ },
    "registers that differ": { most: 0, of: /what was restored/ },
  },
  asserts: true,
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const messages of settings.sizes ?? [100_000]) {
      const folder = await mkdtemp(join(tmpdir(), "parley-restore-"))
      try {
        for (const each of await measure(settings, messages, folder))
          rows.push({ ...each, label: `${messages}: ${each.label}` })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    }
    return rows
  },
}
