/** Lists that only their owners see and that exist only in tests: both of the common table, each in a form of its own. */
import * as Schema from "effect/Schema"
import { ownList } from "../../src/chat/ground/own-lists/own-list.ts"

export const noteFields = {
  to: Schema.Array(Schema.Int),
  note: Schema.NonEmptyString,
  topic: Schema.optionalKey(Schema.String),
  rank: Schema.optionalKey(Schema.Int),
}

const definition = {
  type: "test_notes",
  noun: "test_note",
  idKey: "test_note_id",
  addsList: true,
  fields: noteFields,
  most: 4,
  refusals: { gone: "Note does not exist", full: "You can have at most 4 notes." },
}
export const notes = ownList({ ...definition, sortedBy: "rank", order: (a, b) => b.version - a.version })
/** A list in the same table, which must not be mixed up with the first. */
export const others = ownList({
  ...definition,
  type: "test_others",
  noun: "test_other",
  idKey: "id",
  addsList: false,
  room: { bytes: 400, refusal: "Your notes are too long together." },
})
