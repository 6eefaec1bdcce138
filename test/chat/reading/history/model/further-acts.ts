/**
 * Random requests about what else shows messages (acts.ts has the others): groups that open channels, polls, who is typing,
 * flags of all that a narrow finds, default channels, new accounts.
 */

import { roles } from "../../../../../src/chat/ground/realm/domain-values.ts"
import type { Person } from "../../../../kit/client.ts"
import { numbersIn, objectsIn } from "../../../../kit/client-sections.ts"
import { same } from "./file-looks.ts"
import { type Grant, grantNames, isInGroup, toNobody, wireGrant } from "./grants.ts"
import type { Listeners } from "./listeners.ts"
import { Narrows } from "./narrows.ts"
import { fresh, type Scene } from "./scene.ts"
import { topics } from "./words.ts"
import type { Message, User } from "./world.ts"

/** An act, with its share of all. */
export type Draw = readonly [share: number, what: string, act: () => Promise<void>]
type Try = (
  by: User,
  message: Message,
  ask: (person: Person, id: number) => ReturnType<Person["get"]>,
) => Promise<boolean>

const mostNew = 2

export class FurtherActs {
  readonly #scene: Scene
  readonly #listeners: Listeners
  readonly #try: Try
  readonly #narrows: Narrows
  /** Messages of which somebody is seen to type a new content. */
  readonly #lit = new Set<Message>()
  #joined = 0

  constructor(scene: Scene, listeners: Listeners, tryIt: Try) {
    this.#scene = scene
    this.#listeners = listeners
    this.#try = tryIt
    this.#narrows = new Narrows(scene.world, scene.random)
  }

