/**
 * PATCH /realm/user_settings_defaults: administrators say with which settings new accounts begin, however they are made. Accounts
 * that there are keep theirs. The language that they begin with is a setting of PATCH /realm.
 */

import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { WireSchema } from "../../../../api/endpoint.ts"
import { dataReply, noFields, userEndpoint } from "../../../../api/endpoint.ts"
import { optional, type Param } from "../../../../api/params.ts"
import { toRealm } from "../../../../events/audience.ts"
import { change, done, judgementOf } from "../../../../events/command.ts"
import type { Json } from "../../../../json.ts"
import { eventKind } from "../../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../../ground/kinds/event-kind-helpers.ts"
import { mayChangeRealm, ranksTooLow } from "../../../ground/permissions/permissions.ts"
import { firstUserSettings } from "../../../ground/realm/realm-settings.ts"
import { presentValue, userSettingNames } from "../../../ground/realm/user-settings.ts"
import { submitAs } from "../../../ground/requester/submit.ts"
import { opEvent } from "../../../ground/wire/wire-values.ts"
import { settingParam } from "./settings-params.ts"
import { userSettings } from "./settings-schema.ts"

const JsonValue: Schema.Codec<Json> = Schema.Json

/** Rows about the language only inform: it is a setting of the organization. */
export const settingsDefaultsKind = eventKind({
  type: "realm_user_settings_defaults",
  payload: Schema.Struct({ property: Schema.Literals(userSettingNames), value: JsonValue }),
  // Accounts are made by them.
  changesRules: true,
  applyFunction: "apply_realm_user_settings_defaults_v1",
  applyToProjection: (realm, { property, value }) => {
    const user_defaults = { ...realm.settings.user_defaults, [property]: value }
    realm.setSettings({ ...realm.settings, user_defaults })
  },
  events: {
    update: Schema.Union(
      Object.entries<WireSchema>(userSettings).map(([property, value]) =>
        opEvent("realm_user_settings_defaults", "update", { property: Schema.Literal(property), value }),
      ),
    ),
  },
  sections: ["realm_user_settings_defaults"],
  wire: ({ property, value }) =>
    oneEvent({
      type: "realm_user_settings_defaults",
      op: "update",
      property,
      value: presentValue(property, value),
    }),
})

/** Whether what is private to somebody may be exported nobody says for them: everybody allows it themselves, or does not. */
const notSettable: ReadonlyArray<string> = ["default_language", "allow_private_data_export"]
const settable = userSettingNames.filter((name) => !notSettable.includes(name))

const params: Readonly<Record<string, Param<string | number | boolean | undefined>>> = Object.fromEntries(
  settable.map((name) => [name, optional(settingParam(name))]),
)

export const patchSettingsDefaults = userEndpoint({
  method: "PATCH",
  path: "/realm/user_settings_defaults",
  fresh: "onRefusal",
  summary: "Changes the settings with which new accounts begin.",
  params,
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: wanted }) {
    yield* submitAs(caller, (realm, actor) =>
      judgementOf(mayChangeRealm(actor) ? Result.succeed(undefined) : Result.fail(ranksTooLow(actor)), () => {
        const present = firstUserSettings(realm.settings)
        const rows = settable.flatMap((property) => {
          const value = wanted[property]
          return value === undefined || value === present[property]
            ? []
            : [settingsDefaultsKind.change({ property, value }, toRealm)]
        })
        return rows.length === 0 ? done(undefined) : change<void>(rows, { answer: () => undefined })
      }),
    )
    return dataReply()
  }),
})
