/** The state that a register gives. */
import type { Api, State as Registered } from "../../client/index.ts"
import {
  type ChannelPermissions,
  conversationKey,
  directWith,
  type PageChannel,
  type PagePerson,
  type PageState,
  type PersonPresence,
  type PersonStatus,
  type TopicVisibility,
  type UnreadConversation,
} from "./model.ts"

type GivenPerson =
  | Api.RealmUser
  | Api.RealmUser4
  | Api.SystemBot
  | Api.SpectatedSystemBot
  | Api.RealmUserAddEvent["person"]

const fieldsOf = (person: GivenPerson): Required<Pick<PagePerson, "fields" | "rendered">> => {
  const given = "profile_data" in person ? Object.entries(person.profile_data ?? {}) : []
  return {
    fields: Object.fromEntries(given.map(([id, { value }]) => [id, value])),
    rendered: Object.fromEntries(
      given.flatMap(([id, { value: text, rendered_value: html }]) =>
        html === undefined ? [] : [[id, { text, html }]],
      ),
    ),
  }
}

export const readPerson = (given: GivenPerson, isActive = true): PagePerson => ({
  id: given.user_id,
  name: given.full_name,
  email: ("delivery_email" in given ? given.delivery_email : null) ?? given.email,
  avatarUrl: given.avatar_url,
  role: given.role,
  isBot: given.is_bot,
  ownerId: ("bot_owner_id" in given ? given.bot_owner_id : null) ?? null,
  isActive,
  timezone: "timezone" in given ? given.timezone : "",
  ...fieldsOf(given),
})

type GivenChannel = Api.Channel | Api.Subscription | Api.NeverSubscribed

const channelPermissionsOf = (given: GivenChannel): ChannelPermissions => ({
  administer: given.can_administer_channel_group,
  post: given.can_send_message_group,
  addSubscribers: given.can_add_subscribers_group,
  removeSubscribers: given.can_remove_subscribers_group,
  deleteAny: given.can_delete_any_message_group,
  deleteOwn: given.can_delete_own_message_group,
  moveWithin: given.can_move_messages_within_channel_group,
  moveOut: given.can_move_messages_out_of_channel_group,
})

export const readChannel = (given: GivenChannel, isSubscribed: boolean): PageChannel => ({
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
  topicsPolicy: given.topics_policy,
  permissions: channelPermissionsOf(given),
})

const channelsOf = (given: Registered): ReadonlyMap<number, PageChannel> =>
  new Map(
    [
      ...(given.never_subscribed ?? []).map((each) => readChannel(each, false)),
      ...(given.unsubscribed ?? []).map((each) => readChannel(each, false)),
      ...(given.subscriptions ?? []).map((each) => readChannel(each, true)),
    ].map((channel) => [channel.id, channel]),
  )

const peopleOf = (given: Registered): ReadonlyMap<number, PagePerson> =>
  new Map(
    [
      ...(given.cross_realm_bots ?? []).map((each) => readPerson(each)),
      ...(given.realm_non_active_users ?? []).map((each) => readPerson(each, false)),
      ...(given.realm_users ?? []).map((each) => readPerson(each)),
    ].map((person) => [person.id, person]),
  )

const unreadOf = (self: number, given: Api.UnreadMessages | undefined): ReadonlyMap<string, UnreadConversation> => {
  if (given === undefined) return new Map()
  const all: ReadonlyArray<UnreadConversation> = [
    ...given.streams.map(
      ({ stream_id: channel, topic, unread_message_ids }): UnreadConversation => ({
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

export const readPresences = (given: object | undefined): ReadonlyMap<number, PersonPresence> => {
  const found = new Map<number, PersonPresence>()
  for (const [user, presence] of Object.entries(given ?? {})) {
    const { active_timestamp: active, idle_timestamp: idle } = presence
    if (typeof active === "number" && typeof idle === "number") found.set(Number(user), { active, idle })
  }
  return found
}

const statusesOf = (given: Registered): ReadonlyMap<number, PersonStatus> =>
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

const policiesOf = (given: Registered): ReadonlyMap<string, TopicVisibility> =>
  new Map(
    (given.user_topics ?? []).map(({ stream_id: channel, topic_name: topic, visibility_policy }) => [
      conversationKey({ kind: "topic", channel, topic }),
      visibility_policy,
    ]),
  )

export const byId = <Item extends { readonly id: number }>(items: ReadonlyArray<Item> | undefined) =>
  new Map((items ?? []).map((item) => [item.id, item]))

/** By the number of a role: what it lets do everywhere. */
export const ranksOf = (role: number) => ({
  isOwner: role <= 100,
  isAdmin: role <= 200,
  isModerator: role <= 300,
  isGuest: role >= 600,
})

const nobody: Api.PermissionHolders = { direct_members: [], direct_subgroups: [] }

const emojiOf = (given: Registered): PageState["emoji"] => new Map(Object.entries(given.realm_emoji ?? {}))

/** Whatever was not asked for counts as empty. */
export const startState = (given: Registered): PageState => {
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
    topicsPolicy: given.realm_topics_policy ?? "allow_empty_topic",
    emptyTopic: given.realm_empty_topic_display_name ?? "",
    settings: given.user_settings ?? null,
    profileFields: (given.custom_profile_fields ?? []).map(({ id, name, type, field_data: data }) => ({
      id,
      name,
      type,
      data,
    })),
    permissions: {
      createGroups: given.realm_can_create_groups ?? nobody,
      manageGroups: given.realm_can_manage_all_groups ?? nobody,
      addSubscribers: given.realm_can_add_subscribers_group ?? nobody,
      deleteAny: given.realm_can_delete_any_message_group ?? nobody,
      deleteOwn: given.realm_can_delete_own_message_group ?? nobody,
      moveTopics: given.realm_can_move_messages_between_topics_group ?? nobody,
      moveChannels: given.realm_can_move_messages_between_channels_group ?? nobody,
    },
    messageRules: {
      isEditable: given.realm_allow_message_editing ?? true,
      editSeconds: given.realm_message_content_edit_limit_seconds ?? null,
      deleteSeconds: given.realm_message_content_delete_limit_seconds ?? null,
      topicSeconds: given.realm_move_messages_within_stream_limit_seconds ?? null,
      channelSeconds: given.realm_move_messages_between_streams_limit_seconds ?? null,
      history: given.realm_message_edit_history_visibility_policy ?? "all",
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
