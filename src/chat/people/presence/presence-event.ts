/** The event that somebody is there, or is there no more, in the three shapes that clients know. */
import * as Schema from "effect/Schema"
import type { Rendering } from "../../../events/encode.ts"
import type { JsonObject } from "../../../json.ts"
import { shownKind } from "../../ground/kinds/event-kind.ts"
import { none, one } from "../../ground/kinds/event-shape.ts"
import { strangersTo } from "../../ground/wire/strangers.ts"
import { Address, Id, plainEvent } from "../../ground/wire/wire-values.ts"
import { NewerPresences, newerForm, OlderClient, olderClient } from "./presence-forms.ts"
import { type PresencePayload, presenceRows } from "./presence-row.ts"

const type = "presence"

const older = {
  user_id: Id,
  /** Unix seconds, with a fraction. */
  server_timestamp: Schema.Finite,
  presence: Schema.Struct({ website: OlderClient }),
}

type Shape = "simplified" | "slim" | "by address"

const shapeOf = ({ simplifiedPresence, slimPresence }: Rendering): Shape => {
  if (simplifiedPresence) return "simplified"
  return slimPresence ? "slim" : "by address"
}

const wirePresence = (payload: PresencePayload, shape: Shape): JsonObject => {
  const { user_id, email, at } = payload
  if (shape === "simplified") return { type, presences: { [user_id]: newerForm(payload, payload) } }
  const presence = { website: olderClient(payload, payload) }
  const common = { type, user_id, server_timestamp: at / 1000, presence }
  return shape === "slim" ? common : { ...common, email }
}

export const presenceKind = shownKind(presenceRows, {
  events: {
    "": Schema.Union([
      plainEvent(type, { ...older, email: Address }),
      plainEvent(type, older),
      plainEvent(type, { presences: NewerPresences }),
    ]),
  },
  sections: [type],
  look: (past, read) => {
    const strangers = strangersTo(past, ({ payload }) => ({ user: read(payload).user_id }))
    return {
      personal: true,
      apart: strangers.to,
      variant: (body, receiver) => (strangers.isStranger(body, receiver) ? "?" : shapeOf(receiver.rendering)),
      wire: (body, receiver) =>
        strangers.isStranger(body, receiver)
          ? none
          : one(wirePresence(read(body.payload), shapeOf(receiver.rendering))),
    }
  },
})
