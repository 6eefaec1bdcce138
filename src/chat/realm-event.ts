/**
 * How changes of the organization itself look on the wire (contract 5.1). A setting is sent under the name that register
 * has it by, without its `realm_`; what clients read together is sent together.
 */
import type { EventType, WireEvent } from "../events/encode.ts"
import type { Json, JsonObject } from "../json.ts"
import { none, one, plain } from "./event-shape.ts"
import { type RealmPayload, readRealm } from "./records.ts"

const property = (name: string, value: Json): ReadonlyArray<WireEvent> =>
  one({ type: "realm", op: "update", property: name, value })

const together = (values: JsonObject): ReadonlyArray<WireEvent> =>
  one({ type: "realm", op: "update_dict", property: "default", data: values })

/** The ways to sign in, as register lists them too. */
export const authenticationMethods = (password: boolean, development: boolean): JsonObject => ({
  Email: { enabled: password, available: true },
  ...(development ? { Dev: { enabled: true, available: true } } : {}),
})

type Update = Extract<RealmPayload, { readonly op: "update" }>

const setting = ({ key, value, development = false, rendered = "" }: Update): ReadonlyArray<WireEvent> => {
  switch (key) {
    case "name":
    case "enable_spectator_access":
      return property(key, value)
    case "waiting_period_days":
      return property("waiting_period_threshold", value)
    case "description":
      return together({ description: value, rendered_description: rendered })
    case "topics_policy":
      return together({ topics_policy: value, mandatory_topics: value === "disable_empty_topic" })
    case "password_auth_enabled":
      return together({ authentication_methods: authenticationMethods(value === true, development) })
    case "can_create_public_channel_group":
    case "can_create_private_channel_group":
    case "can_add_subscribers_group":
    case "direct_message_initiator_group":
    case "direct_message_permission_group":
      return together({ [key]: value })
    // Only who signs in reads it, from the server's settings.
    case "require_email_format_usernames":
      return none
  }
}

export const realmEvent: EventType = plain((body) => {
  const payload = readRealm(body.payload)
  switch (payload.op) {
    case "update":
      return setting(payload)
    case "deactivated":
      return one({ type: "realm", op: "deactivated", realm_id: payload.realm_id })
    case "reactivated":
      return none
  }
})
