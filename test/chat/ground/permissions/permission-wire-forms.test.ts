/** The permissions of the organization as register shows them. */
import * as Schema from "effect/Schema"
import t from "tap"
import { channelPermissions } from "../../../../src/chat/ground/realm/records.ts"
import { realmFields } from "../../../../src/chat/organization/organization/realm-section.ts"
import { config, makeRealm, origin, words } from "../../../kit/hand-made-realm.ts"
import { realmKeys } from "../../../kit/realm-keys.ts"

t.test("permissions that groups can hold are described, each of them", async (t) => {
  const section = realmFields(makeRealm(), config, origin)
  const kinds = Schema.decodeUnknownSync(
    Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))),
  )(section["server_supported_permission_settings"])
  t.strictSame(Object.keys(kinds).sort(), ["group", "realm", "stream"])
  t.strictSame(Object.keys(kinds["stream"] ?? {}).sort(), [...channelPermissions].sort())
  const realmSettings = Object.keys(kinds["realm"] ?? {}).map((name) => `realm_${name}`)
  t.strictSame(
    realmSettings.sort(),
    realmKeys.filter((key) => key.endsWith("_group") || /^realm_can_\w+_groups$/.test(key)).sort(),
  )
  const description = words(`allow_everyone_group allow_internet_group allow_nobody_group allowed_system_groups
    default_for_system_groups default_group_name require_system_group`)
  for (const [kind, settings] of Object.entries(kinds)) {
    for (const [name, setting] of Object.entries(settings)) {
      t.strictSame(Object.keys(setting).sort(), description, `${kind} ${name}`)
    }
  }
})
