/**
 * The rows of a change of an organization's settings: one for each changed setting, and those that inform users of what
 * follows. Another waiting period changes who is a full member, and with that the members of a system group and the
 * channels that they see by it (I13). Called by PATCH /realm and by the server's own commands.
 */
import * as Schema from "effect/Schema"
import type { ConfigShape } from "../../../config/config.ts"
import { toRealm, toServers } from "../../../events/audience.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import type { CommandStep, NewRow } from "../../../events/step.ts"
import { isSameJson } from "../../../json.ts"
import { readerSteps } from "../../changing/message-moves/access-steps.ts"
import { endQueuesRow } from "../../ground/kinds/queue-end-row.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import { userGroupRows } from "../../ground/kinds/user-group-row.ts"
import { visibilityChangeRows } from "../../ground/permissions/channel-visibility.ts"
import { findLegacyPolicy } from "../../ground/permissions/permission-wire-forms.ts"
import { isOfSystemGroup, isOpenToVisitors, visibilityPermissions } from "../../ground/permissions/permissions.ts"
import { GroupSetting, roles, systemGroups } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { fullMemberAt, type Rules, withChangedRules } from "../../ground/realm/realm-rules.ts"
import {
  type RealmSetting,
  type RealmSettings,
  readRealmSettings,
  realmSettingNames,
} from "../../ground/realm/realm-settings.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { settingsDefaultsKind } from "../../people/users/settings/settings-defaults.ts"
import { type Notice, noticeSteps } from "../../sending/notices/notices.ts"
import { renderText } from "../../text/markdown/render-text.ts"
import { authenticationMethods } from "./realm-event.ts"

const isPermission = Schema.is(GroupSetting)

/** The further fields of a setting's row, which its event needs. */
const beside = (realm: Realm, key: RealmSetting, after: RealmSettings, config: ConfigShape) => {
  if (key === "password_auth_enabled" || key === "ldap_auth_enabled")
    return { methods: authenticationMethods(after, config) }
  return key === "description" ? { rendered: renderText(realm, isOpenToVisitors, after.description) } : {}
}

/** The number by which older clients know a permission; undefined if the setting has none. */
const olderNumber = (key: RealmSetting, settings: RealmSettings): number | undefined => {
  const value = settings[key]
  return isPermission(value) ? findLegacyPolicy(key)?.number(value) : undefined
}

/** The row of a changed setting. It is two events wide if the number for older clients changes too. */
const settingRow = (realm: Realm, after: RealmSettings, key: RealmSetting, config: ConfigShape): NewRow =>
  realmRows.change(
    { op: "update", key, value: after[key], ...beside(realm, key, after, config) },
    key === "full_members_at" ? toServers : toRealm,
    { width: olderNumber(key, realm.settings) === olderNumber(key, after) ? 1 : 2 },
  )

const isFullMember = (rules: Rules, user: UserRecord): boolean => isOfSystemGroup(rules, user, "role:fullmembers")

/** The active members who become full members by the change, or cease to be. */
const changedFullMembers = (before: Rules, after: Rules): ReadonlyArray<UserRecord> =>
  [...before.users.values()].filter(
    (user) =>
      user.role === roles.member &&
      before.isActive(user.id) &&
      isFullMember(before, user) !== isFullMember(after, user),
  )

/** Whether full members know of a private channel that other members do not know of. */
const isSeenByFullMembersOnly = (rules: Rules, channel: ChannelRecord): boolean => {
  const holders = (name: (typeof visibilityPermissions)[number]) =>
    rules.groups.closureOfSetting(channel.permissions[name]).systems
  return (
    channel.is_private &&
    visibilityPermissions.some((name) => holders(name).includes("role:fullmembers")) &&
    !visibilityPermissions.some((name) => holders(name).includes("role:members"))
  )
}

/** The rows that tell of new and former full members, and show or hide the channels that only full members see. */
const fullMemberSteps = (realm: Realm, settings: RealmSettings): ReadonlyArray<CommandStep> => {
  const before = withChangedRules(realm, {})
  const after = withChangedRules(before, { settings })
  const turned = changedFullMembers(before, after)
  if (turned.length === 0) return []
  const group_id = systemGroups["role:fullmembers"]
  const told = (op: "add_members" | "remove_members") => {
    const user_ids = turned.filter((user) => isFullMember(after, user) === (op === "add_members")).map(({ id }) => id)
    return user_ids.length === 0 ? [] : [userGroupRows.tell({ op, group_id, user_ids }, toRealm)]
  }
  const channels = [...realm.channels.values()].filter((channel) => isSeenByFullMembersOnly(realm, channel))
  const onlyThey = withChangedRules(after, { users: new Map(turned.map((user) => [user.id, user])) })
  const { first, last } = readerSteps(before, after, channels, turned)
  return [
    ...told("add_members"),
    ...told("remove_members"),
    ...first,
    ...visibilityChangeRows(before, onlyThey, channels),
    ...last,
  ]
}

/** Counts full members up to a time: those who have waited for long enough by then know what they see from now on. */
export const countFullMembers = (realm: Realm, at: number): ReadonlyArray<CommandStep> => [
  realmRows.change({ op: "update", key: "full_members_at", value: at }, toServers),
  ...fullMemberSteps(realm, { ...realm.settings, full_members_at: at }),
]

/** When the newest of those who have waited for long enough by now became a full member; 0: nobody has. */
const lastFullMember = (realm: Realm, settings: RealmSettings): number => {
  let last = 0
  for (const user of realm.users.values()) {
    const at = fullMemberAt(settings, user)
    if (user.role === roles.member && at <= realm.now()) last = Math.max(last, at)
  }
  return last
}

/** Guests know of other people from now on, of all or of few: too many to tell. Their clients register again. */
const guestLimitRows = (realm: Realm): ReadonlyArray<NewRow> => {
  const guests = [...realm.roles.guests].filter(realm.isActive)
  return guests.length === 0 ? [] : [endQueuesRow(guests)]
}

/** The judgement of a change of settings, which `notices` tell of. Throws if a value is not one that the setting can have. */
export const judgeRealmChange = (
  realm: Realm,
  changes: Partial<RealmSettings>,
  config: ConfigShape,
  notices: ReadonlyArray<Notice> = [],
): Judgement<void> => {
  const wanted = readRealmSettings({ ...realm.settings, ...changes })
  const isOtherPeriod = wanted.waiting_period_days !== realm.settings.waiting_period_days
  const after = isOtherPeriod ? { ...wanted, full_members_at: lastFullMember(realm, wanted) } : wanted
  const changed = realmSettingNames.filter((key) => !isSameJson(realm.settings[key], after[key]))
  if (changed.length === 0) return done(undefined)
  return change([
    ...changed.map((key) => settingRow(realm, after, key, config)),
    ...(changed.includes("default_language")
      ? [settingsDefaultsKind.tell({ property: "default_language", value: after.default_language }, toRealm)]
      : []),
    ...(isOtherPeriod ? fullMemberSteps(realm, after) : []),
    ...(changed.includes("can_access_all_users_group") ? guestLimitRows(realm) : []),
    ...noticeSteps(realm, notices),
  ])
}
