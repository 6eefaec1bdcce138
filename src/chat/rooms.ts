/**
 * All rooms, in the one order in which they stand on each other: a room imports only those before it, types included
 * (test/sources holds them to that). What no room brings does not exist for the server. Only app.ts and tests import this
 * file.
 */
import { alertWordsRoom } from "./alert-words/room.ts"
import { attachmentsRoom } from "./attachments/room.ts"
import { bulkRoom } from "./bulk/room.ts"
import { channelFoldersRoom } from "./channel-folders/room.ts"
import { channelsRoom } from "./channels/room.ts"
import { emojiRoom } from "./emoji/room.ts"
import { externalContentRoom } from "./external-content/room.ts"
import { filesRoom } from "./files/room.ts"
import { flagsRoom } from "./flags/room.ts"
import { historyRoom } from "./history/room.ts"
import { imagesRoom } from "./images/room.ts"
import { kindsRoom } from "./kinds/room.ts"
import { linkifiersRoom } from "./linkifiers/room.ts"
import { markdownRoom } from "./markdown/room.ts"
import { messageDeletionsRoom } from "./message-deletions/room.ts"
import { messageEditsRoom } from "./message-edits/room.ts"
import { messageMovesRoom } from "./message-moves/room.ts"
import { messageReportsRoom } from "./message-reports/room.ts"
import { messagesRoom } from "./messages/room.ts"
import { mutedUsersRoom } from "./muted-users/room.ts"
import { noticesRoom } from "./notices/room.ts"
import { organizationRoom } from "./organization/room.ts"
import { outboundRoom } from "./outbound/room.ts"
import { pagePreviewsRoom } from "./page-previews/room.ts"
import { permissionsRoom } from "./permissions/room.ts"
import { reactionsRoom } from "./reactions/room.ts"
import { realmRoom } from "./realm/room.ts"
import { realmEmojiRoom } from "./realm-emoji/room.ts"
import { realmLinkifiersRoom } from "./realm-linkifiers/room.ts"
import { requesterRoom } from "./requester/room.ts"
import { runtimeRoom } from "./runtime/room.ts"
import { savedSnippetsRoom } from "./saved-snippets/room.ts"
import { searchRoom } from "./search/room.ts"
import { setupRoom } from "./setup/room.ts"
import { signInRoom } from "./sign-in/room.ts"
import { submessagesRoom } from "./submessages/room.ts"
import { subscriptionsRoom } from "./subscriptions/room.ts"
import { syncRoom } from "./sync/room.ts"
import { thumbnailsRoom } from "./thumbnails/room.ts"
import { typingRoom } from "./typing/room.ts"
import { userGroupsRoom } from "./user-groups/room.ts"
import { userTopicsRoom } from "./user-topics/room.ts"
import { usersRoom } from "./users/room.ts"
import { wireRoom } from "./wire/room.ts"

export const rooms = [
  imagesRoom,
  filesRoom,
  outboundRoom,
  realmRoom,
  externalContentRoom,
  kindsRoom,
  requesterRoom,
  bulkRoom,
  permissionsRoom,
  wireRoom,
  signInRoom,
  emojiRoom,
  linkifiersRoom,
  markdownRoom,
  messagesRoom,
  noticesRoom,
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
  alertWordsRoom,
  userTopicsRoom,
  mutedUsersRoom,
  channelFoldersRoom,
  channelsRoom,
  subscriptionsRoom,
  userGroupsRoom,
  usersRoom,
  realmEmojiRoom,
  realmLinkifiersRoom,
  organizationRoom,
  syncRoom,
  setupRoom,
  runtimeRoom,
]

export const eventKinds = rooms.flatMap(({ kinds }) => kinds)
export const parts = rooms.flatMap(({ parts }) => parts)
export const bulkKinds = rooms.flatMap(({ bulk }) => bulk)

const built = rooms.flatMap(({ sections }) => sections)
/** Sections of register: those of the rooms, and placeholders for what no room brings yet. */
export const registerSections = [
  ...rooms.flatMap(({ placeholders }) => placeholders).filter(({ name }) => !built.some((each) => each.name === name)),
  ...built,
]

type Endpoint = ReturnType<(typeof rooms)[number]["endpoints"]>[number]

/** The one table of all endpoints: what this server answers to below /api/v1. */
export const endpoints = rooms.flatMap<Endpoint>(({ endpoints }) => endpoints({ sections: registerSections }))
