/**
 * Clients that change who receives messages while others send: users leave and rejoin a channel, and make channels with
 * some subscribers; and typists, whose indicators must come at most once and never under the id of another event.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Dice } from "./dice.ts"
import { ask, type Member, must, type Outcome, rest, type World } from "./world.ts"

export interface Room {
  readonly name: string
  readonly isPrivate: boolean
  readonly answers: Array<Outcome["kind"]>
}

/** Makes a few channels until the world stops. `opened` is called for each channel that certainly exists. */
export const runFounder = async (
  world: World,
  dice: Dice,
  founder: Member,
  opened: (room: string) => void,
): Promise<ReadonlyArray<Room>> => {
  const rooms: Array<Room> = []
  while (world.running() && rooms.length < 40) {
    await rest(world, dice.between(50, 500))
    const room: Room = { name: `room ${dice.name} ${rooms.length}`, isPrivate: dice.chance(0.5), answers: [] }
    rooms.push(room)
    const principals = [founder.id, ...dice.some(world.people, 0.5).map(({ id }) => id)]
    for (let n = 0; n < 3 && !room.answers.includes("answer"); n++) {
      const outcome = await ask(world, founder, "POST", "/users/me/subscriptions", {
        subscriptions: [{ name: room.name }],
        principals: [...new Set(principals)],
        invite_only: room.isPrivate,
      })
      room.answers.push(outcome.kind)
      if (outcome.kind !== "answer") await rest(world, dice.between(20, 100))
      else if (outcome.answer.status === 200) opened(room.name)
      else world.faults.add(`${room.name} could not be made: ${JSON.stringify(outcome.answer.body)}`)
    }
  }
  return rooms
}

/** Leaves a public channel and joins it again until the world stops. */
export const runWanderer = async (world: World, dice: Dice, person: Member, channel: string): Promise<void> => {
  while (world.running()) {
    const isLeaving = dice.chance(0.5)
    const subscriptions = isLeaving ? [channel] : [{ name: channel }]
    const outcome = await ask(world, person, isLeaving ? "DELETE" : "POST", "/users/me/subscriptions", {
      subscriptions,
    })
    if (outcome.kind === "answer" && outcome.answer.status !== 200)
      world.faults.add(`${person.email} cannot wander: ${JSON.stringify(outcome.answer.body)}`)
    await rest(world, dice.between(10, 300))
  }
}

/** Types in a channel, in a topic of its own each time, so that every indicator can be told from all others. */
export const runTypist = async (world: World, dice: Dice, person: Member, channel: string): Promise<number> => {
  const found = await must(world, person, "GET", "/get_stream_id", { stream: channel })
  let started = 0
  while (world.running()) {
    const outcome = await ask(world, person, "POST", "/typing", {
      type: "channel",
      op: "start",
      stream_id: Number(found["stream_id"]),
      topic: `typing ${person.id} ${dice.name.split("/").at(-1)} ${started++}`,
    })
    if (outcome.kind === "answer" && outcome.answer.status !== 200)
      world.faults.add(`${person.email} cannot type: ${JSON.stringify(outcome.answer.body)}`)
    await sleep(dice.between(5, 120))
  }
  return started
}
