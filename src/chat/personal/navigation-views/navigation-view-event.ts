/**
 * Views in a user's navigation as rows, as events, and as a section of register. Only the database holds them. A view is known
 * by its fragment, and a row of a change says only what it changes, so no such row is made from an older state of the view.
 */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import type { ReadSection } from "../../ground/kinds/section.ts"
import { opEvent } from "../../ground/wire/wire-values.ts"

const type = "navigation_view"

export const mostViews = 100

const Fragment = Schema.NonEmptyString
export const NavigationView = Schema.Struct({
  fragment: Fragment,
  is_pinned: Schema.Boolean,
  /** null: one of those that every client knows by its own name. */
  name: Schema.NullOr(Schema.NonEmptyString),
})
const Changed = Schema.Struct({
  is_pinned: Schema.optionalKey(Schema.Boolean),
  name: Schema.optionalKey(Schema.NonEmptyString),
})

const Payload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), ...NavigationView.fields }),
  Schema.Struct({ op: Schema.Literal("update"), fragment: Fragment, data: Changed }),
  Schema.Struct({ op: Schema.Literal("remove"), fragment: Fragment }),
])
type Payload = typeof Payload.Type

export const navigationViewKind = eventKind({
  type,
  payload: Payload,
  changesRules: false,
  applyFunction: "apply_navigation_view_v1",
  sections: ["navigation_views"],
  events: {
    add: opEvent(type, "add", { navigation_view: NavigationView }),
    update: opEvent(type, "update", { fragment: Fragment, data: Changed }),
    remove: opEvent(type, "remove", { fragment: Fragment }),
  },
  wire: (row) => {
    if (row.op === "remove") return oneEvent({ type, op: row.op, fragment: row.fragment })
    if (row.op === "update") return oneEvent({ type, op: row.op, fragment: row.fragment, data: { ...row.data } })
    const { fragment, is_pinned, name } = row
    return oneEvent({ type, op: row.op, navigation_view: { fragment, is_pinned, name } })
  },
})

/** Refused with "taken", "full", "gone", or with "same" where there is nothing to change. */
export const viewRow = (user: UserId, payload: Payload) =>
  navigationViewKind.change(payload, toUsers([user]), { sideData: { user_id: user, most: mostViews } })

const readViews = Schema.decodeUnknownSync(Schema.Array(NavigationView))

export const navigationViewSection: ReadSection = {
  name: "navigation_views",
  keys: { navigation_views: Schema.Array(NavigationView) },
  stored: "section_navigation_views_v1",
  read: (stored) => ({ navigation_views: readViews(stored) }),
  visitor: { navigation_views: [] },
}
