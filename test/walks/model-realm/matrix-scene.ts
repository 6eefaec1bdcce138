/**
 * The organization of the permission matrix, built once: users of every role who hold a permission in every way, and
 * are, were or never were subscribed to the channels; a channel for each kind and permission. `state` is the same
 * organization in the model, from which the rules are computed.
 */
import * as Predicate from "effect/Predicate"
import type { Role } from "../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../src/chat/server/setup/realm-setup.ts"
import type { UserId } from "../../../src/ids.ts"
import type { Person } from "../../kit/client.ts"
import type { TestServer } from "../../kit/with-server.ts"
import type { Kind } from "./rules.ts"
import {
  type Channel,
  type ChannelSetting,
  type Collection,
  emptyState,
  type Group,
  type GroupSetting,
  groupSettings,
  must,
  newChannelSettings,
  type State,
  system,
  type User,
} from "./state.ts"

/** How a user holds the permission: not at all, by name, by a group, by a group within a group. */
const ways = ["none", "list", "group", "nested"] as const
type Way = (typeof ways)[number]
const memberships = ["never", "subscribed", "was"] as const
type Membership = (typeof memberships)[number]
const sorts = ["owner", "administrator", "moderator", "member", "guest", "bot"] as const
const roleOf = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600, bot: 400 } as const

export interface Actor {
  readonly user: User
  readonly person: Person
  readonly way: Way
  readonly membership: Membership
}

export const kinds: ReadonlyArray<Kind> = ["public", "web-public", "private-shared", "private-protected"]
/** The permissions on which the rules about channels depend; null: nobody holds any. */
const looked: ReadonlyArray<ChannelSetting | null> = [
  null,
  "can_administer_channel_group",
  "can_add_subscribers_group",
  "can_subscribe_group",
  "can_send_message_group",
  "can_remove_subscribers_group",
]
const lookedAtInArchive = new Set(looked.slice(0, 4))

export interface MatrixGroup {
  readonly group: Group
  readonly setting: GroupSetting | null
}

export interface Scene {
  readonly server: TestServer
  readonly state: State
  readonly actors: ReadonlyArray<Actor>
  readonly channels: ReadonlyArray<Channel>
  /** Two messages of each channel: sent before and after the former subscribers left. */
  readonly messages: ReadonlyMap<number, readonly [before: number, after: number]>
  readonly groups: ReadonlyArray<MatrixGroup>
  /** The permission's value that includes all users who hold it, by name or by groups. */
  readonly holders: Collection
  /** The owner who prepares and restores: subscribed to every channel and named in every permission. */
  readonly steward: Person
  readonly stewardUser: User
  /** A member who is in no channel and no group. */
  readonly bystander: User
}

const numberOf = (value: unknown): number => {
  if (!Predicate.isNumber(value)) throw new Error(`not a number: ${JSON.stringify(value)}`)
  return value
}

/** `owner` makes it a bot. */
export const makeUser = async (
  server: TestServer,
  name: string,
  role: Role,
  owner: UserId | null = null,
): Promise<User> => {
  const isBot = owner !== null
  const email = `${name}@test.example`
  const user = { email, fullName: name, role, isBot, botOwnerId: owner, passwordHash: null }
  const id = await server.run(setUpUser(server.realmId, user))
  return { id, name, role, isActive: true, isBot, owner }
}

/** Bots with the role that their owner had, and lost: they have the owner's by now. */
const botsOfDemoted = async (server: TestServer, steward: Person) => {
  const owners: Array<User> = []
  const bots: Array<User> = []
  for (const [before, role] of [
    [200, 400],
    [400, 600],
  ] as const) {
    const owner = await makeUser(server, `demoted-${role}`, before)
    const bot = await makeUser(server, `bot-of-demoted-${role}`, before, owner.id)
    await steward.must.patch(`/users/${owner.id}`, { role })
    owners.push({ ...owner, role })
    bots.push({ ...bot, role })
  }
  return { owners, bots }
}

const people = async (server: TestServer, steward: Person) => {
  const keeper = await makeUser(server, "keeper", 400, null)
  const made: Array<{ readonly user: User; readonly way: Way; readonly membership: Membership }> = []
  for (const sort of sorts) {
    for (const membership of memberships) {
      for (const way of membership === "never" ? ways : (["none", "group"] as const)) {
        const owner = sort === "bot" ? keeper.id : null
        made.push({
          user: await makeUser(server, `${sort}-${way}-${membership}`, roleOf[sort], owner),
          way,
          membership,
        })
      }
    }
  }
  for (const name of ["member-group-never", "member-none-subscribed", "administrator-none-never", "guest-list-never"]) {
    const owner = made.find(({ user }) => user.name === name)?.user
    if (owner === undefined) throw new Error(`there is no ${name}`)
    const role = owner.role === 600 ? 600 : 400
    made.push({ user: await makeUser(server, `bot-of-${name}`, role, owner.id), way: "none", membership: "never" })
  }
  const { owners, bots } = await botsOfDemoted(server, steward)
  for (const user of bots) made.push({ user, way: "none", membership: "never" })
  return { others: [keeper, ...owners], made }
}

