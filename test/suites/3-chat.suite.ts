/** One of the processes of `npm test`: its files run one after the other. The longest process is the first to start. */
import { runFiles } from "./run-files.ts"

runFiles(
  "chat/channel-folders",
  "chat/channels",
  "chat/emoji",
  "chat/external-content",
  "chat/files",
  "chat/linkifiers",
  "chat/markdown",
  "chat/messages",
  "chat/history",
  "chat/flags",
  "chat/alert-words",
  "chat/organization",
  "chat/outbound",
  "chat/permissions",
  "chat/reactions",
  "chat/realm",
  "chat/realm-emoji",
  "chat/realm-linkifiers",
  "chat/saved-snippets",
  "chat/sign-in",
  "chat/submessages",
  "chat/attachments",
  "chat/typing",
  "chat/user-topics",
)
