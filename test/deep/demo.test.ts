/** The demo organization after kills at random moments of its making, for PARLEY_DEEP_SECONDS. */
import { randomInt } from "node:crypto"
import t from "tap"
import { checkDemo } from "../chat/server/setup/check-demo.ts"
import { makeFlags, Program } from "../kit/program.ts"
import { timeout, timer } from "./budget.ts"

t.test("the demo organization is complete after kills at random moments of its making", { timeout }, async (t) => {
  const began = performance.now()
  const goesOn = timer()
  const first = new Program(t, (await makeFlags(t))(0))
  const port = await first.port()
  // The first half of a start is spent before there is a database to write to.
  const whole = Math.round(performance.now() - began)
  await checkDemo(t, port)
  await first.kill()
  for (let round = 0; round === 0 || goesOn(); round++) {
    const flags = await makeFlags(t)
    const delay = randomInt(Math.round(whole / 2), whole)
    const killed = new Program(t, flags(0))
    await new Promise((resolve) => setTimeout(resolve, delay))
    await killed.kill()
    const next = new Program(t, flags(0))
    t.comment(`killed after ${delay} ms of ${whole}, ${killed.out === "" ? "before" : "after"} it listened`)
    await checkDemo(t, await next.port())
    await next.kill()
  }
})
