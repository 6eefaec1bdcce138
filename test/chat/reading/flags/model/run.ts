/**
 * Random deeds of some people, on a server and in rows (rows.ts): after each the events must tell what changed in the
 * rows, and now and then everything that a user is shown must be as the rows say.
 */
import type { Test } from "tap"
import { systemGroups } from "../../../../../src/chat/ground/realm/domain-values.ts"
import { Random } from "../../../../events/model/random.ts"
import { type TestServer, withServer } from "../../../../kit/with-server.ts"
import { Changes } from "./changes.ts"
import { Looks } from "./looks.ts"
import { channels, type Person, people, topics } from "./people.ts"
import { Queues } from "./queues.ts"
import { Rows } from "./rows.ts"
import { compareInSql } from "./unread-in-sql.ts"
import { group } from "./words.ts"

class Run {
  readonly #t: Test
  readonly #server: TestServer
  readonly #random: Random
  readonly #rows: Rows
  readonly #queues: Queues
  readonly #changes: Changes
  readonly #looks: Looks
  readonly #label: string
  #group = 0

  constructor(t: Test, server: TestServer, seed: number) {
    this.#t = t
    this.#server = server
    this.#random = new Random(seed)
    this.#label = `the model's seed ${seed}`
    const subscribers = channels.map(({ name, users }) => [name, new Set<Person>(users)] as const)
    this.#rows = new Rows(new Map(subscribers), new Map(channels.map(({ name, history }) => [name, history])))
    this.#queues = new Queues(t, server, this.#random, this.#rows, this.#label)
    this.#changes = new Changes(t, server, this.#random, this.#rows, this.#queues, this.#label)
    this.#looks = new Looks(t, server, this.#rows, this.#label)
  }

