/**
 * How changes of the organization itself look on the wire (contract 5.1). A setting is sent under the name that register
 * has it by, without its `realm_`; what clients read together is sent together.
 */
import * as Schema from "effect/Schema"
import type { WireEvent } from "../../events/encode.ts"
import { isStored } from "../../events/event.ts"
import type { Json, JsonObject } from "../../json.ts"
import { shownKind } from "../kinds/event-kind.ts"
import { activeAtRow, none, one, plain } from "../kinds/event-shape.ts"
import { type RealmPayload, realmRows } from "../kinds/realm-row.ts"
import { shownSetting } from "../permissions/group-settings.ts"
import { findOlderPolicy } from "../permissions/permission-settings.ts"
import type { IsActive } from "../realm/rules.ts"
import { GroupSetting } from "../realm/values.ts"

const property = (name: string, value: Json): ReadonlyArray<WireEvent> =>
  one({ type: "realm", op: "update", property: name, value })

const together = (values: JsonObject): ReadonlyArray<WireEvent> =>
  one({ type: "realm", op: "update_dict", property: "default", data: values })

/** The ways to sign in, as register lists them too. */
export const authenticationMethods = (password: boolean, development: boolean): JsonObject => ({
  Email: { enabled: password, available: true },
  ...(development ? { Dev: { enabled: true, available: true } } : {}),
})

const readSetting = Schema.decodeUnknownSync(GroupSetting)

/** Clients who know a permission by an older number are told of that beside it, where the row says that it changed. */
const permission = (name: string, value: GroupSetting, width: number, isActive: IsActive) => {
  const events = together({ [name]: shownSetting(value, isActive) })
  const older = width > 1 ? findOlderPolicy(name) : undefined
  if (older === undefined) return events
  const event = { type: "realm", op: "update", property: older.name, value: older.number(value) }
  return [...events, { n: 1, event }]
}

type Update = Extract<RealmPayload, { readonly op: "update" }>

const setting = (
  { key, value, development = false, rendered = "" }: Update,
  width: number,
  isActive: IsActive,
): ReadonlyArray<WireEvent> => {
  switch (key) {
    case "name":
    case "enable_spectator_access":
    case "new_stream_announcements_stream_id":
    case "moderation_request_channel_id":
    case "message_retention_days":
      return property(key, value)
    case "waiting_period_days":
      return property("waiting_period_threshold", value)
    case "description":
      return together({ description: value, rendered_description: rendered })
    case "topics_policy":
      return together({ topics_policy: value, mandatory_topics: value === "disable_empty_topic" })
    case "password_auth_enabled":
      return together({ authentication_methods: authenticationMethods(value === true, development) })
    // Only who signs in reads it, from the server's settings.
    case "require_email_format_usernames":
      return none
    default:
      return permission(key, readSetting(value), width, isActive)
  }
}

export const realmKind = shownKind(realmRows, {
  // The requester's own rights to create channels stand with the people.
  sections: ["realm", "realm_user"],
  look: ({ activeAt }, read) =>
    plain((body) => {
      const payload = read(body.payload)
      switch (payload.op) {
        case "update":
          return setting(payload, isStored(body) ? body.width : 1, activeAtRow(activeAt, body))
        case "deactivated":
          return one({ type: "realm", op: "deactivated", realm_id: payload.realm_id })
        case "reactivated":
          return none
      }
    }),
})
