/**
 * GET /server_settings: what a client must know before anybody signs in (contract 3.11). Also the home of the version
 * that this server announces.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Config, type ConfigShape } from "../../config.ts"
import { data, openEndpoint } from "../../endpoint.ts"
import type { JsonObject } from "../../json.ts"
import { renderMarkdown } from "../markdown/markdown.ts"
import { gravatarUrl } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import { readRealmSettings } from "../realm/realm-settings.ts"
import { Realms } from "../realm/realms.ts"
import { NoItems, Url } from "../wire/wire-values.ts"

/** Clients choose the shapes that they expect by these. */
export const serverVersion = {
  zulip_version: "11.0-dev",
  zulip_merge_base: "11.0-dev",
  zulip_feature_level: 417,
} as const

/** As every register tells of it, too. */
export const versionKeys = {
  zulip_version: Schema.NonEmptyString,
  zulip_merge_base: Schema.NonEmptyString,
  zulip_feature_level: Schema.Literal(417),
}

/** Where the organization's icon is found; made from its host, so that two organizations look different. */
export const iconUrl = (realm: Realm): string => gravatarUrl(realm.host, 1)

/** Ways to sign in, by their older names. */
const authenticationMethods = (password: boolean, config: ConfigShape): JsonObject => ({
  password,
  email: password,
  dev: config.mode === "development",
  ldap: false,
  remoteuser: false,
  github: false,
  gitlab: false,
  google: false,
  azuread: false,
  apple: false,
  saml: false,
  "openid connect": false,
})

/** `realm` is null where no organization is served; what it would decide is then as a new one has it. */
export const wireServerSettings = (realm: Realm | null, config: ConfigShape, origin: string): JsonObject => {
  const settings = realm?.settings ?? readRealmSettings({})
  return {
    ...serverVersion,
    authentication_methods: authenticationMethods(settings.password_auth_enabled, config),
    external_authentication_methods: [],
    push_notifications_enabled: false,
    is_incompatible: false,
    email_auth_enabled: settings.password_auth_enabled,
    require_email_format_usernames: settings.require_email_format_usernames,
    ...(realm === null
      ? {}
      : {
          realm_url: origin,
          realm_uri: origin,
          realm_name: settings.name,
          realm_icon: iconUrl(realm),
          realm_description: renderMarkdown(settings.description),
          realm_web_public_access_enabled: config.webPublicChannels && settings.enable_spectator_access,
        }),
  }
}

const ofRealm = {
  realm_url: Url,
  realm_uri: Url,
  realm_name: Schema.NonEmptyString,
  realm_icon: Url,
  realm_description: Schema.String,
  realm_web_public_access_enabled: Schema.Boolean,
}

/** By their older names. */
const WaysToSignIn = Schema.Struct({
  password: Schema.Boolean,
  email: Schema.Boolean,
  dev: Schema.Boolean,
  ldap: Schema.Literal(false),
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

/** With all of the organization, or without any of it where none is served. */
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
    return data(wireServerSettings(runtime?.realm ?? null, config, visitor.origin))
  }),
})
