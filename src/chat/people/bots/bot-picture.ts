/** The picture that a request about a bot may bring: its files are stored before the commit that names them. */
import * as Effect from "effect/Effect"
import { type Caller, requesterName, type SentFile } from "../../../api/endpoint.ts"
import { badRequest, type Failure } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { faceFiles, newToken } from "../../ground/faces/face-files.ts"
import { storedWith } from "../../ground/files/stored-with.ts"
import { requireOneImage } from "../../ground/images/one-image.ts"
import { UploadedImages } from "../../ground/images/process/uploaded-images.ts"

/** Runs `commit` with the token of the picture that was sent, undefined where there is none. */
export const withPicture = Effect.fnUntraced(function* <A, R>(
  caller: Caller,
  sent: ReadonlyArray<SentFile>,
  commit: (token: string | undefined) => Effect.Effect<A, Failure, R>,
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
  return yield* storedWith(files, commit(token))
})
