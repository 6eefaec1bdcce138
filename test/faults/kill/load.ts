/**
 * All clients of the server in a kill test: readers of queues, queues that are read only at the end, senders, a user
 * who makes channels, users who leave and rejoin a channel, typists.
 */
import type { Evidence } from "./audit.ts"
import { runFounder, runTypist, runWanderer } from "./churners.ts"
import type { Dice } from "./dice.ts"
import { type Habits, QueueClient } from "./readers.ts"
import { Reading } from "./reading.ts"
import { flood, runSender, type Send, type SendAnswer, type SendersOptions, type Temper } from "./senders.ts"
import { type Member, must, rest, type World } from "./world.ts"

export interface LoadOptions {
  readonly world: World
  readonly dice: Dice
  readonly readers: number
  readonly temper: Temper
  readonly onAnswer: (answer: SendAnswer) => void
}

export interface Load {
  /** Registers one more queue and reads it. */
  readonly addQueue: () => Promise<void>
  /** Many large messages at once. */
  readonly flood: () => void
  /** The world has stopped running: waits for everybody, and has every queue read to its end. */
  readonly finish: () => Promise<Evidence>
}

const capable = { stream_typing_notifications: true, empty_topic_name: true }
type Wish = Readonly<Record<string, unknown>>
const everything: Wish = {
  event_types: ["message", "typing", "subscription", "stream", "realm_user"],
  client_capabilities: capable,
}
/** The parameters of register of one queue after the other. */
const wishes: ReadonlyArray<Wish> = [
  { client_capabilities: capable },
  { apply_markdown: true, event_types: ["message"] },
  { narrow: [["channel", "general"]], client_capabilities: capable },
  { apply_markdown: true, ...everything },
  { narrow: [["is", "dm"]] },
  { all_public_streams: true },
  { event_types: ["subscription", "stream", "typing"], client_capabilities: capable },
]
/**
 * Queues registered at many moments, and read at the end, which may be an hour later: the first event of each must be the first
 * after its register's state.
 */
const sleeperWish: Wish = { event_types: ["subscription", "stream"], idle_queue_timeout: 86_400 }
const mostSleepers = 60
const senderCount = 7
/** The channel that people leave and join again. */
const wandered = "announcements"
const transports: ReadonlyArray<Habits["transport"]> = ["poll", "socket", "poll", "socket", "both"]

const wishOf = (index: number, person: Member): Wish => {
  const wish = wishes[index % wishes.length] ?? everything
  return person.isGuest && "all_public_streams" in wish ? everything : wish
}

const habitsOf = (index: number): Habits => ({
  transport: index % 4 === 3 ? "client" : (transports[index % transports.length] ?? "both"),
  drops: index % 3 === 0 ? 0.4 : 0.05,
  stalls: index % 3 === 1 ? 0.6 : 0.05,
  forgets: index % 6 === 2 ? 0.3 : 0.02,
})

export const beginLoad = async ({ world, dice, readers, temper, onAnswer }: LoadOptions): Promise<Load> => {
  const { people } = world
  const clients: Array<QueueClient> = []
  const busy: Array<Promise<unknown>> = []
  const rooms: Array<string> = []
  const personAt = (index: number): Member => {
    const person = people[index % people.length]
    if (person === undefined) throw new Error("there is nobody")
    return person
  }
  const owner = personAt(0)

  const register = async (wish: Wish, person: Member, habits: Habits): Promise<QueueClient> => {
    const name = `queue ${clients.length} of ${person.email} by ${habits.transport}`
    const state = await must(world, person, "POST", "/register", wish)
    const client = new QueueClient(world, new Reading(name, person, state, world), habits, dice.fork(name))
    clients.push(client)
    return client
  }
  let added = 0
  const addQueue = async (): Promise<void> => {
    const index = added++
    const client = await register(wishOf(index, personAt(index)), personAt(index), habitsOf(index))
    busy.push(client.run())
  }
  const runRegistrar = async (own: Dice): Promise<void> => {
    for (let n = 0; n < mostSleepers && world.running(); n++) {
      await register(sleeperWish, personAt(n), habitsOf(n))
      await rest(world, own.between(5, 200))
    }
  }

  for (let index = 0; index < readers; index++) await addQueue()
  const queueOf = new Map([...clients].reverse().map(({ reading }) => [reading.owner.id, reading.queueId]))
  const optionsOf = (name: string): SendersOptions => ({
    world,
    dice: dice.fork(name),
    queueOf: ({ id }) => queueOf.get(id) ?? "none",
    channelsOf: ({ leads, isGuest, id }) => [
      ...(leads ? ["leads"] : []),
      ...(isGuest ? [] : [wandered]),
      ...(id === owner.id ? rooms.slice(-3) : []),
    ],
    temper,
    onAnswer,
  })
  const sending = Array.from({ length: senderCount }, (_, index) => runSender(optionsOf(`s${index}`), personAt(index)))
  const flooding = optionsOf("flood")
  const flooded: Array<Send> = []
  const founding = runFounder(world, dice.fork("rooms"), owner, (room) => rooms.push(room))
  busy.push(runRegistrar(dice.fork("registrar")))
  for (const index of [2, 3, 5]) {
    busy.push(runWanderer(world, dice.fork(`w${index}`), personAt(index), wandered))
  }
  for (const index of [0, 1, 2]) busy.push(runTypist(world, dice.fork(`t${index}`), personAt(index), "general"))

  return {
    addQueue,
    flood: () => void busy.push(flood(flooding, owner, flooded)),
    finish: async () => {
      const sends = (await Promise.all(sending)).flat().concat(flooded)
      const founded = await founding
      await Promise.all(busy)
      await Promise.all(clients.map((client) => client.finish()))
      return { readings: clients.map(({ reading }) => reading), sends, rooms: founded }
    },
  }
}
