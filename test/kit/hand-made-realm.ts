/** An organization made by hand, without a server or a database: unit tests read the sections of register from it. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { isStoredSection, type SectionMembers } from "../../src/chat/ground/kinds/section.ts"
import type { SectionView } from "../../src/chat/ground/kinds/section-view.ts"
import { type Role, roles, systemGroups } from "../../src/chat/ground/realm/domain-values.ts"
import { Realm } from "../../src/chat/ground/realm/realm.ts"
import { readRealmSettings } from "../../src/chat/ground/realm/realm-settings.ts"
import type { ChannelRecord, UserRecord } from "../../src/chat/ground/realm/records.ts"
import { defaultUserSettings, userSettingsOf } from "../../src/chat/ground/realm/user-settings.ts"
import { containedIn, takeSections } from "../../src/chat/server/sync/register-sections.ts"
import { defaultLimits } from "../../src/config/config.ts"
import { noCapabilities } from "../../src/events/client-capabilities.ts"
import { type LogRow, userSet } from "../../src/events/event.ts"
import { ChannelId, GroupId, Position, RealmId, UserId } from "../../src/ids.ts"
import type { Json, JsonObject } from "../../src/json.ts"
import { bytesOf, JsonMember } from "../../src/json-pieces.ts"
import { catalog, emptyParts } from "./catalog.ts"
import { productionConfig } from "./production-config.ts"

export const now = Date.parse("2026-03-01T12:00:00Z")
export const joined = Date.parse("2026-01-01T00:00:00Z")
export const origin = "https://chat.example.org"

export const config = productionConfig({
  dataFolder: "/nowhere",
  filesFolder: "/nowhere",
  database: { kind: "pglite", folder: "/nowhere", sync: false },
  secret: "secret",
  externalUrl: origin,
  limits: { ...defaultLimits, maxTopicLength: 50, typingStartedWaitMilliseconds: 11_000 },
})

export const person = (id: number, name: string, role: Role, bot: Partial<UserRecord> = {}): UserRecord => ({
  id: UserId(id),
  email: `${name.toLowerCase()}@example.org`,
  full_name: name,
  role,
  is_bot: false,
  bot_type: null,
  bot_owner_id: null,
  timezone: "",
  avatar_version: 1,
  avatar: null,
  key_version: 1,
  joined_at: joined,
  must_reset_password: false,
  settings: defaultUserSettings,
  ...bot,
})

export const channel = (id: number, name: string, fields: Partial<ChannelRecord> = {}): ChannelRecord => ({
  id: ChannelId(id),
  name,
  description: `about ${name}`,
  rendered_description: `<p>about ${name}</p>`,
  creator_id: UserId(1),
  created_at: joined,
  is_private: false,
  is_web_public: false,
  history_shared: true,
  is_archived: false,
  is_default: false,
  topics_policy: "inherit",
  retention_days: null,
  permissions: {
    can_add_subscribers_group: systemGroups["role:nobody"],
    can_administer_channel_group: { direct_members: [UserId(1)], direct_subgroups: [] },
    can_delete_any_message_group: systemGroups["role:nobody"],
    can_delete_own_message_group: systemGroups["role:nobody"],
    can_move_messages_out_of_channel_group: systemGroups["role:nobody"],
    can_move_messages_within_channel_group: systemGroups["role:nobody"],
    can_remove_subscribers_group: systemGroups["role:administrators"],
    can_resolve_topics_group: systemGroups["role:nobody"],
    can_send_message_group: systemGroups["role:everyone"],
    can_subscribe_group: systemGroups["role:nobody"],
  },
  folder_id: null,
  is_recently_active: true,
  weekly_traffic: null,
  first_message_id: null,
  ...fields,
})

export const people = {
  iago: person(1, "Iago", roles.owner),
  hamlet: person(2, "Hamlet", roles.member),
  polonius: person(3, "Polonius", roles.guest),
  echo: person(4, "Echo", roles.member, { is_bot: true, bot_type: 1, bot_owner_id: UserId(1) }),
  yorick: person(5, "Yorick", roles.member),
  /** Shows the real address to administrators only. */
  ophelia: person(6, "Ophelia", roles.member, { settings: userSettingsOf({ email_address_visibility: 3 }) }),
}

