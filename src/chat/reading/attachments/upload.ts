/**
 * POST /user_uploads: stores one file of a user. It goes from the connection to its place as it comes, and is nobody's
 * before its row is committed: what a crash leaves is removed by the periodic job.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { type ApiError, badRequest, noUpload } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { UserReads } from "../../../db/reads.ts"
import { Files } from "../../ground/files/files.ts"
import { storeWithRow } from "../../ground/files/store-with-row.ts"
import { Thumbnails } from "../../ground/files/thumbnails.ts"
import { beginningBytes, decodableType } from "../../ground/images/picture-type.ts"
import { Pictures } from "../../ground/images/process/uploaded-pictures.ts"
import { mostImageBytes } from "../../ground/images/shrink-picture.ts"
import { addedFileRow } from "../../ground/kinds/attachment-row.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { changeFiles } from "./attachment-changes.ts"
import { findSpace } from "./attachments-store.ts"
import { declaredType } from "./declared-type.ts"
import { addressOf, newPath, shownName, storedName } from "./file-names.ts"
import { UploadTurns } from "./upload-turns.ts"

const mebibyte = 2 ** 20
/** Most bytes of a form beside its file: a body may exceed a file's limit by as many, and the file be within it. */
const frameBytes = 256 * 1024

const tooLarge = (mib: number): ApiError => badRequest(`Uploaded file is larger than the allowed limit of ${mib} MiB`)
/** The list of a user's files has all of them. */
const mostFiles = 10_000
const tooMany = badRequest(`You can have ${mostFiles} files at most: delete some first.`)
const quotaUsedUp = badRequest("The organization's files would take more space than it has.")

/** Counts a file's bytes while it is read, ends it where they are too many, and keeps how they begin. */
class MeasuredUpload {
  size = 0
  #beginning = Buffer.alloc(0)
  readonly #parts: AsyncIterable<Uint8Array>
  readonly #most: number
  readonly #tooMany: ApiError

  constructor(parts: AsyncIterable<Uint8Array>, most: number, tooMany: ApiError) {
    this.#parts = parts
    this.#most = most
    this.#tooMany = tooMany
  }

  async *parts(): AsyncGenerator<Uint8Array, void> {
    for await (const part of this.#parts) {
      this.size += part.length
      const missing = beginningBytes - this.#beginning.length
      if (missing > 0) this.#beginning = Buffer.concat([this.#beginning, part.subarray(0, missing)])
      if (this.size > this.#most) throw this.#tooMany
      yield part
    }
  }

  /** Whether it is worth looking at as a picture. */
  get mayBePicture(): boolean {
    return this.size <= mostImageBytes && decodableType(this.#beginning) !== undefined
  }
}

export const postUpload = userEndpoint({
  method: "POST",
  path: "/user_uploads",
  fresh: "before",
  summary: "Uploads a file: the one file of a form, in a field of any name.",
  takesUpload: true,
  params: {},
  reply: Schema.Struct({ uri: Schema.NonEmptyString, url: Schema.NonEmptyString, filename: Schema.NonEmptyString }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { upload }) {
    const { maxFileUploadSizeMib: mib, realmUploadQuotaMib } = (yield* Config).limits
    const { realm } = yield* requireAccount(caller)
    if (upload === undefined) return yield* noUpload()
    const announced = Math.max(0, (upload.declared ?? 0) - frameBytes)
    if (announced > mib * mebibyte) return yield* tooLarge(mib)
    const owner = requesterName(caller)
    const quota = realmUploadQuotaMib * mebibyte
    const left = quota - (yield* findSpace((yield* UserReads).begin(owner), realm.id))
    if (announced >= left) return yield* quotaUsedUp
    const most = Math.min(mib * mebibyte, left)
    const files = yield* Files

    const receive = Effect.gen(function* () {
      const { name: sent, contentType, bytes } = yield* upload.file
      const name = shownName(sent)
      const path = newPath(realm.id, name)
      const stored = storedName(realm.id, path)
      if (stored === null) return yield* Effect.die(new Error(`no path of a file: ${path}`))
      const measured = new MeasuredUpload(bytes, most, most < left ? tooLarge(mib) : quotaUsedUp)
      const add = Effect.gen(function* () {
        const picture = measured.mayBePicture ? yield* (yield* Pictures).describe(owner, files.find(stored)) : null
        const content_type = picture?.contentType ?? declaredType(contentType, name)
        const described = { name, path_id: path, size: measured.size }
        const seen =
          picture === null ? {} : { width: picture.width, height: picture.height, is_animated: picture.isAnimated }
        const row = addedFileRow(caller.user, described, { content_type, quota, most: mostFiles, ...seen })
        yield* submitAs(caller, () => changeFiles(row, { full: quotaUsedUp, many: tooMany }))
        return picture
      })
      const picture = yield* storeWithRow([{ name: stored, bytes: measured.parts() }], add)
      if (picture !== null) (yield* Thumbnails).begin(caller.realm)
      return { name, url: addressOf(path) }
    })
    const { name, url } = yield* (yield* UploadTurns).run(owner, receive)
    return dataReply({ uri: url, url, filename: name })
  }),
})
