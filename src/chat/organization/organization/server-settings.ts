/**
 * GET /server_settings: what a client must know before its user signs in. Also defines the version that this server
 * announces.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, openEndpoint } from "../../../api/endpoint.ts"
import { Config, type ConfigShape } from "../../../config/config.ts"
import type { JsonObject } from "../../../json.ts"
import { iconOf } from "../../ground/faces/face-urls.ts"
import { isOpenToVisitors } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type RealmSettings, readRealmSettings } from "../../ground/realm/realm-settings.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { mayAskDirectory, mayUsePasswords, mustBeAddress } from "../../ground/sign-in/password-sign-in.ts"
import { NoItems, PictureUrl, Url } from "../../ground/wire/wire-values.ts"
import { renderText } from "../../text/markdown/render-text.ts"

/** Clients decide by these which forms of requests and answers to use. */
export const serverVersion = {
  zulip_version: "11.0-dev",
  zulip_merge_base: "11.0-dev",
  zulip_feature_level: 417,
} as const

/** The Schemas of the version, here and in every register. */
export const versionKeys = {
  zulip_version: Schema.NonEmptyString,
  zulip_merge_base: Schema.NonEmptyString,
  zulip_feature_level: Schema.Literal(417),
}

/** The ways to sign in by their older names, each on or off. */
const authenticationMethods = (settings: RealmSettings, config: ConfigShape): JsonObject => ({
  password: mayUsePasswords(settings, config),
  email: settings.password_auth_enabled,
  dev: config.mode === "development",
  ldap: mayAskDirectory(settings, config),
  remoteuser: false,
  github: false,
  gitlab: false,
  google: false,
  azuread: false,
  apple: false,
  saml: false,
  "openid connect": false,
})

/** `realm`: null if the host serves no organization; its settings then have the defaults of a new one. */
export const wireServerSettings = (realm: Realm | null, config: ConfigShape, origin: string): JsonObject => {
  const settings = realm?.settings ?? readRealmSettings({})
  return {
    ...serverVersion,
    authentication_methods: authenticationMethods(settings, config),
    external_authentication_methods: [],
    push_notifications_enabled: false,
    is_incompatible: false,
    email_auth_enabled: settings.password_auth_enabled,
    require_email_format_usernames: mustBeAddress(settings, config),
    ...(realm === null
      ? {}
      : {
          realm_url: origin,
          realm_uri: origin,
          realm_name: settings.name,
          realm_icon: iconOf(realm, settings.icon).icon_url,
          realm_description: renderText(realm, isOpenToVisitors, settings.description),
          realm_web_public_access_enabled: config.webPublicChannels && settings.enable_spectator_access,
        }),
  }
}

const ofRealm = {
  realm_url: Url,
  realm_uri: Url,
  realm_name: Schema.NonEmptyString,
  realm_icon: PictureUrl,
  realm_description: Schema.String,
  realm_web_public_access_enabled: Schema.Boolean,
}

/** The Schema of the ways to sign in by their older names. */
const WaysToSignIn = Schema.Struct({
  password: Schema.Boolean,
  email: Schema.Boolean,
  dev: Schema.Boolean,
  ldap: Schema.Boolean,
  remoteuser: Schema.Literal(false),
  github: Schema.Literal(false),
  gitlab: Schema.Literal(false),
  google: Schema.Literal(false),
  azuread: Schema.Literal(false),
  apple: Schema.Literal(false),
  saml: Schema.Literal(false),
  "openid connect": Schema.Literal(false),
})

const common = {
  ...versionKeys,
  authentication_methods: WaysToSignIn,
  external_authentication_methods: NoItems,
  push_notifications_enabled: Schema.Boolean,
  is_incompatible: Schema.Boolean,
  email_auth_enabled: Schema.Boolean,
  require_email_format_usernames: Schema.Boolean,
}

/** With all fields of the organization, or with none of them if the host serves no organization. */
const ServerSettings = Schema.Union([Schema.Struct({ ...common, ...ofRealm }), Schema.Struct(common)])

export const getServerSettings = openEndpoint({
  method: "GET",
  path: "/server_settings",
  summary: "The server's version and ways to sign in, and the organization that is served at this host.",
  params: {},
  reply: ServerSettings,
  errors: [],
  run: Effect.fnUntraced(function* (visitor) {
    const config = yield* Config
    const realms = yield* Realms
    const runtime = visitor.realm === null ? null : yield* realms.get(visitor.realm)
    return dataReply(wireServerSettings(runtime?.realm ?? null, config, visitor.origin))
  }),
})
