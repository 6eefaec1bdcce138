/** Rows about the organization itself: its settings, and whether it is deactivated. */
import * as Schema from "effect/Schema"
import type { Json } from "../../../json.ts"
import type { Realm } from "../realm/realm.ts"
import { realmSettingNames, withRealmSetting } from "../realm/realm-settings.ts"
import { rowKind } from "./event-kind.ts"

const JsonValue: Schema.Codec<Json> = Schema.Json

/** By the names of the API, such as `Email` and `LDAP`. */
const SignInMethods = Schema.Record(
  Schema.String,
  Schema.Struct({ enabled: Schema.Boolean, available: Schema.Boolean }),
)
export type SignInMethods = typeof SignInMethods.Type

export const RealmPayload = Schema.Union([
  Schema.Struct({
    op: Schema.Literal("update"),
    key: Schema.Literals(realmSettingNames),
    value: JsonValue,
    /** With `password_auth_enabled` and `ldap_auth_enabled`: all ways to sign in, as they are after the commit. */
    methods: Schema.optionalKey(SignInMethods),
    /** In rows of older programs instead: whether signing in without a password (development mode) is possible, too. */
    development: Schema.optionalKey(Schema.Boolean),
    /** With `description`: its HTML, rendered when the row was written. */
    rendered: Schema.optionalKey(Schema.String),
  }),
  Schema.Struct({ op: Schema.Literal("deactivated"), realm_id: Schema.Number }),
  Schema.Struct({ op: Schema.Literal("reactivated") }),
])
export type RealmPayload = typeof RealmPayload.Type

const applyToProjection = (realm: Realm, payload: RealmPayload): void => {
  if (payload.op === "update") realm.setSettings(withRealmSetting(realm.settings, payload.key, payload.value))
  else realm.setDeactivated(payload.op === "deactivated")
}

export const realmRows = rowKind({
  type: "realm",
  payload: RealmPayload,
  changesRules: true,
  applyFunction: "apply_realm_v1",
  applyToProjection,
  shutsOut: ({ op }) => (op === "deactivated" ? { who: "everybody", reason: "realm-deactivated" } : undefined),
})
