/** One of the processes of `npm test`: its files run one after the other. The longest process is the first to start. */
import { runFiles } from "./run-files.ts"

runFiles(
  "chat/markdown",
  "chat/messages",
  "chat/history",
  "chat/flags",
  "chat/alert-words",
  "chat/message-deletions",
  "chat/message-edits",
  "chat/message-moves",
  "chat/message-reports",
  "chat/reactions",
  "chat/search",
  "chat/submessages",
  "chat/typing",
  "chat/user-topics",
  "chat/muted-users",
)