/** A group of the model, as `steward` makes it over the wire. */
const makeGroup = async (
  steward: Person,
  state: State,
  name: string,
  fields: {
    readonly members?: ReadonlyArray<number>
    readonly subgroups?: ReadonlyArray<number>
    readonly setting?: GroupSetting | null
    readonly holders?: Collection
  },
): Promise<Group> => {
  const { members = [], subgroups = [], setting = null, holders = system.nobody } = fields
  const givenTo = (each: GroupSetting) => (each === setting ? holders : system.nobody)
  const settings: Group["settings"] = {
    can_add_members_group: givenTo("can_add_members_group"),
    can_join_group: givenTo("can_join_group"),
    can_leave_group: givenTo("can_leave_group"),
    can_manage_group: givenTo("can_manage_group"),
    can_mention_group: givenTo("can_mention_group"),
    can_remove_members_group: givenTo("can_remove_members_group"),
  }
  const body = await steward.must.post("/user_groups/create", {
    name,
    description: name,
    members,
    subgroups,
    ...settings,
  })
  const group: Group = {
    id: numberOf(body["group_id"]),
    name,
    description: name,
    isDeactivated: false,
    members: new Set(members),
    subgroups: new Set(subgroups),
    settings,
  }
  state.groups.set(group.id, group)
  return group
}

const makeChannel = async (
  steward: Person,
  creator: number,
  kind: Kind,
  name: string,
  setting: ChannelSetting | null,
  holders: Collection,
  subscribers: ReadonlyArray<number>,
): Promise<Channel> => {
  const settings = {
    ...newChannelSettings(creator),
    can_administer_channel_group: system.nobody,
    can_remove_subscribers_group: system.nobody,
    ...(setting === null ? {} : { [setting]: holders }),
  }
  const fields = {
    isPrivate: kind.startsWith("private"),
    isWebPublic: kind === "web-public",
    isShared: kind !== "private-protected",
  }
  const body = await steward.must.post("/channels/create", {
    name,
    description: name,
    subscribers,
    invite_only: fields.isPrivate,
    is_web_public: fields.isWebPublic,
    history_public_to_subscribers: fields.isShared,
    ...settings,
  })
  return {
    id: numberOf(body["id"]),
    name,
    description: name,
    ...fields,
    isArchived: false,
    isDefault: false,
    topicsPolicy: "inherit",
    settings,
    subscribers: new Set(subscribers),
    ever: new Set(subscribers),
  }
}

export const buildScene = async (server: TestServer): Promise<Scene> => {
  const state = emptyState()
  await server.actions.changeRealm({ enable_spectator_access: true })
  const steward = server.as("desdemona")
  const stewardUser: User = {
    id: server.idOf("desdemona"),
    name: "desdemona",
    role: 100,
    isActive: true,
    isBot: false,
    owner: null,
  }
  const { others, made } = await people(server, steward)
  const bystander: User = {
    id: server.idOf("cordelia"),
    name: "cordelia",
    role: 400,
    isActive: true,
    isBot: false,
    owner: null,
  }
  for (const user of [stewardUser, ...others, bystander, ...made.map((each) => each.user)])
    state.users.set(user.id, user)
  const idsOf = (passes: (each: (typeof made)[number]) => boolean) => made.filter(passes).map(({ user }) => user.id)
  const inner = await makeGroup(steward, state, "inner", { members: idsOf(({ way }) => way === "nested") })
  const outer = await makeGroup(steward, state, "outer", { subgroups: [inner.id] })
  const flat = await makeGroup(steward, state, "flat", { members: idsOf(({ way }) => way === "group") })
  const holders: Collection = {
    direct_members: [stewardUser.id, ...idsOf(({ way }) => way === "list")].sort((a, b) => a - b),
    direct_subgroups: [outer.id, flat.id].sort((a, b) => a - b),
  }
  const staying = [stewardUser.id, ...idsOf(({ membership }) => membership === "subscribed")]
  const leaving = idsOf(({ membership }) => membership === "was")
  const channels: Array<Channel> = []
  for (const archived of [false, true]) {
    for (const setting of archived ? lookedAtInArchive : looked) {
      for (const kind of kinds) {
        const name = `${kind} ${setting ?? "plain"}${archived ? " archived" : ""}`
        channels.push(
          await makeChannel(steward, stewardUser.id, kind, name, setting, holders, [...staying, ...leaving]),
        )
      }
    }
  }
  for (const channel of channels) state.channels.set(channel.id, channel)
  const sendAll = (content: string) => Promise.all(channels.map(({ name }) => steward.send(name, content)))
  const before = await sendAll("before")
  await steward.must.delete("/users/me/subscriptions", {
    subscriptions: channels.map(({ name }) => name),
    principals: leaving,
  })
  for (const { subscribers } of channels) for (const id of leaving) subscribers.delete(id)
  const after = await sendAll("after")
  const messages = new Map(channels.map(({ id }, n) => [id, [before[n] ?? 0, after[n] ?? 0] as const]))
  for (const [channel, [first, second]] of messages) {
    state.messages.set(first, { id: first, channel, holders: new Set([...staying, ...leaving]) })
    state.messages.set(second, { id: second, channel, holders: new Set(staying) })
  }
  for (const channel of channels.filter(({ name }) => name.endsWith("archived"))) {
    await steward.must.delete(`/streams/${channel.id}`)
    channel.isArchived = true
  }
  const groups: Array<MatrixGroup> = []
  for (const setting of [null, ...groupSettings]) {
    const group = await makeGroup(steward, state, `of ${setting ?? "nobody"}`, { setting, holders })
    groups.push({ group, setting })
  }
  const actors = made.map((each) => ({ ...each, person: server.asEmail(`${each.user.name}@test.example`) }))
  return {
    server,
    state,
    actors,
    channels,
    messages,
    groups,
    holders,
    steward,
    stewardUser,
    bystander: must(state.users, bystander.id),
  }
}
