/**
 * All rooms, in the one order in which they stand on each other: a room imports only those before it, types included
 * (test/sources holds them to that). What no room brings does not exist for the server. Only app.ts and tests import this
 * file.
 */

import * as Layer from "effect/Layer"
import { messageDeletionsRoom } from "./changing/message-deletions/room.ts"
import { messageEditsRoom } from "./changing/message-edits/room.ts"
import { messageMovesRoom } from "./changing/message-moves/room.ts"
import { messageReportsRoom } from "./changing/message-reports/room.ts"
import { pagePreviewsRoom } from "./changing/page-previews/room.ts"
import { reactionsRoom } from "./changing/reactions/room.ts"
import { submessagesRoom } from "./changing/submessages/room.ts"
import { thumbnailsRoom } from "./changing/thumbnails/room.ts"
import { typingRoom } from "./changing/typing/room.ts"
import { channelFoldersRoom } from "./channels/channel-folders/room.ts"
import { channelsRoom } from "./channels/channels/room.ts"
import { subscriptionsRoom } from "./channels/subscriptions/room.ts"
import { botSettingsRoom } from "./ground/bot-settings/room.ts"
import type { StoredKind } from "./ground/bulk/bulk-kind.ts"
import { bulkRoom } from "./ground/bulk/room.ts"
import { directoryRoom } from "./ground/directory/room.ts"
import { externalContentRoom } from "./ground/external-content/room.ts"
import { facesRoom } from "./ground/faces/room.ts"
import { filesRoom } from "./ground/files/room.ts"
import type { NamedFiles } from "./ground/files/sweep.ts"
import { imagesRoom } from "./ground/images/room.ts"
import { requireDistinct } from "./ground/kinds/catalog.ts"
import type { EventKind } from "./ground/kinds/event-kind.ts"
import { kindsRoom } from "./ground/kinds/room.ts"
import type { Section } from "./ground/kinds/section.ts"
import { outboundRoom } from "./ground/outbound/room.ts"
import { ownListsRoom } from "./ground/own-lists/room.ts"
import { permissionsRoom } from "./ground/permissions/room.ts"
import { presencesRoom } from "./ground/presences/room.ts"
import { profilesRoom } from "./ground/profiles/room.ts"
import { realmRoom } from "./ground/realm/room.ts"
import { requesterRoom } from "./ground/requester/room.ts"
import { signInRoom } from "./ground/sign-in/room.ts"
import { wireRoom } from "./ground/wire/room.ts"
import { organizationRoom } from "./organization/organization/room.ts"
import { profileFieldsRoom } from "./organization/profile-fields/room.ts"
import { realmDomainsRoom } from "./organization/realm-domains/room.ts"
import { realmEmojiRoom } from "./organization/realm-emoji/room.ts"
import { realmExportsRoom } from "./organization/realm-exports/room.ts"
import { realmLinkifiersRoom } from "./organization/realm-linkifiers/room.ts"
import { realmPicturesRoom } from "./organization/realm-pictures/room.ts"
import { realmPlaygroundsRoom } from "./organization/realm-playgrounds/room.ts"
import { accountLinksRoom } from "./people/account-links/room.ts"
import { accountsRoom } from "./people/accounts/room.ts"
import { avatarsRoom } from "./people/avatars/room.ts"
import { botStorageRoom } from "./people/bot-storage/room.ts"
import { botsRoom } from "./people/bots/room.ts"
import { invitationsRoom } from "./people/invitations/room.ts"
import { outgoingWebhooksRoom } from "./people/outgoing-webhooks/room.ts"
import { presenceRoom } from "./people/presence/room.ts"
import { profileDataRoom } from "./people/profile-data/room.ts"
import { userGroupsRoom } from "./people/user-groups/room.ts"
import { userStatusRoom } from "./people/user-status/room.ts"
import { usersRoom } from "./people/users/room.ts"
import { alertWordsRoom } from "./personal/alert-words/room.ts"
import { deviceTokensRoom } from "./personal/device-tokens/room.ts"
import { draftsRoom } from "./personal/drafts/room.ts"
import { mutedUsersRoom } from "./personal/muted-users/room.ts"
import { navigationViewsRoom } from "./personal/navigation-views/room.ts"
import { onboardingRoom } from "./personal/onboarding/room.ts"
import { savedSnippetsRoom } from "./personal/saved-snippets/room.ts"
import { scheduledRoom } from "./personal/scheduled/room.ts"
import { userTopicsRoom } from "./personal/user-topics/room.ts"
import { attachmentsRoom } from "./reading/attachments/room.ts"
import { flagsRoom } from "./reading/flags/room.ts"
import { historyRoom } from "./reading/history/room.ts"
import { searchRoom } from "./reading/search/room.ts"
import { mailRoom } from "./sending/mail/room.ts"
import { messagesRoom } from "./sending/messages/room.ts"
import { noticesRoom } from "./sending/notices/room.ts"
import { webhooksRoom } from "./sending/webhooks/room.ts"
import { apiDocsRoom } from "./server/api-docs/room.ts"
import { commandsRoom } from "./server/commands/room.ts"
import { runtimeRoom } from "./server/runtime/room.ts"
import { setupRoom } from "./server/setup/room.ts"
import { signUpRoom } from "./server/sign-up/room.ts"
import { syncRoom } from "./server/sync/room.ts"
import { webClientRoom } from "./server/web-client/room.ts"
import { charactersRoom } from "./text/characters/room.ts"
import { emojiRoom } from "./text/emoji/room.ts"
import { linkifiersRoom } from "./text/linkifiers/room.ts"
import { markdownRoom } from "./text/markdown/room.ts"

