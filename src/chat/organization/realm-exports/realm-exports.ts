/**
 * Exports of the organization, for administrators: wanting one, the list, deleting one's file, and who allows the export of
 * what is private to them. The outbox makes them (export-work.ts).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { integer, oneOf, withDefault } from "../../../api/params.ts"
import { UserReads } from "../../../db/reads.ts"
import { change, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { listInPieces } from "../../../json-pieces.ts"
import { Files } from "../../ground/files/files.ts"
import { mayChangeRealm, ranksTooLow } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { findSpace } from "../../reading/attachments/attachments-store.ts"
import {
  type ExportList,
  type ExportRecord,
  type ExportType,
  exportFile,
  exportTypes,
  isPending,
  realmExports,
  withExport,
} from "./export-list.ts"
import { countMessages } from "./export-messages-store.ts"
import { exportKind } from "./export-work.ts"
import { exportsRow, WireExports, wireExports } from "./realm-export-event.ts"

/** What one export may have at most; an operator copies larger organizations. */
const mostMessages = 250_000
const mostUploadedBytes = 20 * 1024 ** 3
const tooLarge = badRequest(
  `The organization is too large to be exported: at most ${mostMessages} messages, and files of 20 GiB together`,
)

/** Exports of a week, the failed and the deleted ones too. */
const mostInWeek = 5
const weekMilliseconds = 7 * 24 * 3600_000
/** Exports that the list has: of the ended ones without a file the oldest leave it first. */
const mostListed = 100

/** Also refused while one is being made: each is all that there is to be exported. */
const requireRoom = (realm: Realm): Checked<void> => {
  const { exports } = realm.part(realmExports).list
  const since = realm.now() - weekMilliseconds
  if (exports.filter(({ made_at }) => made_at >= since).length >= mostInWeek)
    return Result.fail(badRequest("Exceeded rate limit."))
  return exports.some(isPending)
    ? Result.fail(badRequest("Another export is still in progress"))
    : Result.succeed(undefined)
}

const withNew = ({ last_id, exports }: ExportList, made: Omit<ExportRecord, "id">): ExportList => {
  const id = last_id + 1
  const dropped = new Set(
    exports.filter(({ token }) => token === null).slice(0, Math.max(0, exports.length + 1 - mostListed)),
  )
  return { last_id: id, exports: [...exports.filter((each) => !dropped.has(each)), { ...made, id }] }
}

const requireAdministrator = Effect.fnUntraced(function* (caller: Caller) {
  const account = yield* requireAccount(caller)
  return mayChangeRealm(account.user) ? account : yield* ranksTooLow(account.user)
})

/** Bytes that an export leaves free on the disk, beside all uploaded files: messages, and what else is written meanwhile. */
const spareBytes = 1024 ** 3
const diskTooFull = badRequest("There is not enough room on the server's disk for an export: ask who runs the server")

/** Before the command is judged, because it takes a while to count. */
const requireSize = Effect.fnUntraced(function* (caller: Caller, realm: Realm, type: ExportType) {
  const reading = (yield* UserReads).begin(requesterName(caller))
  const used = yield* findSpace(reading, realm.id)
  if (used > mostUploadedBytes) return yield* tooLarge
  const free = yield* (yield* Files).free
  if (free !== null && free < used + spareBytes) return yield* diskTooFull
  const open = [...realm.channels.values()].filter(({ is_private }) => !is_private).map(({ id }) => id)
  const channels = type === exportTypes.public ? open : null
  if ((yield* countMessages(reading, realm.id, channels, mostMessages)) > mostMessages) return yield* tooLarge
})

