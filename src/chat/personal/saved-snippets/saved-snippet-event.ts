/** Saved snippets: their records, rows and events, and their section of register (contract 2.19, 5.1). */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { asRow, one } from "../../ground/kinds/event-shape.ts"
import type { ReadSection } from "../../ground/kinds/section.ts"
import { unixSeconds } from "../../ground/realm/values.ts"
import { Id, opEvent, Seconds } from "../../ground/wire/wire-values.ts"

/** A snippet's id: the position of the row that made it. */
export type SnippetId = Brand.Branded<number, "SnippetId">
export const SnippetId = Brand.nominal<SnippetId>()
const id = Schema.Number.pipe(Schema.fromBrand("SnippetId", SnippetId))

const texts = { title: Schema.NonEmptyString, content: Schema.NonEmptyString }
const snippet = { id, ...texts, date_created: Seconds }

/** Decodes the list that the database answers. `version`: the position of the newest row about the snippet. */
export const readSnippets = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ ...snippet, version: Schema.Number })),
)

const Payload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), ...texts }),
  /** The whole snippet after the change. `based_on`: the version that the change was made from. */
  Schema.Struct({ op: Schema.Literal("update"), ...snippet, based_on: Schema.Number }),
  Schema.Struct({ op: Schema.Literal("remove"), id }),
])

const WireSnippet = Schema.Struct({ ...snippet, id: Id })
const type = "saved_snippets"

/** Events for the owner alone; no other command depends on a snippet. */
export const savedSnippetKind = eventKind({
  type,
  payload: Payload,
  changesRules: false,
  table: "apply_saved_snippets_v1",
  sections: ["saved_snippets"],
  events: {
    add: opEvent(type, "add", { saved_snippet: WireSnippet }),
    update: opEvent(type, "update", { saved_snippet: WireSnippet }),
    remove: opEvent(type, "remove", { saved_snippet_id: Id }),
  },
  wire: (payload, body) => {
    if (payload.op === "remove") return one({ type, op: "remove", saved_snippet_id: payload.id })
    const { title, content } = payload
    const { position, at } = asRow(body)
    const { id, date_created } = payload.op === "add" ? { id: position, date_created: unixSeconds(at) } : payload
    return one({ type, op: payload.op, saved_snippet: { id, title, content, date_created } })
  },
})

/** The most snippets of a user: each register of the user carries all of them. */
export const mostSnippets = 50

/** The row of a change of a user's snippet. */
export const snippetRow = (user: UserId, payload: typeof Payload.Type) =>
  savedSnippetKind.change(payload, toUsers([user]), { beside: { user_id: user, most: mostSnippets } })

export const savedSnippetsSection: ReadSection = {
  name: "saved_snippets",
  keys: { saved_snippets: Schema.Array(WireSnippet) },
  stored: "section_saved_snippets_v1",
  read: (value) => ({ saved_snippets: readSnippets(value).map(({ version: _version, ...snippet }) => snippet) }),
  visitor: { saved_snippets: [] },
}
