/** The state that a register gives. */
import type { Api, State as Registered } from "../../client/index.ts"
import {
  type Channel,
  type ChannelPermissions,
  conversationKey,
  directWith,
  type Person,
  type Presence,
  type State,
  type Status,
  type TopicPolicy,
  type Unread,
} from "./model.ts"

type GivenPerson =
  | Api.RealmUser
  | Api.RealmUser4
  | Api.SystemBot
  | Api.SpectatedSystemBot
  | Api.RealmUserAddEvent["person"]

const fieldsOf = (person: GivenPerson): Readonly<Record<string, string>> => {
  if (!("profile_data" in person) || person.profile_data === undefined) return {}
  return Object.fromEntries(Object.entries(person.profile_data).map(([id, { value }]) => [id, value]))
}

export const readPerson = (given: GivenPerson, isActive = true): Person => ({
  id: given.user_id,
  name: given.full_name,
  email: ("delivery_email" in given ? given.delivery_email : null) ?? given.email,
  avatarUrl: given.avatar_url,
  role: given.role,
  isBot: given.is_bot,
  isActive,
  timezone: "timezone" in given ? given.timezone : "",
  fields: fieldsOf(given),
})

type GivenChannel = Api.Channel | Api.Subscription | Api.NeverSubscribed

const channelPermissionsOf = (given: GivenChannel): ChannelPermissions => ({
  administer: given.can_administer_channel_group,
  post: given.can_send_message_group,
  addSubscribers: given.can_add_subscribers_group,
  removeSubscribers: given.can_remove_subscribers_group,
})

export const readChannel = (given: GivenChannel, isSubscribed: boolean): Channel => ({
  id: given.stream_id,
  name: given.name,
  description: given.description,
  isPrivate: given.invite_only,
  isArchived: given.is_archived,
  isSubscribed,
  isMuted: "is_muted" in given && given.is_muted,
  isPinned: "pin_to_top" in given && given.pin_to_top,
  color: "color" in given ? given.color : "#7a8699",
  subscriberCount: given.subscriber_count,
  permissions: channelPermissionsOf(given),
})

const channelsOf = (given: Registered): ReadonlyMap<number, Channel> =>
  new Map(
    [
      ...(given.never_subscribed ?? []).map((each) => readChannel(each, false)),
      ...(given.unsubscribed ?? []).map((each) => readChannel(each, false)),
      ...(given.subscriptions ?? []).map((each) => readChannel(each, true)),
    ].map((channel) => [channel.id, channel]),
  )

const peopleOf = (given: Registered): ReadonlyMap<number, Person> =>
  new Map(
    [
      ...(given.cross_realm_bots ?? []).map((each) => readPerson(each)),
      ...(given.realm_non_active_users ?? []).map((each) => readPerson(each, false)),
      ...(given.realm_users ?? []).map((each) => readPerson(each)),
    ].map((person) => [person.id, person]),
  )

const unreadOf = (self: number, given: Api.UnreadMessages | undefined): ReadonlyMap<string, Unread> => {
  if (given === undefined) return new Map()
  const all: ReadonlyArray<Unread> = [
    ...given.streams.map(
      ({ stream_id: channel, topic, unread_message_ids }): Unread => ({
        conversation: { kind: "topic", channel, topic },
        ids: new Set(unread_message_ids),
      }),
    ),
    ...given.pms.map(({ other_user_id, unread_message_ids }) => ({
      conversation: directWith(self, [other_user_id]),
      ids: new Set(unread_message_ids),
    })),
    ...given.huddles.map(({ user_ids_string, unread_message_ids }) => ({
      conversation: directWith(self, user_ids_string.split(",").map(Number)),
      ids: new Set(unread_message_ids),
    })),
  ]
  return new Map(all.map((unread) => [conversationKey(unread.conversation), unread]))
}

export const readPresences = (given: object | undefined): ReadonlyMap<number, Presence> => {
  const found = new Map<number, Presence>()
  for (const [user, presence] of Object.entries(given ?? {})) {
    const { active_timestamp: active, idle_timestamp: idle } = presence
    if (typeof active === "number" && typeof idle === "number") found.set(Number(user), { active, idle })
  }
  return found
}

const statusesOf = (given: Registered): ReadonlyMap<number, Status> =>
  new Map(
    Object.entries(given.user_status ?? {}).map(([user, status]: [string, Api.UserStatus]) => [
      Number(user),
      {
        text: status.status_text ?? "",
        emojiName: "emoji_name" in status ? status.emoji_name : "",
        emojiCode: "emoji_code" in status ? status.emoji_code : "",
      },
    ]),
  )

const policiesOf = (given: Registered): ReadonlyMap<string, TopicPolicy> =>
  new Map(
    (given.user_topics ?? []).map(({ stream_id: channel, topic_name: topic, visibility_policy }) => [
      conversationKey({ kind: "topic", channel, topic }),
      visibility_policy,
    ]),
  )

export const byId = <Item extends { readonly id: number }>(items: ReadonlyArray<Item> | undefined) =>
  new Map((items ?? []).map((item) => [item.id, item]))

/** By the number of a role: what it lets do everywhere. */
export const ranksOf = (role: number) => ({ isOwner: role <= 100, isAdmin: role <= 200, isGuest: role >= 600 })

const nobody: Api.PermissionHolders = { direct_members: [], direct_subgroups: [] }

const emojiOf = (given: Registered): State["emoji"] => new Map(Object.entries(given.realm_emoji ?? {}))

/** Whatever was not asked for counts as empty. */
export const startState = (given: Registered): State => {
  const id = given.user_id ?? 0
  const people = peopleOf(given)
  return {
    self: {
      id,
      ...ranksOf(people.get(id)?.role ?? 400),
      mayInvite: given.can_invite_others_to_realm ?? false,
      mayCreatePublic: given.can_create_public_streams ?? false,
      mayCreatePrivate: given.can_create_private_streams ?? false,
    },
    realmName: given.realm_name ?? "",
    realmDescription: given.realm_description ?? "",
    limits: {
      message: given.max_message_length ?? 10_000,
      topic: given.max_topic_length ?? 60,
      channel: given.max_stream_name_length ?? 60,
      uploadMegabytes: given.max_file_upload_size_mib ?? 25,
    },
    settings: given.user_settings ?? null,
    profileFields: (given.custom_profile_fields ?? []).map(({ id, name }) => ({ id, name })),
    permissions: {
      createGroups: given.realm_can_create_groups ?? nobody,
      manageGroups: given.realm_can_manage_all_groups ?? nobody,
      addSubscribers: given.realm_can_add_subscribers_group ?? nobody,
    },
    hasReceipts: given.realm_enable_read_receipts ?? false,
    emoji: emojiOf(given),
    people,
    channels: channelsOf(given),
    groups: byId(given.realm_user_groups),
    topicPolicies: policiesOf(given),
    unread: unreadOf(id, given.unread_msgs),
    unreadMentions: new Set(given.unread_msgs?.mentions),
    starred: new Set(given.starred_messages),
    mutedPeople: new Set((given.muted_users ?? []).map(({ id }) => id)),
    directs: new Map(
      (given.recent_private_conversations ?? []).map(({ user_ids, max_message_id: newest }) => {
        const conversation = directWith(id, user_ids)
        return [conversationKey(conversation), { conversation, newest }]
      }),
    ),
    presence: readPresences(given.presences),
    statuses: statusesOf(given),
    typing: new Map(),
    drafts: byId(given.drafts),
    scheduled: new Map((given.scheduled_messages ?? []).map((each) => [each.scheduled_message_id, each])),
    topics: new Map(),
    feed: null,
  }
}
