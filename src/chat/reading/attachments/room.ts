import { room } from "../../room.ts"
import { attachmentKind } from "./attachment-event.ts"
import { attachmentEndpoints } from "./attachments.ts"
import { getUploadAddress } from "./downloads.ts"
import { unclaimedJob } from "./unclaimed.ts"
import { postUpload } from "./upload.ts"
import { uploads } from "./uploads-store.ts"

export const attachmentsRoom = room({
  wing: "reading",
  name: "attachments",
  about:
    "uploaded files: receiving, sending, who may read one, the messages that link them, those that are nobody's any more",
  endpoints: [postUpload, ...attachmentEndpoints, getUploadAddress],
  kinds: [attachmentKind],
  files: [uploads],
  jobs: [unclaimedJob],
})
