/**
 * PATCH /settings: the requester changes settings of their own, all that the request names or none. Every setting that
 * register shows is a parameter. Where the server does not do yet what a setting is about (mail, push), any
 * value but the present one is refused, so that nobody believes that it has changed something.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type Caller, data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, missingVariable } from "../../../api/errors.ts"
import {
  boolean,
  type Decoded,
  integer,
  jsonOrText,
  mapped,
  oneOf,
  optional,
  type Param,
  text,
} from "../../../api/params.ts"
import { string } from "../../../api/shapes.ts"
import { change, done, judged, refused } from "../../../events/command.ts"
import type { Step } from "../../../events/step.ts"
import type { Json } from "../../../json.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import {
  type SettingWithChoices,
  settingChoices,
  type UserSetting,
  type UserSettings,
  userSettingNames,
} from "../../ground/realm/user-settings.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { wakeMail } from "../../sending/mail/mail.ts"
import { planOwnName } from "../profile-data/full-names.ts"
import { languages, passwordRow } from "./account-kinds.ts"
import { askSteps, mailedOften, prepareAddress } from "./new-address.ts"
import { preparePassword, requirePasswords, stalePassword, wrongPassword } from "./own-password.ts"
import { settingRows, timezoneRows } from "./setting-rows.ts"
import { findTimeZone } from "./time-zones.ts"

/** Settings of what there is not yet. When it is built, they leave this list. */
const unbuilt: ReadonlySet<UserSetting> = new Set([
  "allow_private_data_export",
  "email_notifications_batching_period_seconds",
  "enable_digest_emails",
  "enable_followed_topic_email_notifications",
  "enable_followed_topic_push_notifications",
  "enable_login_emails",
  "enable_marketing_emails",
  "enable_offline_email_notifications",
  "enable_offline_push_notifications",
  "enable_online_push_notifications",
  "enable_stream_email_notifications",
  "enable_stream_push_notifications",
  "message_content_in_email_notifications",
  "realm_name_in_email_notifications_policy",
])

const longestWord = 100
const word = (name: UserSetting) => jsonOrText(name, string, { max: longestWord })

type SettingParam = Param<string | number | boolean>

const chosen = (name: SettingWithChoices): SettingParam => {
  const choices: ReadonlyArray<string | number> = settingChoices[name]
  return oneOf(choices.every(Predicate.isNumber) ? integer(name) : word(name), choices)
}

/** The parameters of settings that are not true or false. */
const others = {
  web_mark_read_on_scroll_policy: chosen("web_mark_read_on_scroll_policy"),
  web_channel_default_view: chosen("web_channel_default_view"),
  web_font_size_px: integer("web_font_size_px", { min: 8, max: 64 }),
  web_line_height_percent: integer("web_line_height_percent", { min: 50, max: 500 }),
  color_scheme: chosen("color_scheme"),
  default_language: oneOf(word("default_language"), Object.keys(languages)),
  web_home_view: chosen("web_home_view"),
  emojiset: chosen("emojiset"),
  demote_inactive_streams: chosen("demote_inactive_streams"),
  user_list_style: chosen("user_list_style"),
  web_animate_image_previews: chosen("web_animate_image_previews"),
  web_stream_unreads_count_display_policy: chosen("web_stream_unreads_count_display_policy"),
  notification_sound: oneOf(word("notification_sound"), ["zulip", "none"]),
  email_notifications_batching_period_seconds: integer("email_notifications_batching_period_seconds", {
    min: 1,
    max: 604_800,
  }),
  desktop_icon_count_display: chosen("desktop_icon_count_display"),
  realm_name_in_email_notifications_policy: chosen("realm_name_in_email_notifications_policy"),
  automatically_follow_topics_policy: chosen("automatically_follow_topics_policy"),
  automatically_unmute_topics_in_muted_streams_policy: chosen("automatically_unmute_topics_in_muted_streams_policy"),
  resolved_topic_notice_auto_read_policy: chosen("resolved_topic_notice_auto_read_policy"),
  email_address_visibility: chosen("email_address_visibility"),
} satisfies {
  readonly [Name in UserSetting as UserSettings[Name] extends boolean ? never : Name]: SettingParam
}

