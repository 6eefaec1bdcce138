/**
 * A random run: users send random requests, the model computes the outcome, and after each step the clients' states and
 * the answers to reads are compared with the model. Some queues of each user are read after every step, others only at
 * the end, others only after a restart: all must get the same events.
 */
import { loadRealm } from "../../../src/chat/ground/realm/loading/load-store.ts"
import { Random } from "../../events/model/random.ts"
import { catalog } from "../../kit/catalog.ts"
import type { Fields } from "../../kit/client.ts"
import { describeRealm } from "../../kit/projection.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { names } from "../../kit/with-server.ts"
import { clientDiffers } from "./compare.ts"
import { channelDraws } from "./draw-channels.ts"
import { groupDraws } from "./draw-groups.ts"
import { peopleDraws } from "./draw-people.ts"
import { profileDraws } from "./draw-profiles.ts"
import { makeUser } from "./matrix-scene.ts"
import { numbers, readsDiffer, visitorDiffers } from "./reads.ts"
import { activeOf } from "./rules.ts"
import { emptyState, type Message, role, type State, type User } from "./state.ts"
import type { Draw, Step } from "./step.ts"
import { as, modern, old, type Watch, watch, wide } from "./watch.ts"

const draws = [...channelDraws, ...groupDraws, ...peopleDraws, ...profileDraws]

/** Every kind of request that a run may make. */
export const kinds: ReadonlyArray<string> = [
  ...["create", "create by subscribing", "send", "subscribe", "unsubscribe", "rename", "describe", "make", "give"],
  ...["topics policy", "default", "archive", "unarchive", "create a group", "describe a group", "rename a group"],
  ...["members add", "members delete", "subgroups add", "subgroups delete", "deactivate a group"],
  ...["reactivate a group", "role", "deactivate", "reactivate", "realm", "write directly"],
  ...["rename a person", "rename oneself", "add a field", "remove a field", "take a choice away"],
  "say something in a field",
]
const kindOf = ({ what }: Step): string => what.replace(/^(make|give|role|realm) .*/, "$1")

const weights = draws.reduce((sum, [weight]) => sum + weight, 0)

const drawOne = (random: Random): Draw => {
  let left = random.next() * weights
  for (const [weight, draw] of draws) {
    left -= weight
    if (left < 0) return draw
  }
  throw new Error("nothing was drawn")
}

/**
 * Draws a request: mostly one that is permitted, because most random ones are not; often one of a kind that has not
 * succeeded in this run yet, so that a few short runs cover all kinds.
 */
const drawStep = (state: State, random: Random, given: ReadonlySet<string>): Step => {
  const curiosity = random.chance(0.7) ? 200 : 0
  const patience = random.chance(0.7) ? 12 : 0
  for (let n = 0; ; n++) {
    const step = drawOne(random)(state, random)
    if (step === undefined) continue
    const isNew = step.may === true && !given.has(kindOf(step))
    if (n < curiosity ? isNew : step.may !== false || n >= curiosity + patience) return step
  }
}

/** Whether this queue gets a message that was just sent. */
const comesTo = (state: State, { user, kind }: Watch, { channel, holders }: Message): boolean => {
  const found = channel === null ? undefined : state.channels.get(channel)
  const isWide = kind.isWide && user.role !== role.guest
  return holders.has(user.id) || (isWide && found !== undefined && !found.isPrivate)
}

/** Thrown after the first step whose result differs from the model; it ends the run. */
export class Difference extends Error {}

export class Run {
  readonly state: State = emptyState()
  readonly #server: TestServer
  readonly #random: Random
  #live: Array<Watch> = []
  /** Queues that are read at the end of the run; those in `#asleep` only after a restart. */
  #late: Array<Watch> = []
  #asleep: Array<Watch> = []
  readonly #told: Array<string> = []
  #lastMessage = 0
  /** The kinds of requests that have succeeded. */
  readonly given = new Set<string>()
  refused = 0

