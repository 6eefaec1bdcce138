/** Visitors who read slowly, from however many addresses, take no turn of members. */
import * as Effect from "effect/Effect"
import t from "tap"
import { makeRefusals } from "../../../src/fairness/refusals.ts"
import { makeDownloadTurns } from "../../../src/http/downloads/download-turns.ts"
import { manualClock } from "../../kit/manual-clock.ts"

t.test("members download while visitors take all that they may", async (t) => {
  const clock = manualClock()
  const refusals = makeRefusals(clock, () => {})
  t.teardown(() => refusals.stop())
  const turns = makeDownloadTurns(clock, refusals)
  const begun: Array<string> = []
  const over: Array<() => void> = []
  const download = (owner: string, kind?: "visitor") =>
    Effect.runPromise(
      Effect.result(
        turns(kind)(
          owner,
          Effect.callback<void>((resume) => {
            begun.push(owner)
            over.push(() => resume(Effect.void))
          }),
        ),
      ),
    )
  const slow = Array.from({ length: 300 }, (_, n) => download(`198.51.100.${n}`, "visitor"))
  const member = download("user 5 of realm 1")
  t.equal(begun.length, 33)
  t.equal(begun.at(-1), "user 5 of realm 1")
  const greedy = Array.from({ length: 20 }, () => download("user 6 of realm 1"))
  t.equal(begun.length, 33 + 16)
  clock.advance(30_001)
  for (let ended = 0; ended < over.length; ended++) over[ended]?.()
  const answers = await Promise.all([...slow, member, ...greedy])
  t.equal(answers.filter(({ _tag }) => _tag === "Success").length, 33 + 16)
  t.equal(refusals.counts().get("downloads at once"), 300 - 32 + 4)
})
