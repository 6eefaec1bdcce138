/** Saved snippets as the database holds them, as rows, as events, and as a section of register (contract 2.19, 5.1). */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { toUsers } from "../../events/audience.ts"
import type { UserId } from "../../ids.ts"
import { eventKind } from "../kinds/event-kind.ts"
import { asRow, one } from "../kinds/event-shape.ts"
import type { StoredSection } from "../kinds/section.ts"
import { unixSeconds } from "../realm/values.ts"
import { Id, opEvent, Seconds } from "../wire/wire-values.ts"

/** A snippet's id: the position of the row that made it. */
export type SnippetId = Brand.Branded<number, "SnippetId">
export const SnippetId = Brand.nominal<SnippetId>()
const id = Schema.Number.pipe(Schema.fromBrand("SnippetId", SnippetId))

const texts = { title: Schema.NonEmptyString, content: Schema.NonEmptyString }
const snippet = { id, ...texts, date_created: Seconds }

/** As the database answers. `version`: the position of the newest row about the snippet. */
export const readSnippets = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ ...snippet, version: Schema.Number })),
)

const Payload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), ...texts }),
  /** The whole snippet as it is from here on. `based_on`: the version that it was made from. */
  Schema.Struct({ op: Schema.Literal("update"), ...snippet, based_on: Schema.Number }),
  Schema.Struct({ op: Schema.Literal("remove"), id }),
])

const WireSnippet = Schema.Struct({ ...snippet, id: Id })
const type = "saved_snippets"

/** Told to the owner alone, and nobody else is judged by it. */
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

/** All of them are sent with each register of their owner. */
export const mostSnippets = 50

/** A row about one of a user's snippets. */
export const snippetRow = (user: UserId, payload: typeof Payload.Type) =>
  savedSnippetKind.change(payload, toUsers([user]), { beside: { user_id: user, most: mostSnippets } })

export const savedSnippetsSection: StoredSection = {
  name: "saved_snippets",
  keys: { saved_snippets: Schema.Array(WireSnippet) },
  stored: "section_saved_snippets_v1",
  read: (value) => ({ saved_snippets: readSnippets(value).map(({ version: _version, ...snippet }) => snippet) }),
  visitor: { saved_snippets: [] },
}
