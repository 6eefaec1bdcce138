/** The Schema of the answer of register: the keys of every register, and those of the sections. */
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import type { Section } from "../../ground/kinds/section.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { versionKeys } from "../../organization/organization/server-settings.ts"

/** The keys of every register; `visitorKeys`: those that differ for a visitor, who has no queue. */
export const everyRegister: Pick<Section, "keys" | "visitorKeys"> = {
  keys: {
    ...versionKeys,
    queue_id: Schema.NonEmptyString,
    /** -1 if the log is empty. */
    last_event_id: Schema.Int.check(Schema.isGreaterThanOrEqualTo(-1)),
    idle_queue_timeout_secs: Id,
  },
  visitorKeys: { queue_id: Schema.Null, last_event_id: Schema.Literal(-1) },
}

/** The keys of all sections, each optional because a client gets only the sections that it asks for. */
const asked = (sections: ReadonlyArray<Section>, of: (section: Section) => WireKeys): WireKeys =>
  Object.fromEntries(
    sections.flatMap((section) => Object.entries(of(section)).map(([key, value]) => [key, Schema.optionalKey(value)])),
  )

/** The answer for an account or for a visitor; the latter has `queue_id` null. */
export const registerReply = (sections: ReadonlyArray<Section>) => {
  const { keys, visitorKeys } = everyRegister
  return Schema.Union([
    Schema.Struct({ ...asked(sections, (section) => section.keys), ...keys }),
    Schema.Struct({
      ...asked(sections, (section) => ({ ...section.keys, ...section.visitorKeys })),
      ...keys,
      ...visitorKeys,
    }),
  ])
}
