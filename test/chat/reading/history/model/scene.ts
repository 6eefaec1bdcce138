/**
 * A server and the world beside it (world.ts): random requests to the first, of which those that succeed happen in the
 * second. What is refused must be refused; whether a user who may read a message may also do what they ask is not
 * judged here. Notices that the server writes are read from its tables.
 */
import * as Predicate from "effect/Predicate"
import { roles } from "../../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../../src/chat/server/setup/realm-setup.ts"
import { Random } from "../../../../events/model/random.ts"
import { cast, emailOf } from "../../../../kit/cast.ts"
import type { Person } from "../../../../kit/client.ts"
import { uploaded } from "../../../../kit/uploads.ts"
import { names, type TestServer } from "../../../../kit/with-server.ts"
import { type Group, noGrants } from "./grants.ts"
import { type Channel, type Message, type User, World } from "./world.ts"

export const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"], isDefault: true },
  { name: "square", users: ["hamlet", "othello"] },
  { name: "window", users: ["cordelia"], isWebPublic: true },
  { name: "den", users: ["cordelia", "othello", "shiva"], isPrivate: true, historyShared: true },
  { name: "vault", users: ["hamlet", "cordelia", "iago"], isPrivate: true },
] as const

const isSystemBot = (id: number): boolean => id > 2_000_000_000
/** The status and body of an answer, without what every answer has. */
export const said = ({ status, body }: Awaited<ReturnType<Person["get"]>>): string => JSON.stringify([status, body])

/** An account as it is when it is made. */
export const fresh = (user: Pick<User, "id" | "name" | "email" | "isBot" | "role">): User => ({
  ...user,
  isActive: true,
  policies: new Map(),
  muted: new Set(),
})

export class Disagreement extends Error {}

export class Scene {
  readonly server: TestServer
  readonly random: Random
  readonly world = new World()
  readonly groups: Array<Group> = []
  #newest = 0

  constructor(server: TestServer, seed: number) {
    this.server = server
    this.random = new Random(seed)
  }

  async begin(): Promise<void> {
    const { server, world } = this
    await server.actions.changeRealm({ enable_spectator_access: true })
    const bot = { email: "robot@test.example", fullName: "robot", role: roles.member, isBot: true, passwordHash: null }
    const botId = await server.run(setUpUser(server.realmId, bot))
    const add = (user: Pick<User, "id" | "name" | "email" | "isBot" | "role">): void =>
      void world.users.push(fresh(user))
    for (const name of names) add({ id: server.idOf(name), name, email: emailOf(name), isBot: false, role: cast[name] })
    add({ id: botId, name: "robot", email: bot.email, isBot: true, role: roles.member })
    for (const { name, users, ...options } of channels) {
      const id = server.realm.realm.findChannelByName(name)?.id ?? 0
      const isPrivate = "isPrivate" in options
      const subscribers = world.users.filter((user) => users.some((each) => each === user.name))
      world.channels.push({
        id,
        name,
        isPrivate,
        isWebPublic: "isWebPublic" in options,
        isShared: !isPrivate || "historyShared" in options,
        isArchived: false,
        isDefault: "isDefault" in options,
        grants: noGrants(),
        subscribers: new Set(subscribers),
        ever: new Set(subscribers),
      })
    }
    for (const by of ["hamlet", "cordelia"] as const) {
      const owner = world.users.find(({ name }) => name === by)
      if (owner !== undefined) world.files.set(await uploaded(server, by), owner)
    }
    for (const by of ["cordelia", "othello"] as const)
      await server.as(by).must.post("/users/me/alert_words", { alert_words: ["lantern"] })
    await this.#makeGroup("crew", ["hamlet", "shiva"], [])
    await this.#makeGroup("heads", ["polonius"], this.groups)
    await this.subscribe(this.userNamed("robot"), this.#channelNamed("square"))
    await this.learn()
  }

  async #makeGroup(name: string, members: ReadonlyArray<string>, subgroups: ReadonlyArray<Group>): Promise<void> {
    const people = members.map((each) => this.userNamed(each))
    const { group_id } = await this.server.as("desdemona").must.post("/user_groups/create", {
      name,
      description: "",
      members: people.map(({ id }) => id),
      subgroups: subgroups.map(({ id }) => id),
    })
    this.groups.push({ id: Number(group_id), members: new Set(people), subgroups: new Set(subgroups) })
  }

  userNamed(name: string): User {
    const found = this.world.users.find((user) => user.name === name)
    if (found === undefined) throw new Error(`nobody is called ${name}`)
    return found
  }

  #channelNamed(name: string): Channel {
    const found = this.world.channels.find((channel) => channel.name === name)
    if (found === undefined) throw new Error(`there is no channel ${name}`)
    return found
  }

  as(user: User): Person {
    return this.server.asEmail(user.email)
  }

  somebody(): User {
    return this.random.pick(this.world.activeUsers())
  }

  /** Mostly somebody who may: what is refused shows less. */
  mostly(may: (user: User) => boolean): User {
    const able = this.world.activeUsers().filter(may)
    return (this.random.chance(0.8) ? this.random.find(able) : undefined) ?? this.somebody()
  }

  message(): Message | undefined {
    return this.random.find([...this.world.messages.values()])
  }

  /** Adds the messages that have come since the last call. */
  async learn(): Promise<void> {
    const rows = await this.server.rows(
      `select m.id, m.sender_id, m.channel_id, m.topic, m.content, m.has_link, m.has_image, m.has_attachment,
          (select v.member_key from conversation v where v.id = m.conversation_id and v.realm_id = m.realm_id) as people
        from message m where m.realm_id = 1 and m.id > $1 order by m.id`,
      [this.#newest],
    )
    for (const { id, sender_id, channel_id, topic, content, people, ...parts } of rows) {
      const isNotice = isSystemBot(Number(sender_id))
      const { has_link, has_image, has_attachment } = parts
      this.#newest = Number(id)
      this.world.sent({
        id: Number(id),
        sender: Number(sender_id),
        channel: this.world.channels.find((each) => each.id === Number(channel_id)) ?? null,
        topic: String(topic ?? ""),
        people: Predicate.isString(people) ? people.split(",").map(Number) : [],
        content: String(content),
        parts: isNotice
          ? { link: has_link === true, image: has_image === true, attachment: has_attachment === true }
          : null,
      })
    }
  }

  /** Reads the policies of moved topics: what becomes of them is tested elsewhere. */
  async learnPolicies(): Promise<void> {
    for (const user of this.world.users) user.policies.clear()
    for (const { user_id, channel_id, topic_folded, policy } of await this.server.rows(
      "select user_id, channel_id, topic_folded, policy from user_topic where realm_id = 1",
    ))
      this.world.users
        .find(({ id }) => id === Number(user_id))
        ?.policies.set(`${channel_id}:${topic_folded}`, Number(policy))
  }

  async subscribe(user: User, channel: Channel): Promise<void> {
    const insiders = [...channel.subscribers].filter(({ isActive }) => isActive)
    const by = this.random.find(insiders) ?? this.userNamed("iago")
    const { status, body } = await this.as(by).post("/users/me/subscriptions", {
      subscriptions: [{ name: channel.name }],
      principals: [user.id],
      send_new_subscription_messages: false,
    })
    if (status !== 200) return
    if (Predicate.isObject(body["subscribed"]) && Object.keys(body["subscribed"]).length === 0) return
    channel.subscribers.add(user)
    channel.ever.add(user)
  }
}
