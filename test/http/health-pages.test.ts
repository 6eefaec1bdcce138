/** What `/ready` says of a server that serves, by what it depends on. */
import t from "tap"
import { plainPages, type Readiness } from "../../src/http/health-pages.ts"

const well: Readiness = {
  databaseUp: () => true,
  writesFail: () => false,
  filesFail: () => false,
  servesNobody: () => false,
  frame: null,
}
const readyOf = (but: Partial<Readiness>) => {
  const answer = plainPages({ ...well, ...but })["/ready"]?.()
  return { status: answer?.status, body: JSON.parse(String(answer?.body)) }
}
const yes = () => true

t.test("readiness names the worst that is wrong, and what goes on all the same", async (t) => {
  t.same(readyOf({}), { status: 200, body: { status: "ready" } })
  t.match(readyOf({ filesFail: yes }), { status: 200, body: { status: "ready", note: /^files cannot be stored/ } })
  t.match(readyOf({ filesFail: yes, servesNobody: yes }), { status: 200, body: { note: /^no organization/ } })
  t.match(readyOf({ filesFail: yes, writesFail: yes }), { status: 503, body: { status: /^writes fail/ } })
  t.match(readyOf({ writesFail: yes, databaseUp: () => false }), { status: 503, body: { status: /cannot be reached/ } })
})
