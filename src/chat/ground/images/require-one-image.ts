/** The one image that a request must bring. */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import type { SentFile } from "../../../api/sent-request.ts"

const mebibyte = 2 ** 20

/** The limit of an image as clients are told it: whole MiB; 0, with which they offer no upload, where there can be none. */
export const mostMebibytes = (mostBytes: number): number => Math.floor(mostBytes / mebibyte)

/** `most`: bytes. */
export const requireOneImage = (files: ReadonlyArray<SentFile>, most: number): Checked<Uint8Array> => {
  const [file, ...others] = files
  if (file === undefined || others.length > 0) return Result.fail(badRequest("You must upload exactly one file."))
  return file.bytes.length > most
    ? Result.fail(badRequest(`Uploaded file is larger than the allowed limit of ${mostMebibytes(most)} MiB`))
    : Result.succeed(file.bytes)
}