/** Yorick has been deactivated at row 20. Hamlet has left `attic` (public) and `crypt` (private). */
export const makeRealm = (
  settings = readRealmSettings({ name: "Elsinore", description: "A castle & more" }),
  time = () => now,
): Realm => {
  const realm = new Realm({
    id: RealmId(1),
    host: "chat.example.org",
    epoch: "e1",
    settings,
    usesGravatar: true,
    position: 30,
    createdAt: joined,
    now: time,
    moves: catalog.kinds,
    parts: emptyParts(),
  })
  for (const user of Object.values(people)) {
    realm.setUser(user)
    const closed = user === people.yorick ? 20 : null
    realm.roles.add(user.id, user.role, { opened: user.id, closed })
  }
  for (const [name, id] of Object.entries(systemGroups)) {
    const subgroups = id < systemGroups["role:owners"] ? [GroupId(id + 1)] : []
    realm.groups.set({
      id,
      name,
      description: `about ${name}`,
      is_system: true,
      deactivated: false,
      creator_id: null,
      created_at: null,
      members: [],
      subgroups,
      permissions: {},
    })
  }
  const channels = [
    channel(1, "lobby"),
    channel(2, "court", { is_private: true, history_shared: false }),
    channel(3, "square", { is_web_public: true }),
    channel(4, "attic"),
    channel(5, "crypt", { is_private: true }),
    channel(6, "ruin", { is_archived: true }),
    channel(7, "harbour"),
  ]
  for (const each of channels) realm.setChannel(each)
  const spans: ReadonlyArray<[channel: number, user: number, opened: number, closed: number | null]> = [
    [1, 1, 10, null],
    [1, 2, 10, null],
    [1, 3, 11, null],
    [1, 4, 11, null],
    [1, 5, 10, 20],
    [2, 1, 12, null],
    [2, 2, 12, null],
    [4, 2, 13, 15],
    [5, 1, 14, null],
    [5, 2, 14, 16],
    [6, 2, 14, null],
  ]
  for (const [channelId, user, opened, closed] of spans) {
    realm.subscriptions.add(ChannelId(channelId), UserId(user), { opened, closed })
    realm.subscriptions.setSettings(UserId(user), ChannelId(channelId), {
      color: "#76ce90",
      is_muted: channelId === 2,
      pin_to_top: false,
      notify: { push_notifications: true },
    })
  }
  return realm
}

export const all: SectionView = {
  fetch: null,
  gravatar: false,
  includeSubscribers: false,
  slimPresence: false,
  presenceDays: undefined,
  ...noCapabilities,
  userSettingsObject: true,
}
export const only = (...sections: ReadonlyArray<string>): SectionView => ({ ...all, fetch: new Set(sections) })

const parsed: (text: string) => unknown = JSON.parse
const isJsonObject = (value: unknown): value is JsonObject => Predicate.isObject(value)

/** The members as one object; throws if one is no JSON, or a name occurs twice. */
const objectOf = (members: SectionMembers): JsonObject => {
  const texts = members.map((member) => {
    if (typeof member === "string") return member
    return member instanceof JsonMember ? member.text : Buffer.concat(member.map(bytesOf)).toString()
  })
  const all = texts.map((member) => parsed(`{${member}}`)).filter(isJsonObject)
  const names = all.flatMap((each) => Object.keys(each))
  if (all.length !== members.length || new Set(names).size !== names.length) throw new Error(`not each once: ${names}`)
  return Object.assign({}, ...all)
}

/** The database's answer for a user without messages and snippets. */
export const stored = {
  ...Object.fromEntries(catalog.sections.filter(isStoredSection).map(({ name }) => [name, []])),
  message: -1,
  user_topic: { named: "", empty: "" },
  onboarding_steps: { done: [], version: 0 },
  unread_msgs: { count: 0, streams: [], pms: [], huddles: [], mentions: null, missing: false },
}

/** The types of rows that a reply of register contains. */
export const containedTypes = (view: SectionView): ReadonlyArray<string> =>
  containedIn(catalog.kinds.values(), catalog.sections, view).types

export const isSplit = (view: SectionView, type: string): boolean =>
  containedIn(catalog.kinds.values(), catalog.sections, view).isSplit(type)

/** `user`: null for a visitor. */
export const sectionsFor = (user: UserRecord | null, view: SectionView, realm = makeRealm()): JsonObject =>
  objectOf(takeSections(catalog.sections, { realm, config, origin, user, now }, view, user === null ? null : stored))

/** The next row of the log, as the projection meets it. */
export const row = (
  position: number,
  type: string,
  users: ReadonlyArray<number>,
  payload: JsonObject = {},
): LogRow => ({
  position: Position(position),
  type,
  payload,
  audience: { kind: "users", users: userSet(users) },
  width: 1,
  origin: null,
  at: now,
  content: null,
  bytes: 100,
})

const asRecords = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))
export const column = (rows: Json | undefined, key: string) => asRecords(rows).map((row) => row[key])
export const record = (rows: Json | undefined, key: string, value: Json) => {
  const found = asRecords(rows).find((row) => row[key] === value)
  if (found === undefined) throw new Error(`no ${key} ${value}`)
  return found
}
export const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)
