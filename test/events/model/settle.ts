/**
 * Runs all deferred work of a world until none is left, without starting anything new, and checks that each connected
 * client has all events meant for it and gets the next one.
 */
import type { Client } from "./client.ts"
import type { Link } from "./link.ts"
import { Violation } from "./violation.ts"
import type { World } from "./world.ts"

/** More rounds than any schedule needs: of 9,000 one took 4,659. */
const patience = 20_000
/** More connections than a client needs to read to the end: of 9,000 schedules one took 14, most 8 to 13. */
const comebacks = 500

/** One round; false: nothing was under way. */
const stir = (world: World): boolean => {
  const { process, journal } = world
  if (process.feed.position < journal.head) return world.advance(journal.head)
  const task = process.tasks.shift()
  if (task !== undefined) {
    task()
    return true
  }
  const read = process.reads[0]
  if (read !== undefined) {
    process.answer(read, false)
    return true
  }
  if (world.settleNoop(true) || world.settleGap()) return true
  let moved = false
  for (const link of world.links) moved = world.receive(link) || world.drain(link) || world.notice(link) || moved
  return moved
}

const rest = (world: World): void => {
  for (let round = 0; stir(world); round++) {
    if (round > patience) throw new Violation("the server never comes to rest")
    world.check()
  }
}

const isWaiting = (link: Link): boolean => link.isOpen && !link.isDropped

const checkWaiting = (world: World): void => {
  for (const link of world.links.filter(isWaiting)) {
    const { client } = link
    const queue = world.queueOf(link)
    if (queue === undefined) throw new Violation("an open connection belongs to no queue")
    if (!link.waits) throw new Violation("a poll that does not wait is left waiting")
    if (link.mustGo) throw new Violation("a queue whose past is gone is left waiting")
    if (queue.state !== "live") throw new Violation(`a queue with a connection is ${queue.state} at rest`)
    if (!client.isComplete) throw new Violation(`user ${client.queue.user} waits and never gets ${client.missing}`)
    client.checkState()
  }
}

/** Every client that waits must get an ephemeral that is meant for it. */
const checkWhisper = (world: World, send: (links: ReadonlyArray<Link>) => ReadonlyArray<Link>): void => {
  const waiting = send(world.links.filter(isWaiting))
  const before = waiting.map((link) => link.handed)
  rest(world)
  checkWaiting(world)
  for (const [index, link] of waiting.entries())
    if (link.handed === before[index]) throw new Violation(`user ${link.client.queue.user} waits and hears no whisper`)
}

const wantsSignals = ({ queue: { types, rendering } }: Client): boolean =>
  (types === null || types.includes("signal")) && rendering.channelTyping

export const settle = (world: World): void => {
  for (const begun of [...world.registering]) world.finishRegister(begun)
  rest(world)
  checkWaiting(world)
  checkWhisper(world, (links) => {
    world.process.hub.heartbeat(links.flatMap((link) => world.queueOf(link) ?? []))
    return links
  })
  checkWhisper(world, (links) => {
    world.signal(world.journal.founding.users)
    return links.filter(({ client }) => wantsSignals(client))
  })
}

/** Every client connects again, if need be, and reads to the end. */
export const reunite = (world: World): void => {
  settle(world)
  for (let round = 0; ; round++) {
    const away = world.clients.filter((client) => !client.isGone && !client.links.some(isWaiting))
    if (away.length === 0) break
    if (round > comebacks) throw new Violation("a client is answered for ever and never complete")
    for (const client of away) world.connect(client, world.random.pick(["poll", "socket"]), true, client.last)
    rest(world)
  }
  settle(world)
}
