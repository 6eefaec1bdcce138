/** One of the processes of `npm test`: its files run one after the other. The longest process is the first to start. */
import { runFiles } from "./run-files.ts"

runFiles(
  "chat/channel-folders",
  "chat/channels",
  "chat/emoji",
  "chat/external-content",
  "chat/files",
  "chat/images",
  "chat/linkifiers",
  "chat/organization",
  "chat/outbound",
  "chat/page-previews",
  "chat/permissions",
  "chat/realm",
  "chat/realm-emoji",
  "chat/realm-linkifiers",
  "chat/saved-snippets",
  "chat/sign-in",
  "chat/thumbnails",
  "chat/attachments",
)
