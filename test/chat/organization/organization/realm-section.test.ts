import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { readRealmSettings } from "../../../../src/chat/ground/realm/realm-settings.ts"
import { realmFields } from "../../../../src/chat/organization/organization/realm-section.ts"
import { config, joined, makeRealm, origin } from "../../../kit/hand-made-realm.ts"
import { realmKeys } from "../../../kit/realm-keys.ts"

t.test("the realm section has every key that clients know and no other", async (t) => {
  const section = realmFields(makeRealm(), config, origin)
  t.strictSame(Object.keys(section).sort(), [...realmKeys].sort())
  t.strictSame(
    Object.entries(section).filter(([, value]) => value === undefined),
    [],
  )
})

t.test("the realm section tells what the server does", async (t) => {
  const section = realmFields(makeRealm(), config, origin)
  t.match(section, {
    realm_name: "Elsinore",
    realm_description: "A castle & more",
    realm_url: origin,
    realm_uri: origin,
    max_topic_length: 50,
    server_typing_started_wait_period_milliseconds: 11_000,
    event_queue_longpoll_timeout_seconds: 90,
    realm_date_created: joined / 1000,
    realm_empty_topic_display_name: "general chat",
    realm_mandatory_topics: false,
    realm_presence_disabled: false,
    max_file_upload_size_mib: 25,
    development_environment: false,
    realm_can_create_public_channel_group: systemGroups["role:members"],
    realm_can_access_all_users_group: systemGroups["role:everyone"],
    realm_can_invite_users_group: systemGroups["role:members"],
    realm_create_public_stream_policy: 1,
  })
  t.notOk(Object.hasOwn(Object(section["realm_authentication_methods"]), "Dev"))
  const development = realmFields(makeRealm(), { ...config, mode: "development" }, origin)
  t.ok(Object.hasOwn(Object(development["realm_authentication_methods"]), "Dev"))

  const strict = readRealmSettings({
    topics_policy: "disable_empty_topic",
    waiting_period_days: 3,
    can_create_public_channel_group: systemGroups["role:moderators"],
    can_add_subscribers_group: { direct_members: [2], direct_subgroups: [5] },
  })
  t.match(realmFields(makeRealm(strict), config, origin), {
    realm_topics_policy: "disable_empty_topic",
    realm_mandatory_topics: true,
    realm_waiting_period_threshold: 3,
    realm_can_create_public_channel_group: systemGroups["role:moderators"],
    realm_create_public_stream_policy: 4,
    realm_can_add_subscribers_group: { direct_members: [2], direct_subgroups: [5] },
    realm_date_created: joined / 1000,
  })
  const open = readRealmSettings({ enable_spectator_access: true, password_auth_enabled: false })
  t.match(realmFields(makeRealm(open), config, origin), {
    realm_enable_spectator_access: true,
    realm_authentication_methods: { Email: { enabled: false, available: true } },
    realm_email_auth_enabled: false,
    realm_password_auth_enabled: false,
  })
  t.match(section, {
    realm_enable_spectator_access: false,
    realm_authentication_methods: { Email: { enabled: true, available: true } },
    realm_email_auth_enabled: true,
    realm_password_auth_enabled: true,
  })
})
