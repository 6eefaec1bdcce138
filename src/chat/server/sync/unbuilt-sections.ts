/** Placeholders for the sections of register whose features do not exist yet; the same for everybody. */
import * as Schema from "effect/Schema"
import { emptySection, type Section } from "../../ground/kinds/section.ts"
import { NoItems, NoKeys } from "../../ground/wire/wire-values.ts"

/** A section with one empty list, or one empty object. `key`: its key in the answer, by default the section's name. */
const emptyList = (name: string, key = name): Section => emptySection(name, { [key]: NoItems }, { [key]: [] })
const emptyObject = (name: string, key = name): Section => emptySection(name, { [key]: NoKeys }, { [key]: {} })

export const unbuiltSections: ReadonlyArray<Section> = [
  emptySection("giphy", { giphy_api_key: Schema.String }, { giphy_api_key: "" }),
  emptyObject("push_device", "push_devices"),
  emptyList("realm_embedded_bots"),
  emptyList("realm_incoming_webhook_bots"),
  emptySection("video_calls", { has_zoom_token: Schema.Boolean }, { has_zoom_token: false }),
]
