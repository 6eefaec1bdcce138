/**
 * One run of a kill test: a server in a separate process, at least twenty queues that are read in every way, clients
 * that send, change subscriptions and type; `disturb` makes the faults of the test. Afterwards all clients finish, the
 * server stops, and the audit lists the violations. Used by test/deep/kill.test.ts and database-kill.test.ts.
 */
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { until } from "../../kit/test-database.ts"
import { audit } from "./audit.ts"
import type { Dice } from "./dice.ts"
import { beginLoad } from "./load.ts"
import { readTruth } from "./log-store.ts"
import type { Reading } from "./reading.ts"
import { isAcknowledged, type SendAnswer, type Temper } from "./senders.ts"
import { ServerProcess, type Settings } from "./server-process.ts"
import { Faults, meet, meetPicture, type World } from "./world.ts"

export interface SceneOptions {
  /** The server's data folder. */
  readonly folder: string
  /** PostgreSQL; null: the embedded database in the data folder. */
  readonly url: string | null
  /** The address by which the audit reaches the same database, if another. */
  readonly auditUrl?: string
  readonly dice: Dice
  /** Number of times that the server is killed before it has ever been ready. */
  readonly stillbirths: number
  readonly temper: Temper
  readonly settings: Settings
  readonly disturb: (scene: Scene) => Promise<void>
}

export interface Scene {
  readonly world: World
  readonly server: ServerProcess
  readonly dice: Dice
  /** Makes the clients stop writing or go on; typists and readers are not affected. */
  readonly setQuiet: (quiet: boolean) => void
  /** Many large messages at once, from now on. */
  readonly flood: () => void
  /** One more queue, from now on. */
  readonly addQueue: () => Promise<void>
  /** Waits until that many more sends are acknowledged; answers the milliseconds that it took. */
  readonly progress: (count: number) => Promise<number>
}

export type Answers = Readonly<Record<SendAnswer["kind"], number>>

export interface Report {
  readonly faults: ReadonlyArray<string>
  readonly starts: number
  readonly answers: Answers
  readonly sends: number
  readonly acknowledged: number
  readonly queues: number
  /** Stored events that the queues had to get, and got; ephemerals that came. */
  readonly events: number
  readonly ephemerals: number
  readonly rows: number
}

const readers = 20

const total = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, each) => sum + each, 0)

/** Kills the first starts, so that making the folder, the schema and the demo organization is interrupted too. */
const giveBirth = async (server: ServerProcess, { dice, stillbirths, settings }: SceneOptions): Promise<void> => {
  for (let left = stillbirths; left > 0; left--) {
    server.start(settings)
    await sleep(dice.between(50, 1500))
    await server.kill()
  }
  server.start(settings)
  await server.ready()
}

const perform = async (options: SceneOptions, server: ServerProcess, faults: Faults): Promise<Report> => {
  const { url, folder, dice } = options
  const state = { running: true, quiet: false }
  const answers = { sent: 0, unavailable: 0, refused: 0, lost: 0 }
  try {
    await giveBirth(server, options)
    const people = await meet({ server, faults })
    await meetPicture({ server, faults }, people)
    const world: World = {
      server,
      people,
      faults,
      running: () => state.running && !faults.isFull,
      isQuiet: () => state.quiet,
    }
    const load = await beginLoad({
      world,
      dice,
      readers,
      temper: options.temper,
      onAnswer: ({ kind }) => {
        answers[kind]++
      },
    })
    await options.disturb({
      world,
      server,
      dice,
      setQuiet: (quiet) => {
        state.quiet = quiet
      },
      flood: load.flood,
      addQueue: load.addQueue,
      progress: (count) => {
        const wanted = answers.sent + count
        return until(`${count} more sends are acknowledged`, 60_000, () => answers.sent >= wanted || !world.running())
      },
    })
    state.running = false
    const evidence = await load.finish()
    await server.stop()

    const auditUrl = options.auditUrl ?? url
    const database = join(folder, "database")
    const truth = await readTruth(
      auditUrl === null ? { kind: "pglite", folder: database, sync: false } : { kind: "postgres", url: auditUrl },
    )
    const { readings, sends } = evidence
    const count = (each: (reading: Reading) => number) => total(readings.map(each))
    return {
      faults: [...faults.list, ...audit(truth, evidence)],
      starts: server.starts,
      answers,
      sends: sends.length,
      acknowledged: sends.filter(isAcknowledged).length,
      queues: readings.length,
      events: count(({ stored }) => stored.length),
      ephemerals: count(({ ephemerals }) => ephemerals.size),
      rows: truth.rows.length,
    }
  } finally {
    state.running = false
    await server.kill()
  }
}

export const play = async (options: SceneOptions): Promise<Report> => {
  const faults = new Faults()
  const server = await ServerProcess.create({ ...options, onFault: faults.add })
  try {
    return await perform(options, server, faults)
  } catch (error) {
    const known = faults.list.map((fault) => `\n  ${fault}`).join("")
    const seed = `PARLEY_SEED=${options.dice.seed}`
    throw new Error(`${error}; ${seed}${known}\nthe server's last words:\n${server.output.slice(-3000)}`)
  }
}
