/**
 * Random sends and changes of flags, on a server and in rows (rows.ts): after each the event must list what changed in
 * the rows, and now and then everything that a user is shown must be as the rows say.
 */
import type { Test } from "tap"
import { Random } from "../../../events/model/random.ts"
import type { Reader } from "../../../kit/reader.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { Changes, topics } from "./changes.ts"
import { Looks } from "./looks.ts"
import { type Person, people, Rows } from "./rows.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "square", users: ["hamlet", "othello"] },
  { name: "den", users: ["cordelia", "othello", "hamlet"], isPrivate: true },
] as const
/** What a send writes about one receiver. It is written here, so that no text has to be made that says it. */
const marks = [
  {
    flags: ["mentioned"],
    isNamed: true,
    sql: `insert into personal_message (realm_id, user_id, message_id, mentioned)
      values (1, $2::integer, $1::bigint, true)`,
  },
  {
    flags: ["mentioned"],
    sql: `update message set group_mentioned = int4multirange(int4range($2::integer, $2::integer, '[]'))
      where id = $1::bigint`,
  },
  {
    flags: ["topic_wildcard_mentioned", "wildcard_mentioned"],
    sql: `update message set topic_wildcard = int4multirange(int4range($2::integer, $2::integer, '[]'))
      where id = $1::bigint`,
  },
  {
    flags: ["has_alert_word"],
    sql: `update message set alerted = int4multirange(int4range($2::integer, $2::integer, '[]'))
      where id = $1::bigint`,
  },
]

class Run {
  readonly #t: Test
  readonly #server: TestServer
  readonly #random: Random
  readonly #rows: Rows
  readonly #readers = new Map<Person, Reader>()
  readonly #changes: Changes
  readonly #looks: Looks
  readonly #label: string

  constructor(t: Test, server: TestServer, seed: number) {
    this.#t = t
    this.#server = server
    this.#random = new Random(seed)
    this.#label = `PARLEY_SEED=${seed}`
    const subscribers = channels.map(({ name, users }) => [name, new Set<Person>(users)] as const)
    this.#rows = new Rows(new Map(subscribers), new Set(["den"]))
    this.#changes = new Changes(t, server, this.#random, this.#rows, this.#label)
    this.#looks = new Looks(t, server, this.#rows, this.#label)
  }

  async begin(): Promise<void> {
    for (const who of people)
      this.#readers.set(who, await this.#server.queue(who, { event_types: ["update_message_flags"] }))
  }

