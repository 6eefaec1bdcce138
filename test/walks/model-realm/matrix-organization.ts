/** The rows of the permission matrix that are about the organization and its groups. */
import type { Answer, Person } from "../../kit/client.ts"
import type { Share } from "./matrix-choice.ts"
import type { Actor, Scene } from "./matrix-scene.ts"
import * as rules from "./rules.ts"
import { type Group, type RealmSetting, type State, system, type User } from "./state.ts"

export interface GroupRow {
  readonly what: string
  readonly route: string
  readonly may: (state: State, user: User, group: Group, bystander: User) => boolean
  /** Which combinations are requested; default: `pairs`. */
  readonly share?: Share
  /** Prepares the group for the request. */
  readonly arrange?: (scene: Scene, group: Group, user: User) => Promise<unknown>
  readonly ask: (person: Person, group: Group, user: User, scene: Scene) => Promise<Answer>
  /** Undoes the preparation and the request; `isDone`: the request succeeded. */
  readonly undo?: (scene: Scene, group: Group, user: User, isDone: boolean) => Promise<unknown>
}

const members = (group: Group) => `/user_groups/${group.id}/members`
const subgroups = (group: Group) => `/user_groups/${group.id}/subgroups`
const put = ({ steward }: Scene, group: Group, id: number) => steward.must.post(members(group), { add: [id] })
const take = ({ steward }: Scene, group: Group, id: number) => steward.must.post(members(group), { delete: [id] })
const nothing = () => Promise.resolve()

export const groupRows = (lonely: Group): ReadonlyArray<GroupRow> => [
  {
    what: "change its description",
    share: "all",
    route: "PATCH /user_groups/{}",
    may: rules.mayManage,
    ask: (person, group) => person.patch(`/user_groups/${group.id}`, { description: group.description }),
  },
  {
    what: "change one of its permissions",
    route: "PATCH /user_groups/{}",
    may: rules.mayManage,
    ask: (person, group) =>
      person.patch(`/user_groups/${group.id}`, { can_mention_group: { new: group.settings.can_mention_group } }),
  },
  {
    what: "add another user",
    share: "half",
    route: "POST /user_groups/{}/members",
    may: (state, user, group, bystander) => rules.mayAddMember(state, user, group, bystander),
    ask: (person, group, _, { bystander }) => person.post(members(group), { add: [bystander.id] }),
    undo: (scene, group, _, isDone) => (isDone ? take(scene, group, scene.bystander.id) : nothing()),
  },
  {
    what: "add themselves",
    share: "half",
    route: "POST /user_groups/{}/members",
    may: (state, user, group) => rules.mayAddMember(state, user, group, user),
    ask: (person, group, user) => person.post(members(group), { add: [user.id] }),
    undo: (scene, group, user, isDone) => (isDone ? take(scene, group, user.id) : nothing()),
  },
  {
    what: "remove themselves",
    share: "half",
    route: "POST /user_groups/{}/members",
    may: (state, user, group) => rules.mayRemoveMember(state, user, group, user),
    arrange: (scene, group, user) => put(scene, group, user.id),
    ask: (person, group, user) => person.post(members(group), { delete: [user.id] }),
    undo: (scene, group, user, isDone) => (isDone ? nothing() : take(scene, group, user.id)),
  },
  {
    what: "add a subgroup",
    route: "POST /user_groups/{}/subgroups",
    may: rules.mayAddSubgroup,
    ask: (person, group) => person.post(subgroups(group), { add: [lonely.id] }),
    undo: ({ steward }, group, _, isDone) =>
      isDone ? steward.must.post(subgroups(group), { delete: [lonely.id] }) : nothing(),
  },
  {
    what: "deactivate it",
    route: "POST /user_groups/{}/deactivate",
    may: rules.mayManage,
    ask: (person, group) => person.post(`/user_groups/${group.id}/deactivate`),
    undo: ({ steward }, group, _, isDone) =>
      isDone ? steward.must.patch(`/user_groups/${group.id}`, { deactivated: false }) : nothing(),
  },
]

/** Rows that remove members and subgroups: requested while every group has a member and a subgroup. */
export const fullGroupRows = (lonely: Group): ReadonlyArray<GroupRow> => [
  {
    what: "remove another user",
    share: "half",
    route: "POST /user_groups/{}/members",
    may: (state, user, group, bystander) => rules.mayRemoveMember(state, user, group, bystander),
    ask: (person, group, _, { bystander }) => person.post(members(group), { delete: [bystander.id] }),
    undo: (scene, group, _, isDone) => (isDone ? put(scene, group, scene.bystander.id) : nothing()),
  },
  {
    what: "remove a subgroup",
    route: "POST /user_groups/{}/subgroups",
    may: rules.mayRemoveSubgroup,
    ask: (person, group) => person.post(subgroups(group), { delete: [lonely.id] }),
    undo: ({ steward }, group, _, isDone) =>
      isDone ? steward.must.post(subgroups(group), { add: [lonely.id] }) : nothing(),
  },
]

