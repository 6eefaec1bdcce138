/** What the log tells of errors: where and what, and none of the values that databases, schemas and parsers quote. */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import t from "tap"
import { withoutValues } from "../../src/redact-values.ts"
import { causeText, errorText } from "../../src/start/error-text.ts"

const secret = "my bank account"

const thrownBy = (act: () => unknown): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error("it throws nothing")
}

t.test("values are left out, names of the program's own are not", async (t) => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    [`invalid input syntax for type integer: "${secret}"`, 'invalid input syntax for type integer: "…"'],
    [`null value in column "email" of relation "account"`, `null value in column "email" of relation "account"`],
    [
      'duplicate key value violates unique constraint "account_pkey"',
      'duplicate key value violates unique constraint "account_pkey"',
    ],
    ['Expected string, got {"a":1}\n  at ["user"]["email"]', 'Expected string, got …\n  at ["user"]["email"]'],
    [`at ["${secret}"]`, 'at ["…"]'],
    [`a "quoted \\"${secret}\\" text" stays`, 'a "…" stays'],
    // PostgreSQL leaves quotes in a value as they are.
    [`invalid input syntax for type integer: "he said "${secret}" and"`, 'invalid input syntax for type integer: "…"'],
    [`a value "${secret.repeat(1000)}" is too long`, 'a value "…"'],
    [`the "first" and "${secret.repeat(1000)}`, 'the "…" and "…"'],
    ["ENOSPC: no space left on device, write '/data/x'", "ENOSPC: no space left on device, write '/data/x'"],
  ]
  for (const [given, wanted] of cases) t.equal(withoutValues(given), wanted)
})

t.test("errors of parsers and schemas tell where they come from, and not what was read", async (t) => {
  const parsing = thrownBy(() => JSON.parse(`{"bank": ${secret}`))
  const decoding = thrownBy(() =>
    Schema.decodeUnknownSync(Schema.Struct({ content: Schema.Number }))({ content: secret }),
  )
  for (const error of [
    parsing,
    decoding,
    { reason: `value "${secret}" is too long`, _tag: "Rejected", code: "22001" },
  ]) {
    const text = errorText(error)
    t.notOk(text.includes(secret), text)
    t.notOk(text.includes("bank"), text)
  }
  t.match(errorText(parsing), /^SyntaxError: .*, "…"\.\.\. is not valid JSON\n {2}at [\s\S]*\d+:\d+/)
  t.match(errorText(decoding), /content/)
})

t.test("a tagged error, what it was caused by, and all that an effect has ended with", async (t) => {
  class Lost extends Data.TaggedError("Lost")<{
    readonly reason: string
    readonly code: string
    readonly cause?: unknown
  }> {}
  const lost = new Lost({ reason: "gone", code: "57P01", cause: new Error("socket closed") })
  t.match(errorText(lost), /^Lost: 57P01 gone\n(?: {2}at .*\n)*caused by Error: socket closed\n/)
  const circle: { readonly name: string; cause?: unknown } = { name: "a circle" }
  circle.cause = circle
  t.equal(errorText(circle).split("caused by").length, 4, "it ends somewhere")
  const cause = Cause.fromReasons([...Cause.fail(lost).reasons, ...Cause.die("a text").reasons])
  t.match(causeText(cause), /^Lost: 57P01 gone[\s\S]*\na text$/)
  t.equal(causeText(Cause.interrupt()), "interrupted")
})

t.test("an input with quotes in it is left out of a text that is cut, too", async (t) => {
  const text = withoutValues(`invalid input syntax for type json: "a"private${"x".repeat(3000)}"`)
  t.notMatch(text, /private|xxx/)
  t.match(text, /invalid input syntax for type json/)
})
