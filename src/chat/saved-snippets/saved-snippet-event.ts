/** Saved snippets as the database holds them, as rows, as events, and as a section of register (contract 2.19, 5.1). */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { eventKind } from "../kinds/event-kind.ts"
import { asRow, one } from "../kinds/event-shape.ts"
import type { StoredSection } from "../kinds/section.ts"
import { unixSeconds } from "../realm/values.ts"
import { Id, opEvent, Seconds } from "../wire/wire-values.ts"

/** The position of the row that made it. */
export type SnippetId = Brand.Branded<number, "SnippetId">
export const SnippetId = Brand.nominal<SnippetId>()
const id = Id.pipe(Schema.fromBrand("SnippetId", SnippetId))

/** `content`: Markdown, as its owner wrote it. */
const texts = { title: Schema.NonEmptyString, content: Schema.NonEmptyString }
const Snippet = Schema.Struct({ id, ...texts, date_created: Seconds })

/** As the database answers: with `changed`, the position of the newest row about each. */
export const readSnippets = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ ...Snippet.fields, changed: Schema.Number })),
)

/** Told to the owner alone. */
export const savedSnippetKind = eventKind({
  type: "saved_snippets",
  payload: Schema.Union([
    Schema.Struct({ op: Schema.Literal("add"), ...texts }),
    /** The whole snippet as it is from here on; `was`: the position of the row about it before. */
    Schema.Struct({ op: Schema.Literal("update"), ...Snippet.fields, was: Schema.Number }),
    Schema.Struct({ op: Schema.Literal("remove"), id }),
  ]),
  judgedBy: false,
  table: "apply_saved_snippets_v1",
  sections: ["saved_snippets"],
  events: {
    add: opEvent("saved_snippets", "add", { saved_snippet: Snippet }),
    update: opEvent("saved_snippets", "update", { saved_snippet: Snippet }),
    remove: opEvent("saved_snippets", "remove", { saved_snippet_id: Id }),
  },
  wire: (payload, body) => {
    const { op, ...fields } = payload
    const event = { type: "saved_snippets", op }
    if (payload.op === "remove") return one({ ...event, saved_snippet_id: payload.id })
    const { position, at } = asRow(body)
    const { was: _was, ...snippet } = { id: position, date_created: unixSeconds(at), was: 0, ...fields }
    return one({ ...event, saved_snippet: snippet })
  },
})

export const savedSnippetsSection: StoredSection = {
  name: "saved_snippets",
  keys: { saved_snippets: Schema.Array(Snippet) },
  stored: "section_saved_snippets_v1",
  read: (value) => ({ saved_snippets: readSnippets(value).map(({ changed: _changed, ...snippet }) => snippet) }),
  visitor: { saved_snippets: [] },
}