  constructor(server: TestServer, seed: number) {
    this.#server = server
    this.#random = new Random(seed)
  }

  async begin(): Promise<void> {
    const server = this.#server
    await server.actions.changeRealm({ enable_spectator_access: true })
    const roles = { desdemona: 100, iago: 200, shiva: 300, hamlet: 400, cordelia: 400, othello: 400, polonius: 600 }
    for (const name of names) {
      const user = { id: server.idOf(name), name, role: roles[name], isActive: true, isBot: false, owner: null }
      this.state.users.set(user.id, user)
    }
    const bot = await makeUser(server, "bot", 400, server.idOf("hamlet"))
    this.state.users.set(bot.id, bot)
    for (const user of this.state.users.values()) await this.#watchAll(user)
  }

  async #watchAll(user: User): Promise<void> {
    const make = (kind: typeof modern) => watch(this.#server, user, kind)
    const other = user.role !== role.guest && user.id % 2 === 0 ? wide : old
    const made = await Promise.all([modern, other, modern, other, modern, other].map(make))
    const [first, second, third, fourth, fifth, sixth] = made
    this.#live.push(...[first, second].filter((each) => each !== undefined))
    this.#late.push(...[third, fourth].filter((each) => each !== undefined))
    this.#asleep.push(...[fifth, sixth].filter((each) => each !== undefined))
  }

