/** The event that somebody is there, or is there no more, in the three shapes that clients know. */
import * as Schema from "effect/Schema"
import type { ClientRendering } from "../../../events/encode.ts"
import type { JsonObject } from "../../../json.ts"
import { wireKind } from "../../ground/kinds/event-kind.ts"
import { noEvents, oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { strangersTo } from "../../ground/wire/receivers-who-do-not-know.ts"
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

type PresenceShape = "simplified" | "slim" | "by address"

const shapeOf = ({ simplifiedPresence, slimPresence }: ClientRendering): PresenceShape => {
  if (simplifiedPresence) return "simplified"
  return slimPresence ? "slim" : "by address"
}

const wirePresence = (payload: PresencePayload, shape: PresenceShape): JsonObject => {
  const { user_id, email, at } = payload
  if (shape === "simplified") return { type, presences: { [user_id]: newerForm(payload, payload) } }
  const presence = { website: olderClient(payload, payload) }
  const common = { type, user_id, server_timestamp: at / 1000, presence }
  return shape === "slim" ? common : { ...common, email }
}

export const presenceKind = wireKind(presenceRows, {
  events: {
    "": Schema.Union([
      plainEvent(type, { ...older, email: Address }),
      plainEvent(type, older),
      plainEvent(type, { presences: NewerPresences }),
    ]),
  },
  sections: [type],
  wireForm: (past, read) => {
    const strangers = strangersTo(past, ({ payload }) => ({ user: read(payload).user_id }))
    return {
      personal: true,
      apart: strangers.to,
      variant: (body, receiver) => (strangers.isStranger(body, receiver) ? "?" : shapeOf(receiver.rendering)),
      wire: (body, receiver) =>
        strangers.isStranger(body, receiver)
          ? noEvents
          : oneEvent(wirePresence(read(body.payload), shapeOf(receiver.rendering))),
    }
  },
})
