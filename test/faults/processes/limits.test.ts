/** Limits that two processes count together: wrong passwords, organizations that are asked for, and the requests of one sender. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import t, { type Test } from "tap"
import { Realms } from "../../../src/chat/ground/realm/realms.ts"
import { SignUpThrottle } from "../../../src/chat/server/sign-up/sign-up-throttle.ts"
import type { Limits } from "../../../src/config/config.ts"
import { until } from "../../kit/test-database.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { withServers } from "../../kit/with-servers.ts"

const withTwo = (
  t: Test,
  limits: Partial<Limits>,
  body: (both: readonly [TestServer, TestServer], settled: () => Promise<void>) => Promise<void>,
) =>
  withServers(t, 2, { limits, config: { rateLimit: true } }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const notes = await Promise.all(
      [one, two].map((server) => server.run(Effect.map(Realms, (each) => each.everywhere))),
    )
    let last = 0
    const heard = notes.map(() => 0)
    for (const [n, { hear }] of notes.entries())
      hear("last", (body) => {
        heard[n] = Number(body)
      })
    /** What each has told has come to the other. */
    const settled = async () => {
      last += 1
      for (const { tell } of notes) tell("last", last)
      await until("what was told has come", 5_000, () => heard.every((each) => each === last))
    }
    await body([one, two], settled)
  })

t.test("wrong passwords through two processes in turn are limited after as many as through one", (t) =>
  withTwo(t, { signInFailures: 6, signInFailuresPerAddress: 10 }, async (both, settled) => {
    const guess = async (n: number, username: string) => {
      const answer = await both[n % 2]?.anonymous("POST", "/fetch_api_key", { username, password: `wrong ${n}` })
      await settled()
      return answer?.body["code"]
    }
    const guesses: Array<unknown> = []
    for (let n = 0; n < 8; n++) guesses.push(await guess(n, "hamlet@example.org"))
    t.same(guesses, [...Array.from({ length: 6 }, () => "AUTHENTICATION_FAILED"), "RATE_LIMIT_HIT", "RATE_LIMIT_HIT"])
    const others: Array<unknown> = []
    for (let n = 0; n < 6; n++) others.push(await guess(n, `nobody-${n}@example.org`))
    t.same(others.slice(3), ["AUTHENTICATION_FAILED", "RATE_LIMIT_HIT", "RATE_LIMIT_HIT"], "by address, too")
  }),
)

t.test("organizations that are asked for from one address count at both", (t) =>
  withTwo(t, {}, async (both, settled) => {
    let admitted = 0
    for (let n = 0; n < 14; n++) {
      const counted = await both[n % 2]?.run(Effect.map(SignUpThrottle, ({ count }) => count("10.0.0.1")))
      if (counted !== undefined && Result.isSuccess(counted)) admitted += 1
      await settled()
    }
    t.equal(admitted, 10)
  }),
)

t.test("a sender that goes to both in turn may little more than at one", (t) =>
  withTwo(t, { userRequestsPerMinute: 40 }, async (both, settled) => {
    let admitted = 0
    for (let second = 0; second < 30; second++) {
      for (const server of both) {
        const { status, body } = await server.as("hamlet").get("/users/me")
        if (status === 200) admitted += 1
        else t.match(body, { code: "RATE_LIMIT_HIT" })
      }
      for (const { clock } of both) clock.advance(1000)
      await settled()
    }
    t.ok(admitted >= 40 && admitted <= 44, `${admitted} were admitted`)
  }),
)
