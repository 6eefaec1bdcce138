/** Placeholders for the sections of register whose features do not exist yet; the same for everybody. */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../../json.ts"
import { emptySection, type Section, section } from "../../ground/kinds/section.ts"
import { NoItems, NoKeys } from "../../ground/wire/wire-values.ts"

const fieldTypeNames = {
  SHORT_TEXT: "Text (short)",
  LONG_TEXT: "Paragraph",
  SELECT: "List of options",
  DATE: "Date",
  URL: "Link",
  USER: "Users",
  EXTERNAL_ACCOUNT: "External account",
  PRONOUNS: "Pronouns",
}
const fieldTypes: JsonObject = Object.fromEntries(
  Object.entries(fieldTypeNames).map(([type, name], index) => [type, { id: index + 1, name }]),
)

const FieldTypes = Schema.Struct(
  Object.fromEntries(
    Object.keys(fieldTypeNames).map((type, index) => [
      type,
      Schema.Struct({ id: Schema.Literal(index + 1), name: Schema.NonEmptyString }),
    ]),
  ),
)

/** A section with one empty list, or one empty object. `key`: its key in the answer, by default the section's name. */
const emptyList = (name: string, key = name): Section => emptySection(name, { [key]: NoItems }, { [key]: [] })
const emptyObject = (name: string, key = name): Section => emptySection(name, { [key]: NoKeys }, { [key]: {} })

const presence = section(
  "presence",
  {
    presences: NoKeys,
    presence_last_update_id: Schema.Literal(-1),
    /** Unix seconds, with a fraction. */
    server_timestamp: Schema.Finite,
  },
  ({ now }) => ({ presences: {}, presence_last_update_id: -1, server_timestamp: now / 1000 }),
)

export const unbuiltSections: ReadonlyArray<Section> = [
  presence,
  emptySection(
    "custom_profile_fields",
    { custom_profile_fields: NoItems, custom_profile_field_types: FieldTypes },
    { custom_profile_fields: [], custom_profile_field_types: fieldTypes },
  ),
  emptySection("giphy", { giphy_api_key: Schema.String }, { giphy_api_key: "" }),
  emptyList("navigation_views"),
  emptySection(
    "onboarding_steps",
    { onboarding_steps: NoItems, navigation_tour_video_url: Schema.NullOr(Schema.String) },
    { onboarding_steps: [], navigation_tour_video_url: null },
  ),
  emptyObject("push_device", "push_devices"),
  emptyList("realm_embedded_bots"),
  emptyList("realm_incoming_webhook_bots"),
  emptyList("realm_playgrounds"),
  emptySection("video_calls", { has_zoom_token: Schema.Boolean }, { has_zoom_token: false }),
]
