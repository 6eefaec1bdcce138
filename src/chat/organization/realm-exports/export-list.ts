/** The exports of an organization: their list, a part of the projection, and where the file of one is. */
import { randomBytes } from "node:crypto"
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { type FileName, fileName } from "../../ground/files/files.ts"
import { projectionPart } from "../../ground/realm/projection-part.ts"

/** What is exported: what every member may read, or also what those may read who allow it. */
export const exportTypes = { public: 1, fullWithConsent: 2 } as const
export type ExportType = (typeof exportTypes)[keyof typeof exportTypes]

/** Times in milliseconds since the Unix epoch. One without a token, a failure or a deletion is still being made. */
export const ExportRecord = Schema.Struct({
  id: Schema.Number,
  type: Schema.Literals(Object.values(exportTypes)),
  acting_user_id: idSchemas.user,
  /** Where clients reached the organization when it was wanted, without a trailing slash: events name that. */
  origin: Schema.String,
  made_at: Schema.Number,
  /** Names its file, and whoever knows it may have that. */
  token: Schema.NullOr(Schema.String),
  failed_at: Schema.NullOr(Schema.Number),
  deleted_at: Schema.NullOr(Schema.Number),
})
export type ExportRecord = typeof ExportRecord.Type

/** In the order in which they were wanted. Ids up to `last_id` were given already. */
export const ExportList = Schema.Struct({ last_id: Schema.Number, exports: Schema.Array(ExportRecord) })
export type ExportList = typeof ExportList.Type

const noExports: ExportList = { last_id: 0, exports: [] }

export class RealmExports {
  /** The object is replaced whenever one changes. */
  list = noExports

  find(id: number): ExportRecord | undefined {
    return this.list.exports.find((each) => each.id === id)
  }
}

export const realmExports = projectionPart({
  name: "realm_exports",
  load: "load_realm_exports_v1",
  stored: ExportList,
  empty: () => new RealmExports(),
  fill: (all, list) => {
    all.list = list
  },
  plain: ({ list }) => list,
})

export const isPending = ({ token, failed_at, deleted_at }: ExportRecord): boolean =>
  token === null && failed_at === null && deleted_at === null

/** With one of them changed. */
export const withExport = (list: ExportList, changed: ExportRecord): ExportList => ({
  ...list,
  exports: list.exports.map((each) => (each.id === changed.id ? changed : each)),
})

/** Without the files of some, as deleted at a time; and what named these files, which are then to be removed. */
export const withoutFiles = (
  list: ExportList,
  isGone: (token: string, record: ExportRecord) => boolean,
  now: number,
) => {
  const tokens: Array<string> = []
  const exports = list.exports.map((each) => {
    if (each.token === null || !isGone(each.token, each)) return each
    tokens.push(each.token)
    return { ...each, token: null, deleted_at: now }
  })
  return { list: { ...list, exports }, tokens }
}

/** Files of exports that an organization has at most. */
const mostKept = 3

/** Without the files of all but the newest. */
export const withNewestFiles = (list: ExportList, now: number) => {
  const old = new Set(list.exports.filter(({ token }) => token !== null).slice(0, -mostKept))
  return withoutFiles(list, (_token, record) => old.has(record), now)
}

/** 256 random bits. */
export const newToken = (): string => randomBytes(32).toString("hex")
export const tokenForm = "[0-9a-f]{64}"

/** Their folder within that of an organization. */
export const exportsFolder = "exports"
export const exportFile = (realm: number, token: string): FileName =>
  fileName(String(realm), exportsFolder, `${token}.tgz`)

/** How the paths of their addresses begin. */
export const exportPrefix = "/user_exports/"
/** What a browser calls the file. */
export const downloadedName = ({ id }: Pick<ExportRecord, "id">): string => `export-${id}.tar.gz`

/** The address of its file; null where there is none. `origin`: where clients reach the organization. */
export const exportUrl = (record: ExportRecord, origin: string): string | null =>
  record.token === null ? null : `${origin}${exportPrefix}${record.token}/${downloadedName(record)}`
