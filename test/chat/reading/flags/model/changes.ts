/** Changes to messages, on the server and in rows (rows.ts): edits, moves and deletions, and who hears of them. */
import type { Test } from "tap"
import type { Random } from "../../../../events/model/random.ts"
import type { TestServer } from "../../../../kit/with-server.ts"
import { channels, type Person, people, topics } from "./people.ts"
import { nothing, type Queues, type Told } from "./queues.ts"
import type { Rows, Sent } from "./rows.ts"
import { randomSays, textOf } from "./words.ts"

interface Move {
  readonly mover: Person
  readonly to: string
  readonly topic: string
  readonly mode: "change_one" | "change_later" | "change_all"
}

export class Changes {
  readonly #t: Test
  readonly #server: TestServer
  readonly #random: Random
  readonly #rows: Rows
  readonly #queues: Queues
  readonly #label: string
  #texts = 0

  constructor(t: Test, server: TestServer, random: Random, rows: Rows, queues: Queues, label: string) {
    this.#t = t
    this.#server = server
    this.#random = random
    this.#rows = rows
    this.#queues = queues
    this.#label = label
  }

  /** Another text, and what it says. */
  text() {
    const says = randomSays(this.#random)
    return { says, content: textOf(says, this.#random, this.#texts++) }
  }

  #toldBy(of: (who: Person) => Told): ReadonlyMap<Person, Told> {
    return new Map(people.map((who) => [who, of(who)]))
  }

  /** Ids that each is told of an edit, or a move within a channel: of what they have rows of, or the history of. */
  #updated(ids: ReadonlyArray<number>): ReadonlyMap<Person, Told> {
    return this.#toldBy((who) => ({ ...nothing, updated: ids.filter((id) => this.#rows.isTold(who, id)) }))
  }

  /** The sender edits a message, maybe with a move in its channel. */
  async edit(): Promise<void> {
    const rows = this.#rows
    const random = this.#random
    const sent = random.find([...rows.messages.values()].filter(({ id, sender }) => rows.isReadable(sender, id)))
    if (sent === undefined) return
    const { says, content } = this.text()
    const { id, sender, channel } = sent
    const move =
      channel !== null && rows.mayRead(sender, channel) && random.chance(0.3)
        ? this.#randomMove(sent, sender, channel)
        : undefined
    await this.#server.as(sender).must.patch(`/messages/${id}`, {
      content,
      ...(move === undefined ? {} : this.#fieldsOf(sent, move)),
    })
    const moved = move === undefined ? [id] : this.#moved(sent, move)
    rows.edit(id, says)
    const told = this.#updated(moved)
    if (move !== undefined) for (const each of moved) rows.move(each, move.to, move.topic.toLowerCase())
    await this.#queues.expectTold(`edit of ${id}: ${content}`, told)
    if (move !== undefined) await this.#learnPolicies()
  }

