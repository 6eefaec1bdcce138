/** For how many days messages are kept, and from when on that holds. */
import t from "tap"
import {
  dueTerms,
  nextTerms,
  type RetentionTerms,
} from "../../../../src/chat/changing/message-expiry/retention-terms.ts"

const hour = 3600_000
const day = 24 * hour

t.test("a shorter time holds a day after it was noticed, a longer one at once", async (t) => {
  const next = (known: RetentionTerms, days: number | null, now: number): RetentionTerms =>
    nextTerms(known, new Map(days === null ? [] : [["1", days]]), now)
  const first = next({}, 30, 1000)
  t.same(first, { "1": { days: null, wanted: 30, since: 1000 } })
  t.same(dueTerms(first, 1000), [], "nothing goes yet")
  t.same(next(first, 30, 1000 + day - 1), first)
  const held = next(first, 30, 1000 + day)
  t.same(held, { "1": { days: 30, wanted: 30, since: 1000 } })
  t.same(dueTerms(held, 100 * day), [{ channel_id: 1, before: 70 * day, from: 0 }])
  const shorter = next(held, 7, 5 * day)
  t.same(shorter, { "1": { days: 30, wanted: 7, since: 5 * day } })
  t.same(dueTerms(shorter, 100 * day), [{ channel_id: 1, before: 70 * day, from: 0 }], "what held goes on to")
  t.same(
    next(shorter, 30, 5 * day + hour),
    { "1": { days: 30, wanted: 30, since: 5 * day + hour } },
    "taken back in time",
  )
  t.same(next(shorter, 8, 6 * day), { "1": { days: 30, wanted: 8, since: 6 * day } }, "another one begins anew")
  t.same(next(next(shorter, 7, 6 * day), 60, 6 * day), { "1": { days: 60, wanted: 60, since: 6 * day } })
  t.same(next(held, null, 7 * day), {}, "for ever")
  const wrong = next({}, 30, 1000 * day)
  t.same(
    next(wrong, 30, 2 * day),
    { "1": { days: null, wanted: 30, since: 2 * day } },
    "noted by a clock that was wrong",
  )
})
