import * as Layer from "effect/Layer"
import { room } from "../../room.ts"
import { attachmentKind } from "./attachment-event.ts"
import { attachmentEndpoints } from "./attachments.ts"
import { fileClaims } from "./claims.ts"
import { findDownload, getUploadAddress } from "./downloads.ts"
import { unclaimedJob } from "./unclaimed.ts"
import { postUpload } from "./upload.ts"
import { UploadTurns } from "./upload-turns.ts"
import { uploads } from "./uploads-store.ts"

export const attachmentsRoom = room({
  wing: "reading",
  name: "attachments",
  about:
    "uploaded files: receiving, sending, who may read one, the messages that link them, those that are nobody's any more",
  endpoints: [postUpload, ...attachmentEndpoints, getUploadAddress],
  kinds: [attachmentKind],
  files: [uploads],
  downloads: [{ prefix: "/user_uploads/", find: findDownload }],
  jobs: [unclaimedJob],
  layer: Layer.mergeAll(UploadTurns.layer, fileClaims),
})