  #fail(what: ReadonlyArray<string>): never {
    throw new Difference([...what.slice(0, 12), "after:", ...this.#told.slice(-8)].join("\n"))
  }

  async step(): Promise<void> {
    const step = drawStep(this.state, this.#random, this.given)
    const { by, method, path, fields, may } = step
    const line = `${by.name} (${by.role}): ${step.what}, ${method} ${path} ${JSON.stringify(fields)}`
    const answer = await as(this.#server, by)[method](path, fields)
    this.#told.push(`${line}: ${answer.status} ${String(answer.body["msg"])}`)
    const isGiven = answer.status === 200
    if (may !== null && isGiven !== may) this.#fail([`it should have been ${may ? "given" : "refused"}`])
    if (!isGiven && answer.status !== 400 && answer.status !== 403 && answer.status !== 409)
      this.#fail([`it was answered ${answer.status}`])
    const active = new Set(activeOf(this.state, this.state.users.keys()))
    if (isGiven) step.apply(answer.body)
    if (isGiven) this.given.add(kindOf(step))
    else this.refused++
    this.#forget()
    const fresh = await this.#messages()
    await this.#compareLive(fresh)
    for (const user of this.state.users.values()) if (user.isActive && !active.has(user.id)) await this.#watchAll(user)
    await this.#compareReads(this.#random.pick([...this.state.users.values()]))
  }

  /** Drops the queues of deactivated users, which have ended. */
  #forget(): void {
    const stays = ({ user }: Watch) => user.isActive
    this.#live = this.#live.filter(stays)
    this.#late = this.#late.filter(stays)
    this.#asleep = this.#asleep.filter(stays)
  }

  /** The messages that the step made, also those of Notification Bot, each with its receivers. */
  async #messages(): Promise<ReadonlyArray<Message>> {
    const rows = await this.#server.rows(
      `select m.id, m.channel_id, v.member_key from message m
       left join conversation v on v.realm_id = m.realm_id and v.id = m.conversation_id
       where m.realm_id = 1 and m.id > $1::bigint order by m.id`,
      [this.#lastMessage],
    )
    return rows.map((row) => {
      const id = Number(row["id"])
      const channel = row["channel_id"] === null ? null : Number(row["channel_id"])
      const people = String(row["member_key"] ?? "")
        .split(",")
        .map(Number)
      const inChannel = channel === null ? people : (this.state.channels.get(channel)?.subscribers ?? [])
      const message = { id, channel, holders: new Set(activeOf(this.state, inChannel)) }
      this.state.messages.set(id, message)
      this.#lastMessage = id
      return message
    })
  }

  async #compareLive(fresh: ReadonlyArray<Message>): Promise<void> {
    await Promise.all(
      this.#live.map(async (each) => {
        const { client, user } = each
        const before = client.messages.length
        const heard = client.heard.length
        await each.readOnce(this.#server)
        const found = [...clientDiffers(this.state, user, each.kind.able, client)]
        const came = client.messages.slice(before)
        const due = fresh.filter((message) => comesTo(this.state, each, message)).map(({ id }) => id)
        if (numbers(came) !== numbers(due)) found.push(`messages ${came} came, should be ${due}`)
        if (found.length > 0) this.#fail([...found, `to ${each.label} came:`, ...client.heard.slice(heard)])
      }),
    )
  }

  async #compareReads(user: User): Promise<void> {
    const found = await readsDiffer(this.#server, this.state, this.#random, user)
    if (found.length > 0) this.#fail([...found, `to ${user.name}`])
  }

  /** Compares everybody's reads, and a new register of each kind of client, with the model. */
  async settle(): Promise<void> {
    const read = await visitorDiffers(this.#server, this.state)
    if (read.length > 0) this.#fail(read)
    for (const user of this.state.users.values()) {
      await this.#compareReads(user)
      if (!user.isActive) continue
      for (const kind of [modern, old]) {
        const fresh = await watch(this.#server, user, kind)
        const found = clientDiffers(this.state, user, kind.able, fresh.client)
        if (found.length > 0) this.#fail([...found, `by a register of ${fresh.label}`])
      }
    }
  }

  async restart(): Promise<void> {
    await this.#server.restart()
  }

  /** Reads the late queues: they must get the same events as those that were read at once. */
  async wake(which: "late" | "asleep"): Promise<void> {
    const woken = which === "late" ? this.#late : this.#asleep
    await Promise.all(woken.map((each) => each.read(this.#server)))
    for (const [n, each] of woken.entries()) {
      const live = this.#live[n]
      const differs = each.events.findIndex((event, e) => JSON.stringify(event) !== JSON.stringify(live?.events[e]))
      if (live?.label !== each.label) throw new Error(`${each.label} is beside ${live?.label}`)
      if (differs >= 0 || each.events.length !== live.events.length) {
        const at = differs < 0 ? each.events.length : differs
        this.#fail([
          `${which}, ${each.label}: event ${at} of ${live.events.length} differs:`,
          `at once: ${JSON.stringify(live.events[at])}`,
          `${which}: ${JSON.stringify(each.events[at])}`,
        ])
      }
    }
  }

  /** I12: the projection equals one that is loaded now. */
  async sameAfresh(): Promise<void> {
    const { run, database, realmId, realm } = this.#server
    const loaded = await run(loadRealm(database, realmId, { moves: catalog.kinds, parts: catalog.parts, pageItems: 7 }))
    if (loaded === null) throw new Error("there is no such realm")
    const [moved, fresh]: ReadonlyArray<Fields> = [describeRealm(realm.realm), describeRealm(loaded)]
    const found = Object.keys(moved ?? {}).filter(
      (key) => JSON.stringify(moved?.[key]) !== JSON.stringify(fresh?.[key]),
    )
    if (found.length > 0)
      this.#fail(
        found.flatMap((key) => [
          `I12: ${key} differs`,
          ...parted(moved?.[key], fresh?.[key]).map((each) => each.slice(0, 1500)),
        ]),
      )
  }
}

/** The first entries in which two lists differ, or both values, as text. */
const parted = (moved: unknown, fresh: unknown): ReadonlyArray<string> => {
  if (!Array.isArray(moved) || !Array.isArray(fresh))
    return [`moved: ${JSON.stringify(moved)}`, `loaded: ${JSON.stringify(fresh)}`]
  const at = moved.findIndex((each: unknown, n) => JSON.stringify(each) !== JSON.stringify(fresh[n]))
  return [`moved: ${JSON.stringify(moved[at])}`, `loaded: ${JSON.stringify(fresh[at])}`]
}