  #randomMove(of: Sent, mover: Person, to: string): Move | undefined {
    const topic = this.#random.pick(topics)
    const mode = this.#random.pick(["change_one", "change_later", "change_all"] as const)
    return to === of.channel && topic.toLowerCase() === of.topic ? undefined : { mover, to, topic, mode }
  }

  #fieldsOf(of: Sent, { to, topic, mode }: Move) {
    return {
      ...(to === of.channel ? {} : { stream_id: this.#idOf(to) }),
      topic,
      propagate_mode: mode,
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    }
  }

  /** The messages that a move takes along: to another channel only those that the mover may read. */
  #moved(of: Sent, { mover, to, mode }: Move): ReadonlyArray<number> {
    return [...this.#rows.messages.values()]
      .filter(
        ({ id, channel, topic }) =>
          id === of.id ||
          (channel === of.channel &&
            topic === of.topic &&
            (mode === "change_all" || (mode === "change_later" && id > of.id)) &&
            (to === of.channel || this.#rows.isReadable(mover, id))),
      )
      .map(({ id }) => id)
  }

  /** Somebody moves a message, and others of its topic: from and to public and private channels, muted ones, too. */
  async move(): Promise<void> {
    const rows = this.#rows
    const random = this.#random
    const mover = random.pick(people)
    const reach = channels.map(({ name }) => name).filter((name) => rows.mayRead(mover, name))
    const of = random.find(
      [...rows.messages.values()].filter(
        ({ id, channel }) => reach.some((name) => name === channel) && rows.isReadable(mover, id),
      ),
    )
    if (of === undefined) return
    const move = this.#randomMove(of, mover, random.pick(reach))
    if (move === undefined) return
    await this.#server.as(mover).must.patch(`/messages/${of.id}`, this.#fieldsOf(of, move))
    const ids = this.#moved(of, move)
    const isWithin = move.to === of.channel
    const told = isWithin ? this.#updated(ids) : this.#toldOfMove(ids, of.channel ?? "", move.to)
    const what = `${mover} moves ${ids} from ${of.channel}>${of.topic} to ${move.to}>${move.topic}, ${move.mode} of ${of.id}`
    for (const id of ids) rows.move(id, move.to, move.topic.toLowerCase())
    await this.#queues.expectTold(what, told)
    await this.#learnPolicies()
  }

  /**
   * The ids that everybody is told of a move to another channel. Who had a message and may not read it there loses it. To those
   * who are there it comes, if they did not have it, or were out of where it was; who may know an older form of such a message
   * forgets it first. Whoever has a row of their own about it has it, too.
   */
  #toldOfMove(ids: ReadonlyArray<number>, from: string, to: string): ReadonlyMap<Person, Told> {
    const rows = this.#rows
    return this.#toldBy((who) => {
      const had = ids.filter((id) => rows.had(who, id))
      if (!rows.mayRead(who, to)) return { updated: [], deleted: had }
      const isThere = rows.isSubscribed(who, to)
      const isAnew = isThere && !rows.isSubscribed(who, from)
      const come = isThere ? ids : ids.filter((id) => rows.rowsOf(who).get(id)?.own)
      const gained = come.filter((id) => isAnew || !had.includes(id))
      const updated = ids.filter((id) => had.includes(id) || gained.includes(id))
      return { updated, deleted: isThere ? gained.filter((id) => rows.changed.has(id)) : [] }
    })
  }

  /** Reads the policies of moved topics: what becomes of them is tested elsewhere. */
  async #learnPolicies(): Promise<void> {
    for (const who of people) {
      const policies = this.#rows.policies.get(who)
      policies?.clear()
      for (const { name, topic_folded, policy } of await this.#server.rows(
        `select c.name, t.topic_folded, t.policy from user_topic t join channel c on c.id = t.channel_id and c.realm_id = 1
          where t.realm_id = 1 and t.user_id = $1::integer`,
        [this.#server.idOf(who)],
      ))
        policies?.set(`${name}:${topic_folded}`, Number(policy))
    }
  }

  /** An administrator deletes a message that they may read, or a topic of a public channel. */
  async delete(): Promise<void> {
    const rows = this.#rows
    const readable = [...rows.messages.values()].filter(({ id }) => rows.isReadable("iago", id))
    const first = this.#random.find(readable)
    if (first === undefined) return
    const { channel, topic } = first
    const isTopic = channel !== null && rows.historyOf(channel) === "public" && this.#random.chance(0.3)
    const ids = isTopic
      ? readable.filter((each) => each.channel === channel && each.topic === topic).map(({ id }) => id)
      : [first.id]
    const told = this.#toldBy((who) => ({
      ...nothing,
      deleted: ids.filter((id) => who === "iago" || rows.isTold(who, id)),
    }))
    if (isTopic) {
      const path = `/streams/${this.#idOf(channel)}/delete_topic`
      const answer = await this.#server.as("iago").must.post(path, { topic_name: topic })
      this.#t.match(answer, { complete: true }, this.#label)
    } else await this.#server.as("iago").must.delete(`/messages/${first.id}`)
    rows.gone(ids)
    await this.#queues.expectTold(`deletion of ${ids}`, told)
  }

  #idOf(channel: string): number {
    return this.#server.realm.realm.findChannelByName(channel)?.id ?? 0
  }
}
