/** Shapes of JSON values in parameters: lengths of texts, objects without surplus fields. */
import * as Result from "effect/Result"
import t from "tap"
import { bounded, strictObject, string } from "../../src/api/shapes.ts"

t.test("texts of a length and objects without surplus", async (t) => {
  const name = bounded({ min: 1, max: 3 })
  const faultOf = <A>(result: Result.Result<A, string>) => (Result.isFailure(result) ? result.failure : undefined)
  t.equal(faultOf(name("abc", "v")), undefined)
  t.equal(faultOf(name("🐙🐙🐙", "v")), undefined, "a character of two units is one")
  t.equal(faultOf(name("🐙🐙🐙🐙", "v")), "v is too long (limit: 3 characters)")
  t.equal(faultOf(name("abcdefgh", "v")), "v is too long (limit: 3 characters)")
  t.equal(faultOf(name("", "v")), "v cannot be blank")
  t.equal(faultOf(bounded({ min: 2 })("🐙", "v[0]")), "v[0] is too short.")
  t.equal(faultOf(bounded({ min: 2 })("ab", "v")), undefined)
  t.equal(faultOf(name(5, "v")), "v is not a string")
  const draft = strictObject({ topic: string })
  t.strictSame(draft({ topic: "a" }, "drafts[0]"), Result.succeed({ topic: "a" }))
  t.equal(faultOf(draft({ topic: "a", to: 5 }, "drafts[0]")), 'Argument "to" at drafts[0]["to"] is unexpected')
  t.equal(faultOf(draft({}, "v")), 'v["topic"] field is missing')
  t.equal(faultOf(draft([], "v")), "v is not a dict")
})
