/**
 * Loads the projection of a realm. The lists that grow with its people are read a page at a time: in one statement ten
 * thousand people took 400 MB, in the database's memory, in the text and in what was made of it, which is not given back.
 * All pages are of one state of the realm if its log has not grown meanwhile, because nothing changes without a row.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { idSchemas, type RealmId } from "../../../ids.ts"
import { overtaken, untilSettled } from "../../../overtaken.ts"
import type { Part, Slot } from "./part.ts"
import { type Moves, Realm } from "./realm.ts"
import { readRealmSettings } from "./realm-settings.ts"
import { ChannelRecord, GroupRecord, SubscriptionSettings, UserRecord } from "./records.ts"
import { roleNumbers } from "./values.ts"

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

const Closed = Schema.NullOr(Schema.Number)
const decodeUsers = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(UserRecord)))
/** [user, role, opened, closed] */
const decodeRoles = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Array(Schema.Tuple([idSchemas.user, Schema.Literals(roleNumbers), Schema.Number, Closed])),
  ),
)
/** [channel, user, opened, closed, reads_from] */
const decodeSubscriptions = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Array(Schema.Tuple([idSchemas.channel, idSchemas.user, Schema.Number, Closed, Schema.Number])),
  ),
)
const { notify: Notify } = SubscriptionSettings.fields
/** [user, channel, color, is_muted, pin_to_top, notify] */
const decodeSettings = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Tuple([idSchemas.user, idSchemas.channel, Schema.String, Schema.Boolean, Schema.Boolean, Notify]),
    ),
  ),
)

const defaultPageItems = 1000
/** Before the key of every item. */
const beforeAll: ReadonlyArray<number> = [-1, -1, -1]

interface LongList<A> {
  /** Answers a page as JSON of $1, the realm, $2, the key of the last item before it, and $3, how many items at most. */
  readonly sql: string
  readonly decode: (text: unknown) => ReadonlyArray<A>
  readonly keyOf: (item: A) => ReadonlyArray<number>
  readonly take: (realm: Realm, item: A) => void
}

const longList = <A>(list: LongList<A>) =>
  Effect.fnUntraced(function* (database: DatabaseShape, realm: Realm, pageItems: number) {
    for (let after = beforeAll; ; ) {
      const [row] = yield* database.query(list.sql, [realm.id, JSON.stringify(after), pageItems], "kept")
      const items = list.decode(row?.["page"])
      for (const item of items) list.take(realm, item)
      const last = items.at(-1)
      if (last === undefined || items.length < pageItems) return
      after = list.keyOf(last)
    }
  })

/** The database works on a page of one list while that of the other is decoded here. Neither needs the other. */
const inPairs = <E>(first: Effect.Effect<void, E>, second: Effect.Effect<void, E>) =>
  Effect.all([first, second], { concurrency: 2, discard: true })

const loadUsers = longList({
  sql: "select load_users_v3($1, $2::text::jsonb, $3)::text as page",
  decode: decodeUsers,
  keyOf: ({ id }) => [id],
  take: (realm, user) => realm.setUser(user),
})
const loadRoles = longList({
  sql: "select load_roles_v2($1, $2::text::jsonb, $3)::text as page",
  decode: decodeRoles,
  keyOf: ([user, , opened]) => [user, opened],
  take: (realm, [user, role, opened, closed]) => realm.roles.add(user, role, { opened, closed }),
})
const loadSubscriptions = longList({
  sql: "select load_subscriptions_v3($1, $2::text::jsonb, $3)::text as page",
  decode: decodeSubscriptions,
  keyOf: ([channel, user, opened]) => [channel, user, opened],
  take: (realm, [channel, user, opened, closed, readsFrom]) =>
    realm.subscriptions.add(channel, user, { opened, closed, ...(readsFrom < opened ? { readsFrom } : {}) }),
})
const loadSubscriptionSettings = longList({
  sql: "select load_subscription_settings_v2($1, $2::text::jsonb, $3)::text as page",
  decode: decodeSettings,
  keyOf: ([user, channel]) => [user, channel],
  take: (realm, [user, channel, color, is_muted, pin_to_top, notify]) =>
    realm.subscriptions.setSettings(user, channel, { color, is_muted, pin_to_top, notify }),
})

/** The parts that grow with the people; the others are loaded whole. */
const loadPages = Effect.fnUntraced(function* (
  database: DatabaseShape,
  id: RealmId,
  slot: Slot<unknown>,
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
const loadSql = (parts: ReadonlyArray<Part<unknown>>): string => {
  const whole = parts.filter(({ addPage }) => addPage === null)
  return `select load_realm_v7($1) as realm${whole.map(({ load, name }) => `, ${load}($1)::text as "${name}"`).join("")}`
}

export interface LoadOptions {
  /** Every part there is. */
  readonly parts: ReadonlyArray<Part<unknown>>
  /** See Realm. */
  readonly moves: Moves
  /** See Realm. */
  readonly usesGravatar?: boolean
  /** See Rules. */
  readonly now?: () => number
  /** Items of a list that are read at once. */
  readonly pageItems?: number
}

/** The realm as it is, unless its log grew meanwhile: then it is overtaken. null if there is none. */
const tryLoad = Effect.fnUntraced(function* (database: DatabaseShape, id: RealmId, options: LoadOptions) {
  const { moves, parts: ownParts, usesGravatar = false, now = Date.now, pageItems = defaultPageItems } = options
  const [row] = yield* database.query(loadSql(ownParts), [id])
  const text = row?.["realm"]
  if (text === undefined || text === null) return null
  const loaded = decodeLoaded(text)
  const { host, epoch, head: position, created_at: createdAt } = loaded
  const settings = readRealmSettings(loaded.settings)
  const parts = ownParts.map((part) => (part.addPage === null ? part.decode(row?.[part.name]) : part.empty()))
  const realm = new Realm({ id, host, epoch, settings, usesGravatar, position, createdAt, now, moves, parts })
  realm.setDeactivated(loaded.deactivated)
  yield* inPairs(loadUsers(database, realm, pageItems), loadRoles(database, realm, pageItems))
  for (const group of loaded.groups) realm.groups.set(group)
  for (const channel of loaded.channels) realm.setChannel(channel)
  yield* inPairs(loadSubscriptions(database, realm, pageItems), loadSubscriptionSettings(database, realm, pageItems))
  for (const slot of parts) yield* loadPages(database, id, slot, pageItems)
  const [newest] = yield* database.query("select log_head_v1($1) as head", [id])
  return newest?.["head"] === position ? realm : overtaken
})

/** A realm that is loaded is not running, so only a commit whose answer was lost can come between. */
const mostTries = 5

/** Loads the projection of a realm; null if no realm has this id. */
export const loadRealm = Effect.fnUntraced(function* (
  database: DatabaseShape,
  id: RealmId,
  options: LoadOptions,
): Effect.fn.Return<Realm | null, Unavailable> {
  const giveUp = Effect.fail(new Unavailable({ reason: `realm ${id} changes while it is loaded` }))
  return yield* untilSettled(mostTries, tryLoad(database, id, options), giveUp)
})
