/** The picture that a request about a bot may bring: its files are stored before the commit that names them. */
import * as Effect from "effect/Effect"
import { type Caller, requesterName } from "../../../api/endpoint.ts"
import { badRequest, type RequestFailure } from "../../../api/errors.ts"
import type { SentFile } from "../../../api/sent-request.ts"
import { Config } from "../../../config/config.ts"
import { faceFiles, newToken } from "../../ground/faces/face-files.ts"
import { storeWithRow } from "../../ground/files/store-with-row.ts"
import { UploadedImages } from "../../ground/images/process/uploaded-images.ts"
import { requireOneImage } from "../../ground/images/require-one-image.ts"

/** Runs `commit` with the token of the picture that was sent, undefined where there is none. */
export const withBotPicture = Effect.fnUntraced(function* <A, R>(
  caller: Caller,
  sent: ReadonlyArray<SentFile>,
  commit: (token: string | undefined) => Effect.Effect<A, RequestFailure, R>,
) {
  if (sent.length === 0) return yield* commit(undefined)
  if (sent.length > 1) return yield* badRequest("You may only upload one file at a time")
  const { limits } = yield* Config
  const upload = yield* Effect.fromResult(requireOneImage(sent, limits.imageFileBytes))
  const made = yield* (yield* UploadedImages).make(requesterName(caller), "face", upload)
  const token = newToken()
  const files = faceFiles(caller.realm, token).flatMap((name, n) => {
    const bytes = made.files[n]
    return bytes === undefined ? [] : [{ name, bytes }]
  })
  return yield* storeWithRow(files, commit(token))
})