  async begin(): Promise<void> {
    const made = await this.#server.as("iago").must.post("/user_groups/create", {
      name: group,
      description: "",
      members: [],
      can_join_group: systemGroups["role:members"],
    })
    this.#group = Number(made["group_id"])
    await this.#queues.begin()
  }

  #idOf(channel: string): number {
    return this.#server.realm.realm.findChannelByName(channel)?.id ?? 0
  }

  async #send(): Promise<void> {
    const random = this.#random
    const sender = random.pick(people)
    const read_by_sender = random.chance(0.5)
    const channel = random.chance(0.25) ? null : random.pick(channels).name
    if (channel !== null && !this.#rows.mayRead(sender, channel)) return
    const topic = random.pick(topics)
    const to = [...new Set([sender, ...random.some(people, 0.4)])]
    const body =
      channel === null
        ? { type: "direct", to: to.map(this.#server.idOf) }
        : { type: "channel", to: channel, topic: topic }
    const { says, content } = this.#changes.text()
    const { id } = await this.#server.as(sender).must.post("/messages", { ...body, content, read_by_sender })
    const place = { channel, sentIn: channel, topic: channel === null ? "" : topic.toLowerCase() }
    this.#rows.send({ id: Number(id), ...place, sender, to: channel === null ? to : [] }, says, read_by_sender)
  }

  /** Somebody joins the group or leaves it, or has another alert word: what was sent before stays as it is. */
  async #attend(who: Person): Promise<void> {
    const { attention } = this.#rows
    if (this.#random.chance(0.4)) {
      const id = [this.#server.idOf(who)]
      const isMember = attention.members.delete(who)
      if (!isMember) attention.members.add(who)
      const change = isMember ? { delete: id } : { add: id }
      await this.#server.as(who).must.post(`/user_groups/${this.#group}/members`, change)
      return
    }
    const [word, isNew] = attention.toggle(who, this.#random)
    const method = isNew ? "post" : "delete"
    await this.#server.as(who).must[method]("/users/me/alert_words", { alert_words: [word] })
  }

  async #flag(who: Person): Promise<void> {
    const random = this.#random
    const op = random.pick(["add", "remove"] as const)
    const flag = random.pick(["read", "read", "starred", "collapsed"] as const)
    const readable = this.#rows.readable(who)
    const from = random.between(0, Math.max(0, readable.length - 1))
    const ids = random.chance(0.5) ? readable.slice(from, from + 12) : random.some(readable, 0.2)
    await this.#server.as(who).must.post("/messages/flags", { op, flag, messages: ids })
    await this.#queues.expectFlags(who, op, flag, this.#rows.change(who, op, flag, ids))
  }

  async #flagNarrow(who: Person): Promise<void> {
    const random = this.#random
    const op = random.pick(["add", "remove"] as const)
    const flag = random.pick(["read", "starred"] as const)
    const num_after = random.between(1, 20)
    const isUnread = random.chance(0.5)
    const ids = (isUnread ? this.#rows.unread(who) : this.#rows.held(who)).slice(0, num_after)
    const narrow = isUnread ? [["is", "unread"]] : []
    const answer = await this.#server
      .as(who)
      .must.post("/messages/flags/narrow", { anchor: "oldest", num_before: 0, num_after, narrow, op, flag })
    const changed = this.#rows.change(who, op, flag, ids)
    this.#t.match(answer, { processed_count: ids.length, updated_count: changed.length }, this.#label)
    await this.#queues.expectFlags(who, op, flag, changed)
  }

  async #readPlace(who: Person): Promise<void> {
    const random = this.#random
    const channel = random.pick(channels).name
    const topic = random.pick(topics).toLowerCase()
    const isTopic = random.chance(0.6)
    const inPlace = (id: number) => {
      const sent = this.#rows.messages.get(id)
      return sent?.channel === channel && (!isTopic || sent.topic === topic)
    }
    const stream_id = this.#idOf(channel)
    const answer = isTopic
      ? await this.#server.as(who).post("/mark_topic_as_read", { stream_id, topic_name: topic })
      : await this.#server.as(who).post("/mark_stream_as_read", { stream_id })
    if (answer.status !== 200) return
    await this.#queues.expectFlags(
      who,
      "add",
      "read",
      this.#rows.change(who, "add", "read", this.#rows.unread(who).filter(inPlace)),
    )
  }

  async #readAll(who: Person): Promise<void> {
    await this.#server.as(who).must.post("/mark_all_as_read")
    this.#rows.readAll(who)
    await this.#queues.expectFlags(who, "add", "read", "all")
  }

  async #mute(who: Person): Promise<void> {
    const channel = this.#random.pick(channels).name
    if (!this.#rows.isSubscribed(who, channel)) return
    const value = this.#random.chance(0.5)
    const subscription_data = [{ stream_id: this.#idOf(channel), property: "is_muted", value }]
    await this.#server.as(who).must.post("/users/me/subscriptions/properties", { subscription_data })
    if (value) this.#rows.muted.get(who)?.add(channel)
    else this.#rows.muted.get(who)?.delete(channel)
  }

  /** Mutes somebody, which reads what is unread of them, or takes that back. */
  async #mutePerson(who: Person): Promise<void> {
    const other = this.#random.pick(people)
    if (other === who) return
    const muted = this.#rows.mutes.get(who)
    const path = `/users/me/muted_users/${this.#server.idOf(other)}`
    if (muted?.delete(other) === true) {
      await this.#server.as(who).must.delete(path)
      return this.#queues.expectFlags(who, "add", "read", [])
    }
    await this.#server.as(who).must.post(path)
    muted?.add(other)
    const of = this.#rows.unread(who).filter((id) => this.#rows.messages.get(id)?.sender === other)
    await this.#queues.expectFlags(who, "add", "read", this.#rows.change(who, "add", "read", of))
  }

  async #setTopic(who: Person): Promise<void> {
    const channel = this.#random.pick(channels).name
    if (!this.#rows.mayRead(who, channel)) return
    const topic = this.#random.pick(topics)
    const visibility_policy = this.#random.pick([0, 1, 2, 3])
    const fields = { stream_id: this.#idOf(channel), topic, visibility_policy }
    await this.#server.as(who).must.post("/user_topics", fields)
    this.#rows.policies.get(who)?.set(`${channel}:${topic.toLowerCase()}`, visibility_policy)
  }

  /** Leaves a channel, or is brought back by somebody who is in it. */
  async #move(who: Person): Promise<void> {
    const channel = this.#random.pick(channels).name
    const others = [...(this.#rows.subscribers.get(channel) ?? [])].filter((each) => each !== who)
    const by = others[0]
    if (by === undefined) return
    if (this.#rows.isSubscribed(who, channel)) {
      await this.#server.as(who).must.delete("/users/me/subscriptions", { subscriptions: [channel] })
      return this.#queues.expectFlags(who, "add", "read", this.#rows.leave(who, channel))
    }
    await this.#server.as(by).must.post("/users/me/subscriptions", {
      subscriptions: [{ name: channel }],
      principals: [this.#server.idOf(who)],
      send_new_subscription_messages: false,
    })
    this.#rows.subscribers.get(channel)?.add(who)
    // Their clients have forgotten what they had in a private channel when they left it.
    const back = this.#rows.starred(who).filter((id) => this.#rows.messages.get(id)?.channel === channel)
    const told = this.#rows.historyOf(channel) === "public" ? [] : back
    await this.#queues.expectFlags(who, "add", "starred", told)
  }

  async step(): Promise<void> {
    const who = this.#random.pick(people)
    const choice = this.#random.next()
    if (choice < 0.28) return this.#send()
    if (choice < 0.38) return this.#changes.edit()
    if (choice < 0.47) return this.#changes.move()
    if (choice < 0.49) return this.#changes.delete()
    if (choice < 0.53) return this.#attend(who)
    if (choice < 0.72) return this.#flag(who)
    if (choice < 0.78) return this.#flagNarrow(who)
    if (choice < 0.85) return this.#readPlace(who)
    if (choice < 0.87) return this.#readAll(who)
    if (choice < 0.9) return this.#mute(who)
    if (choice < 0.92) return this.#setTopic(who)
    if (choice < 0.94) return this.#mutePerson(who)
    return this.#move(who)
  }

  restart(): Promise<void> {
    return this.#queues.restart()
  }

  async compare(): Promise<void> {
    for (const who of people) await this.#looks.compare(who)
    await compareInSql(this.#t, this.#server, this.#rows, this.#label)
  }
}

const setups = channels.map(({ name, users, history }) => ({
  name,
  users,
  isPrivate: history !== "public",
  historyShared: history !== "own",
}))

/** `steps`: how many; the server restarts three times, before everything is compared, and now and then. */
export const runSeed = (t: Test, seed: number, steps: number): Promise<void> =>
  withServer(t, { channels: setups }, async (server) => {
    const run = new Run(t, server, seed)
    await run.begin()
    const third = Math.ceil(steps / 3)
    for (let step = 1; step <= steps && t.passing(); step++) {
      await run.step()
      if (step % third === 0 || step === steps) await run.restart()
      if (step % 40 === 0 || step === steps) await run.compare()
    }
  })
