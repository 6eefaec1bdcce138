/** Queues that the accounts of a run may not hold, and refusals that do not go away: said before or at once, and never tried on and on. */
import * as Result from "effect/Result"
import t from "tap"
import { bench } from "../../../src/command-line/bench/bench.ts"
import { type BenchScene, clientsOf } from "../../../src/command-line/bench/bench-channel.ts"
import { QueueCrowd } from "../../../src/command-line/bench/crowd.ts"
import { BenchFindings } from "../../../src/command-line/bench/findings.ts"
import { serverAddressOf } from "../../../src/command-line/bench/wire/server-address.ts"
import { until } from "../../kit/test-database.ts"
import { withServer } from "../../kit/with-server.ts"
import { otherServer } from "./other-server.ts"
import { isWhole, Printed } from "./report.ts"

const run = async (...argv: ReadonlyArray<string>) => {
  const [printed, shown]: [Array<string>, Array<string>] = [[], []]
  const outcome = await bench(["bench", ...argv], {
    env: {},
    version: "1.2.3",
    print: (text) => void printed.push(text),
    stderr: { write: (text) => shown.push(text) },
  })
  return { outcome, out: printed.join(""), shown: shown.join("") }
}

const short = ["--seconds", "1", "--per-second", "5", "--json"]
const room = 33

t.test("accounts that are named and hold too few queues: how many it takes is said before it begins", (t) =>
  withServer(t, { limits: { queuesPerUser: room } }, async (server) => {
    const { email, key } = server.as("hamlet").account
    const named = ["--url", server.origin, "--account", `${email}:${key}`]
    const { outcome, shown } = await run("rate", ...named, ...short, "--queues", "2,40")
    t.match(
      outcome,
      Result.fail(/^an account holds 33 queues on this server: 40 queues need 2 accounts, and there is 1: name more/),
    )
    t.notMatch(shown, /queues are registered|a first message/)
    const [{ open } = {}] = await server.rows("select count(*)::int as open from event_queue")
    t.equal(open, 0, "those that it tried are ended")
  }),
)

t.test("a server in development mode is given the accounts that it takes, and they go again", (t) =>
  withServer(t, { config: { mode: "development" }, limits: { queuesPerUser: room } }, async (server) => {
    const queues = 4 * (room + 2)
    for (const round of [1, 2]) {
      const { outcome, out } = await run("rate", "--url", server.origin, ...short, "--queues", `${queues}`)
      t.match(outcome, Result.succeed(undefined), `round ${round}`)
      const report = Printed(out)
      t.equal(report.accounts, 5)
      for (const found of report.outcomes) isWhole(t, found)
    }
    const made = [...server.realm.realm.users.values()].filter(({ email }) => email.startsWith("parley-bench-"))
    t.match(made, [{ email: "parley-bench-1@test.example" }], "the second run has used it again")
    t.notOk(made.some(({ id }) => server.realm.realm.isActive(id)))
  }),
)

/** A crowd of one queue at a server, whose connections are refused as `refusal` says. */
const crowdAt = async (url: string) => {
  const reasons: Array<string> = []
  const findings = new BenchFindings()
  const account = { email: "a@b.c", apiKey: "key" }
  const clients = clientsOf(url, [account], { findings, tell: () => {} })
  const scene: BenchScene = {
    server: url,
    place: serverAddressOf(new URL(url)),
    accounts: [account],
    clients,
    channel: "load",
    findings,
    signal: new AbortController().signal,
    giveUp: (why) => void reasons.push(why),
    pid: null,
    tell: () => {},
  }
  const crowd = new QueueCrowd({ scene, transport: "socket", size: 1, mark: Buffer.from("mark"), onNumbers: () => {} })
  await crowd.open()
  return { crowd, reasons, findings }
}

t.test("a refusal for good ends the run with its words, and is not tried again", async (t) => {
  const other = await otherServer(t, () => 1, { socketAnswer: [403, "no sockets for you"] })
  const { crowd, reasons, findings } = await crowdAt(other.url)
  await until("it is given up", 10_000, async () => reasons.length > 0)
  t.same(reasons, ["the server refuses to give a queue's events: answered 403: no sockets for you"])
  t.equal(findings.cut, 1)
  t.equal(other.socketsAsked(), 1)
  await crowd.close()
})

t.test("what may go away is tried with growing rests", async (t) => {
  const other = await otherServer(t, () => 1, { socketAnswer: [503, "busy"] })
  const began = performance.now()
  const { crowd, reasons } = await crowdAt(other.url)
  await until("it was tried four times", 20_000, async () => other.socketsAsked() >= 4)
  t.ok(performance.now() - began >= 1300, "200, 400 and 800 ms lie between")
  t.same(reasons, [])
  await crowd.close()
})
