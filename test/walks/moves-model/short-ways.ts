/**
 * All short ways of a message: where it is sent, and a few steps, of which each moves it to another channel, gives it another
 * topic and text, or deletes it. Each message goes one way, all at the same time.
 */
import type { TestServer } from "../../kit/with-server.ts"

export const places = ["A", "B", "P", "R"] as const
export type Place = (typeof places)[number]
export type Turn = Place | "edit" | "delete"

export interface Way {
  readonly from: Place
  readonly turns: ReadonlyArray<Turn>
}

const isPlace = (turn: Turn): turn is Place => places.some((place) => place === turn)

const turnsAt = (place: Place, isLast: boolean): ReadonlyArray<Turn> => {
  const changes: ReadonlyArray<Turn> = isLast ? ["edit", "delete"] : ["edit"]
  return [...places.filter((each) => each !== place), ...changes]
}

const waysFrom = (place: Place, length: number): ReadonlyArray<ReadonlyArray<Turn>> =>
  turnsAt(place, length === 1).flatMap((turn) =>
    length === 1 ? [[turn]] : waysFrom(isPlace(turn) ? turn : place, length - 1).map((rest) => [turn, ...rest]),
  )

export const shortWays = (length: number): ReadonlyArray<Way> =>
  places.flatMap((from) => waysFrom(from, length).map((turns) => ({ from, turns })))

/** `A B edit`: the way up to a step. */
export const nameOf = ({ from, turns }: Way, steps = turns.length): string => [from, ...turns.slice(0, steps)].join(" ")

/** Requests that are made at a time. */
const atOnce = 40

const inBatches = async <T>(items: ReadonlyArray<T>, each: (item: T) => Promise<unknown>): Promise<void> => {
  for (let at = 0; at < items.length; at += atOnce) await Promise.all(items.slice(at, at + atOnce).map(each))
}

/** The messages of the ways, which the owner sends and changes. */
export class Movers {
  readonly #server: TestServer
  readonly #channels: Readonly<Record<Place, number>>
  /** The ways by the ids of their messages. */
  readonly ways = new Map<number, Way>()

  constructor(server: TestServer, channels: Readonly<Record<Place, number>>) {
    this.#server = server
    this.#channels = channels
  }

  get #owner() {
    return this.#server.as("desdemona")
  }

  send(ways: ReadonlyArray<Way>): Promise<void> {
    return inBatches(ways, async (way) => {
      const message = { type: "channel", to: this.#channels[way.from], topic: nameOf(way), content: nameOf(way) }
      this.ways.set(Number((await this.#owner.must.post("/messages", message))["id"]), way)
    })
  }

  /** Takes one step of each way. */
  step(n: number): Promise<void> {
    return inBatches([...this.ways], async ([id, way]) => {
      const turn = way.turns[n]
      const path = `/messages/${id}`
      if (turn === undefined) return undefined
      const changed = `${nameOf(way)}, step ${n}`
      if (turn === "delete") return await this.#owner.must.delete(path)
      const to = isPlace(turn) ? { stream_id: this.#channels[turn] } : { topic: changed, content: changed }
      return await this.#owner.must.patch(path, { ...to, send_notification_to_new_thread: false })
    })
  }
}
