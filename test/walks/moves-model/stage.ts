/**
 * A stage for ways of messages: four channels of its own on a server, five people, and steps that are written as words, so
 * that a way can be read, printed and put into a test. A step that is refused, or names what there is not, does nothing.
 *
 * Channels: A is public, B is public too, P is private with shared history, R is private with protected history. The owner
 * is in all, `member` and `moderator` in A, `guest` in A and R, `admin` in B.
 */
import type { Answer, Fields, Person } from "../../kit/client.ts"
import { recordsIn } from "../../kit/records.ts"

export const people = ["owner", "member", "guest", "moderator", "admin"] as const
export type Who = (typeof people)[number]
export const letters = ["A", "B", "P", "R"] as const
export type Letter = (typeof letters)[number]

/** A server with these people; it may be killed. */
export interface Site {
  readonly port: number
  readonly person: (who: Who) => Person
  readonly id: (who: Who) => number
  /** A group that may read the channels that are granted to it. */
  readonly group: number
  readonly kill: () => Promise<void>
}

const setups: Readonly<Record<Letter, { readonly in: ReadonlyArray<Who>; readonly fields: Fields }>> = {
  A: { in: ["owner", "member", "moderator", "guest"], fields: {} },
  B: { in: ["owner", "admin"], fields: {} },
  P: { in: ["owner"], fields: { invite_only: true, history_public_to_subscribers: true } },
  R: { in: ["owner", "guest"], fields: { invite_only: true, history_public_to_subscribers: false } },
}

const kinds: Readonly<Record<string, Fields>> = {
  public: { is_private: false, is_web_public: false, history_public_to_subscribers: true },
  web: { is_private: false, is_web_public: true, history_public_to_subscribers: true },
  shared: { is_private: true, is_web_public: false, history_public_to_subscribers: true },
  protected: { is_private: true, is_web_public: false, history_public_to_subscribers: false },
}
const roles: Readonly<Record<string, number>> = { owner: 100, admin: 200, moderator: 300, member: 400, guest: 600 }
const modes: Readonly<Record<string, string>> = { one: "change_one", later: "change_later", all: "change_all" }
/** Role `nobody`, by which a grant is taken back. */
const nobody = "role:nobody"

const isWho = (word: string): word is Who => people.some((who) => who === word)

/** `@member` and `@all` mention. */
const contentOf = (label: string, text = ""): string =>
  `${label} ${text === "@all" ? "@**all**" : text === "@member" ? "@**Max Member**" : text}`.trim()

export class Stage {
  readonly site: Site
  readonly #name: string
  readonly channels = new Map<string, number>()
  readonly #messages = new Map<string, { readonly id: number; readonly by: Who; readonly label: string }>()
  #nobody = 0
  #isTurned = false

  constructor(site: Site, name: string) {
    this.site = site
    this.#name = name
  }

  /** The ids of the messages that were sent. */
  get sent(): ReadonlyArray<number> {
    return [...this.#messages.values()].map(({ id }) => id)
  }

  nameOf(letter: string): string {
    return `${letter} ${this.#name}`
  }

  async begin(): Promise<void> {
    const owner = this.site.person("owner")
    for (const letter of letters) {
      const { in: users, fields } = setups[letter]
      const subscribers = users.map((who) => this.site.id(who))
      const { id } = await owner.must.post("/channels/create", { name: this.nameOf(letter), subscribers, ...fields })
      this.channels.set(letter, Number(id))
    }
  }

  /** Roles and the group are those of the server: they are again what they were. */
  async end(): Promise<void> {
    if (!this.#isTurned) return
    for (const who of ["member", "guest", "moderator"] as const) await this.act(`role ${who} ${who}`)
    await this.act("exit member")
    await this.act("enter moderator")
  }

  #person(who: string | undefined): Person {
    return this.site.person(who !== undefined && isWho(who) ? who : "owner")
  }

  /** Runs a step; answers whether something was done. */
  async act(step: string): Promise<boolean> {
    const answer = await this.#act(step.split(" "))
    return answer !== undefined && answer.status === 200
  }

  async #act([verb, what = "", ...rest]: ReadonlyArray<string>): Promise<Answer | undefined> {
    const message = this.#messages.get(what)
    if (message !== undefined) return await this.#change(message, verb ?? "", rest)
    const channel = this.channels.get(what)
    if (channel !== undefined) return await this.#turn(what, channel, verb ?? "", rest)
    const owner = this.site.person("owner")
    switch (verb) {
      case "send":
        return await this.#send(what, rest)
      case "role": {
        this.#isTurned = true
        const role = roles[rest[0] ?? ""]
        return isWho(what) ? await owner.patch(`/users/${this.site.id(what)}`, { role }) : undefined
      }
      case "enter":
      case "exit": {
        this.#isTurned = true
        const users = isWho(what) ? [this.site.id(what)] : []
        const path = `/user_groups/${this.site.group}/members`
        return await owner.post(path, verb === "enter" ? { add: users } : { delete: users })
      }
      case "readall":
        return await this.#person(what).post("/mark_all_as_read")
      default:
        return undefined
    }
  }

