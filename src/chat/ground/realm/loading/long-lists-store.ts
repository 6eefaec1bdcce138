/** The long lists of a realm, in columns: accounts, roles, subscriptions, and users' own settings for channels. */
import * as Schema from "effect/Schema"
import type { Row } from "../../../../db/database.ts"
import { NumberList } from "../../../../db/number-list.ts"
import { column } from "../../../../db/rows-in-columns.ts"
import { ChannelId, idSchemas, UserId } from "../../../../ids.ts"
import { type Role, roleNumbers } from "../domain-values.ts"
import { displayOf } from "../packed-settings.ts"
import type { Realm } from "../realm.ts"
import { SubscriptionSettings, UserRecord } from "../records.ts"
import { defaultUserSettings } from "../user-settings.ts"
import type { LongList, RealmExtent } from "./load-pages-store.ts"

/** A column of numbers; of no rows it is null. */
const numbers = (page: Row, name: string): NumberList => new NumberList(String(page[name] ?? ""))

const findRole = (number: number) => {
  const role = roleNumbers.find((each) => each === number)
  if (role === undefined) throw new Error(`there is no role ${number}`)
  return role
}

/** A user, and whether the span is closed: its end is in a column of those that are. */
export const roleList: LongList = {
  table: "role_span",
  columns: () =>
    `string_agg((user_id::bigint * 2 + (closed is not null)::integer)::text, ',') as keys,
     string_agg(role::text, ',') as roles, string_agg(opened::text, ',') as opened, string_agg(closed::text, ',') as closed`,
  take: (realm, page) => {
    const [keys, roles] = [numbers(page, "keys"), numbers(page, "roles")]
    const [opened, closed] = [numbers(page, "opened"), numbers(page, "closed")]
    while (!keys.isAtEnd) {
      const key = keys.next()
      const span = { opened: opened.next(), closed: key % 2 === 1 ? closed.next() : null }
      realm.roles.add(UserId(Math.floor(key / 2)), findRole(roles.next()), span)
    }
  },
}

/** What only some accounts have. */
const RareFields = Schema.Struct({
  id: idSchemas.user,
  is_bot: UserRecord.fields.is_bot,
  bot_type: UserRecord.fields.bot_type,
  bot_owner_id: UserRecord.fields.bot_owner_id,
  avatar: UserRecord.fields.avatar,
  must_reset_password: Schema.Boolean,
  settings: UserRecord.fields.settings,
})
const rare =
  "is_bot or bot_type is not null or bot_owner_id is not null or avatar is not null or must_reset_password or settings <> '{}'"
const usual = {
  is_bot: false,
  bot_type: null,
  bot_owner_id: null,
  avatar: null,
  must_reset_password: false,
  settings: defaultUserSettings,
} as const

const accountColumns = ["id", "email", "full_name", "timezone", "avatar_version", "key_version", "joined_at"] as const
const Accounts = Schema.decodeUnknownSync(
  Schema.Struct({
    id: column(idSchemas.user),
    email: column(Schema.String),
    full_name: column(Schema.String),
    timezone: column(Schema.String),
    avatar_version: column(Schema.Number),
    key_version: column(Schema.Number),
    joined_at: column(Schema.Number),
    rare: column(RareFields),
  }),
)

const nth = <A>(list: ReadonlyArray<A>, n: number): A => {
  const item = list[n]
  if (item === undefined) throw new Error(`a column of accounts has no item ${n}`)
  return item
}

/** An account as its table has it. */
export type RolelessRecord = Omit<UserRecord, "role">

export const lastRole = (realm: Realm, user: UserId): Role => {
  const role = realm.roles.last(user)?.role
  if (role === undefined) throw new Error(`user ${user} has no role`)
  return role
}

