/**
 * One run of a kill test: a server in a process of its own, twenty queues and more that are read in every way, clients
 * that send, change subscriptions and type; `disturb` does what the test is about. When it is over everybody comes to
 * an end, the server stops, and the audit says what was wrong. Used by kill.test.ts, database-kill.test.ts, chaos.ts.
 */
import { join } from "node:path"
import type { DatabaseConfig } from "../../src/config.ts"
import { until } from "../test-database.ts"
import { audit } from "./audit.ts"
import { runFounder, runTypist, runWanderer } from "./churners.ts"
import type { Dice } from "./dice.ts"
import { readTruth } from "./log-store.ts"
import { type Habits, QueueClient } from "./readers.ts"
import { Reading } from "./reading.ts"
import { isAcknowledged, runSender, type SendAnswer, type SendersOptions } from "./senders.ts"
import { ServerProcess, type Settings } from "./server-process.ts"
import { Faults, type Member, meet, must, type World } from "./world.ts"

export interface SceneOptions {
  /** The server's data folder. */
  readonly folder: string
  /** PostgreSQL; null: the embedded database in the data folder. */
  readonly url: string | null
  /** Where the audit reaches the same database, if not there. */
  readonly auditUrl?: string
  readonly dice: Dice
  readonly queues: number
  /** Share of sends whose client leaves before the answer. */
  readonly impatience: number
  readonly settings: Settings
  readonly disturb: (scene: Scene) => Promise<void>
}

export interface Scene {
  readonly world: World
  readonly server: ServerProcess
  readonly dice: Dice
  /** Answers so far, by kind. */
  readonly answers: Readonly<Record<SendAnswer["kind"], number>>
  /** One more queue, from now on. */
  readonly addQueue: () => Promise<void>
  /** Waits until that many more sends are acknowledged; answers the milliseconds that it took. */
  readonly progress: (count: number) => Promise<number>
}

export interface Report {
  readonly faults: ReadonlyArray<string>
  readonly answers: Readonly<Record<SendAnswer["kind"], number>>
  readonly sends: number
  readonly acknowledged: number
  readonly queues: number
  /** Stored events that the queues had to get, and got; ephemerals that came. */
  readonly events: number
  readonly ephemerals: number
  readonly rows: number
  readonly output: string
}

const everything = ["message", "typing", "subscription", "stream", "realm_user"]
const capable = { stream_typing_notifications: true, empty_topic_name: true }
/** What the queues ask for at register, in turn. */
const wishes: ReadonlyArray<Readonly<Record<string, unknown>>> = [
  { client_capabilities: capable },
  { apply_markdown: true, event_types: ["message"] },
  { narrow: [["channel", "general"]], client_capabilities: capable },
  { apply_markdown: true, event_types: everything, client_capabilities: capable },
  { narrow: [["is", "dm"]] },
  { all_public_streams: true },
  { event_types: ["subscription", "stream", "typing"], client_capabilities: capable },
]
const transports: ReadonlyArray<Habits["transport"]> = ["poll", "socket", "poll", "socket", "both"]

const databaseOf = (folder: string, url: string | null): DatabaseConfig =>
  url === null ? { kind: "pglite", folder: join(folder, "database") } : { kind: "postgres", url }

const habitsOf = (index: number): Habits => ({
  transport: transports[index % transports.length] ?? "both",
  drops: index % 3 === 0 ? 0.4 : 0.05,
  stalls: index % 4 === 1 ? 0.6 : 0.05,
  forgets: index % 6 === 2 ? 0.3 : 0.02,
})

const wishOf = (index: number, person: Member): Readonly<Record<string, unknown>> => {
  const wish = wishes[index % wishes.length] ?? {}
  return person.isGuest && "all_public_streams" in wish ? {} : wish
}

/** Who sends, and how many clients of theirs at once. */
const senderCount = 7

export const play = async (options: SceneOptions): Promise<Report> => {
  const { url, folder, dice } = options
  const faults = new Faults()
  const server = await ServerProcess.create({ url, folder, onFault: faults.add })
  const state = { running: true }
  server.start(options.settings)
  try {
    await server.ready()
    const people = await meet({ server, faults })
    const world: World = { server, people, faults, running: () => state.running && faults.list.length < 10 }
    const clients: Array<QueueClient> = []
    const reading: Array<Promise<void>> = []

    const addQueue = async (): Promise<void> => {
      const index = clients.length
      const owner = people[index % people.length]
      if (owner === undefined) throw new Error("there is nobody")
      const answer = await must(world, owner, "POST", "/register", wishOf(index, owner))
      const habits = habitsOf(index)
      const name = `queue ${index} of ${owner.email} by ${habits.transport}`
      const client = new QueueClient(
        world,
        new Reading(name, owner, answer, faults),
        habits,
        dice.fork(`queue${index}`),
      )
      clients.push(client)
      reading.push(client.run())
    }
    for (let index = 0; index < options.queues; index++) await addQueue()

    const answers = { sent: 0, unavailable: 0, refused: 0, lost: 0 }
    const rooms: Array<string> = []
    const [owner] = people
    if (owner === undefined) throw new Error("there is nobody")
    const senders = Array.from({ length: senderCount }, (_, index) => {
      const person = people[index % people.length] ?? owner
      const sending: SendersOptions = {
        world,
        dice: dice.fork(`s${index}`),
        queueOf: ({ id }) => clients.find(({ reading }) => reading.owner.id === id)?.reading.queueId ?? "none",
        channelsOf: ({ leads, id }) => [...(leads ? ["leads"] : []), ...(id === owner.id ? rooms.slice(-3) : [])],
        impatience: options.impatience,
        onAnswer: ({ kind }) => {
          answers[kind]++
        },
      }
      return runSender(sending, person)
    })
    const founding = runFounder(world, dice.fork("rooms"), owner, (room) => rooms.push(room))
    const others = [
      ...people
        .filter(({ isGuest }) => !isGuest)
        .slice(2, 5)
        .map((person) => runWanderer(world, dice.fork(`w${person.id}`), person, "announcements")),
      ...people.slice(0, 3).map((person) => runTypist(world, dice.fork(`t${person.id}`), person, "general")),
    ]

    const progress = (count: number): Promise<number> => {
      const wanted = answers.sent + count
      return until(`${count} more sends are acknowledged`, 60_000, () => answers.sent >= wanted || !world.running())
    }
    await options.disturb({ world, server, dice, answers, addQueue, progress })
    state.running = false
    const sends = (await Promise.all(senders)).flat()
    const founded = await founding
    await Promise.all([...others, ...reading])
    await Promise.all(clients.map((client) => client.finish()))
    await server.stop()

    const truth = await readTruth(databaseOf(folder, options.auditUrl ?? url))
    const readings = clients.map((client) => client.reading)
    const wrong = audit(truth, { readings, sends, rooms: founded })
    const count = (each: (reading: Reading) => number) => readings.reduce((sum, reading) => sum + each(reading), 0)
    return {
      faults: [...faults.list, ...wrong],
      answers,
      sends: sends.length,
      acknowledged: sends.filter(isAcknowledged).length,
      queues: clients.length,
      events: count(({ stored }) => stored.length),
      ephemerals: count(({ ephemerals }) => ephemerals.size),
      rows: truth.rows.length,
      output: server.output,
    }
  } finally {
    state.running = false
    await server.kill()
  }
}
