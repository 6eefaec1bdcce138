/**
 * The rows of a log as they were committed, read strictly by their kinds. What the program makes is encoded strictly before
 * it is sent; but functions in SQL write rows, too, and fill in what only the commit knows. The program reads its log
 * leniently, so a field too many or of another type would go unseen until a client stumbles over it.
 */
import * as Effect from "effect/Effect"
import type { EventKinds } from "../../src/chat/kinds/catalog.ts"
import type { RowRules } from "../../src/chat/kinds/event-kind.ts"
import type { DatabaseShape, Row } from "../../src/db/database.ts"
import type { JsonObject } from "../../src/json.ts"

/** The newest so many: a log of the tests is rarely longer, and reading all of a long one takes seconds. */
const statement = `select position, type, payload::text as payload from log
  where realm_id = 1 order by position desc limit 5000`

/**
 * Which payloads have what the commit fills in, by the type of their rows: the field belongs to one shape of several, and
 * the shape itself allows it to be absent or null, because so it is until the commit.
 */
const hasFilled: Readonly<Record<string, (payload: JsonObject) => boolean>> = {
  stream: ({ op, property }) => op === "update" && property === "first_message_id",
  message: ({ people }) => people !== undefined,
}

/** A row tells if it says so by `true`: to the program any other value means that it changes something. */
const toldFaults = ({ told }: JsonObject): ReadonlyArray<string> =>
  told === undefined || told === true ? [] : ["told is neither absent nor true"]

const filledFaults = ({ type, filledIn }: RowRules, payload: JsonObject): ReadonlyArray<string> => {
  // A row that only tells has it from its maker.
  if (filledIn.length === 0 || payload["told"] === true) return []
  const hasIt = hasFilled[type]
  if (hasIt === undefined) return [`nothing is known of when ${filledIn.join(" and ")} must be filled in`]
  if (!hasIt(payload)) return []
  return filledIn.filter((field) => (payload[field] ?? null) === null).map((field) => `${field} was not filled in`)
}

const rowFaults = ({ position, type, payload: text }: Row, kinds: EventKinds): ReadonlyArray<string> => {
  const payload: JsonObject = JSON.parse(String(text))
  const kind = kinds.get(String(type))
  const fault = kind?.fault(payload)
  const faults =
    kind === undefined
      ? ["no kind has this type"]
      : [...(fault === undefined ? [] : [fault]), ...toldFaults(payload), ...filledFaults(kind, payload)]
  return faults.map((each) => `row ${position}, ${type}: ${each} (${String(text).slice(0, 500)})`)
}

/** A line for each fault, in the order of the log; none where the database cannot be reached: it may be gone on purpose. */
export const findOddRows = (database: DatabaseShape, kinds: EventKinds): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    database.query(statement).pipe(
      Effect.map((rows) => rows.toReversed().flatMap((row) => rowFaults(row, kinds))),
      Effect.catchTag("Unavailable", () => Effect.succeed<ReadonlyArray<string>>([])),
      Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.succeed<ReadonlyArray<string>>([]) }),
    ),
  )
