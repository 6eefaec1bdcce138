/** Looks of users at the messages of a scene, compared with the world (world.ts). */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { fits as isFit } from "../../../../../src/chat/reading/history/narrows/matcher.ts"
import { narrowShape, readNarrow } from "../../../../../src/chat/reading/history/narrows/narrow.ts"
import { UserId } from "../../../../../src/ids.ts"
import { Random } from "../../../../events/model/random.ts"
import type { Fields } from "../../../../kit/client.ts"
import { numbersIn, objectIn, objectsIn } from "../../../../kit/client-sections.ts"
import { factsOf, readerFactsOf } from "./facts.ts"
import { same, sameFiles } from "./file-looks.ts"
import { sameHistory } from "./history-looks.ts"
import { type Flags, type Narrow, Narrows } from "./narrows.ts"
import { Disagreement, type Scene, said } from "./scene.ts"
import type { Message, User, World } from "./world.ts"

/** No message, channel or file. */
const nobody = 999_999_999

export const idsOf = (messages: unknown): ReadonlyArray<number> => objectsIn(messages).map(({ id }) => Number(id))
const page = { anchor: "newest", num_before: 1000, num_after: 0 }

/** Fails with what is known of the messages that one list has and the other has not. */
const sameIds = (world: World, is: ReadonlyArray<number>, must: ReadonlyArray<number>, what: string): void => {
  const [more, fewer] = [is.filter((id) => !must.includes(id)), must.filter((id) => !is.includes(id))]
  const told = [
    ["too many", more],
    ["missing", fewer],
  ].flatMap(([how, ids]) => (Array.isArray(ids) ? ids : []).map((id) => `${how}: ${world.describe(id)}`))
  same(is, must, [what, ...told].join("\n"))
}

export class Looks {
  readonly scene: Scene
  readonly narrows: Narrows
  readonly random: Random

  constructor(scene: Scene, seed: number) {
    this.scene = scene
    // A generator of its own, so that what is looked at does not change what happens.
    this.random = new Random(seed + 1_000_000)
    this.narrows = new Narrows(scene.world, this.random)
  }