  draws(): ReadonlyArray<Draw> {
    return [
      [5, "grant", () => this.#grant()],
      [4, "group", () => this.#group()],
      [6, "flag a narrow", () => this.#flagNarrow()],
      [2, "poll", () => this.#poll()],
      [4, "vote", () => this.#vote()],
      [3, "type", () => this.#type()],
      [4, "type an edit", () => this.#typeEdit()],
      [4, "default", () => this.#default()],
      [4, "join", () => this.#join()],
    ]
  }

  /** Somebody who may change the permissions of a channel, if there is anybody. */
  async #grant(): Promise<void> {
    const { world, random, groups } = this.#scene
    const channel = random.pick(world.channels)
    const able = world
      .activeUsers()
      .filter((user) => user.role <= roles.administrator && world.readsContent(user, channel))
    const by = random.find(able) ?? this.#scene.userNamed("desdemona")
    const name = random.pick(grantNames)
    const one = random.pick(world.users.filter(({ isActive }) => isActive))
    const group = random.pick(groups)
    const grant = random.pick<Grant>([
      toNobody,
      { ...toNobody, role: roles.moderator },
      { ...toNobody, groups: [group] },
      { ...toNobody, groups: [group] },
      { ...toNobody, people: [one] },
      { people: [one], groups: [group], role: random.chance(0.3) ? roles.moderator : null },
    ])
    const fields = { [name]: { new: wireGrant(grant) } }
    const { status } = await this.#scene.as(by).patch(`/streams/${channel.id}`, fields)
    if (status === 200) channel.grants[name] = grant
  }

  async #group(): Promise<void> {
    const { world, random, groups } = this.#scene
    const [group, user] = [random.pick(groups), random.pick(world.activeUsers())]
    const path = `/user_groups/${group.id}/members`
    const owner = this.#scene.as(this.#scene.userNamed("desdemona"))
    const [inner] = groups
    if (inner !== undefined && inner !== group && random.chance(0.3)) {
      const isIn = group.subgroups.has(inner)
      const { status } = await owner.post(path, { [isIn ? "delete_subgroups" : "add_subgroups"]: [inner.id] })
      if (status === 200 && isIn) group.subgroups.delete(inner)
      else if (status === 200) group.subgroups.add(inner)
      return
    }
    const isIn = group.members.has(user)
    const { status } = await owner.post(path, { [isIn ? "delete" : "add"]: [user.id] })
    if (status === 200 && isIn) group.members.delete(user)
    else if (status === 200) group.members.add(user)
    const { members } = await owner.must.get(path)
    const expected = world.activeUsers().filter((each) => isInGroup(each, group))
    same(
      [...numbersIn(members)].sort((a, b) => a - b),
      expected.map(({ id }) => id).sort((a, b) => a - b),
      `members of ${group.id}`,
    )
  }

  /** All flags of all that a user may read. */
  async #flagsOf(user: User): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
    const ids = [...this.#scene.world.messages.keys()]
    if (ids.length === 0) return new Map()
    const { messages } = await this.#scene.as(user).must.get("/messages", { message_ids: ids })
    return new Map(
      objectsIn(messages).map(({ id, flags }) => [Number(id), new Set(Array.isArray(flags) ? flags.map(String) : [])]),
    )
  }

  /**
   * Marks what GET /messages finds around the anchor, and changes nothing else. The answer counts what was found, and
   * what was changed. What is in channels that the user is not in cannot be marked as unread.
   */
  async #flagNarrow(): Promise<void> {
    const { world, random } = this.#scene
    const user = this.#scene.somebody()
    const flags = await this.#flagsOf(user)
    if (world.messages.size === 0) return
    const { terms, fits, isWithin, isRefused } = this.#narrows.some(user, flags)
    const anchor = random.pick([0, ...world.messages.keys()])
    const [flag, op] = [random.pick(["read", "starred"]), random.pick(["add", "remove"])]
    const asked = { anchor, num_before: random.pick([0, 3]), num_after: random.pick([4, 100]), narrow: terms, flag, op }
    const what = `${user.name}, ${JSON.stringify(asked)}`
    const { status, body } = await this.#scene.as(user).post("/messages/flags/narrow", asked)
    if (isRefused) return same([status, body["code"]], [400, "BAD_NARROW"], what)
    const expected = world.ids((each) => isWithin(each) && fits(each))
    const [below, above] = [expected.filter((id) => id < anchor), expected.filter((id) => id > anchor)]
    const near = [
      ...(asked.num_before === 0 ? [] : below.slice(-asked.num_before)),
      ...expected.filter((id) => id === anchor),
      ...above.slice(0, asked.num_after),
    ]
    const found = near.flatMap((id) => world.messages.get(id) ?? [])
    const isIn = ({ channel }: Message) => channel === null || channel.subscribers.has(user)
    const isUnread = flag === "read" && op === "remove"
    const changed = found.filter(
      (each) => flags.get(each.id)?.has(flag) !== (op === "add") && (!isUnread || isIn(each)),
    )
    const strange = isUnread ? found.filter((each) => !isIn(each)).map(({ channel }) => channel?.id ?? 0) : []
    same(
      [status, body["processed_count"], body["updated_count"], body["first_processed_id"], body["last_processed_id"]],
      [200, near.length, changed.length, near[0] ?? null, near.at(-1) ?? null],
      what,
    )
    same(
      body["ignored_because_not_subscribed_channels"],
      [...new Set(strange)].sort((a, b) => a - b),
      what,
    )
    for (const [side, count, end] of [
      [below, asked.num_before, "found_oldest"],
      [above, asked.num_after, "found_newest"],
    ] as const)
      if (side.length !== count) same(body[end], side.length < count, `${what}, ${end}`)
    for (const message of found) {
      if (flag === "starred") world.starred(user, message, op === "add")
      else if (op === "remove") world.unread(user, message)
    }
    world.flagged = { user, ids: new Set(changed.map(({ id }) => id)) }
    const now = await this.#flagsOf(user)
    const has = (of: ReadonlyMap<number, ReadonlySet<string>>, each: string) =>
      [...of].filter(([, own]) => own.has(each)).map(([id]) => id)
    const isChanged = (id: number) => changed.some((each) => each.id === id)
    for (const each of ["read", "starred", "collapsed"]) {
      const was = has(flags, each).filter((id) => each !== flag || op === "add" || !isChanged(id))
      const added = each === flag && op === "add" ? changed.map(({ id }) => id).filter((id) => !was.includes(id)) : []
      same(
        has(now, each),
        [...was, ...added].sort((a, b) => a - b),
        `${what}: ${each}`,
      )
    }
  }

  async #poll(): Promise<void> {
    const { random, world } = this.#scene
    const channel = random.pick(world.channels)
    const fields = { type: "channel", to: channel.name, topic: random.pick(topics), content: "/poll fox" }
    await this.#scene.as(this.#scene.mostly((user) => world.readsContent(user, channel))).post("/messages", fields)
  }

  async #vote(): Promise<void> {
    const polls = [...this.#scene.world.messages.values()].filter(({ content }) => content.startsWith("/poll"))
    const message = this.#scene.random.find(polls)
    if (message === undefined) return
    const by = this.#scene.mostly((user) => this.#scene.world.reads(user, message))
    const content = JSON.stringify({ type: "vote", key: "canned,0", vote: this.#scene.random.pick([1, -1]) })
    const isDone = await this.#try(by, message, (person, message_id) =>
      person.post("/submessage", { message_id, msg_type: "widget", content }),
    )
    if (isDone) message.votes++
  }

  /** Begins and ends at once, so that the next does not find it under way. Waits where the typist sees it. */
  async #type(): Promise<void> {
    const { world, random } = this.#scene
    const channel = random.pick(world.channels)
    const by = this.#scene.mostly((user) => channel.subscribers.has(user))
    const to = [by, ...random.some(world.activeUsers(), 0.2)].map(({ id }) => id)
    const isDirect = random.chance(0.3)
    const place = isDirect
      ? { type: "direct", to }
      : { type: "channel", stream_id: channel.id, topic: random.pick(topics) }
    await this.#listeners.attend(by)
    for (const op of ["start", "stop"]) {
      const { status } = await this.#scene.as(by).post("/typing", { ...place, op })
      if (status !== 200) return
      if (isDirect || channel.subscribers.has(by)) await this.#listeners.waitFor(by, "typing", op)
    }
  }

  /** It goes on until the message is edited, moved or deleted. */
  async #typeEdit(): Promise<void> {
    const { world } = this.#scene
    const message = this.#scene.message()
    const by = world.activeUsers().find(({ id }) => id === message?.sender)
    if (message === undefined || by === undefined || this.#lit.has(message)) return
    if (message.channel !== null && !message.channel.subscribers.has(by)) return
    await this.#listeners.attend(by)
    const isDone = await this.#try(by, message, (person, id) => person.post(`/messages/${id}/typing`, { op: "start" }))
    if (!isDone) return
    await this.#listeners.waitFor(by, "typing_edit_message", "start")
    this.#lit.add(message)
  }

  /** One that is no default channel any more is mostly closed: what new accounts were given there they hold by that only. */
  async #default(): Promise<void> {
    const { world, random } = this.#scene
    const person = this.#scene.as(this.#scene.userNamed("desdemona"))
    const known = random.chance(0.5) ? random.find(world.channels.filter(({ isDefault }) => isDefault)) : undefined
    const channel = known ?? random.pick(world.channels)
    const wasDefault = channel.isDefault
    const fields = { stream_id: channel.id }
    const { status } = wasDefault
      ? await person.delete("/default_streams", fields)
      : await person.post("/default_streams", fields)
    if (status !== 200) return
    channel.isDefault = !wasDefault
    if (!wasDefault || random.chance(0.3)) return
    const closed = { is_private: true, is_web_public: false, history_public_to_subscribers: false }
    if ((await person.patch(`/streams/${channel.id}`, closed)).status !== 200) return
    Object.assign(channel, { isPrivate: true, isWebPublic: false, isShared: false })
  }

  async #join(): Promise<void> {
    if (this.#joined === mostNew) return
    const name = `newcomer${++this.#joined}`
    const email = `${name}@test.example`
    const fields = { email, password: "lantern-river", full_name: name }
    const { user_id } = await this.#scene.as(this.#scene.userNamed("desdemona")).must.post("/users", fields)
    this.#scene.world.joined(fresh({ id: Number(user_id), name, email, isBot: false, role: roles.member }))
  }
}
