/**
 * Reads realms from the database and inserts new ones. A projection is loaded by one statement, so that all its parts
 * and the head of the log come from one snapshot.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import { idSchemas, RealmId } from "../../ids.ts"
import { type Moves, Realm } from "./realm.ts"
import { readRealmSettings } from "./realm-settings.ts"
import {
  ChannelRecord,
  DefaultGroupRecord,
  EmojiRecord,
  FolderRecord,
  GroupRecord,
  LinkifierList,
  SubscriptionSettings,
  UserRecord,
} from "./records.ts"
import { roleNumbers } from "./values.ts"

const Closed = Schema.NullOr(Schema.Number)

const Loaded = Schema.fromJsonString(
  Schema.Struct({
    host: Schema.String,
    epoch: Schema.String,
    created_at: Schema.Number,
    deactivated: Schema.Boolean,
    settings: Schema.declare((value: unknown): value is object => typeof value === "object" && value !== null),
    head: Schema.Number,
    users: Schema.Array(UserRecord),
    /** [user, role, opened, closed] */
    roles: Schema.Array(Schema.Tuple([idSchemas.user, Schema.Literals(roleNumbers), Schema.Number, Closed])),
    groups: Schema.Array(GroupRecord),
    folders: Schema.Array(FolderRecord),
    default_groups: Schema.Array(DefaultGroupRecord),
    emoji: Schema.Array(EmojiRecord),
    linkifiers: LinkifierList,
    channels: Schema.Array(ChannelRecord),
    /** [channel, user, opened, closed] */
    subscriptions: Schema.Array(Schema.Tuple([idSchemas.channel, idSchemas.user, Schema.Number, Closed])),
    /** [user, channel, color, is_muted, pin_to_top, notify] */
    subscription_settings: Schema.Array(
      Schema.Tuple([
        idSchemas.user,
        idSchemas.channel,
        Schema.String,
        Schema.Boolean,
        Schema.Boolean,
        SubscriptionSettings.fields.notify,
      ]),
    ),
    /** [user, words] */
    alert_words: Schema.Array(Schema.Tuple([idSchemas.user, Schema.Array(Schema.String)])),
    /** [user, whom they have muted] */
    muted_users: Schema.Array(
      Schema.Tuple([idSchemas.user, Schema.Array(Schema.Struct({ id: idSchemas.user, at: Schema.Number }))]),
    ),
  }),
)
const decode = Schema.decodeUnknownSync(Loaded)

/** Loads the projection of a realm; null if no realm has this id. `now`: see Rules; `moves`: see Realm. */
export const loadRealm = (
  database: DatabaseShape,
  id: RealmId,
  moves: Moves,
  now: () => number = Date.now,
): Effect.Effect<Realm | null, Unavailable> =>
  Effect.map(database.query("select load_realm_v5($1) as realm", [id]), ([row]) => {
    const text = row?.["realm"]
    if (text === undefined || text === null) return null
    const loaded = decode(text)
    const { host, epoch, head: position, created_at: createdAt } = loaded
    const settings = readRealmSettings(loaded.settings)
    const realm = new Realm({ id, host, epoch, settings, position, createdAt, now, moves })
    realm.setDeactivated(loaded.deactivated)
    for (const user of loaded.users) realm.setUser(user)
    for (const [user, role, opened, closed] of loaded.roles) realm.roles.add(user, role, { opened, closed })
    for (const group of loaded.groups) realm.groups.set(group)
    for (const folder of loaded.folders) realm.folders.set(folder.id, folder)
    for (const emoji of loaded.emoji) realm.setEmoji(emoji)
    realm.setLinkifiers(loaded.linkifiers)
    realm.setDefaultGroups(loaded.default_groups)
    for (const channel of loaded.channels) realm.setChannel(channel)
    for (const [channel, user, opened, closed] of loaded.subscriptions) {
      realm.subscriptions.add(channel, user, { opened, closed })
    }
    for (const [user, channel, color, is_muted, pin_to_top, notify] of loaded.subscription_settings) {
      realm.subscriptions.setSettings(user, channel, { color, is_muted, pin_to_top, notify })
    }
    for (const [user, words] of loaded.alert_words) realm.alertWords.set(user, words)
    for (const [user, muted] of loaded.muted_users) realm.mutedUsers.set(user, muted)
    return realm
  })

const Hosts = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.Number, host: Schema.String, unfinished: Schema.Boolean })),
)

export interface StoredRealm {
  readonly id: RealmId
  readonly host: string
  /** The demo organization, if filling it was interrupted. */
  readonly unfinished: boolean
}

/** All realms, sorted by id. */
export const listRealms = (database: DatabaseShape): Effect.Effect<ReadonlyArray<StoredRealm>, Unavailable> =>
  Effect.map(database.query("select id, host, settings ? 'unfinished' as unfinished from realm order by id"), (rows) =>
    Hosts(rows).map((row) => ({ ...row, id: RealmId(row.id) })),
  )

/** Inserts a realm with its lock and its system groups. */
export const insertRealm = (
  database: DatabaseShape,
  realm: { readonly id: number; readonly host: string; readonly epoch: string },
  settings: string,
  groups: string,
  time: number | null,
): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(
    database.query("select create_realm_v1($1, $2, $3, $4, $5, $6, $7)", [
      realm.id,
      realm.host,
      realm.epoch,
      database.holder,
      settings,
      groups,
      time,
    ]),
  )

/** Marks the demo organization as completely filled. */
export const markFinished = (database: DatabaseShape, id: RealmId): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(database.query("update realm set settings = settings - 'unfinished' where id = $1", [id]))

/** The hash of a user's password; null if the user has no password or does not exist. */
export const findPasswordHash = (
  database: DatabaseShape,
  realm: RealmId,
  user: number | undefined,
): Effect.Effect<string | null, Unavailable> =>
  Effect.map(
    database.query("select password_hash from account where realm_id = $1 and id = $2", [realm, user ?? 0]),
    ([row]) => (typeof row?.["password_hash"] === "string" ? row["password_hash"] : null),
  )

/**
 * Replaces the hash of a password by another one of the same password. The only change of an account outside of a
 * commit: it makes no event, because nobody can see it, and no rule depends on it. Whoever has changed the password in
 * between wins, since `old` is not there any more; done twice it changes nothing.
 */
export const renewPasswordHash = (
  database: DatabaseShape,
  realm: RealmId,
  user: number,
  old: string,
  renewed: string,
): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(
    database.query("update account set password_hash = $4 where realm_id = $1 and id = $2 and password_hash = $3", [
      realm,
      user,
      old,
      renewed,
    ]),
  )
