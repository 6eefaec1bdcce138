/** Saved snippets as the database holds them, as rows, as events, and as a section of register (contract 2.19, 5.1). */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { eventKind } from "../kinds/event-kind.ts"
import { asRow, one } from "../kinds/event-shape.ts"
import type { StoredSection } from "../kinds/section.ts"
import { unixSeconds } from "../realm/values.ts"

/** The position of the row that made it. */
export type SnippetId = Brand.Branded<number, "SnippetId">
export const SnippetId = Brand.nominal<SnippetId>()
const idSchema = Schema.Number.pipe(Schema.fromBrand("SnippetId", SnippetId))

/** `content`: Markdown, as its owner wrote it. */
const texts = { title: Schema.String, content: Schema.String }
/** `created_at`: milliseconds since the Unix epoch. */
const snippet = { id: idSchema, ...texts, created_at: Schema.Number }
/** `changed`: the position of the newest row about it. */
export const readSnippets = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ ...snippet, changed: Schema.Number })),
)

const wireSnippet = ({ id, title, content, created_at }: Schema.Struct.Type<typeof snippet>) => ({
  id,
  title,
  content,
  date_created: unixSeconds(created_at),
})

/** Told to the owner alone. */
export const savedSnippetKind = eventKind({
  type: "saved_snippets",
  payload: Schema.Union([
    Schema.Struct({ op: Schema.Literal("add"), ...texts }),
    /** The whole snippet as it is from here on; `was`: the position of the row about it before. */
    Schema.Struct({ op: Schema.Literal("update"), ...snippet, was: Schema.Number }),
    Schema.Struct({ op: Schema.Literal("remove"), id: idSchema }),
  ]),
  judgedBy: false,
  table: "apply_saved_snippets_v1",
  sections: ["saved_snippets"],
  wire: (payload, body) => {
    const { position, at } = asRow(body)
    const event = { type: "saved_snippets", op: payload.op }
    if (payload.op === "remove") return one({ ...event, saved_snippet_id: payload.id })
    const made = { id: SnippetId(position), created_at: at }
    return one({ ...event, saved_snippet: wireSnippet({ ...made, ...payload }) })
  },
})

export const savedSnippetsSection: StoredSection = {
  name: "saved_snippets",
  stored: "section_saved_snippets_v1",
  read: (value) => ({ saved_snippets: readSnippets(value).map(wireSnippet) }),
  visitor: { saved_snippets: [] },
}