  async #send(label: string, [letter = "", topic = "", by = "owner", text]: ReadonlyArray<string>) {
    const channel = this.channels.get(letter)
    if (channel === undefined || !isWho(by)) return undefined
    const content = contentOf(label, text)
    const answer = await this.#person(by).post("/messages", { type: "channel", to: channel, topic, content })
    if (answer.status === 200) this.#messages.set(label, { id: Number(answer.body["id"]), by, label })
    return answer
  }

  /** Steps about a message. */
  async #change(
    { id, by, label }: { readonly id: number; readonly by: Who; readonly label: string },
    verb: string,
    [first = "", second = "", third = ""]: ReadonlyArray<string>,
  ): Promise<Answer | undefined> {
    const owner = this.site.person("owner")
    const path = `/messages/${id}`
    const quiet = { send_notification_to_new_thread: third === "notice", send_notification_to_old_thread: false }
    switch (verb) {
      case "edit":
        return await this.#person(by).patch(path, { content: contentOf(label, first) })
      case "rewrite":
        return await this.#person(by).patch(path, { content: contentOf(label, second), topic: first, ...quiet })
      case "topic":
        return await owner.patch(path, { topic: first, propagate_mode: modes[second], ...quiet })
      case "move": {
        const [letter = "", topic] = first.split("/")
        const stream_id = this.channels.get(letter)
        if (stream_id === undefined) return undefined
        return await owner.patch(path, { stream_id, topic, propagate_mode: modes[second], ...quiet })
      }
      case "delete":
        return await owner.delete(path)
      case "react":
        return await this.#person(first).post(`${path}/reactions`, { emoji_name: "smile" })
      case "unreact":
        return await this.#person(first).delete(`${path}/reactions`, { emoji_name: "smile" })
      case "flag":
      case "unflag":
        return await this.#person(first).post("/messages/flags", {
          messages: [id],
          flag: second,
          op: verb === "flag" ? "add" : "remove",
        })
      default:
        return undefined
    }
  }

  /** Steps about a channel. */
  async #turn(letter: string, id: number, verb: string, [first = "", second = "", third = ""]: ReadonlyArray<string>) {
    const owner = this.site.person("owner")
    const path = `/streams/${id}`
    const name = this.nameOf(letter)
    const principals = isWho(first) ? [this.site.id(first)] : []
    switch (verb) {
      case "sub":
        return await this.#person(first).post("/users/me/subscriptions", { subscriptions: [{ name }] })
      case "unsub":
        return await this.#person(first).delete("/users/me/subscriptions", { subscriptions: [name] })
      case "add":
        return await owner.post("/users/me/subscriptions", { subscriptions: [{ name }], principals })
      case "remove":
        return await owner.delete("/users/me/subscriptions", { subscriptions: [name], principals })
      case "make":
        return await owner.patch(path, kinds[first])
      case "grant":
        return await owner.patch(path, { can_subscribe_group: { new: this.site.group } })
      case "revoke":
        return await owner.patch(path, { can_subscribe_group: { new: await this.#findNobody() } })
      case "archive":
        return await owner.delete(path)
      case "unarchive":
        return await owner.patch(path, { is_archived: false })
      case "readchannel":
        return await this.#person(first).post("/mark_stream_as_read", { stream_id: id })
      case "readtopic":
        return await this.#person(second).post("/mark_topic_as_read", { stream_id: id, topic_name: first })
      case "policy":
        return await this.#person(second).post("/user_topics", {
          stream_id: id,
          topic: first,
          visibility_policy: Number(third),
        })
      default:
        return undefined
    }
  }

  async #findNobody(): Promise<number> {
    if (this.#nobody === 0) {
      const { user_groups } = await this.site.person("owner").must.get("/user_groups")
      this.#nobody = Number(recordsIn(user_groups).find(({ name }) => name === nobody)?.["id"])
    }
    return this.#nobody
  }
}
