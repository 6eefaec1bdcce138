/**
 * A random run about people: after each step the state that each client has by its register and all events since must
 * equal a register made now (I13), and the projection one that is loaded (I12). Which requests are permitted, who may
 * know an address and what bots store is the model's to say. Each user has a client that reads after every step, and one
 * of another kind that reads now and then only.
 */
import * as Predicate from "effect/Predicate"
import type { Test } from "tap"
import { Random } from "../../events/model/random.ts"
import { agreesWithTables } from "../../kit/afresh.ts"
import type { Fields } from "../../kit/client.ts"
import { objectIn, objectsIn, without } from "../../kit/client-sections.ts"
import { kindsOfClients, type Watcher, watch } from "../../kit/settles.ts"
import { accountDraws } from "./draw-accounts.ts"
import { botDraws } from "./draw-bots.ts"
import { ownDraws } from "./draw-own.ts"
import { realmDraws } from "./draw-realm.ts"
import { isAdmin, isGuest, lasting, type Member, type Scene, type Step } from "./scene.ts"

const draws = [...accountDraws, ...botDraws, ...realmDraws, ...ownDraws]
const weights = draws.reduce((sum, [weight]) => sum + weight, 0)

/** The kinds of requests that the fixed seeds make succeed; a longer run makes some more, of bots and of views. */
export const kinds: ReadonlyArray<string> = [
  ...["role", "deactivate", "leave", "reactivate", "somebody joins", "rename", "give an address", "take an address"],
  ...["who may know an address", "give a picture", "remove a picture", "make a bot", "change a bot's full_name"],
  ...["change a bot's bot_owner_id", "change a bot's default_sending_stream", "change a bot's role"],
  ...["change a bot's default_events_register_stream", "change a bot's default_all_public_streams"],
  ...["give a bot a picture", "renew a bot's key", "store", "forget what is stored"],
  ...["whom guests know", "turn a setting", "where who joins is announced", "add a domain", "change a domain"],
  ...[
    "remove a domain",
    "add a playground",
    "remove a playground",
    "appear",
    "hide or show one's presence",
    "a status",
  ],
  ...["keep a view", "drop a view", "be told of something", "subscribe", "unsubscribe", "write directly"],
]

/** Thrown after the first step whose result differs from what it must be; it ends the run. */
export class Difference extends Error {}

/** Seconds; the clock runs fast in a run, and queues that are read now and then must outlive that. */
const idle_queue_timeout = 86_400

/** The kinds of clients whose register has all sections. */
const clients: ReadonlyArray<Fields> = kindsOfClients
  .map(([, fields]) => fields)
  .filter(({ fetch_event_types, event_types }) => fetch_event_types === undefined && event_types === undefined)
  .flatMap((fields) => [
    { ...fields, idle_queue_timeout, client_gravatar: false },
    { ...fields, idle_queue_timeout, client_gravatar: true },
  ])

interface Watched {
  readonly user: Member
  readonly watcher: Watcher
  /** Whether it reads after every step. */
  readonly isLive: boolean
}

/** The same text for equal values: the order of keys does not matter, and another start has another port. */
const text = (value: unknown): string =>
  String(
    JSON.stringify(value, (_, each: unknown) =>
      Predicate.isObject(each) && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ),
  ).replaceAll(/127\.0\.0\.1:\d+/g, "here")

/** The first entries in which two states differ, as lines. */
const parted = (is: unknown, must: unknown): ReadonlyArray<string> => {
  const [have, want] = [objectIn(is), objectIn(must)]
  return [...new Set([...Object.keys(have), ...Object.keys(want)])].flatMap((key) => {
    const [a, b] = [have[key], want[key]]
    if (text(a) === text(b)) return []
    const at = Array.isArray(a) && Array.isArray(b) ? a.findIndex((each, n) => text(each) !== text(b[n])) : -1
    const [left, right] = Array.isArray(a) && Array.isArray(b) && at >= 0 ? [a[at], b[at]] : [a, b]
    return [`${key}:`, `  by events: ${text(left).slice(0, 1200)}`, `  by a register: ${text(right).slice(0, 1200)}`]
  })
}

/** Whether a viewer may know somebody's address, by the setting of theirs that says so. */
const mayKnowAddress = (viewer: Member, { visibility }: Member): boolean =>
  visibility === 1 ||
  (visibility === 2 && !isGuest(viewer)) ||
  (visibility === 3 && isAdmin(viewer)) ||
  (visibility === 5 && viewer.role <= 300)

export class Run {
  readonly #scene: Scene
  readonly #random: Random
  readonly #agrees: (when: string) => Promise<void>
  #watched: Array<Watched> = []
  #registered = 0
  readonly #told: Array<string> = []
  readonly given = new Set<string>()
  refused = 0

  constructor(t: Test, scene: Scene, seed: number) {
    this.#scene = scene
    this.#random = new Random(seed)
    this.#registered = seed
    this.#agrees = agreesWithTables(t, scene.server)
  }

