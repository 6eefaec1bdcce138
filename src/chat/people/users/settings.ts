/**
 * PATCH /settings: the requester changes settings of their own, all that the request names or none. Every setting that
 * register shows is a parameter. Its older twins take the settings that older clients know, each its half.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, missingVariable } from "../../../api/errors.ts"
import { type Decoded, keyword, mapped, optional, type Param, text } from "../../../api/params.ts"
import { change, done, judgementOf, refused } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import { userSettingNames } from "../../ground/realm/user-settings.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { wakeMail } from "../../sending/mail/mail.ts"
import { planOwnName } from "../profile-data/full-names.ts"
import { passwordRow } from "./account-kinds.ts"
import { askSteps, mailedOften, prepareAddress } from "./new-address.ts"
import { preparePassword, requirePasswords, stalePassword, wrongPassword } from "./own-password.ts"
import { settingRows, timezoneRows } from "./setting-rows.ts"
import { settingParam } from "./settings/settings-params.ts"
import { displaySettings, notificationSettings } from "./settings/settings-schema.ts"
import { findTimeZone } from "./time-zones.ts"

/** As the longest name that there is. */
const longestZone = 32

/** Empty: not known. */
const timezone = mapped(keyword("timezone", { max: longestZone }), (name) => {
  const zone = name === "" ? name : findTimeZone(name)
  return zone === undefined
    ? Result.fail(badRequest("Invalid timezone: Not a recognized time zone"))
    : Result.succeed(zone)
})

/** What the user signs in with: another address holds when the link is opened that is mailed there, another password at once. */
const signIn = ["email", "old_password", "new_password"] as const

type SettingParams = Readonly<Record<string, Param<string | number | boolean | undefined>>>

/** The parameters of all settings, or of those that a table has. */
const settingParams = (only?: object): SettingParams =>
  Object.fromEntries(
    [
      ...userSettingNames.map((name) => [name, optional(settingParam(name))] as const),
      ["timezone", optional(timezone)] as const,
    ].filter(([name]) => only === undefined || Object.hasOwn(only, name)),
  )

const params: SettingParams = {
  ...settingParams(),
  full_name: optional(text("full_name")),
  ...Object.fromEntries(signIn.map((name) => [name, optional(text(name))])),
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

const changeSettings = Effect.fnUntraced(function* (
  caller: Caller,
  { params: all }: { readonly params: Decoded<SettingParams> },
) {
  const wanted = userSettingNames.flatMap((name) => {
    const value = all[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { timezone: zone, full_name: name } = all
  const { address, password } = yield* prepareSignIn(caller, all)
  yield* submitAs(caller, (realm, actor) =>
    judgementOf(
      Result.gen(function* () {
        if (password !== null) yield* requirePasswords(realm)
        const named = name === undefined ? [] : yield* planOwnName(realm, actor, String(name))
        // Before the name: the row of a link may refuse, which only the first row of a command can.
        const asked = address === null ? [] : yield* askSteps(realm, actor, address)
        return [...asked, ...named]
      }),
      (steps) => {
        const rows: ReadonlyArray<CommandStep> = [
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
  return dataReply()
})

const patchSettings = userEndpoint({
  method: "PATCH",
  path: "/settings",
  fresh: "onRefusal",
  summary: "Changes settings of the requester's own.",
  params,
  reply: noFields,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: changeSettings,
})

const patchDisplay = userEndpoint({
  method: "PATCH",
  path: "/settings/display",
  fresh: "onRefusal",
  summary: "Changes what the requester's clients look like. Older clients call it; PATCH /settings takes the same.",
  params: settingParams(displaySettings),
  reply: noFields,
  errors: [],
  run: changeSettings,
})

const patchNotifications = userEndpoint({
  method: "PATCH",
  path: "/settings/notifications",
  fresh: "onRefusal",
  summary: "Changes what the requester is notified of. Older clients call it; PATCH /settings takes the same.",
  params: settingParams(notificationSettings),
  reply: noFields,
  errors: [],
  run: changeSettings,
})

export const settingsEndpoints = [patchSettings, patchDisplay, patchNotifications]
