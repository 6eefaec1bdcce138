/**
 * Random schedules: a seed gives the sizes of everything, how often each kind of step comes, and then the steps
 * themselves. The same seed gives the same schedule.
 */
import { roleNumbers } from "../../../src/chat/ground/realm/domain-values.ts"
import { channelsUpTo, type Founding, usersUpTo } from "./journal.ts"
import type { Parts, Sizes } from "./process.ts"
import { Random } from "./random.ts"
import { reunite, settle } from "./settle.ts"
import { World } from "./world.ts"

/** A step; false: there was nothing to do it to. */
type Step = (world: World, random: Random) => boolean

const done = (act: () => void): boolean => {
  act()
  return true
}

/** Applies `act` to a random element; false if the list is empty or `act` says that there was nothing to do. */
const toOne = <T>(random: Random, list: ReadonlyArray<T>, act: (one: T) => unknown): boolean => {
  const found = random.find(list)
  return found !== undefined && act(found) !== false
}

const reachable = (world: World) => world.clients.filter((client) => !client.isGone)
const connected = (world: World) => [...world.process.queues.values()].filter((queue) => queue.connection !== null)
const unread = (world: World) => world.links.filter((link) => !link.isDropped && link.inbox.length > 0)

const steps = {
  commit: (world, random) =>
    done(() => {
      for (let count = random.between(1, 4); count > 0; count--) world.commit()
    }),
  advance: (world, random) => world.advance(random.between(1, 3)),
  turn: (world, random) => {
    const task = random.take(world.process.tasks)
    return task !== undefined && done(task)
  },
  execute: (world, random) =>
    toOne(
      random,
      world.process.reads.filter(({ page }) => page === null),
      (read) => world.process.execute(read),
    ),
  answer: (world, random) =>
    toOne(random, world.process.reads, (read) => world.process.answer(read, random.chance(0.1))),
  noop: (world, random) => world.settleNoop(random.chance(0.7)),
  gap: (world) => world.settleGap(),
  beginRegister: (world) => world.clients.length < 6 && done(() => world.beginRegister()),
  finishRegister: (world, random) => toOne(random, world.registering, (begun) => world.finishRegister(begun)),
  poll: (world, random) =>
    toOne(random, reachable(world), (client) => world.connect(client, "poll", random.chance(0.6), client.last)),
  socket: (world, random) =>
    toOne(random, reachable(world), (client) => world.connect(client, "socket", true, client.last)),
  /** Connects with an older id than its last one, and skips the events that it has already. */
  repeat: (world, random) =>
    toOne(random, reachable(world), (client) =>
      world.connect(client, random.pick(["poll", "socket"]), true, random.pick(client.ids)),
    ),
  /** Forgets the events after an older id and connects with that id. */
  rewind: (world, random) =>
    toOne(random, reachable(world), (client) => {
      client.rewind(random.pick(client.ids))
      world.connect(client, random.pick(["poll", "socket"]), true, client.last)
    }),
  leap: (world, random) =>
    world.journal.head > 0 &&
    toOne(random, reachable(world), (client) => {
      client.leap(Math.max(client.last, world.idAhead))
      world.connect(client, random.pick(["poll", "socket"]), true, client.last)
    }),
  receive: (world, random) => toOne(random, unread(world), (link) => world.receive(link)),
  lose: (world, random) =>
    toOne(
      random,
      world.links.filter((link) => !link.isDropped),
      (link) => link.client.drop(link),
    ),
  notice: (world, random) =>
    toOne(
      random,
      world.links.filter((link) => !link.isNoticed),
      (link) => world.notice(link),
    ),
  drain: (world, random) => toOne(random, world.links, (link) => world.drain(link)),
  acknowledge: (world, random) =>
    toOne(
      random,
      world.links.filter((link) => link.isOpen && !link.isDropped),
      (link) => {
        const { client } = link
        const ids = [
          client.last,
          random.pick(client.ids),
          client.last + 1,
          random.chance(0.05) ? world.idOfTheFuture : -1,
        ]
        return world.acknowledge(link, random.pick(ids))
      },
    ),
  disconnect: (world, random) => toOne(random, connected(world), (queue) => queue.disconnect("waited")),
  signal: (world, random) =>
    done(() => {
      for (let count = random.between(1, 3); count > 0; count--)
        world.signal(random.some(world.journal.founding.users, 0.7))
    }),
  heartbeat: (world, random) => done(() => world.process.hub.heartbeat(random.some(connected(world), 0.8))),
  save: (world, random) => toOne(random, [...world.process.queues.values()], (queue) => world.save(queue)),
  sweep: (world, random) =>
    toOne(
      random,
      [...world.process.queues.values()].filter((queue) => queue.connection === null),
      (queue) => world.process.letGo(queue),
    ),
  remove: (world, random) => random.chance(0.1) && toOne(random, reachable(world), (client) => world.remove(client)),
  prune: (world) => done(() => world.prune()),
  pruneRing: (world) =>
    done(() => {
      world.process.ring.prune(world.journal.oldest)
      world.process.pages.prune(world.journal.oldest)
    }),
  sweepPages: (world) => done(() => world.process.pages.sweep()),
  kill: (world) => done(() => world.kill()),
  settle: (world) => done(() => settle(world)),
  /** Restarts when all is settled and ephemerals were given ids above the newest row: none of these may be given again. */
  restart: (world) =>
    done(() => {
      settle(world)
      world.kill()
      reunite(world)
    }),
} satisfies Readonly<Record<string, Step>>

