/** Saved snippets as rows, as events, and as a section of register. */
import * as Schema from "effect/Schema"
import { ownList } from "../../ground/own-lists/own-list.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import { Seconds } from "../../ground/wire/wire-values.ts"

const most = 50

export const savedSnippets = ownList({
  type: "saved_snippets",
  noun: "saved_snippet",
  idKey: "id",
  addsList: false,
  fields: { title: Schema.NonEmptyString, content: Schema.NonEmptyString },
  most,
  refusals: { gone: "Saved snippet does not exist.", full: `You can save at most ${most} snippets.` },
  own: {
    applyFunction: "apply_saved_snippets_v1",
    stored: "section_saved_snippets_v1",
    made: { fields: { date_created: Seconds }, of: (at) => ({ date_created: unixSeconds(at) }) },
  },
})
