/** Errors as one line of text, for messages and logs. Needed in PGlite's thread too, so it imports nothing. */

/** The first line of the message of a thrown value. */
export const oneLine = (error: unknown): string => {
  // A refused dial of several addresses comes as an AggregateError without a text of its own.
  const first = error instanceof AggregateError ? error.errors[0] : error
  const text = first instanceof Error ? first.message || first.name : String(first)
  return text.split("\n", 1)[0] ?? text
}