  #idOf(channel: string): number {
    return this.#server.realm.realm.findChannelByName(channel)?.id ?? 0
  }

  /** What the events since the last call say has changed, as `op flag`, with the ids. */
  async #told(who: Person): Promise<ReadonlyArray<unknown>> {
    const events = (await this.#readers.get(who)?.rest()) ?? []
    return events.map(({ op, flag, messages, all }) => (all === true ? "all" : [op, flag, messages]))
  }

  async #send(): Promise<void> {
    const random = this.#random
    const sender = random.pick(people)
    const read_by_sender = random.chance(0.5)
    const channel = random.chance(0.3) ? null : random.pick(channels).name
    if (channel === "den" && !this.#rows.isSubscribed(sender, channel)) return
    const topic = random.pick(topics)
    const to = [...new Set([sender, ...random.some(people, 0.4)])]
    const body =
      channel === null
        ? { type: "direct", to: to.map(this.#server.idOf) }
        : { type: "channel", to: channel, topic: topic }
    const { id } = await this.#server.as(sender).must.post("/messages", { ...body, content: "c", read_by_sender })
    const place = { channel, sentIn: channel, topic: topic.toLowerCase() }
    const sent = { id: Number(id), ...place, sender, to: channel === null ? to : [] }
    const who = random.chance(0.3) ? random.find(this.#rows.receivers(sent)) : undefined
    const mark = who === undefined ? null : random.pick(marks)
    const isForAll = random.chance(0.1)
    if (who !== undefined && mark !== null) await this.#server.rows(mark.sql, [sent.id, this.#server.idOf(who)])
    if (isForAll) await this.#server.rows("update message set channel_wildcard = true where id = $1::bigint", [sent.id])
    const marked = who === undefined || mark === null ? null : { who, flags: mark.flags }
    this.#rows.send(sent, read_by_sender, marked, mark?.isNamed === true, isForAll)
  }

  async #flag(who: Person): Promise<void> {
    const random = this.#random
    const op = random.pick(["add", "remove"] as const)
    const flag = random.pick(["read", "read", "starred", "collapsed"] as const)
    const readable = this.#rows.readable(who)
    const from = random.between(0, Math.max(0, readable.length - 1))
    const ids = random.chance(0.5) ? readable.slice(from, from + 12) : random.some(readable, 0.2)
    await this.#server.as(who).must.post("/messages/flags", { op, flag, messages: ids })
    await this.#same(who, op, flag, this.#rows.change(who, op, flag, ids))
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
    await this.#same(who, op, flag, changed)
  }

  async #same(who: Person, op: string, flag: string, changed: ReadonlyArray<number>): Promise<void> {
    const expected = changed.length === 0 ? [] : [[op, flag, changed]]
    this.#t.same(await this.#told(who), expected, `${this.#label}: ${who}, ${op} ${flag}`)
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
    await this.#same(who, "add", "read", this.#rows.change(who, "add", "read", this.#rows.unread(who).filter(inPlace)))
  }

  async #readAll(who: Person): Promise<void> {
    await this.#server.as(who).must.post("/mark_all_as_read")
    this.#rows.readAll(who)
    this.#t.same(await this.#told(who), ["all"], `${this.#label}: ${who} reads all`)
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
      return this.#same(who, "add", "read", [])
    }
    await this.#server.as(who).must.post(path)
    muted?.add(other)
    const of = this.#rows.unread(who).filter((id) => this.#rows.messages.get(id)?.sender === other)
    await this.#same(who, "add", "read", this.#rows.change(who, "add", "read", of))
  }

  async #setTopic(who: Person): Promise<void> {
    const channel = this.#random.pick(channels).name
    if (channel === "den" && !this.#rows.isSubscribed(who, channel)) return
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
      return this.#same(who, "add", "read", this.#rows.leave(who, channel))
    }
    await this.#server.as(by).must.post("/users/me/subscriptions", {
      subscriptions: [{ name: channel }],
      principals: [this.#server.idOf(who)],
      send_new_subscription_messages: false,
    })
    this.#rows.subscribers.get(channel)?.add(who)
  }

  /** Moves some messages of a channel, as the table function of a move does. */
  async #place(): Promise<void> {
    const random = this.#random
    const from = random.pick(channels).name
    const to = random.pick(channels).name
    const topic = random.pick(topics)
    const all = [...this.#rows.messages.values()].filter(({ channel }) => channel === from)
    const ids = random.some(all, 0.3).map(({ id }) => id)
    const channel = to === from ? null : this.#idOf(to)
    const readers = { who: to === "den" ? "nobody" : "members", also: [] }
    if (channel !== null)
      await this.#server.rows(
        "select move_personal_rows_v1(1, log_head_v1(1), $1::bigint[], $2::integer, $3::text::jsonb)",
        [`{${ids.join(",")}}`, channel, JSON.stringify(readers)],
      )
    await this.#server.rows(
      "select place_messages_v2(1, log_head_v1(1), $1::bigint[], $2::integer, $3, $4, 0, '{}', null)",
      [`{${ids.join(",")}}`, channel, topic, topic.toLowerCase()],
    )
    for (const id of ids) this.#rows.move(id, to, topic.toLowerCase())
  }

  async step(): Promise<void> {
    const who = this.#random.pick(people)
    const choice = this.#random.next()
    if (choice < 0.39) return this.#send()
    if (choice < 0.43) return this.#changes.move()
    if (choice < 0.45) return this.#changes.delete()
    if (choice < 0.7) return this.#flag(who)
    if (choice < 0.78) return this.#flagNarrow(who)
    if (choice < 0.86) return this.#readPlace(who)
    if (choice < 0.88) return this.#readAll(who)
    if (choice < 0.91) return this.#mute(who)
    if (choice < 0.925) return this.#setTopic(who)
    if (choice < 0.94) return this.#mutePerson(who)
    if (choice < 0.96) return this.#place()
    return this.#move(who)
  }

  async restart(): Promise<void> {
    await this.#server.restart()
    for (const [who, reader] of this.#readers) this.#readers.set(who, this.#server.resume(who, reader))
  }

  async compare(): Promise<void> {
    for (const who of people) await this.#looks.compare(who)
  }
}

/** `steps`: how many; the server restarts in the middle. */
export const runSeed = (t: Test, seed: number, steps: number): Promise<void> =>
  withServer(t, { channels }, async (server) => {
    const run = new Run(t, server, seed)
    await run.begin()
    for (let step = 1; step <= steps && t.passing(); step++) {
      await run.step()
      if (step === Math.floor(steps / 2)) await run.restart()
      if (step % 40 === 0 || step === steps) await run.compare()
    }
  })