/** Puts them into a list. */
export const accountList = (records: Array<RolelessRecord>): LongList => ({
  table: "account",
  columns: () =>
    `${accountColumns.map((name) => `coalesce(json_agg(${name}), '[]')::text as ${name}`).join(", ")},
     coalesce(json_agg(json_build_object('id', id, 'is_bot', is_bot, 'bot_type', bot_type, 'bot_owner_id', bot_owner_id,
       'avatar', avatar, 'must_reset_password', must_reset_password, 'settings', settings)) filter (where ${rare}), '[]')::text as rare`,
  take: (_realm, page) => {
    const accounts = Accounts(page)
    const others = new Map(accounts.rare.map((fields) => [fields.id, fields]))
    for (const [n, id] of accounts.id.entries()) {
      records.push({
        id,
        email: nth(accounts.email, n),
        full_name: nth(accounts.full_name, n),
        timezone: nth(accounts.timezone, n),
        avatar_version: nth(accounts.avatar_version, n),
        key_version: nth(accounts.key_version, n),
        joined_at: nth(accounts.joined_at, n),
        ...(others.get(id) ?? usual),
      })
    }
  },
})

/**
 * A number that says a user, a channel, and two marks: 32 bits of it are enough nearly always, which the database adds faster.
 * There is room for those who come while it is read.
 */
const keyMarks = 4
const mostInteger = 2 ** 31
const keyOf = ({ people, channels }: RealmExtent, first: string, second: string): string => {
  const user = (people + 1) * channels * keyMarks < mostInteger / 2 ? "user_id" : "user_id::bigint"
  return `((${user} * ${channels} + channel_id) * ${keyMarks} + (${first})::integer + 2 * (${second})::integer)::text`
}

/** Calls `act` for each key of a page. */
const eachKey = (
  page: Row,
  { channels }: RealmExtent,
  act: (user: UserId, channel: ChannelId, first: boolean, second: boolean) => void,
): void => {
  for (const keys = numbers(page, "keys"); !keys.isAtEnd; ) {
    const key = keys.next()
    const marks = key % keyMarks
    const pair = (key - marks) / keyMarks
    const channel = pair % channels
    act(UserId((pair - channel) / channels), ChannelId(channel), marks % 2 === 1, marks >= 2)
  }
}

/** The marks: it is closed; it reads from an earlier position. */
export const subscriptionList: LongList = {
  table: "subscription_span",
  columns: (extent) =>
    `string_agg(${keyOf(extent, "closed is not null", "reads_from < opened")}, ',') as keys,
     string_agg(opened::text, ',') as opened, string_agg(closed::text, ',') as closed,
     string_agg(nullif(reads_from, opened)::text, ',') as reads_from`,
  take: ({ subscriptions }, page, extent) => {
    const [opened, closed, readsFrom] = [numbers(page, "opened"), numbers(page, "closed"), numbers(page, "reads_from")]
    eachKey(page, extent, (user, channel, isClosed, readsEarlier) => {
      const from = opened.next()
      subscriptions.load(channel, user, from, isClosed ? closed.next() : null, readsEarlier ? readsFrom.next() : from)
    })
  },
}

const { notify: Notify } = SubscriptionSettings.fields
/** [user, channel, color, is_muted, pin_to_top, notify] */
const decodeRare = Schema.decodeUnknownSync(
  column(Schema.Tuple([idSchemas.user, idSchemas.channel, Schema.String, Schema.Boolean, Schema.Boolean, Notify])),
)
const colorLength = 7
const hasColor = "color like '#______'"

/** The marks: muted; pinned. Rows that have more, and what has no ordinary colour, come as a list of their own. */
export const settingList: LongList = {
  table: "subscription_setting",
  columns: (extent) =>
    `string_agg(${keyOf(extent, "is_muted", "pin_to_top")}, ',') filter (where ${hasColor}) as keys,
     string_agg(color, '') filter (where ${hasColor}) as colors,
     coalesce(json_agg(json_build_array(user_id, channel_id, color, is_muted, pin_to_top, notify))
       filter (where notify <> '{}' or not ${hasColor}), '[]')::text as rare`,
  take: ({ subscriptions }, page, extent) => {
    const colors = String(page["colors"] ?? "")
    let at = 0
    eachKey(page, extent, (user, channel, is_muted, pin_to_top) => {
      const look = displayOf(colors, at, is_muted, pin_to_top)
      if (look !== null) subscriptions.loadSettings(user, channel, look)
      else {
        const color = colors.slice(at, at + colorLength)
        subscriptions.setSettings(user, channel, { color, is_muted, pin_to_top, notify: {} })
      }
      at += colorLength
    })
    for (const [user, channel, color, is_muted, pin_to_top, notify] of decodeRare(page["rare"]))
      subscriptions.setSettings(user, channel, { color, is_muted, pin_to_top, notify })
  },
}