/** An action that a setting of the organization permits; requested with its default and with another value. */
export interface RealmRow {
  readonly what: string
  readonly route: string
  readonly setting: RealmSetting | null
  /** The other value; default: the scene's `holders`. */
  readonly value?: number
  readonly may: (state: State, user: User, scene: Scene) => boolean
  readonly ask: (actor: Actor, scene: Scene, turn: string) => Promise<Answer>
}

const creating = (kind: rules.Kind, setting: RealmSetting): RealmRow => ({
  what: `create a channel that is ${kind}`,
  route: "POST /channels/create",
  setting,
  may: (state, user) => rules.mayCreate(state, user, kind),
  ask: ({ user, person }, _, turn) =>
    person.post("/channels/create", {
      name: `${kind} ${user.id} ${turn}`,
      subscribers: [],
      invite_only: kind.startsWith("private"),
      is_web_public: kind === "web-public",
      history_public_to_subscribers: kind !== "private-protected",
    }),
})

/** A channel of the scene by its name. */
const plain = ({ channels }: Scene, name: string) => {
  const found = channels.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no channel ${name}`)
  return found
}
const administered = (scene: Scene) => plain(scene, "public can_administer_channel_group")

export const realmRows: ReadonlyArray<RealmRow> = [
  creating("public", "can_create_public_channel_group"),
  { ...creating("web-public", "can_create_web_public_channel_group"), value: system.moderators },
  creating("private-shared", "can_create_private_channel_group"),
  creating("private-protected", "can_create_private_channel_group"),
  {
    what: "make a channel by subscribing to it",
    route: "POST /users/me/subscriptions",
    setting: "can_create_public_channel_group",
    may: (state, user) => rules.mayCreate(state, user, "public"),
    ask: ({ user, person }, _, turn) =>
      person.post("/users/me/subscriptions", { subscriptions: [{ name: `subscribed ${user.id} ${turn}` }] }),
  },
  {
    what: "subscribe others to a public channel",
    route: "POST /users/me/subscriptions",
    setting: "can_add_subscribers_group",
    may: (state, user, scene) => rules.maySubscribeOthers(state, user, plain(scene, "public plain")),
    ask: ({ person }, scene) =>
      person.post("/users/me/subscriptions", {
        subscriptions: [{ name: "public plain" }],
        principals: [scene.stewardUser.id],
      }),
  },
  {
    what: "set a topics policy",
    route: "PATCH /streams/{}",
    setting: "can_set_topics_policy_group",
    may: (state, user, scene) => rules.maySetTopicsPolicy(state, user, administered(scene), "allow_empty_topic"),
    ask: async ({ person }, scene) => {
      const path = `/streams/${administered(scene).id}`
      const answer = await person.patch(path, { topics_policy: "allow_empty_topic" })
      await scene.steward.must.patch(path, { topics_policy: "inherit" })
      return answer
    },
  },
  {
    what: "set who may delete messages",
    route: "PATCH /streams/{}",
    setting: "can_set_delete_message_policy_group",
    may: (state, user, scene) => rules.mayGive(state, user, administered(scene), "can_delete_any_message_group"),
    ask: ({ person }, scene) =>
      person.patch(`/streams/${administered(scene).id}`, {
        can_delete_any_message_group: { new: administered(scene).settings.can_delete_any_message_group },
      }),
  },
  {
    what: "create a group",
    route: "POST /user_groups/create",
    setting: "can_create_groups",
    may: rules.mayCreateGroups,
    ask: ({ user, person }, _, turn) =>
      person.post("/user_groups/create", { name: `group ${user.id} ${turn}`, description: "", members: [] }),
  },
  {
    what: "manage any group",
    route: "PATCH /user_groups/{}",
    setting: "can_manage_all_groups",
    may: (state, user, { groups }) => groups.slice(0, 1).every(({ group }) => rules.mayManage(state, user, group)),
    ask: ({ person }, { groups }) => person.patch(`/user_groups/${groups[0]?.group.id}`, { description: "of nobody" }),
  },
  {
    what: "change the organization",
    route: "PATCH /realm",
    setting: null,
    may: (_, user) => rules.mayChangeRealm(user),
    ask: ({ person }) => person.patch("/realm", { name: "Test" }),
  },
]
