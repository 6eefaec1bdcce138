/**
 * What the page knows, as plain values that never change: each event makes a new state (reduce/), and what did not change
 * stays the same object, so a view can tell by `===`. Nothing of it touches the DOM or the network.
 */
import type { Api } from "../../client/index.ts"

/** Where a message belongs. `users` of direct messages are all but the reader, rising; alone with oneself it is the reader. */
export type Conversation =
  | { readonly kind: "topic"; readonly channel: number; readonly topic: string }
  | { readonly kind: "direct"; readonly users: ReadonlyArray<number> }

export interface PostReaction {
  readonly name: string
  readonly code: string
  readonly type: string
  readonly users: ReadonlyArray<number>
}

/** What somebody did in a poll or a to-do list, as it came: poll.ts and todo.ts read it. */
export interface WidgetAct {
  readonly senderId: number
  readonly content: string
}

export interface PagePost {
  readonly id: number
  readonly conversation: Conversation
  readonly senderId: number
  readonly senderName: string
  readonly avatarUrl: string | null
  /** Unix seconds. */
  readonly time: number
  readonly html: string
  readonly isMe: boolean
  readonly flags: ReadonlySet<string>
  readonly reactions: ReadonlyArray<PostReaction>
  /** Of a message that is more than its text: what it began with, and what people did since. */
  readonly acts: ReadonlyArray<WidgetAct>
  readonly isEdited: boolean
  readonly isMoved: boolean
}

export interface PagePerson {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly avatarUrl: string | null
  readonly role: number
  readonly isBot: boolean
  /** Of a bot: who runs it. */
  readonly ownerId: number | null
  readonly isActive: boolean
  readonly timezone: string
  /** What they have in profile fields, as text. */
  readonly fields: Readonly<Record<string, string>>
  /** Of those that are Markdown: what was rendered, and from which text. */
  readonly rendered?: Readonly<Record<string, { readonly text: string; readonly html: string }>>
}

export interface PageChannel {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  readonly isArchived: boolean
  readonly isSubscribed: boolean
  readonly isMuted: boolean
  readonly isPinned: boolean
  readonly color: string
  readonly subscriberCount: number
  readonly topicsPolicy: Api.TopicsPolicy
  readonly permissions: ChannelPermissions
}

/** Who may do what in a channel: a group, or people and groups. */
export interface ChannelPermissions {
  readonly administer: Api.PermissionHolders
  readonly post: Api.PermissionHolders
  readonly addSubscribers: Api.PermissionHolders
  readonly removeSubscribers: Api.PermissionHolders
  readonly deleteAny: Api.PermissionHolders
  readonly deleteOwn: Api.PermissionHolders
  readonly moveWithin: Api.PermissionHolders
  readonly moveOut: Api.PermissionHolders
}

/** The same of the organization. */
export interface RealmPermissions {
  readonly createGroups: Api.PermissionHolders
  readonly manageGroups: Api.PermissionHolders
  readonly addSubscribers: Api.PermissionHolders
  readonly deleteAny: Api.PermissionHolders
  readonly deleteOwn: Api.PermissionHolders
  readonly moveTopics: Api.PermissionHolders
  readonly moveChannels: Api.PermissionHolders
}

/** Until when messages may be changed, in seconds after they were sent; null: for ever. */
export interface MessageRules {
  readonly isEditable: boolean
  readonly editSeconds: number | null
  readonly deleteSeconds: number | null
  readonly topicSeconds: number | null
  readonly channelSeconds: number | null
  /** Which former versions are shown. */
  readonly history: "all" | "moves" | "none"
}

export interface PersonPresence {
  /** Unix seconds. */
  readonly active: number
  readonly idle: number
}

export interface PersonStatus {
  readonly text: string
  readonly emojiName: string
  readonly emojiCode: string
}

export interface UnreadConversation {
  readonly conversation: Conversation
  readonly ids: ReadonlySet<number>
}

/** 0: as its channel, 1: muted, 2: unmuted, 3: followed. */
export type TopicVisibility = 0 | 1 | 2 | 3

export interface Typist {
  readonly user: number
  /** Milliseconds by the page's clock at which it counts as stopped. */
  readonly until: number
}

