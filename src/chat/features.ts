/**
 * All features, in the one order in which they stand on each other: a feature imports only those before it, types included
 * (test/sources holds them to that). What no feature brings does not exist for the server. Only app.ts and tests import this
 * file.
 */

import * as Layer from "effect/Layer"
import { messageDeletionsFeature } from "./changing/message-deletions/feature.ts"
import { messageEditsFeature } from "./changing/message-edits/feature.ts"
import { messageExpiryFeature } from "./changing/message-expiry/feature.ts"
import { messageMovesFeature } from "./changing/message-moves/feature.ts"
import { messageReportsFeature } from "./changing/message-reports/feature.ts"
import { pagePreviewsFeature } from "./changing/page-previews/feature.ts"
import { reactionsFeature } from "./changing/reactions/feature.ts"
import { submessagesFeature } from "./changing/submessages/feature.ts"
import { thumbnailsFeature } from "./changing/thumbnails/feature.ts"
import { typingFeature } from "./changing/typing/feature.ts"
import { channelFoldersFeature } from "./channels/channel-folders/feature.ts"
import { channelsFeature } from "./channels/channels/feature.ts"
import { subscriptionsFeature } from "./channels/subscriptions/feature.ts"
import { botSettingsFeature } from "./ground/bot-settings/feature.ts"
import type { StoredBulkKind } from "./ground/bulk/bulk-kind.ts"
import { bulkFeature } from "./ground/bulk/feature.ts"
import { directoryFeature } from "./ground/directory/feature.ts"
import { externalContentFeature } from "./ground/external-content/feature.ts"
import { facesFeature } from "./ground/faces/feature.ts"
import { filesFeature } from "./ground/files/feature.ts"
import type { FilesInUse } from "./ground/files/sweep-files.ts"
import { imagesFeature } from "./ground/images/feature.ts"
import { requireDistinct } from "./ground/kinds/catalog.ts"
import type { EventKind } from "./ground/kinds/event-kind.ts"
import { kindsFeature } from "./ground/kinds/feature.ts"
import type { Section } from "./ground/kinds/section.ts"
import { outboundFeature } from "./ground/outbound/feature.ts"
import { ownListsFeature } from "./ground/own-lists/feature.ts"
import { permissionsFeature } from "./ground/permissions/feature.ts"
import { presencesFeature } from "./ground/presences/feature.ts"
import { profilesFeature } from "./ground/profiles/feature.ts"
import { realmFeature } from "./ground/realm/feature.ts"
import { requesterFeature } from "./ground/requester/feature.ts"
import { signInFeature } from "./ground/sign-in/feature.ts"
import { wireFeature } from "./ground/wire/feature.ts"
import { organizationFeature } from "./organization/organization/feature.ts"
import { profileFieldsFeature } from "./organization/profile-fields/feature.ts"
import { realmDomainsFeature } from "./organization/realm-domains/feature.ts"
import { realmEmojiFeature } from "./organization/realm-emoji/feature.ts"
import { realmExportsFeature } from "./organization/realm-exports/feature.ts"
import { realmLinkifiersFeature } from "./organization/realm-linkifiers/feature.ts"
import { realmPicturesFeature } from "./organization/realm-pictures/feature.ts"
import { realmPlaygroundsFeature } from "./organization/realm-playgrounds/feature.ts"
import { accountLinksFeature } from "./people/account-links/feature.ts"
import { accountsFeature } from "./people/accounts/feature.ts"
import { avatarsFeature } from "./people/avatars/feature.ts"
import { botStorageFeature } from "./people/bot-storage/feature.ts"
import { botsFeature } from "./people/bots/feature.ts"
import { invitationsFeature } from "./people/invitations/feature.ts"
import { outgoingWebhooksFeature } from "./people/outgoing-webhooks/feature.ts"
import { presenceFeature } from "./people/presence/feature.ts"
import { profileDataFeature } from "./people/profile-data/feature.ts"
import { userGroupsFeature } from "./people/user-groups/feature.ts"
import { userStatusFeature } from "./people/user-status/feature.ts"
import { usersFeature } from "./people/users/feature.ts"
import { alertWordsFeature } from "./personal/alert-words/feature.ts"
import { deviceTokensFeature } from "./personal/device-tokens/feature.ts"
import { draftsFeature } from "./personal/drafts/feature.ts"
import { mutedUsersFeature } from "./personal/muted-users/feature.ts"
import { navigationViewsFeature } from "./personal/navigation-views/feature.ts"
import { onboardingFeature } from "./personal/onboarding/feature.ts"
import { savedSnippetsFeature } from "./personal/saved-snippets/feature.ts"
import { scheduledFeature } from "./personal/scheduled/feature.ts"
import { userTopicsFeature } from "./personal/user-topics/feature.ts"
import { attachmentsFeature } from "./reading/attachments/feature.ts"
import { flagsFeature } from "./reading/flags/feature.ts"
import { historyFeature } from "./reading/history/feature.ts"
import { searchFeature } from "./reading/search/feature.ts"
import { mailFeature } from "./sending/mail/feature.ts"
import { messagesFeature } from "./sending/messages/feature.ts"
import { noticesFeature } from "./sending/notices/feature.ts"
import { webhooksFeature } from "./sending/webhooks/feature.ts"
import { apiDocsFeature } from "./server/api-docs/feature.ts"
import { commandsFeature } from "./server/commands/feature.ts"
import { runtimeFeature } from "./server/runtime/feature.ts"
import { setupFeature } from "./server/setup/feature.ts"
import { signUpFeature } from "./server/sign-up/feature.ts"
import { syncFeature } from "./server/sync/feature.ts"
import { webClientFeature } from "./server/web-client/feature.ts"
import { charactersFeature } from "./text/characters/feature.ts"
import { emojiFeature } from "./text/emoji/feature.ts"
import { linkifiersFeature } from "./text/linkifiers/feature.ts"
import { markdownFeature } from "./text/markdown/feature.ts"

