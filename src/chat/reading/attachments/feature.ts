import * as Layer from "effect/Layer"
import { defineFeature } from "../../feature.ts"
import { findDownload, getUploadAddress } from "./attachment-downloads.ts"
import { attachmentKind } from "./attachment-event.ts"
import { attachmentEndpoints } from "./attachments.ts"
import { fileClaims } from "./find-file-claims.ts"
import { unclaimedJob } from "./unclaimed-files.ts"
import { postUpload } from "./upload.ts"
import { UploadTurns } from "./upload-turns.ts"
import { uploads } from "./uploads-store.ts"

export const attachmentsFeature = defineFeature({
  area: "reading",
  name: "attachments",
  about:
    "uploaded files: receiving, sending, who may read one, the messages that link them, those that are nobody's any more",
  chapter: "files",
  endpoints: [postUpload, ...attachmentEndpoints, getUploadAddress],
  kinds: [attachmentKind],
  files: [uploads],
  downloads: [{ prefix: "/user_uploads/", find: findDownload }],
  jobs: [unclaimedJob],
  layer: Layer.mergeAll(UploadTurns.layer, fileClaims),
})
