/**
 * Loads the projection of a realm. The lists that grow with its people are read a page at a time: in one statement ten
 * thousand people took 400 MB, in the database's memory, in the text and in what was made of it, which is not given back.
 * On PostgreSQL all are read from one snapshot, so others may write meanwhile. In the embedded database all pages are of one
 * state if the log has not grown meanwhile, because nothing changes without a row.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Unavailable } from "../../../../api/errors.ts"
import { conflict, retryOnConflict } from "../../../../conflict.ts"
import type { DatabaseShape, Snapshot } from "../../../../db/database.ts"
import type { RealmId } from "../../../../ids.ts"
import { forEachInSlices } from "../../../../slices.ts"
import type { ProjectionPart, ProjectionSlot } from "../projection-part.ts"
import { type ProjectionMoves, Realm } from "../realm.ts"
import { readRealmSettings } from "../realm-settings.ts"
import { ChannelRecord, GroupRecord } from "../records.ts"
import { findExtent, type LongList, type PageSizes, readList, usualPages } from "./load-pages-store.ts"
import {
  accountList,
  lastRole,
  type RolelessRecord,
  roleList,
  settingList,
  subscriptionList,
} from "./long-lists-store.ts"

const Loaded = Schema.fromJsonString(
  Schema.Struct({
    host: Schema.String,
    epoch: Schema.String,
    created_at: Schema.Number,
    deactivated: Schema.Boolean,
    settings: Schema.declare((value: unknown): value is object => typeof value === "object" && value !== null),
    head: Schema.Number,
    groups: Schema.Array(GroupRecord),
    channels: Schema.Array(ChannelRecord),
  }),
)
const decodeLoaded = Schema.decodeUnknownSync(Loaded)

const defaultPageItems = 1000
/** Before the key of every item. */
const beforeAll: ReadonlyArray<number> = [-1, -1, -1]

/** The parts that grow with the people; the others are loaded whole. */
const loadPages = Effect.fnUntraced(function* (
  database: Snapshot,
  id: RealmId,
  slot: ProjectionSlot<unknown>,
  pageItems: number,
) {
  const { load, addPage } = slot.part
  if (addPage === null) return
  const sql = `select ${load}($1, $2::text::jsonb, $3)::text as page`
  for (let after: ReadonlyArray<number> | null = beforeAll; after !== null; ) {
    const [row] = yield* database.query(sql, [id, JSON.stringify(after), pageItems], "kept")
    after = addPage(slot, row?.["page"])
  }
})

/** One statement, so that everything in it is of one state of the realm. */
const loadSql = (parts: ReadonlyArray<ProjectionPart<unknown>>): string => {
  const whole = parts.filter(({ addPage }) => addPage === null)
  return `select load_realm_v7($1) as realm${whole.map(({ load, name }) => `, ${load}($1)::text as "${name}"`).join("")}`
}

export interface RealmLoadOptions {
  /** Every part there is. */
  readonly parts: ReadonlyArray<ProjectionPart<unknown>>
  /** See Realm. */
  readonly moves: ProjectionMoves
  /** See Realm. */
  readonly usesGravatar?: boolean
  /** See Realm. */
  readonly now?: () => number
  /** Items of a part that are read at once. */
  readonly pageItems?: number
  /** How much of the long lists is read at once. */
  readonly pages?: PageSizes
}

/** The realm as it is, unless its log grew meanwhile: then it is overtaken. null if there is none. */
const tryLoad = Effect.fnUntraced(function* (database: Snapshot, id: RealmId, options: RealmLoadOptions) {
  const {
    moves,
    parts: ownParts,
    usesGravatar = false,
    now = Date.now,
    pageItems = defaultPageItems,
    pages = usualPages,
  } = options
  const [row] = yield* database.query(loadSql(ownParts), [id])
  const text = row?.["realm"]
  if (text === undefined || text === null) return null
  const loaded = decodeLoaded(text)
  const { host, epoch, head: position, created_at: createdAt } = loaded
  const settings = readRealmSettings(loaded.settings)
  const parts = ownParts.map((part) => (part.addPage === null ? part.decode(row?.[part.name]) : part.empty()))
  const realm = new Realm({ id, host, epoch, settings, usesGravatar, position, createdAt, now, moves, parts })
  realm.setDeactivated(loaded.deactivated)
  const extent = yield* findExtent(database, id)
  const read = (list: LongList) => readList(database, realm, extent, pages, list)
  const accounts: Array<RolelessRecord> = []
  yield* read(accountList(accounts))
  // Later than the accounts, so each of those has one.
  yield* read(roleList)
  // A row of the table that is written anew meanwhile, which an account's is without a row of the log when its password is hashed
  // anew, may lie behind the page that is read, or before it.
  if (new Set(accounts.map((account) => account.id)).size !== extent.accounts) return conflict
  // Who lists people lists them in this order.
  yield* forEachInSlices(
    accounts.sort((a, b) => a.id - b.id),
    (account) => realm.setUser({ ...account, role: lastRole(realm, account.id) }),
  )
  for (const group of loaded.groups) realm.groups.set(group)
  for (const channel of loaded.channels) realm.setChannel(channel)
  yield* read(settingList)
  yield* read(subscriptionList)
  yield* forEachInSlices(realm.subscriptions.settling(), (settle) => settle(), 1)
  for (const slot of parts) yield* loadPages(database, id, slot, pageItems)
  const [newest] = yield* database.query("select log_head_v1($1) as head", [id])
  return newest?.["head"] === position ? realm : conflict
})

/** A realm that is loaded is not running, so only a commit whose answer was lost can come between in the embedded database. */
const mostTries = 5

/** Loads the projection of a realm; null if no realm has this id. */
export const loadRealm = Effect.fnUntraced(function* (
  database: Pick<DatabaseShape, "snapshot">,
  id: RealmId,
  options: RealmLoadOptions,
): Effect.fn.Return<Realm | null, Unavailable> {
  const giveUp = Effect.fail(new Unavailable({ reason: `realm ${id} changes while it is loaded` }))
  return yield* database.snapshot((snapshot) => retryOnConflict(mostTries, tryLoad(snapshot, id, options), giveUp))
})
