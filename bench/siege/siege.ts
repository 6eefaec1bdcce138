/** One siege on one database: seeds it, starts the server, the honest users and the attackers, and gathers the figures. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { Remote } from "../remote.ts"
import { attacks } from "./attacks/all.ts"
import type { Tally, Who } from "./kit.ts"
import { Server } from "./server.ts"
import { Target } from "./target.ts"

export interface SiegeOptions {
  readonly databaseUrl: string | null
  readonly users: number
  readonly secretMessages: number
  readonly longMessages: number
  readonly quietSeconds: number
  readonly seconds: number
  readonly names: ReadonlyArray<string>
  readonly accountEach: boolean
  readonly mostMemory: number
  readonly log: string
  readonly progress: (text: string) => void
}

const Times = Schema.Struct({
  count: Schema.Number,
  p50: Schema.NullOr(Schema.Number),
  p99: Schema.NullOr(Schema.Number),
  most: Schema.NullOr(Schema.Number),
})
const Figures = Schema.Struct({
  sends: Times,
  events: Schema.Struct({ poll: Times, socket: Times }),
  failures: Schema.Record(Schema.String, Schema.Number),
  lost: Schema.Number,
  doubled: Schema.Number,
  reconnections: Schema.Number,
  queuesLost: Schema.Number,
})
export type HonestFigures = typeof Figures.Type
const Finished = Schema.decodeUnknownSync(
  Schema.Struct({ phases: Schema.Record(Schema.String, Figures), ownBlock: Schema.Number }),
)
const Attacked = Schema.decodeUnknownSync(
  Schema.Struct({
    tallies: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Number)),
    faults: Schema.Array(Schema.String),
  }),
)
const decodeTarget = Schema.decodeUnknownSync(Target)
const anything = (value: unknown) => value

export interface Phase {
  readonly honest: HonestFigures
  /** Bytes, milliseconds, and the share of one processor. */
  readonly mostResident: number
  readonly longestBlock: number
  readonly cpu: number
}

export interface Outcome {
  readonly quiet: Phase
  readonly siege: Phase
  readonly deaths: ReadonlyArray<string>
  readonly tallies: Readonly<Record<string, Tally>>
  readonly faults: ReadonlyArray<string>
  /** The longest block of the honest users' own event loop: figures below it are not the server's. */
  readonly ownBlock: number
}

const secret = "a secret that is only used in benchmarks, and long enough"
const channels = 1000
const sendsPerSecond = 2
/** After the attack, for messages and answers that are still on their way. */
const patienceSeconds = 60

export interface Seeded {
  readonly databaseUrl: string | null
  readonly users: number
  readonly secretMessages: number
  readonly longMessages: number
}

/** Fills the database by a process of its own, so that the server's memory is only what it takes to serve. */
export const seed = async (wanted: Seeded, folder: string): Promise<Target> => {
  const seeder = Remote.start("siege/seed.js", null)
  try {
    return await seeder.ask("seed", { ...wanted, folder, secret, channels }, decodeTarget)
  } finally {
    await seeder.stop()
  }
}

export const startSeeded = (
  options: Pick<SiegeOptions, "databaseUrl" | "mostMemory" | "log">,
  folder: string,
  rateLimit: boolean,
): Promise<Server> => Server.start({ ...options, folder, secret, rateLimit })

/** Figures of the server while `act` went on: memory, the longest block, processor time. */
const measured = async (server: Server, act: () => Promise<unknown>): Promise<Omit<Phase, "honest">> => {
  server.clear()
  await server.watch()
  const begin = { cpu: server.cpu, at: performance.now() }
  await act()
  const cpu = (server.cpu - begin.cpu) / 1000 / (performance.now() - begin.at)
  return { mostResident: server.mostResident, longestBlock: await server.longestBlock(), cpu }
}

const attack = async (server: Server, target: Target, options: SiegeOptions) => {
  const chosen = attacks.filter(({ name }) => options.names.includes(name))
  const kinds = [...new Set(chosen.map(({ who }) => who))]
  const tallies: Record<string, Tally> = {}
  const faults: Array<string> = []
  const { seconds, accountEach } = options
  const one = async (kind: Who) => {
    const names = chosen.filter(({ who }) => who === kind).map(({ name }) => name)
    const attacker = Remote.start("siege/attacker.js", null)
    try {
      const orders = { port: server.port, target, names, seconds, accountEach }
      const done = await attacker.ask("attack", orders, Attacked)
      Object.assign(tallies, done.tallies)
      faults.push(...done.faults)
    } catch (error) {
      faults.push(`${kind}: ${error}`)
    } finally {
      await attacker.stop()
    }
  }
  await Promise.all(kinds.map(one))
  return { tallies, faults }
}

export const siege = async (options: SiegeOptions): Promise<Outcome> => {
  const { progress, quietSeconds, seconds } = options
  const folder = await mkdtemp(join(tmpdir(), "parley-siege-"))
  const running: Array<{ readonly stop: () => Promise<void> }> = []
  try {
    progress("seeding")
    const target = await seed(options, folder)
    progress("the server starts")
    const server = await startSeeded(options, folder, true)
    running.push(server)
    const honest = Remote.start("siege/honest.js", null)
    running.push(honest)
    await honest.ask("start", { port: server.port, target, perSecond: sendsPerSecond }, anything)
    await wait(2000)
    progress(`${quietSeconds} s of peace`)
    await honest.ask("phase", { phase: "quiet" }, anything)
    const quiet = await measured(server, () => wait(1000 * quietSeconds))
    progress(`${seconds} s of siege`)
    await honest.ask("phase", { phase: "siege" }, anything)
    let attacked: Awaited<ReturnType<typeof attack>> = { tallies: {}, faults: [] }
    const during = await measured(server, async () => {
      attacked = await attack(server, target, options)
    })
    progress("late answers")
    const finished = await honest.ask("finish", { phases: ["quiet", "siege"], patienceSeconds }, Finished)
    const { quiet: calm, siege: besieged } = finished.phases
    if (calm === undefined || besieged === undefined) throw new Error("the honest users did not finish")
    return {
      quiet: { ...quiet, honest: calm },
      siege: { ...during, honest: besieged },
      deaths: server.deaths,
      ...attacked,
      ownBlock: finished.ownBlock,
    }
  } finally {
    for (const each of running.reverse()) await each.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
