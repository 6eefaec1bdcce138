/**
 * Reading uploaded files: what http/downloads/serve-downloads.ts sends, and the endpoint that gives an address which needs no
 * signature for a minute.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, eitherEndpoint, type Visitor } from "../../../api/endpoint.ts"
import { notThere } from "../../../api/errors.ts"
import { text } from "../../../api/params.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import type { RealmId } from "../../../ids.ts"
import { type ByteRange, Files, type StoredFile } from "../../ground/files/files.ts"
import { Thumbnails } from "../../ground/files/thumbnails.ts"
import { formatsOf } from "../../ground/images/thumbnail-formats.ts"
import type { AttachmentRecord } from "./attachments-store.ts"
import { findFileFor, findGivenFile } from "./file-access.ts"
import { addressOf, linkedPath, nameInAddress, pictureOf, storedName } from "./file-names.ts"
import { servedHeaders } from "./served-types.ts"
import { readTemporaryAddress, temporaryAddress } from "./temporary-address.ts"

const absent = notThere("There is no such file.")

const segment = (name: string) => text(name, { max: 200 })

export const getUploadAddress = eitherEndpoint({
  method: "GET",
  path: "/user_uploads/{realm_id_str}/{shard}/{token}/{filename}",
  endsInPath: true,
  summary: "An address at which an uploaded file can be fetched without a signature for a minute.",
  params: {
    realm: segment("realm_id_str"),
    shard: segment("shard"),
    token: segment("token"),
    filename: segment("filename"),
  },
  reply: Schema.Struct({ url: Schema.NonEmptyString }),
  errors: [],
  run: Effect.fnUntraced(function* (who, { params: { realm: of, shard, token, filename } }) {
    const { secret } = yield* Config
    const { realm, user, file } = yield* findFileFor(who, `${of}/${shard}/${token}/${filename}`)
    if (file === null) return yield* absent
    const named = { id: file.id, name: nameInAddress(file.name) }
    return dataReply({ url: temporaryAddress(secret, (yield* Clock).now(), realm.id, named, user?.id ?? null) })
  }),
})

type Pages = Parameters<typeof servedHeaders>[2]

const sent = (stored: StoredFile, tag: string, contentType: string, name: string, pages: Pages) => ({
  size: stored.size,
  etag: `"${tag}"`,
  headers: servedHeaders(contentType, name, pages),
  read: (range: ByteRange) => stored.read(range),
})

const open = Effect.fnUntraced(function* (realm: number, file: AttachmentRecord, pages: Pages) {
  const name = storedName(realm, file.path_id)
  const stored = name === null ? null : yield* (yield* Files).find(name)
  return stored === null ? null : sent(stored, String(file.id), file.content_type, file.name, pages)
})

const thumbnailPrefix = addressOf("thumbnail/")

/** The path of a file and the format in the address of a thumbnail; undefined for any other address. */
const readThumbnailAddress = (address: string) => {
  if (!address.startsWith(thumbnailPrefix)) return undefined
  const rest = address.slice(thumbnailPrefix.length)
  const end = rest.lastIndexOf("/")
  return { path: linkedPath(addressOf(rest.slice(0, Math.max(0, end)))) ?? "", format: rest.slice(end + 1) }
}

const openThumbnail = Effect.fnUntraced(function* (realm: RealmId, file: AttachmentRecord, format: string) {
  const picture = pictureOf(file)
  if (picture === null || !formatsOf(picture).includes(format)) return null
  const stored = yield* (yield* Thumbnails).find(realm, { id: file.id, path: file.path_id, picture }, format)
  return stored === null ? null : sent(stored, `${file.id}-${format}`, "image/webp", `${file.name}.webp`, "same-site")
})

/** The file at an address of this server, for somebody who asks for it; null where there is none for them. */
export const findDownload = Effect.fnUntraced(function* (who: Caller | Visitor, address: string) {
  if (who.realm !== null) {
    const { secret } = yield* Config
    const given = readTemporaryAddress(secret, (yield* Clock).now(), who.realm, address)
    if (given !== undefined) {
      const file = yield* findGivenFile(who, who.realm, given)
      // Whoever has the address may read the file while its maker may, and it is made to be handed on.
      return file === null ? null : yield* open(who.realm, file, "cross-origin")
    }
  }
  // A path that no file can have is looked for too, so that all are answered alike.
  const thumbnail = readThumbnailAddress(address)
  if (thumbnail !== undefined) {
    const { realm, file } = yield* findFileFor(who, thumbnail.path)
    return file === null ? null : yield* openThumbnail(realm.id, file, thumbnail.format)
  }
  const { realm, file } = yield* findFileFor(who, linkedPath(address) ?? "")
  return file === null ? null : yield* open(realm.id, file, "same-site")
})
