/**
 * Exports as rows and events: a row has the whole list, as the event does. It goes to administrators; register does not have
 * it.
 */
import * as Schema from "effect/Schema"
import type { NewRow } from "../../../events/step.ts"
import type { JsonObject } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Id, plainEvent, Seconds, Url } from "../../ground/wire/wire-values.ts"
import { exportAudience } from "../../people/users/export-consent-event.ts"
import { ExportList, type ExportRecord, exportTypes, exportUrl, isPending, realmExports } from "./export-list.ts"

/** As clients read them. */
export const WireExports = Schema.Array(
  Schema.Struct({
    id: Id,
    acting_user_id: Id,
    /** When it was wanted, in seconds since the Unix epoch, with a fraction. */
    export_time: Schema.Finite,
    /** null: it was not deleted. */
    deleted_timestamp: Schema.NullOr(Seconds),
    /** null: it has not failed. */
    failed_timestamp: Schema.NullOr(Seconds),
    /** null: there is no file, yet or any more. */
    export_url: Schema.NullOr(Url),
    pending: Schema.Boolean,
    /** 1: what every member may read, 2: also what those may read who allow it. */
    export_type: Schema.Literals(Object.values(exportTypes)),
  }).annotate({ identifier: "RealmExport" }),
)

const wireExport = (record: ExportRecord, origin: string): JsonObject => ({
  id: record.id,
  acting_user_id: record.acting_user_id,
  export_time: record.made_at / 1000,
  deleted_timestamp: record.deleted_at === null ? null : unixSeconds(record.deleted_at),
  failed_timestamp: record.failed_at === null ? null : unixSeconds(record.failed_at),
  export_url: exportUrl(record, origin),
  pending: isPending(record),
  export_type: record.type,
})

/** `origin`: where the reader reaches the organization; absent: where whoever wanted one did. */
export const wireExports = ({ exports }: ExportList, origin?: string): ReadonlyArray<JsonObject> =>
  exports.map((record) => wireExport(record, origin ?? record.origin))

/** How many there may be is judged on the list, which each row states whole. */
export const realmExportKind = eventKind({
  type: "realm_export",
  payload: ExportList,
  changesRules: true,
  applyFunction: "apply_realm_export_v1",
  applyToProjection: (realm, list) => {
    realm.part(realmExports).list = list
  },
  events: { "": plainEvent("realm_export", { exports: WireExports }) },
  wire: (list) => oneEvent({ type: "realm_export", exports: wireExports(list) }),
})

export const exportsRow = (realm: Realm, list: ExportList): NewRow =>
  realmExportKind.change(list, exportAudience(realm))