const postExport = userEndpoint({
  method: "POST",
  path: "/export/realm",
  fresh: "onRefusal",
  summary: "Has an export of the organization made; an event tells when it is there.",
  params: { type: withDefault(oneOf(integer("export_type"), Object.values(exportTypes)), exportTypes.public) },
  reply: Schema.Struct({ id: Id }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { type } }) {
    const { realm } = yield* requireAdministrator(caller)
    yield* Effect.fromResult(requireRoom(realm))
    yield* requireSize(caller, realm, type)
    const id = yield* submitAs(caller, (now, actor): Judgement<number> => {
      if (!mayChangeRealm(actor)) return refused(ranksTooLow(actor))
      return judgementOf(requireRoom(now), () => {
        const made = { type, acting_user_id: actor.id, origin: caller.origin, made_at: now.now() }
        const list = withNew(now.part(realmExports).list, { ...made, token: null, failed_at: null, deleted_at: null })
        return change([exportsRow(now, list), exportKind.adding([{ payload: { id: list.last_id } }])], {
          answer: () => list.last_id,
        })
      })
    })
    yield* exportKind.wake
    return dataReply({ id })
  }),
})

const getExports = userEndpoint({
  method: "GET",
  path: "/export/realm",
  summary: "The exports of the organization, in the order in which they were wanted.",
  params: {},
  reply: Schema.Struct({ exports: WireExports }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAdministrator(caller)
    return dataReply({ exports: wireExports(realm.part(realmExports).list, caller.origin) })
  }),
})

const requireDeletable = (record: ExportRecord | undefined): Checked<ExportRecord & { readonly token: string }> => {
  if (record === undefined) return Result.fail(badRequest("Invalid data export ID"))
  if (record.deleted_at !== null) return Result.fail(badRequest("Export already deleted"))
  if (record.failed_at !== null) return Result.fail(badRequest("Export failed, nothing to delete"))
  const { token } = record
  return token === null ? Result.fail(badRequest("Export still in progress")) : Result.succeed({ ...record, token })
}

const deleteExport = userEndpoint({
  method: "DELETE",
  path: "/export/realm/{export_id:int}",
  fresh: "onRefusal",
  summary: "Deletes the file of an export.",
  params: { exportId: integer("export_id") },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { exportId } }) {
    const token = yield* submitAs(caller, (realm, actor): Judgement<string> => {
      if (!mayChangeRealm(actor)) return refused(ranksTooLow(actor))
      const { list } = realm.part(realmExports)
      return judgementOf(requireDeletable(realm.part(realmExports).find(exportId)), ({ token, ...record }) =>
        change([exportsRow(realm, withExport(list, { ...record, token: null, deleted_at: realm.now() }))], {
          answer: () => token,
        }),
      )
    })
    // Nobody is told its address any more; where it cannot be removed now it goes with the files that no row names.
    yield* Effect.ignore((yield* Files).remove(exportFile(caller.realm, token)))
    return dataReply()
  }),
})

const Visibility = Schema.Literals([1, 2, 3, 4, 5])

/** About how many bytes a record has. */
const consentBytes = 70

const getConsents = userEndpoint({
  method: "GET",
  path: "/export/realm/consents",
  summary: "Who allows the export of what is private to them.",
  params: {},
  reply: Schema.Struct({
    export_consents: Schema.Array(
      Schema.Struct({ user_id: Id, consented: Schema.Boolean, email_address_visibility: Visibility }),
    ),
  }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAdministrator(caller)
    const consents = Effect.gen(function* () {
      // Again: the answer may have waited for room.
      yield* requireAdministrator(caller)
      const people = [...realm.users.values()].filter(({ id, is_bot }) => !is_bot && realm.isActive(id))
      return [
        yield* listInPieces("export_consents", people, ({ id, settings }) =>
          JSON.stringify({
            user_id: id,
            consented: settings.allow_private_data_export,
            email_address_visibility: settings.email_address_visibility,
          }),
        ),
      ]
    })
    return yield* (yield* LargeAnswers).answer(requesterName(caller), realm.users.size * consentBytes, consents)
  }),
})

export const exportEndpoints = [postExport, getExports, deleteExport, getConsents]
