/**
 * Checks the committed rows of a log strictly by their kinds. The program encodes its rows strictly, but SQL functions
 * write rows too, and fill in what only the commit knows. As the program reads its log leniently, a wrong field would
 * otherwise not be noticed before a client fails on it.
 */
import * as Effect from "effect/Effect"
import type { EventKinds } from "../../src/chat/ground/kinds/catalog.ts"
import type { UntypedRowKind } from "../../src/chat/ground/kinds/event-kind.ts"
import type { DatabaseShape, Row } from "../../src/db/database.ts"
import type { JsonObject } from "../../src/json.ts"

/** The newest 5,000 rows: the log of a test is rarely longer, and reading a long one takes seconds. */
const statement = `select position, type, payload::text as payload from log
  where realm_id = 1 order by position desc limit 5000`

/**
 * Which payloads must have the field that the commit fills in, by the type of their rows. The Schema cannot say that,
 * because until the commit the field is absent or null.
 */
const hasFilled: Readonly<Record<string, (payload: JsonObject) => boolean>> = {
  stream: ({ op, property, is_empty }) => op === "update" && property === "first_message_id" && is_empty !== true,
  message: ({ people }) => people !== undefined,
  update_message_flags: ({ op, flag }) => op === "remove" && flag === "read",
  update_message: () => true,
  delete_message: () => true,
  given_history: () => true,
  guest_contacts: () => true,
}

/** The mark `told` must be absent or true: the program takes any other value for a row that changes something. */
const toldFaults = ({ told }: JsonObject): ReadonlyArray<string> =>
  told === undefined || told === true ? [] : ["told is neither absent nor true"]

const filledFaults = ({ type, filledIn }: UntypedRowKind, payload: JsonObject): ReadonlyArray<string> => {
  // A row that only informs has the field from the program.
  if (filledIn.length === 0 || payload["told"] === true) return []
  const hasIt = hasFilled[type]
  if (hasIt === undefined) return [`nothing is known of when ${filledIn.join(" and ")} must be filled in`]
  if (!hasIt(payload)) return []
  return filledIn.filter((field) => (payload[field] ?? null) === null).map((field) => `${field} was not filled in`)
}

const rowFaults = ({ position, type, payload: text }: Row, kinds: EventKinds): ReadonlyArray<string> => {
  // The content that a message was sent with, if it was edited: the log gives it out beside the payload.
  const { original: _original, ...payload }: JsonObject = JSON.parse(String(text))
  const kind = kinds.get(String(type))
  const fault = kind?.fault(payload)
  const faults =
    kind === undefined
      ? ["no kind has this type"]
      : [...(fault === undefined ? [] : [fault]), ...toldFaults(payload), ...filledFaults(kind, payload)]
  return faults.map((each) => `row ${position}, ${type}: ${each} (${String(text).slice(0, 500)})`)
}

/** A line for each fault, in the order of the log. None if the database is unreachable, which a test may want. */
export const findOddRows = (database: DatabaseShape, kinds: EventKinds): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    database.query(statement).pipe(
      Effect.map((rows) => rows.toReversed().flatMap((row) => rowFaults(row, kinds))),
      Effect.catchTag("Unavailable", () => Effect.succeed<ReadonlyArray<string>>([])),
      Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.succeed<ReadonlyArray<string>>([]) }),
    ),
  )