export const rooms = [
  imagesRoom,
  filesRoom,
  outboundRoom,
  directoryRoom,
  facesRoom,
  realmRoom,
  presencesRoom,
  externalContentRoom,
  profilesRoom,
  kindsRoom,
  requesterRoom,
  bulkRoom,
  permissionsRoom,
  botSettingsRoom,
  wireRoom,
  ownListsRoom,
  signInRoom,
  charactersRoom,
  emojiRoom,
  linkifiersRoom,
  markdownRoom,
  messagesRoom,
  noticesRoom,
  webhooksRoom,
  mailRoom,
  searchRoom,
  historyRoom,
  flagsRoom,
  attachmentsRoom,
  reactionsRoom,
  submessagesRoom,
  messageMovesRoom,
  messageEditsRoom,
  messageReportsRoom,
  pagePreviewsRoom,
  thumbnailsRoom,
  messageDeletionsRoom,
  typingRoom,
  savedSnippetsRoom,
  draftsRoom,
  scheduledRoom,
  alertWordsRoom,
  userTopicsRoom,
  mutedUsersRoom,
  deviceTokensRoom,
  navigationViewsRoom,
  onboardingRoom,
  channelFoldersRoom,
  channelsRoom,
  subscriptionsRoom,
  userGroupsRoom,
  profileDataRoom,
  accountLinksRoom,
  presenceRoom,
  usersRoom,
  avatarsRoom,
  userStatusRoom,
  invitationsRoom,
  accountsRoom,
  botsRoom,
  botStorageRoom,
  outgoingWebhooksRoom,
  profileFieldsRoom,
  realmDomainsRoom,
  realmEmojiRoom,
  realmLinkifiersRoom,
  realmPlaygroundsRoom,
  organizationRoom,
  realmPicturesRoom,
  realmExportsRoom,
  syncRoom,
  apiDocsRoom,
  webClientRoom,
  setupRoom,
  commandsRoom,
  signUpRoom,
  runtimeRoom,
] as const

type Room = (typeof rooms)[number]
/** The items of the lists that rooms bring under a name. */
type Items<K extends string> = Room extends infer R
  ? R extends Readonly<Record<K, ReadonlyArray<infer Item>>>
    ? Item
    : never
  : never
/** The values that rooms bring by a name, under a name. */
type Values<K extends string> = Room extends infer R
  ? R extends Readonly<Record<K, Readonly<Record<string, infer Value>>>>
    ? Value
    : never
  : never

export const eventKinds = rooms.flatMap<EventKind>((room) => ("kinds" in room ? room.kinds : []))
export const parts = rooms.flatMap<Items<"parts">>((room) => ("parts" in room ? room.parts : []))
export const namedFiles = rooms.flatMap<NamedFiles>((room) => ("files" in room ? room.files : []))
export const bulkKinds = rooms.flatMap<StoredKind>((room) => ("bulk" in room ? room.bulk : []))

const built = rooms.flatMap<Section>((room) => ("sections" in room ? room.sections : []))
const placeholders = rooms.flatMap<Section>((room) => ("placeholders" in room ? room.placeholders : []))
/** Sections of register: those of the rooms, and placeholders for what no room brings yet. */
export const registerSections = [
  ...placeholders.filter(({ name }) => !built.some((each) => each.name === name)),
  ...built,
]

type Listed<E> = E extends (...all: ReadonlyArray<never>) => ReadonlyArray<infer Endpoint> ? Endpoint : never
type Endpoint = Items<"endpoints"> | Listed<Extract<Room, { readonly endpoints: unknown }>["endpoints"]>

const endpointsOf = (room: Room): ReadonlyArray<Endpoint> => {
  if (!("endpoints" in room)) return []
  return typeof room.endpoints === "function" ? room.endpoints({ sections: registerSections }) : room.endpoints
}
export const endpointsByRoom = rooms.map((room) => ({ name: room.name, routes: endpointsOf(room) }))

/** The one table of all endpoints: what this server answers to below /api/v1. */
export const endpoints = endpointsByRoom.flatMap<Endpoint>(({ routes }) => routes)

/** In the order in which they begin at the start. */
export const jobs = rooms.flatMap<Items<"jobs">>((room) => ("jobs" in room ? room.jobs : []))

export const pages = Object.fromEntries(rooms.flatMap((room) => ("pages" in room ? Object.entries(room.pages) : [])))
export const livePages = Object.fromEntries(
  rooms.flatMap<[string, Values<"livePages">]>((room) => ("livePages" in room ? Object.entries(room.livePages) : [])),
)
export const pictures = rooms.flatMap<Items<"pictures">>((room) => ("pictures" in room ? room.pictures : []))
export const downloads = rooms.flatMap<Items<"downloads">>((room) => ("downloads" in room ? room.downloads : []))
export const webPages = rooms.flatMap<Items<"webPages">>((room) => ("webPages" in room ? room.webPages : []))

requireDistinct(
  "kinds of bulk commands",
  bulkKinds.map(({ name }) => name),
)
requireDistinct(
  "jobs",
  jobs.map(({ name }) => name),
)
requireDistinct(
  "pages",
  rooms.flatMap((room) => [
    ...("pages" in room ? Object.keys(room.pages) : []),
    ...("livePages" in room ? Object.keys(room.livePages) : []),
  ]),
)

/** The services of all rooms. */
export const roomsLayer = Layer.mergeAll(Layer.empty, ...rooms.flatMap((room) => ("layer" in room ? [room.layer] : [])))