export const features = [
  imagesFeature,
  filesFeature,
  outboundFeature,
  directoryFeature,
  facesFeature,
  realmFeature,
  presencesFeature,
  externalContentFeature,
  profilesFeature,
  kindsFeature,
  requesterFeature,
  bulkFeature,
  permissionsFeature,
  botSettingsFeature,
  wireFeature,
  ownListsFeature,
  signInFeature,
  charactersFeature,
  emojiFeature,
  linkifiersFeature,
  markdownFeature,
  messagesFeature,
  noticesFeature,
  webhooksFeature,
  mailFeature,
  searchFeature,
  historyFeature,
  flagsFeature,
  attachmentsFeature,
  reactionsFeature,
  submessagesFeature,
  messageMovesFeature,
  messageEditsFeature,
  messageReportsFeature,
  pagePreviewsFeature,
  thumbnailsFeature,
  messageDeletionsFeature,
  messageExpiryFeature,
  typingFeature,
  savedSnippetsFeature,
  draftsFeature,
  scheduledFeature,
  alertWordsFeature,
  userTopicsFeature,
  mutedUsersFeature,
  deviceTokensFeature,
  navigationViewsFeature,
  onboardingFeature,
  channelFoldersFeature,
  channelsFeature,
  subscriptionsFeature,
  userGroupsFeature,
  profileDataFeature,
  accountLinksFeature,
  presenceFeature,
  usersFeature,
  avatarsFeature,
  userStatusFeature,
  invitationsFeature,
  accountsFeature,
  botsFeature,
  botStorageFeature,
  outgoingWebhooksFeature,
  profileFieldsFeature,
  realmDomainsFeature,
  realmEmojiFeature,
  realmLinkifiersFeature,
  realmPlaygroundsFeature,
  organizationFeature,
  realmPicturesFeature,
  realmExportsFeature,
  syncFeature,
  apiDocsFeature,
  webClientFeature,
  setupFeature,
  commandsFeature,
  signUpFeature,
  runtimeFeature,
] as const