  async begin(): Promise<void> {
    for (const user of this.#scene.members.values()) await this.#watch(user)
  }

  #fail(what: ReadonlyArray<string>): never {
    throw new Difference([...what.slice(0, 24), "after:", ...this.#told.slice(-12)].join("\n"))
  }

  #draw(): Step {
    const isCurious = this.#random.chance(0.7)
    for (let n = 0; ; n++) {
      let left = this.#random.next() * weights
      const draw = draws.find(([weight]) => {
        left -= weight
        return left < 0
      })?.[1]
      const step = draw?.(this.#scene, this.#random)
      if (step === undefined) continue
      // Most random requests are not permitted. Those that have not succeeded yet come first.
      if (n > 200 || (isCurious && n < 40 ? step.may !== false && !this.given.has(step.what) : step.may !== false))
        return step
    }
  }

  async #watch(user: Member): Promise<void> {
    for (const isLive of [true, false]) {
      const fields = clients[this.#registered++ % clients.length] ?? {}
      this.#watched.push({ user, isLive, watcher: await this.#register(user, fields) })
    }
  }

  #register({ id, role }: Member, fields: Fields): Promise<Watcher> {
    const label = `${id}, registered with role ${role} and ${text(fields)}`
    const { port } = this.#scene.server
    return watch({ label, person: lasting(this.#scene, id), port, user: id, fields })
  }

  async step(isCompared: boolean): Promise<void> {
    const scene = this.#scene
    const step = this.#random.chance(0.85) ? this.#draw() : this.#any()
    const before = new Set(scene.active)
    const guests = new Set([...scene.members.values()].filter(isGuest))
    const { by, what, may, told } = step
    const answer = await step.ask()
    const isGiven = answer.status === 200
    this.#told.push(`${by.id} (${by.role}): ${what}, ${text(told)}: ${answer.status} ${String(answer.body["msg"])}`)
    if (may !== null && isGiven !== may) this.#fail([`it should have been ${may ? "given" : "refused"}`])
    if (!isGiven && ![400, 403, 404].includes(answer.status))
      this.#fail([`it was answered ${answer.status} ${text(answer.body)}`])
    if (isGiven) {
      step.apply?.(answer.body)
      scene.lowerBots()
      this.given.add(what)
    } else this.refused++
    // Whose account is gone has no queues any more.
    this.#watched = this.#watched.filter(({ user }) => user.isActive)
    // Another choice of whom guests know ends the queues of guests, and so does becoming one or being one no more.
    const isChosen = isGiven && what === "whom guests know"
    const isAfresh = (user: Member) => (isChosen && isGuest(user)) || guests.has(user) !== isGuest(user)
    this.#watched = this.#watched.filter(({ user }) => !isAfresh(user))
    for (const user of scene.active) if (!before.has(user) || isAfresh(user)) await this.#watch(user)
    if (isCompared) await this.compare(false)
  }

  /**
   * A restart forgets who is there of which queues have not been told, and tells it to none that has not come back since: those
   * that read after every comparison read it before, and come back after.
   */
  async restart(): Promise<void> {
    for (const { watcher, isLive } of this.#watched) if (isLive) await watcher.settle()
    await this.#scene.server.restart()
    for (const { watcher, isLive } of this.#watched) if (isLive) await watcher.settle()
  }

  /** A request of any kind, permitted or not. */
  #any(): Step {
    for (;;) {
      const step = this.#random.pick(draws)[1](this.#scene, this.#random)
      if (step !== undefined) return step
    }
  }

  /** Compares what reads after every step; `all`: what reads now and then, too. */
  async compare(all: boolean): Promise<void> {
    for (const { user, watcher, isLive } of this.#watched) {
      const { state, reader, view } = watcher
      if (!all && !isLive && !this.#random.chance(0.1)) continue
      await watcher.settle().catch((error: unknown) => this.#fail([`${view.label}: ${String(error)}`]))
      const fresh = await this.#register(user, view.fields)
      await view.person.must.delete("/events", { queue_id: fresh.reader.queueId })
      const either = state.shown
      // Who is there is in no log: a queue that was away is not told of them.
      const unknown = isLive ? [] : ["presences"]
      const [is, must] = [state, fresh.state].map((each) => without(objectIn(each.plain(either)), ...unknown))
      if (text(is) !== text(must)) {
        const heard = reader.events.slice(-6).map((event) => `  ${text(event).slice(0, 600)}`)
        this.#fail([`I13: ${view.label}`, ...parted(is, must), "heard:", ...heard])
      }
      this.#compareAddresses(user, fresh.reader.state)
    }
    await this.#compareStored()
    await this.#agrees(this.#told.at(-1) ?? "the beginning")
  }

  #compareAddresses(viewer: Member, register: Fields): void {
    for (const list of ["realm_users", "realm_non_active_users"])
      for (const { user_id, delivery_email, full_name } of objectsIn(register[list])) {
        const member = this.#scene.members.get(Number(user_id))
        if (member === undefined || member.isBot || full_name === "Unknown user" || member === viewer) continue
        const must = mayKnowAddress(viewer, member) ? this.#scene.emailOf(member.id) : null
        if (delivery_email !== must)
          this.#fail([`${viewer.id} reads ${text(delivery_email)} as the address of ${user_id}, not ${text(must)}`])
      }
  }

  async #compareStored(): Promise<void> {
    for (const { id, isBot, storage } of this.#scene.active) {
      if (!isBot) continue
      const stored = objectIn((await this.#scene.as(id).must.get("/bot_storage"))["storage"])
      const sorted = (entries: Iterable<readonly [string, unknown]>) =>
        text([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
      if (sorted(Object.entries(stored)) !== sorted(storage)) this.#fail([`${id} stores ${text(stored)}`])
    }
  }
}
