import { defineFeature } from "../../feature.ts"
import { getMessageHistory } from "./message-history.ts"
import { patchMessage } from "./patch-message.ts"
import { getReadReceipts } from "./read-receipts.ts"

export const messageEditsFeature = defineFeature({
  area: "changing",
  name: "message-edits",
  about:
    "edits of contents, and of the place in the same commit; what is shown of earlier ones, with what each edit changed (`html-diff`, in slices); `rerender`: messages rendered anew, for previews and thumbnails",
  chapter: "messages",
  endpoints: [patchMessage, getMessageHistory, getReadReceipts],
})
