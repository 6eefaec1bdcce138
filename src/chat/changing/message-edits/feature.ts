import { room } from "../../room.ts"
import { getMessageHistory } from "./message-history.ts"
import { patchMessage } from "./patch-message.ts"
import { getReadReceipts } from "./read-receipts.ts"

export const messageEditsRoom = room({
  wing: "changing",
  name: "message-edits",
  about:
    "edits of contents, and of the place in the same commit; what is shown of earlier ones, with what each edit changed (`html-diff`, in slices); `rerender`: messages rendered anew, for previews and thumbnails",
  endpoints: [patchMessage, getMessageHistory, getReadReceipts],
})
