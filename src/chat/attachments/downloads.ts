/**
 * Reading uploaded files (contract 3.10): what http/edge/downloads.ts sends, and the endpoint that gives an address which
 * needs no signature for a minute.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Clock } from "../../clock.ts"
import { Config } from "../../config.ts"
import { Reads } from "../../db/reads.ts"
import { type Caller, data, eitherEndpoint, requesterKind, requesterName, type Visitor } from "../../endpoint.ts"
import { notThere } from "../../errors.ts"
import { text } from "../../params.ts"
import { type ByteRange, Files } from "../files/files.ts"
import { type AttachmentRecord, findById } from "./attachments-store.ts"
import { findFileFor } from "./file-access.ts"
import { linkedPath, nameInAddress, storedName } from "./file-names.ts"
import { servedHeaders } from "./served-types.ts"
import { readTemporaryAddress, temporaryAddress } from "./temporary-address.ts"

const absent = notThere("There is no such file.")

const segment = (name: string) => text(name, { max: 200 })

export const getUploadAddress = eitherEndpoint({
  method: "GET",
  path: "/user_uploads/{realm_id_str}/{shard}/{token}/{filename}",
  summary: "An address at which an uploaded file can be fetched without a signature for a minute.",
  params: {
    realm: segment("realm_id_str"),
    shard: segment("shard"),
    token: segment("token"),
    filename: segment("filename"),
  },
  reply: Schema.Struct({ url: Schema.NonEmptyString }),
  errors: [],
  run: Effect.fnUntraced(function* (who, { realm: of, shard, token, filename }) {
    const { secret } = yield* Config
    const { realm, file } = yield* findFileFor(who, `${of}/${shard}/${token}/${filename}`)
    if (file === null) return yield* absent
    const named = { id: file.id, name: nameInAddress(file.name) }
    return data({ url: temporaryAddress(secret, (yield* Clock).now(), realm.id, named) })
  }),
})

const open = Effect.fnUntraced(function* (realm: number, file: AttachmentRecord) {
  const stored = storedName(realm, file.path_id)
  const found = stored === null ? null : yield* (yield* Files).find(stored)
  if (found === null) return null
  return {
    size: found.size,
    etag: `"${file.id}"`,
    headers: servedHeaders(file.content_type, file.name),
    read: (range: ByteRange) => found.read(range),
  }
})

/** The file at an address of this server, for somebody who asks for it; null where there is none for them. */
export const findDownload = Effect.fnUntraced(function* (who: Caller | Visitor, address: string) {
  if (who.realm !== null) {
    const { secret } = yield* Config
    const id = readTemporaryAddress(secret, (yield* Clock).now(), who.realm, address)
    if (id !== undefined) {
      const file = yield* findById((yield* Reads).begin(requesterName(who), requesterKind(who)), who.realm, id)
      return file === undefined ? null : yield* open(who.realm, file)
    }
  }
  // A path that no file can have is looked for too, so that all are answered alike.
  const { realm, file } = yield* findFileFor(who, linkedPath(address) ?? "")
  return file === null ? null : yield* open(realm.id, file)
})
