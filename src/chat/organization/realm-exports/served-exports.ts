/**
 * Exports as files: whoever has the address of one may fetch it, because it holds 256 random bits that only administrators
 * were told. Any other address is answered as a page that is not there.
 */
import { timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import type { Caller, Visitor } from "../../../api/endpoint.ts"
import { notFound } from "../../../api/errors.ts"
import { type ByteRange, Files } from "../../ground/files/files.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { downloadedName, type ExportRecord, exportFile, exportPrefix, realmExports, tokenForm } from "./export-list.ts"

const address = new RegExp(`^${exportPrefix}(${tokenForm})/export-\\d{1,15}\\.tar\\.gz$`)

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const findByToken = (realm: Realm, token: string): ExportRecord | undefined =>
  realm.isDeactivated
    ? undefined
    : realm.part(realmExports).list.exports.find((each) => each.token !== null && isSame(each.token, token))

/** It is kept by nobody on its way: it may be deleted at any time. */
const headersOf = (record: ExportRecord) =>
  [
    ["Content-Type", "application/gzip"],
    ["Content-Disposition", `attachment; filename="${downloadedName(record)}"`],
    ["X-Content-Type-Options", "nosniff"],
    ["Content-Security-Policy", "default-src 'none'; sandbox"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ["Referrer-Policy", "no-referrer"],
    ["Cache-Control", "private, no-store"],
  ] as const

export const findExport = Effect.fnUntraced(function* (who: Caller | Visitor, path: string) {
  const token = address.exec(path)?.[1]
  if (token === undefined || who.realm === null) return yield* notFound()
  const { realm } = yield* (yield* Realms).get(who.realm)
  const record = findByToken(realm, token)
  if (record === undefined) return yield* notFound()
  const stored = yield* (yield* Files).find(exportFile(realm.id, token))
  if (stored === null) return yield* notFound()
  return {
    size: stored.size,
    etag: `"export-${record.id}"`,
    headers: headersOf(record),
    read: (range: ByteRange) => stored.read(range),
  }
})