  #allIds(): ReadonlyArray<number> {
    const { messages, deleted } = this.scene.world
    return [...messages.keys(), ...deleted, nobody]
  }

  /** The flags of what a user may read, which must be all that they are given. */
  async flags(user: User): Promise<Flags> {
    const { world } = this.scene
    const { messages } = await this.scene.as(user).must.get("/messages", { message_ids: this.#allIds() })
    sameIds(
      world,
      idsOf(messages),
      world.ids((each) => world.reads(user, each)),
      `${user.name}, by ids`,
    )
    for (const { id, content, subject, stream_id } of objectsIn(messages)) {
      const message = world.messages.get(Number(id))
      if (message === undefined) continue
      const isThere =
        message.channel === null ||
        (stream_id === message.channel.id && String(subject).replace("general chat", "") === message.topic)
      if (!isThere || !Predicate.isString(content)) throw new Disagreement(`${user.name}: ${id} is elsewhere`)
    }
    return new Map(
      objectsIn(messages).map(({ id, flags }) => [Number(id), new Set(Array.isArray(flags) ? flags.map(String) : [])]),
    )
  }

  async #shown(user: User, fields: Fields): Promise<ReadonlyArray<number>> {
    return idsOf((await this.scene.as(user).must.get("/messages", { ...page, ...fields }))["messages"])
  }

  /** A narrow by its SQL in both orders, by ids and by matches_narrow. Answers what it is to the world. */
  async narrow(user: User, { terms, fits, isWithin, isRefused }: Narrow): Promise<void> {
    const { world } = this.scene
    const person = this.scene.as(user)
    const what = `${user.name}, ${JSON.stringify(terms)}`
    if (isRefused) {
      const { status, body } = await person.get("/messages", { ...page, narrow: terms })
      return same([status, body["code"]], [400, "BAD_NARROW"], what)
    }
    const expected = world.ids((each) => isWithin(each) && fits(each))
    sameIds(world, await this.#shown(user, { narrow: terms }), expected, what)
    const anchor = this.random.pick([0, ...world.messages.keys()])
    const around = { anchor, num_before: 3, num_after: 4, narrow: terms }
    const near = [
      ...expected.filter((id) => id < anchor).slice(-3),
      ...expected.filter((id) => id >= anchor).slice(0, expected.includes(anchor) ? 5 : 4),
    ]
    sameIds(world, await this.#shown(user, around), near, `${what} around ${anchor}`)
    const byIds = await person.must.get("/messages", { message_ids: this.#allIds(), narrow: terms })
    sameIds(
      world,
      idsOf(byIds["messages"]),
      world.ids((each) => world.reads(user, each) && fits(each)),
      `${what} by ids`,
    )
    const matching = await person.must.get("/messages/matches_narrow", { msg_ids: this.#allIds(), narrow: terms })
    const matches = Object.keys(objectIn(matching["messages"])).map(Number)
    sameIds(
      world,
      matches.sort((a, b) => a - b),
      world.ids((each) => world.holds(user, each) && fits(each)),
      `${what}, matches_narrow`,
    )
  }

  /** The server's own predicate, of which queues judge by a part: it says of each message what the world says. */
  judged(user: User, { terms, fits, isRefused }: Narrow, flags: Flags): void {
    const { realm } = this.scene.server.realm
    const reader = realm.users.get(UserId(user.id)) ?? null
    const parsed = Result.getOrThrow(narrowShape(terms, "narrow"))
    // The operand of `with` is looked up in the database, before there is a predicate.
    if (isRefused || parsed.some(({ operator }) => operator === "with")) return
    const { conditions } = Result.getOrThrow(readNarrow(parsed, { realm, user: reader }))
    for (const message of this.scene.world.messages.values()) {
      if (!flags.has(message.id)) continue
      const [facts, own] = [factsOf(this.scene.world, message), readerFactsOf(this.scene.world, user, message, flags)]
      const is = conditions.every(({ matcher, negated }) => isFit(matcher, facts, own) !== negated)
      if (is !== fits(message))
        throw new Disagreement(`${user.name}, ${JSON.stringify(terms)}: ${message.id} ${is}, expected ${!is}`)
    }
  }

  async #held(user: User): Promise<void> {
    const { world } = this.scene
    const expected = world.ids((each) => world.holds(user, each))
    sameIds(world, await this.#shown(user, {}), expected, `${user.name}, all`)
  }

  /** Channels, their topics; those that the user may not know of are like none. */
  async #channels(user: User): Promise<void> {
    const { world } = this.scene
    const person = this.scene.as(user)
    for (const channel of world.channels) {
      const what = `${user.name}, ${channel.name}`
      const topics = await person.get(`/users/me/${channel.id}/topics`, { allow_empty_topic_name: true })
      if (!world.knows(user, channel))
        same(said(topics), said(await person.get(`/users/me/${nobody}/topics`)), `${what}, topics`)
      else {
        const newest = new Map<string, Message>()
        for (const id of world.ids((each) => each.channel === channel && world.reads(user, each))) {
          const message = world.messages.get(id)
          if (message !== undefined) newest.set(message.topic.toLowerCase(), message)
        }
        const expected = [...newest.values()].sort((a, b) => b.id - a.id).map(({ id, topic }) => [topic, id])
        same(
          objectsIn(topics.body["topics"]).map(({ name, max_id }) => [name, max_id]),
          expected,
          `${what}, topics`,
        )
      }
      if (world.mayName(user, channel)) continue
      const asked = await person.get("/messages", { ...page, narrow: [["channel", channel.name]] })
      const absent = await person.get("/messages", { ...page, narrow: [["channel", "no such channel"]] })
      same(said(asked), said(absent).replaceAll("no such channel", channel.name), `${what}, narrow`)
    }
  }

  /** Everything that can be done with one message, by somebody who may not read it. */
  async #unreadable(user: User, id: number): Promise<void> {
    const person = this.scene.as(user)
    const asks: ReadonlyArray<(message: number) => ReturnType<typeof person.get>> = [
      (message) => person.get(`/messages/${message}`),
      (message) => person.get(`/messages/${message}/history`),
      (message) => person.get(`/messages/${message}/read_receipts`),
      (message) => person.post(`/messages/${message}/reactions`, { emoji_name: "octopus" }),
      (message) => person.delete(`/messages/${message}/reactions`, { emoji_name: "octopus" }),
      (message) => person.patch(`/messages/${message}`, { content: "changed" }),
      (message) => person.patch(`/messages/${message}`, { topic: "changed", propagate_mode: "change_all" }),
      (message) => person.delete(`/messages/${message}`),
      (message) => person.post("/messages/flags", { messages: [message], op: "add", flag: "starred" }),
      (message) => person.post("/messages/flags", { messages: [message], op: "remove", flag: "read" }),
      (message) => person.post("/submessage", { message_id: message, msg_type: "widget", content: "{}" }),
      (message) => person.get("/messages", { ...page, narrow: [{ operator: "id", operand: message }] }),
      (message) => person.get("/messages", { ...page, narrow: [{ operator: "with", operand: message }] }),
      (message) => person.get("/messages", { anchor: message, num_before: 0, num_after: 0 }),
    ]
    for (const [n, ask] of asks.entries()) {
      if (this.random.chance(0.6)) continue
      const is = said(await ask(id)).replaceAll(`"anchor":${id}}`, "")
      same(is, said(await ask(nobody)).replaceAll(`"anchor":${nobody}}`, ""), `${user.name}, ${id}, request ${n}`)
    }
  }

  async #readable(user: User, id: number): Promise<void> {
    const message = this.scene.world.messages.get(id)
    if (message !== undefined) await sameHistory(this.scene, user, message)
    const { user_ids } = await this.scene.as(user).must.get(`/messages/${id}/read_receipts`)
    const blind = this.scene.world.users.filter(
      (each) => message === undefined || !this.scene.world.reads(each, message),
    )
    const listed = numbersIn(user_ids)
    same(
      blind.map((each) => each.id).filter((each) => listed.includes(each)),
      [],
      `${user.name}, ${id}: readers who may not see it`,
    )
  }

  /** Counts and stars are those of what the user holds. */
  async #counts(user: User, flags: Flags): Promise<void> {
    const { world } = this.scene
    const register = await this.scene
      .as(user)
      .must.post("/register", { fetch_event_types: ["message", "update_message_flags", "starred_messages"] })
    const held = (has: (flags: ReadonlySet<string>) => boolean) =>
      world.ids((each) => world.holds(user, each) && has(flags.get(each.id) ?? new Set()))
    same(
      register["starred_messages"],
      held((each) => each.has("starred")),
      `${user.name}, starred`,
    )
    const unread = objectIn(register["unread_msgs"])
    const ids = ["streams", "pms", "huddles"].flatMap((list) =>
      objectsIn(unread[list]).flatMap((each) => numbersIn(each["unread_message_ids"])),
    )
    const expected = held((each) => !each.has("read"))
    sameIds(
      world,
      ids.sort((a, b) => a - b),
      expected,
      `${user.name}, unread`,
    )
    const counted = expected.filter((id) => {
      const message = world.messages.get(id)
      return message !== undefined && !world.isMuted(user, message)
    })
    same(unread["count"], counted.length, `${user.name}, count`)
  }

  async #visitor(): Promise<void> {
    const { server, world } = this.scene
    const expected = world.ids((each) => world.visitorReads(each))
    const narrow = [["channels", "web-public"]]
    const { body } = await server.anonymous("GET", "/messages", { ...page, narrow })
    sameIds(world, idsOf(body["messages"]), expected, "a visitor")
    const absent = said(await server.anonymous("GET", `/messages/${nobody}`))
    for (const id of this.random.some([...world.messages.keys(), ...world.deleted], 0.1)) {
      const answer = await server.anonymous("GET", `/messages/${id}`)
      if (expected.includes(id)) same(answer.status, 200, `a visitor, ${id}`)
      else same(said(answer), absent, `a visitor, ${id}`)
    }
  }

  /** Their files' messages: of those that link a file only what they may read. */
  async #attachments(user: User): Promise<void> {
    const { world } = this.scene
    const { attachments } = await this.scene.as(user).must.get("/attachments")
    for (const file of objectsIn(attachments)) {
      const strange = idsOf(file["messages"]).filter((id) => {
        const message = world.messages.get(id)
        return message === undefined || !world.reads(user, message)
      })
      sameIds(world, strange, [], `${user.name}, messages with ${file["name"]} that they may not read`)
    }
  }

  async user(user: User): Promise<void> {
    const { world } = this.scene
    await this.#attachments(user)
    const flags = await this.flags(user)
    await this.#held(user)
    await this.#channels(user)
    await this.#counts(user, flags)
    await sameFiles(this.scene, user)
    for (let n = 0; n < 3; n++) await this.narrow(user, this.narrows.some(user, flags))
    const unreadable = [...world.ids((each) => !world.reads(user, each)), ...world.deleted.slice(-2)]
    const hidden = this.random.find(unreadable)
    if (hidden !== undefined) await this.#unreadable(user, hidden)
    const readable = this.random.find(world.ids((each) => world.reads(user, each)))
    if (readable === undefined) return
    // One more that was somewhere else before, if there is one.
    const moved = this.random.find(
      world.ids((each) => world.reads(user, each) && each.versions.some(({ channel }) => channel !== each.channel)),
    )
    for (const id of new Set([readable, moved ?? readable])) await this.#readable(user, id)
    if (hidden === undefined) return
    const both = { messages: [readable, hidden], op: "add", flag: "collapsed" }
    const absent = await this.scene.as(user).post("/messages/flags", { ...both, messages: [readable, nobody] })
    same(
      said(await this.scene.as(user).post("/messages/flags", both)),
      said(absent),
      `${user.name} marks ${readable} and ${hidden}`,
    )
  }

  /** Looks as a share of all users. */
  async all(share: number): Promise<void> {
    for (const user of this.random.some(this.scene.world.activeUsers(), share)) await this.user(user)
    await this.#visitor()
  }
}
