/** One of the processes of `npm test`: its files run one after the other. The longest process is the first to start. */
import { runFiles } from "./run-files.ts"

runFiles(
  "chat/channel-folders",
  "chat/channels",
  "chat/markdown",
  "chat/messages",
  "chat/history",
  "chat/flags",
  "chat/organization",
  "chat/permissions",
  "chat/realm",
  "chat/saved-snippets",
  "chat/sign-in",
  "chat/typing",
)