type Feature = (typeof features)[number]
/** The items of the lists that features bring under a name. */
type ItemsOf<K extends string> = Feature extends infer R
  ? R extends Readonly<Record<K, ReadonlyArray<infer Item>>>
    ? Item
    : never
  : never
/** The values that features bring by a name, under a name. */
type ValuesOf<K extends string> = Feature extends infer R
  ? R extends Readonly<Record<K, Readonly<Record<string, infer Value>>>>
    ? Value
    : never
  : never

export const eventKinds = features.flatMap<EventKind>((feature) => ("kinds" in feature ? feature.kinds : []))
export const projectionParts = features.flatMap<ItemsOf<"projectionParts">>((feature) =>
  "projectionParts" in feature ? feature.projectionParts : [],
)
export const namedFiles = features.flatMap<FilesInUse>((feature) => ("files" in feature ? feature.files : []))
export const bulkKinds = features.flatMap<StoredBulkKind>((feature) => ("bulk" in feature ? feature.bulk : []))

const built = features.flatMap<Section>((feature) => ("sections" in feature ? feature.sections : []))
const placeholders = features.flatMap<Section>((feature) => ("placeholders" in feature ? feature.placeholders : []))
/** Sections of register: those of the features, and placeholders for what no feature brings yet. */
export const registerSections = [
  ...placeholders.filter(({ name }) => !built.some((each) => each.name === name)),
  ...built,
]

type ListedEndpoint<E> = E extends (...all: ReadonlyArray<never>) => ReadonlyArray<infer Endpoint> ? Endpoint : never
type Endpoint = ItemsOf<"endpoints"> | ListedEndpoint<Extract<Feature, { readonly endpoints: unknown }>["endpoints"]>

const endpointsOf = (feature: Feature): ReadonlyArray<Endpoint> => {
  if (!("endpoints" in feature)) return []
  return typeof feature.endpoints === "function" ? feature.endpoints({ sections: registerSections }) : feature.endpoints
}
export const endpointsByFeature = features.map((feature) => ({
  name: "chapter" in feature ? feature.chapter : feature.name,
  about: feature.about,
  routes: endpointsOf(feature),
}))

/** The one table of all endpoints: what this server answers to below /api/v1. */
export const endpoints = endpointsByFeature.flatMap<Endpoint>(({ routes }) => routes)

/** In the order in which they begin at the start. */
export const jobs = features.flatMap<ItemsOf<"jobs">>((feature) => ("jobs" in feature ? feature.jobs : []))

export const pages = Object.fromEntries(
  features.flatMap((feature) => ("pages" in feature ? Object.entries(feature.pages) : [])),
)
export const livePages = Object.fromEntries(
  features.flatMap<[string, ValuesOf<"livePages">]>((feature) =>
    "livePages" in feature ? Object.entries(feature.livePages) : [],
  ),
)
export const pictures = features.flatMap<ItemsOf<"pictures">>((feature) =>
  "pictures" in feature ? feature.pictures : [],
)
export const downloads = features.flatMap<ItemsOf<"downloads">>((feature) =>
  "downloads" in feature ? feature.downloads : [],
)
export const webPages = features.flatMap<ItemsOf<"webPages">>((feature) =>
  "webPages" in feature ? feature.webPages : [],
)

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
  features.flatMap((feature) => [
    ...("pages" in feature ? Object.keys(feature.pages) : []),
    ...("livePages" in feature ? Object.keys(feature.livePages) : []),
  ]),
)

/** The services of all features. */
export const featuresLayer = Layer.mergeAll(
  Layer.empty,
  ...features.flatMap((feature) => ("layer" in feature ? [feature.layer] : [])),
)
