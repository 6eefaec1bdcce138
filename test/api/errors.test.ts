/** Contents of refusals, beside what they say. */
import t from "tap"
import { badRequest } from "../../src/api/errors.ts"

t.test("a refusal does not note where it was made; other errors do", async (t) => {
  t.notMatch(badRequest("no").stack, /\n\s+at /)
  t.match(new Error("bug").stack, /\n\s+at /)
})
