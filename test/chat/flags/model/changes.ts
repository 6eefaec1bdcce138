/** What an administrator does to messages of public channels, on the server and in rows (rows.ts): moves and deletions. */
import type { Test } from "tap"
import type { Random } from "../../../events/model/random.ts"
import type { TestServer } from "../../../kit/with-server.ts"
import { people, type Rows, type Sent } from "./rows.ts"

export const topics = ["plans", "Plans", "", "other"]

export class Changes {
  readonly #t: Test
  readonly #server: TestServer
  readonly #random: Random
  readonly #rows: Rows
  readonly #label: string

  constructor(t: Test, server: TestServer, random: Random, rows: Rows, label: string) {
    this.#t = t
    this.#server = server
    this.#random = random
    this.#rows = rows
    this.#label = label
  }

  /** A message of a public channel, and those of its topic. Topics are compared without regard to case. */
  #ofTopic(): { readonly first: Sent; readonly all: ReadonlyArray<Sent> } | undefined {
    const sent = [...this.#rows.messages.values()]
    const first = this.#random.find(sent.filter(({ channel }) => channel !== null && channel !== "den"))
    if (first === undefined) return undefined
    return { first, all: sent.filter(({ channel, topic }) => channel === first.channel && topic === first.topic) }
  }

  /** Moves a message, and others of its topic, as an administrator does; into topics and channels that readers have muted, too. */
  async move(): Promise<void> {
    const of = this.#ofTopic()
    if (of === undefined) return
    const { first, all } = of
    const random = this.#random
    const to = random.pick(["lobby", "square"])
    const topic = random.pick(topics)
    if (to === first.channel && topic.toLowerCase() === first.topic) return
    const mode = random.pick(["change_one", "change_later", "change_all"])
    await this.#server.as("iago").must.patch(`/messages/${first.id}`, {
      ...(to === first.channel ? {} : { stream_id: this.#idOf(to) }),
      topic,
      propagate_mode: mode,
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    })
    const isTaken = ({ id }: Sent) =>
      mode === "change_all" || id === first.id || (mode === "change_later" && id > first.id)
    for (const { id } of all.filter(isTaken)) this.#rows.move(id, to, topic.toLowerCase())
    await this.#learnPolicies()
  }

  /** What becomes of the policies of moved topics is tested elsewhere: here they are read. */
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

  async delete(): Promise<void> {
    const of = this.#ofTopic()
    if (of === undefined) return
    const { first, all } = of
    if (this.#random.chance(0.7)) {
      await this.#server.as("iago").must.delete(`/messages/${first.id}`)
      return this.#rows.gone([first.id])
    }
    const path = `/streams/${this.#idOf(first.channel ?? "")}/delete_topic`
    const answer = await this.#server.as("iago").must.post(path, { topic_name: first.topic })
    this.#t.match(answer, { complete: true }, this.#label)
    this.#rows.gone(all.map(({ id }) => id))
  }

  #idOf(channel: string): number {
    return this.#server.realm.realm.findChannelByName(channel)?.id ?? 0
  }
}
