/** The rows of the permission matrix about channels: the request of each, and the rule that decides it. */
import type { Answer, Fields, Person } from "../../kit/client.ts"
import { recordsIn } from "../../kit/records.ts"
import type { Share } from "./matrix-choice.ts"
import type { Actor, Scene } from "./matrix-scene.ts"
import * as rules from "./rules.ts"
import { type Channel, type ChannelSetting, channelSettings, type State, type User } from "./state.ts"

export interface Row {
  readonly what: string
  /** `METHOD /path` of the endpoint. */
  readonly route: string
  readonly may: (state: State, user: User, channel: Channel, scene: Scene) => boolean
  readonly ask: (person: Person, channel: Channel, scene: Scene) => Promise<Answer>
  /** Texts of later refusals, which only users with the permission get: they count as permitted. */
  readonly past?: ReadonlyArray<string>
  /** The refusal (code and text) for users who must not learn that the channel exists. */
  readonly hidden: RegExp
  /** Whether a user may learn that the channel exists; default: `mayKnow`. */
  readonly sees?: (state: State, user: User, channel: Channel) => boolean
  /** The refusal for users who know of the channel; absent: any. */
  readonly refused?: (state: State, user: User, channel: Channel) => RegExp
  /** Restores the state before the request; for rows that change something. */
  readonly undo?: (scene: Scene, actor: Actor, channel: Channel) => Promise<unknown>
  /** Which combinations are requested; default: `pairs`. */
  readonly share?: Share
  readonly among?: (actor: Actor, channel: Channel) => boolean
}

const noSuchId = /^BAD_REQUEST Invalid channel ID$/
const noSuchName = /^STREAM_DOES_NOT_EXIST /
const noAccess = /^BAD_REQUEST (Unable to access channel|Not allowed for guest users)/

/** The refusal to change a channel: for users who administer it without reading it, and for all others. */
const notTheirs = (state: State, user: User, channel: Channel): RegExp =>
  rules.mayAdminister(state, user, channel)
    ? /^BAD_REQUEST (Channel content access is required\.|Insufficient permission)$/
    : /^BAD_REQUEST You do not have permission to administer this channel\.$/
const notDefaults = () => /permission to (administer this channel|change default channels)\.$/
const notOwners = () =>
  /permission to administer this channel\.$|^UNAUTHORIZED_PRINCIPAL Must be an organization owner$/

const path = (channel: Channel) => `/streams/${channel.id}`
const patch = (fields: (channel: Channel) => Fields) => (person: Person, channel: Channel) =>
  person.patch(path(channel), fields(channel))

const subscribeOther = (person: Person, { name }: Channel, { bystander }: Scene) =>
  person.post("/users/me/subscriptions", {
    subscriptions: [{ name }],
    principals: [bystander.id],
    send_new_subscription_messages: false,
  })
const removeOther =
  (user: User) =>
  (person: Person, { name }: Channel) =>
    person.delete("/users/me/subscriptions", { subscriptions: [name], principals: [user.id] })

const reading: ReadonlyArray<Row> = [
  {
    what: "know of it",
    share: "all",
    hidden: noSuchId,
    route: "GET /streams/{}",
    may: rules.mayKnow,
    ask: (person, channel) => person.get(path(channel)),
  },
  {
    what: "see its members",
    hidden: noSuchId,
    route: "GET /streams/{}/members",
    may: rules.mayKnow,
    ask: (person, channel) => person.get(`${path(channel)}/members`),
  },
  {
    what: "find it by name",
    hidden: /^BAD_REQUEST Invalid channel name /,
    route: "GET /get_stream_id",
    may: rules.mayKnow,
    ask: (person, { name }) => person.get("/get_stream_id", { stream: name }),
  },
]

const subscribing: ReadonlyArray<Row> = [
  {
    what: "post",
    share: "all",
    hidden: noSuchName,
    sees: rules.mayKnowToPost,
    route: "POST /messages",
    may: rules.mayPost,
    ask: (person, { id }) =>
      person.post("/messages", { type: "channel", to: id, topic: "t", content: "posted by the matrix" }),
  },
  {
    what: "subscribe themselves",
    share: "half",
    hidden: noAccess,
    route: "POST /users/me/subscriptions",
    may: rules.maySubscribe,
    ask: (person, { name }) => person.post("/users/me/subscriptions", { subscriptions: [{ name }] }),
    undo: (_, { person }, { name }) => person.must.delete("/users/me/subscriptions", { subscriptions: [name] }),
    among: ({ membership }) => membership !== "subscribed",
  },
  {
    what: "subscribe somebody else",
    share: "half",
    hidden: noAccess,
    route: "POST /users/me/subscriptions",
    may: rules.maySubscribeOthers,
    ask: subscribeOther,
    undo: ({ steward, bystander }, _, channel) => removeOther(bystander)(steward, channel),
  },
  {
    what: "ask that somebody be subscribed who is",
    hidden: noAccess,
    route: "POST /users/me/subscriptions",
    may: rules.maySubscribeOthers,
    ask: (person, { name }, { stewardUser }) =>
      person.post("/users/me/subscriptions", { subscriptions: [{ name }], principals: [stewardUser.id] }),
  },
  {
    what: "ask to leave what they are not in",
    hidden: noSuchName,
    route: "DELETE /users/me/subscriptions",
    may: rules.mayLeave,
    ask: (person, { name }) => person.delete("/users/me/subscriptions", { subscriptions: [name] }),
    among: ({ membership }) => membership !== "subscribed",
  },
  {
    what: "unsubscribe another user",
    share: "half",
    hidden: noSuchName,
    route: "DELETE /users/me/subscriptions",
    may: (state, user, channel, { stewardUser }) => rules.mayUnsubscribe(state, user, stewardUser, channel),
    ask: (person, channel, { stewardUser }) => removeOther(stewardUser)(person, channel),
    undo: ({ steward, stewardUser, state, actors }, _, channel) => {
      // A subscribed administrator subscribes the steward again.
      const inside = actors.find(({ user }) => user.role <= 200 && rules.isSubscribed(user, channel))
      return (inside?.person ?? steward).must.post("/users/me/subscriptions", {
        subscriptions: [{ name: channel.name }],
        principals: [stewardUser.id].filter((id) => state.users.has(id)),
        send_new_subscription_messages: false,
      })
    },
  },
  {
    what: "unsubscribe a user who is not subscribed",
    hidden: noSuchName,
    route: "DELETE /users/me/subscriptions",
    may: (state, user, channel, { bystander }) => rules.mayUnsubscribe(state, user, bystander, channel),
    ask: (person, channel, { bystander }) => removeOther(bystander)(person, channel),
  },
]