type StepName = keyof typeof steps
const names = Object.keys(steps) as ReadonlyArray<StepName>

/** The weight of each step; a schedule multiplies each by a random factor. */
const usual: Partial<Record<StepName, number>> = {
  commit: 14,
  advance: 14,
  turn: 20,
  execute: 3,
  answer: 8,
  noop: 3,
  gap: 3,
  beginRegister: 4,
  finishRegister: 6,
  poll: 8,
  socket: 6,
  repeat: 2,
  leap: 1,
  receive: 16,
  lose: 2,
  notice: 3,
  drain: 6,
  acknowledge: 4,
  signal: 5,
  heartbeat: 3,
  kill: 1,
  prune: 0.5,
  pruneRing: 0.5,
  sweepPages: 1,
  remove: 0.5,
  settle: 0.5,
  restart: 0.3,
}

const chooseWeights = (random: Random): ReadonlyArray<readonly [StepName, number]> =>
  names.map((name) => [name, (usual[name] ?? 1) * random.pick([0.2, 1, 1, 1, 4])])

const chooseStep = (random: Random, weights: ReadonlyArray<readonly [StepName, number]>, total: number): StepName => {
  let rest = random.next() * total
  for (const [name, weight] of weights) {
    rest -= weight
    if (rest < 0) return name
  }
  return "turn"
}

const chooseSizes = (random: Random): Sizes => ({
  ringBytes: random.pick([1, 500, 2000, 1_000_000]),
  ringRowsAtStart: random.pick([1, 5, 1000]),
  pendingEvents: random.pick([1, 2, 4, 1000]),
  pendingBytes: random.pick([200, 500, 1_000_000]),
  offersPerLook: random.pick([1, 1, 2, 1000]),
  sendsPerTurn: random.pick([1, 2, 1000]),
  fetchesAtOnce: random.pick([1, 2, 1000]),
  pageRows: random.pick([1, 2, 3, 1000]),
  pageSpan: random.pick([1, 2, 3, 1000]),
  pastBytes: random.pick([1, 2000, 1_000_000]),
})

const found = (random: Random): Founding => {
  const users = usersUpTo(random.between(2, 6))
  const channels = channelsUpTo(random.between(2, 4))
  return {
    users,
    channels,
    secret: random.pick(channels),
    roles: new Map(users.map((user) => [user, random.pick(roleNumbers)])),
    subscribers: channels.flatMap((channel) => random.some(users, 0.5).map((user) => [channel, user] as const)),
  }
}

/** A failed schedule, with what is needed to repeat it. */
export interface Failure {
  readonly seed: number
  readonly cause: unknown
  /** The last steps before the failure. */
  readonly steps: ReadonlyArray<string>
}

/** Most steps of a failed schedule that are reported. */
const told = 40

/** Runs one schedule; null: every promise was kept. */
export const runSchedule = (seed: number, parts: Parts, length: number): Failure | null => {
  const random = new Random(seed)
  const weights = chooseWeights(random)
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  const taken: Array<string> = []
  try {
    const world = new World(random, parts, chooseSizes(random), found(random), random.pick([0, 0, 1, 10, 30]))
    for (let count = 0; count < length; count++) {
      const name = chooseStep(random, weights, total)
      taken.push(name)
      if (!steps[name](world, random)) taken.pop()
      world.check()
    }
    taken.push("reunite")
    reunite(world)
    return null
  } catch (cause) {
    return { seed, cause, steps: taken.slice(-told) }
  }
}