const isOther = (name: string): name is keyof typeof others => Object.hasOwn(others, name)
const paramOf = (name: UserSetting): SettingParam => (isOther(name) ? others[name] : boolean(name))

/** As the longest name that there is. */
const longestZone = 32

/** Empty: not known. */
const timezone = mapped(text("timezone", { max: longestZone }), (name) => {
  const zone = name === "" ? name : findTimeZone(name)
  return zone === undefined
    ? Result.fail(badRequest("Invalid timezone: Not a recognized time zone"))
    : Result.succeed(zone)
})

/** What the user signs in with: another address holds when the link is opened that is mailed there, another password at once. */
const signIn = ["email", "old_password", "new_password"] as const

const params: Readonly<Record<string, Param<string | number | boolean | undefined>>> = Object.fromEntries([
  ...userSettingNames.map((name) => [name, optional(paramOf(name))] as const),
  ["timezone", optional(timezone)] as const,
  ["full_name", optional(text("full_name"))] as const,
  ...signIn.map((name) => [name, optional(text(name))] as const),
])

const refuseUnbuilt = (user: UserRecord, wanted: ReadonlyArray<readonly [UserSetting, Json]>): Checked<undefined> => {
  const [other] = wanted.find(([name, value]) => unbuilt.has(name) && user.settings[name] !== value) ?? []
  return other === undefined
    ? Result.succeed(undefined)
    : Result.fail(badRequest(`The setting '${other}' cannot be changed yet`))
}

/** A password that is asked for without the one before is asked for with a wrong one. Empty ones are none. */
const prepareSignIn = Effect.fnUntraced(function* (caller: Caller, all: Decoded<typeof params>) {
  const [email, old, wanted] = signIn.map((name) => String(all[name] ?? ""))
  if (!email && !old && !wanted) return { address: null, password: null }
  const { realm, user } = yield* requireAccount(caller)
  const address = yield* prepareAddress(caller, realm, user, email ?? "")
  if (!wanted && old) return yield* missingVariable("new_password")
  const password = wanted ? yield* preparePassword(caller, realm, user, { old: old ?? "", wanted }) : null
  return { address, password }
})

export const patchSettings = userEndpoint({
  method: "PATCH",
  path: "/settings",
  summary: "Changes settings of the requester's own.",
  params,
  reply: nothing,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, all) {
    const wanted = userSettingNames.flatMap((name) => {
      const value = all[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    const { timezone: zone, full_name: name } = all
    const { address, password } = yield* prepareSignIn(caller, all)
    yield* submitAs(caller, (realm, actor) =>
      judged(
        Result.gen(function* () {
          yield* refuseUnbuilt(actor, wanted)
          if (password !== null) yield* requirePasswords(realm)
          const named = name === undefined ? [] : yield* planOwnName(realm, actor, String(name))
          // Before the name: the row of a link may refuse, which only the first row of a command can.
          const asked = address === null ? [] : yield* askSteps(realm, actor, address)
          return [...asked, ...named]
        }),
        (steps) => {
          const rows: ReadonlyArray<Step> = [
            ...steps,
            ...(password === null ? [] : [passwordRow(actor.id, password.hash)]),
            // Before the settings: it names the API address, which one of those may change.
            ...(zone === undefined ? [] : timezoneRows(realm, actor, String(zone))),
            ...settingRows(realm, actor, wanted),
          ]
          if (rows.length === 0) return done(undefined)
          return change<void>(rows, {
            answer: () => undefined,
            refused: { often: refused(mailedOften), [stalePassword]: refused(wrongPassword) },
            ...(password === null ? {} : { guard: password.guard }),
          })
        },
      ),
    )
    if (address !== null) yield* wakeMail
    return data()
  }),
})
