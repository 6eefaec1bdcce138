/** Everything that a user is shown of read state must be as the rows (rows.ts) say. */
import type { Test } from "tap"
import { objectIn, objectsIn } from "../../../../kit/client-sections.ts"
import type { TestServer } from "../../../../kit/with-server.ts"
import type { Person } from "./people.ts"
import type { Rows } from "./rows.ts"

const open = { fetch_event_types: ["message", "update_message_flags", "starred_messages"] }

export class Looks {
  readonly #t: Test
  readonly #server: TestServer
  readonly #rows: Rows
  readonly #label: string

  constructor(t: Test, server: TestServer, rows: Rows, label: string) {
    this.#t = t
    this.#server = server
    this.#rows = rows
    this.#label = label
  }

  async #found(who: Person, ...narrow: ReadonlyArray<unknown>): Promise<ReadonlyArray<number>> {
    const page = { anchor: "newest", num_before: 1000, num_after: 0, narrow }
    return objectsIn((await this.#server.as(who).must.get("/messages", page))["messages"]).map(({ id }) => Number(id))
  }

  async compare(who: Person): Promise<void> {
    const same = (is: unknown, must: unknown, what: string) => this.#t.same(is, must, `${this.#label}: ${who}, ${what}`)
    const rows = this.#rows
    const readable = rows.readable(who)
    const { messages } = await this.#server.as(who).must.get("/messages", { message_ids: [...rows.messages.keys()] })
    const flags = objectsIn(messages).map(({ id, flags: each }) => [id, [...(Array.isArray(each) ? each : [])].sort()])
    same(
      flags,
      readable.map((id) => [id, rows.flags(who, id)]),
      "flags",
    )
    same(await this.#found(who), rows.held(who), "held")
    for (const flag of ["unread", "starred", "mentioned", "alerted"] as const) {
      const has = rows[flag](who)
      same(await this.#found(who, ["is", flag]), has, `is:${flag}`)
      const without = rows.held(who).filter((id) => !has.includes(id))
      same(await this.#found(who, { operator: "is", operand: flag, negated: true }), without, `-is:${flag}`)
    }
    const register = await this.#server.as(who).must.post("/register", open)
    same(register["starred_messages"], rows.starred(who), "starred_messages")
    const unread = objectIn(register["unread_msgs"])
    const ids = [unread["streams"], unread["pms"], unread["huddles"]]
      .flatMap(objectsIn)
      .flatMap((each) => (Array.isArray(each["unread_message_ids"]) ? each["unread_message_ids"] : []))
    same(
      ids.sort((a, b) => a - b),
      rows.unread(who),
      "unread_msgs",
    )
    for (const { stream_id, topic, unread_message_ids } of objectsIn(unread["streams"])) {
      const shown = String(topic).toLowerCase().replace("general chat", "")
      const of = rows.unread(who).filter((id) => {
        const sent = rows.messages.get(id)
        return sent?.channel != null && this.#idOf(sent.channel) === stream_id && sent.topic === shown
      })
      same(unread_message_ids, of, `unread in ${topic}`)
    }
    const isMuted = (id: number) => rows.isMuted(who, id)
    same(unread["count"], rows.unread(who).filter((id) => !isMuted(id)).length, "count")
    same(unread["mentions"], rows.unreadMentions(who), "mentions")
    const first = rows.unread(who).find((id) => !isMuted(id)) ?? 10_000_000_000_000_000
    const anchored = { anchor: "first_unread", num_before: 0, num_after: 0 }
    same((await this.#server.as(who).must.get("/messages", anchored))["anchor"], first, "first_unread")
  }

  #idOf(channel: string): number {
    return this.#server.realm.realm.findChannelByName(channel)?.id ?? 0
  }
}
