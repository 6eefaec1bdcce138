import t from "tap"
import { wireServerSettings } from "../../../../src/chat/organization/organization/server-settings.ts"
import { config, makeRealm, origin } from "../../../kit/hand-made-realm.ts"

t.test("server settings, with and without an organization", async (t) => {
  const served = wireServerSettings(makeRealm(), config, origin)
  t.match(served, {
    zulip_version: "11.0-dev",
    zulip_merge_base: "11.0-dev",
    zulip_feature_level: 417,
    authentication_methods: { password: true, dev: false },
    external_authentication_methods: [],
    email_auth_enabled: true,
    require_email_format_usernames: true,
    realm_url: origin,
    realm_uri: origin,
    realm_name: "Elsinore",
    realm_icon: /^https:/,
    realm_description: "<p>A castle &amp; more</p>",
    realm_web_public_access_enabled: false,
  })
  const unserved = wireServerSettings(null, { ...config, mode: "development" }, origin)
  t.match(unserved, { authentication_methods: { dev: true }, zulip_version: "11.0-dev" })
  t.strictSame(
    Object.keys(unserved).filter((key) => key.startsWith("realm_")),
    [],
  )
})