const wordOf = (
  may: Row["may"],
  what: string,
  fields: (channel: Channel) => Fields,
  further: Partial<Row> = {},
): Row => ({
  what,
  route: "PATCH /streams/{}",
  may,
  ask: patch(fields),
  hidden: noSuchId,
  refused: notTheirs,
  ...further,
})

/** The channel's present name is refused only after the permission to change it was checked. */
const sameName = ["Channel already has that name."]

const administering: ReadonlyArray<Row> = [
  wordOf(rules.mayAdminister, "rename it", ({ name }) => ({ new_name: name }), { past: sameName, share: "all" }),
  wordOf(rules.mayAdminister, "change its description", ({ description }) => ({ description })),
  wordOf(rules.mayAdminister, "put it into no folder", () => ({ folder_id: null })),
  wordOf(rules.mayAdminister, "set its topics policy", () => ({ topics_policy: "inherit" })),
  wordOf(
    rules.mayOpen,
    "change its privacy",
    ({ isPrivate, isShared }) => ({
      is_private: isPrivate,
      history_public_to_subscribers: isShared,
    }),
    { share: "all" },
  ),
  wordOf(rules.mayOpen, "make it web-public or not", ({ isWebPublic }) => ({ is_web_public: isWebPublic })),
  wordOf(
    (_, user) => rules.mayMakeDefault(user),
    "make it a default channel or not",
    () => ({ is_default_stream: false }),
    { refused: notDefaults },
  ),
  wordOf(
    (_, user) => rules.mayChangeRetention(user),
    "set how long its messages are kept",
    () => ({
      message_retention_days: "realm_default",
    }),
    { refused: notOwners },
  ),
  ...channelSettings.map(
    (setting: ChannelSetting): Row =>
      wordOf(
        (state, user, channel) => rules.mayGive(state, user, channel, setting),
        `set ${setting}`,
        (channel) => ({ [setting]: { new: channel.settings[setting] } }),
      ),
  ),
]

const turning = (kind: rules.Kind): Row => ({
  what: `make it ${kind}`,
  hidden: noSuchId,
  refused: notTheirs,
  route: "PATCH /streams/{}",
  may: (state, user, channel) => rules.mayTurn(state, user, channel, kind),
  ask: patch(() => ({
    is_private: kind.startsWith("private"),
    is_web_public: kind === "web-public",
    history_public_to_subscribers: kind !== "private-protected",
  })),
  undo: ({ steward }, _, channel) =>
    steward.must.patch(path(channel), {
      is_private: channel.isPrivate,
      is_web_public: channel.isWebPublic,
      history_public_to_subscribers: channel.isShared,
    }),
  among: (_, channel) => rules.kindOf(channel) !== kind && !channel.isArchived,
})

const archiving: ReadonlyArray<Row> = [
  {
    what: "archive it",
    hidden: noSuchId,
    refused: notTheirs,
    route: "DELETE /streams/{}",
    may: rules.mayAdminister,
    ask: (person, channel) => person.delete(path(channel)),
    past: ["Channel is already deactivated"],
    undo: ({ steward }, _, channel) =>
      channel.isArchived ? Promise.resolve() : steward.must.patch(path(channel), { is_archived: false }),
  },
  {
    what: "unarchive it",
    hidden: noSuchId,
    refused: notTheirs,
    route: "PATCH /streams/{}",
    may: rules.mayAdminister,
    ask: patch(() => ({ is_archived: false })),
    past: ["Channel is not currently deactivated"],
    undo: ({ steward }, _, channel) => (channel.isArchived ? steward.must.delete(path(channel)) : Promise.resolve()),
  },
]

export const channelRows: ReadonlyArray<Row> = [
  ...reading,
  ...subscribing,
  ...administering,
  ...(["public", "web-public", "private-shared", "private-protected"] as const).map(turning),
  ...archiving,
]

/** The messages of the scene in an answer of GET /messages; null: the request was refused. */
export const messagesIn = ({ status, body }: Answer, known: ReadonlyArray<number>): ReadonlyArray<number> | null => {
  if (status !== 200) return null
  const ids = new Set(recordsIn(body["messages"]).map((each) => Number(each["id"])))
  return known.filter((id) => ids.has(id))
}
