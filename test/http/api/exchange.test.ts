import t from "tap"
import { weightOf } from "../../../src/http/answer/body-pieces.ts"
import { answersFor } from "../../../src/http/answer/make-answers.ts"

t.test("an answer that was made without room is counted whole, in whatever form it is", (t) => {
  const answers = answersFor({ mayUse: () => false, mayConnect: () => false }, "")
  const long = "x".repeat(100_000)
  const forms = [
    answers.success({ long }, []),
    answers.written([`"long":"${long}"`], []),
    answers.written([[Buffer.from('"long":"'), Buffer.from(long), Buffer.from('"')]], []),
    answers.body(Buffer.from(`{"result":"success","msg":"","long":"${long}"}`), []),
  ]
  t.same([...new Set(forms.map(weightOf))], [100_039])
  t.end()
})