/** What a reader has chosen to see. */
export type PageNarrow =
  | { readonly kind: "all" }
  | { readonly kind: "mentions" }
  | { readonly kind: "starred" }
  | { readonly kind: "channel"; readonly channel: number }
  | { readonly kind: "conversation"; readonly conversation: Conversation }
  | { readonly kind: "search"; readonly words: string }

/** What is shown: one window of the messages of a narrow, as they were read and as events have changed them. */
export interface PageFeed {
  readonly narrow: PageNarrow
  readonly posts: ReadonlyArray<PagePost>
  readonly hasOldest: boolean
  /** Events add what is new to the end only while this is true. */
  readonly hasNewest: boolean
  /** There were messages, and they are gone. */
  readonly isEmptied?: boolean
}

export interface PageLimits {
  readonly message: number
  readonly topic: number
  readonly channel: number
  readonly uploadMegabytes: number
}

export interface OwnAccount {
  readonly id: number
  readonly isOwner: boolean
  readonly isAdmin: boolean
  readonly isModerator: boolean
  readonly isGuest: boolean
  readonly mayInvite: boolean
  readonly mayCreatePublic: boolean
  readonly mayCreatePrivate: boolean
}

export interface PageProfileField {
  readonly id: number
  readonly name: string
  readonly type: Api.CustomProfileField["type"]
  /** JSON, by the type: the choices of one. */
  readonly data: string
}

export interface PageState {
  readonly self: OwnAccount
  readonly realmName: string
  readonly realmDescription: string
  readonly limits: PageLimits
  /** Of channels that have none of their own. */
  readonly topicsPolicy: Api.TopicsPolicy
  /** How messages without a topic are called. */
  readonly emptyTopic: string
  readonly permissions: RealmPermissions
  readonly messageRules: MessageRules
  /** Whether one may ask who has read a message. */
  readonly hasReceipts: boolean
  /** The organization's own emoji, by their number. */
  readonly emoji: ReadonlyMap<string, Api.Emoji>
  readonly settings: Api.UserSettings | null
  readonly profileFields: ReadonlyArray<PageProfileField>
  readonly people: ReadonlyMap<number, PagePerson>
  readonly channels: ReadonlyMap<number, PageChannel>
  readonly groups: ReadonlyMap<number, Api.UserGroup>
  /** By `conversationKey`. */
  readonly topicPolicies: ReadonlyMap<string, TopicVisibility>
  readonly unread: ReadonlyMap<string, UnreadConversation>
  readonly unreadMentions: ReadonlySet<number>
  readonly starred: ReadonlySet<number>
  readonly mutedPeople: ReadonlySet<number>
  /** The newest message of each, by `conversationKey`. */
  readonly directs: ReadonlyMap<string, { readonly conversation: Conversation; readonly newest: number }>
  readonly presence: ReadonlyMap<number, PersonPresence>
  readonly statuses: ReadonlyMap<number, PersonStatus>
  readonly typing: ReadonlyMap<string, ReadonlyArray<Typist>>
  readonly drafts: ReadonlyMap<number, Api.Draft>
  readonly scheduled: ReadonlyMap<number, Api.ScheduledMessage>
  /** Topics of channels whose list was asked for, newest first. */
  readonly topics: ReadonlyMap<number, ReadonlyArray<Api.Topic>>
  readonly feed: PageFeed | null
}

/** The same for whatever spelling of a topic: the server does not tell them apart either. */
export const conversationKey = (conversation: Conversation): string =>
  conversation.kind === "topic"
    ? `${conversation.channel}:${conversation.topic.toLowerCase()}`
    : `direct:${conversation.users.join(",")}`

/** Whom a message to it goes to, as the API says it. */
export const recipientOf = (conversation: Conversation) =>
  conversation.kind === "topic"
    ? ({ type: "channel", to: conversation.channel, topic: conversation.topic } as const)
    : ({ type: "direct", to: conversation.users } as const)

export const directWith = (self: number, users: ReadonlyArray<number>): Conversation => {
  const others = [...new Set(users)].filter((user) => user !== self).sort((a, b) => a - b)
  return { kind: "direct", users: others.length === 0 ? [self] : others }
}
