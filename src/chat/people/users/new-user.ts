/**
 * What makes an account, in one commit: its row, its groups, its channels, and, where it is welcomed, older messages and
 * those of Welcome Bot. Used by POST /users, by the server's own commands, and where an invitation is accepted.
 */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { toRealm } from "../../../events/audience.ts"
import { change, type Judgement, judgementOf } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import type { GroupId, UserId } from "../../../ids.ts"
import { addRows, type GivenColors } from "../../channels/subscriptions/subscription-steps.ts"
import { newBotRow } from "../../ground/bot-settings/bot-rows.ts"
import { type BotSettings, plainBot } from "../../ground/bot-settings/bot-settings.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { userStatusRows } from "../../ground/kinds/user-status-row.ts"
import { meetingRows } from "../../ground/permissions/acquaintance-rows.ts"
import { type Role, roles } from "../../ground/realm/domain-values.ts"
import { findPlaceholderId } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { firstUserSettings } from "../../ground/realm/realm-settings.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { isSystemAddress } from "../../ground/realm/system-bots.ts"
import { defaultUserSettings, type UserSettings } from "../../ground/realm/user-settings.ts"
import { longestPassword } from "../../ground/sign-in/passwords.ts"
import { addMail } from "../../sending/mail/mail.ts"
import { welcomeMail } from "../account-links/account-mails.ts"
import { requireUnique } from "../profile-data/full-names.ts"
import { membershipRows } from "../user-groups/membership-rows.ts"
import { groupRow } from "../user-groups/user-group-changes.ts"
import { welcomeSteps } from "./welcome-messages.ts"

export const minPasswordLength = 6

export interface NewUser {
  readonly email: string
  readonly fullName: string
  readonly role: Role
  readonly isBot: boolean
  /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. */
  readonly botType?: 1 | 2 | 3 | 4
  /** null: the bot has no owner. */
  readonly botOwnerId?: UserId | null
  readonly bot?: BotSettings
  /** The token of a picture whose files are stored; absent: they have none. */
  readonly avatar?: string
  /** Whether the user gets older messages of their channels and a message by Welcome Bot; false if absent. */
  readonly isWelcomed?: boolean
  /** What Welcome Bot sends behind its own words; empty: nothing. Absent: the organization's. */
  readonly welcomeText?: string | undefined
  /** Where clients reach the organization, without a trailing slash: who is welcomed is mailed it. Absent: no mail can be sent. */
  readonly mailedUrl?: string | undefined
  /** Absent: the default channels, which guests and bots do not get. */
  readonly channels?: ReadonlyArray<ChannelRecord>
  /** Groups that they are members of, beside those of their role. */
  readonly groups?: ReadonlyArray<GroupId>
  /** Absent: those of a new account. */
  readonly settings?: UserSettings
  /** null: the user signs in by API key only. */
  readonly passwordHash: string | null
}

/** The refusal of an address that an account has. */
export const addressInUse = (email: string) => badRequest(`Email '${email}' already in use`)

/** The refusal of an address that nobody may have here. `why`: for those who have an account (`addressFault`). */
export const addressNotAllowed = (email: string, why?: string) =>
  badRequest(`Email '${email}' not allowed in this organization${why === undefined ? "" : `. ${why}`}`)

/** A password that an account may have; it is not trimmed. */
export const readNewPassword = (password: string): Checked<string> => {
  if (password.length < minPasswordLength)
    return Result.fail(badRequest(`password is too short (at least ${minPasswordLength} characters)`))
  return password.length > longestPassword
    ? Result.fail(badRequest(`password is too long (limit: ${longestPassword} characters)`))
    : Result.succeed(password)
}

/** Whether an address stands for another user already, or will: messages to it would reach that user. */
export const isReservedAddress = (realm: Realm, email: string): boolean =>
  findPlaceholderId(realm, email) !== undefined || isSystemAddress(realm, email)

const newRecord = (realm: Realm, user: NewUser, now: number): UserRecord => ({
  id: realm.nextUserId(),
  email: user.email,
  full_name: user.fullName,
  role: user.role,
  is_bot: user.isBot,
  bot_type: user.isBot ? (user.botType ?? 1) : null,
  bot_owner_id: user.isBot ? (user.botOwnerId ?? null) : null,
  timezone: "",
  avatar_version: 1,
  avatar: user.avatar ?? null,
  key_version: 1,
  joined_at: now,
  must_reset_password: false,
  // Nobody looks at a bot's screen: it has the settings of the server.
  settings: user.settings ?? (user.isBot ? defaultUserSettings : firstUserSettings(realm.settings)),
})

/** The default channels that can be joined now. */
export const joinableDefaults = (realm: Realm): ReadonlyArray<ChannelRecord> =>
  [...realm.channels.values()].filter((each) => each.is_default && !each.is_archived && !each.is_private)

/** Has a new person mailed how they sign in. The caller wakes the mail. */
const mailSteps = (
  realm: Realm,
  { isWelcomed, mailedUrl }: NewUser,
  record: UserRecord,
): ReadonlyArray<CommandStep> => {
  if (isWelcomed !== true || mailedUrl === undefined || !realm.settings.send_welcome_emails) return []
  const about = { organization: realm.settings.name, name: record.full_name, address: record.email }
  return [addMail(welcomeMail(about, mailedUrl))]
}

const stepsOf = (realm: Realm, user: NewUser, record: UserRecord): ReadonlyArray<CommandStep> => {
  const given: GivenColors = new Map()
  const defaults = record.role === roles.guest || record.is_bot ? [] : joinableDefaults(realm)
  const channels = user.channels ?? defaults
  const sideData = { password_hash: user.passwordHash }
  return [
    realmUserRows.change({ op: "add", user: record }, toRealm, { sideData }),
    ...(record.settings.presence_enabled ? [] : [userStatusRows.tell({ user_id: record.id, away: true }, toRealm)]),
    ...membershipRows(realm, record, "add_members"),
    ...(user.groups ?? []).map((group_id) => groupRow({ op: "add_members", group_id, user_ids: [record.id] })),
    ...(record.is_bot ? [newBotRow(realm, record, user.bot ?? plainBot)] : []),
    ...meetingRows(
      realm,
      channels.map(({ id }) => ({ channel: id, users: [record] })),
    ),
    ...channels.flatMap((channel) => addRows(realm, channel, [record], { isNew: false, given })),
    ...(user.isWelcomed === true ? welcomeSteps(realm, record, channels, user.welcomeText) : []),
    ...mailSteps(realm, user, record),
  ]
}

/** The record of a new user and the steps that make it, or why there can be none. */
export const planNewUser = (
  realm: Realm,
  user: NewUser,
  now: number,
): Checked<{ readonly record: UserRecord; readonly steps: ReadonlyArray<CommandStep> }> => {
  if (realm.findUserByEmail(user.email) !== undefined) return Result.fail(addressInUse(user.email))
  if (isReservedAddress(realm, user.email)) return Result.fail(addressNotAllowed(user.email))
  const name = requireUnique(realm, user.fullName, null)
  if (Result.isFailure(name)) return Result.fail(name.failure)
  const record = newRecord(realm, user, now)
  return Result.succeed({ record, steps: stepsOf(realm, user, record) })
}

export const judgeNewUser = (realm: Realm, user: NewUser, now: number): Judgement<UserId> =>
  judgementOf(planNewUser(realm, user, now), ({ record, steps }) => change(steps, { answer: () => record.id }))
