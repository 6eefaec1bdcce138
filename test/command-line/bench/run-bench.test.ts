/**
 * `parley bench` from its arguments to its report: on Parley, and on another server of the API that loses and doubles events.
 * Counts are asserted, times are not. As a process with a server of its own: run-processes.test.ts.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Result from "effect/Result"
import t from "tap"
import { bench } from "../../../src/command-line/bench/bench.ts"
import { findFreePort } from "../../../src/testing/free-port.ts"
import { inTurn } from "../../kit/share.ts"
import { createFolder } from "../../kit/test-database.ts"
import { withServer } from "../../kit/with-server.ts"
import { otherServer } from "./other-server.ts"
import { clean, isWhole, Printed } from "./report.ts"

const exitCode = process.exitCode

/** Runs the command in this process. */
const run = async (...argv: ReadonlyArray<string>) => {
  const [printed, shown]: [Array<string>, Array<string>] = [[], []]
  const outcome = await bench(["bench", ...argv], {
    env: {},
    version: "1.2.3",
    print: (text) => void printed.push(text),
    stderr: { write: (text) => shown.push(text) },
  })
  const code = process.exitCode
  process.exitCode = exitCode
  return { outcome, code, out: printed.join(""), shown: shown.join("") }
}

const short = ["--seconds", "1", "--in-flight", "3", "--per-second", "20"]
t.test("all scenarios on Parley, by socket and by poll", async (t) => {
  await withServer(t, {}, async (server) => {
    const [hamlet, iago] = [server.as("hamlet").account, server.as("iago").account]
    const accounts = [hamlet, iago].flatMap(({ email, key }) => ["--account", `${email}:${key}`])
    const plot = join(await createFolder(t), "bench.svg")
    for (const [transport, size] of [
      ["socket", 5],
      ["poll", 3],
    ] as const) {
      const form = transport === "socket" ? [] : ["--transport", "poll"]
      const measured = ["--queues", `${size}`, ...short, "--json", "--plot", plot]
      const { outcome, code, out } = await run("--url", server.origin, ...accounts, ...form, ...measured)
      t.ok(Result.isSuccess(outcome))
      t.equal(code, exitCode)
      const report = Printed(out)
      t.match(report, {
        server: { url: server.origin, isOwn: false },
        accounts: 2,
        isInterrupted: false,
        endedEarly: null,
      })
      t.same(
        report.outcomes.map(({ scenario, queues, transport }) => [scenario, queues, transport]),
        ["fan-out", "rate", "storm"].map((scenario) => [scenario, size, transport]),
      )
      for (const found of report.outcomes) isWhole(t, found)
      t.match(
        readFileSync(plot, "utf8"),
        /^<svg [\s\S]*fan-out 3 in flight, p50[\s\S]*storm, all back[\s\S]*<\/svg>\n$/,
      )
    }
    const [{ open } = {}] = await server.rows("select count(*)::int as open from event_queue")
    t.equal(open, 0, "its queues are ended")
    const names = await server.rows("select name, is_archived from channel")
    t.ok(names.length > 0)
    t.same(
      names.filter(({ is_archived }) => is_archived !== true),
      [],
      "its channels are archived",
    )
  })
})

t.test("a channel that is there, and the table", inTurn(2, "a channel that is there, and the table"), async (t) => {
  const channels = [{ name: "load", users: ["hamlet"] }] as const
  await withServer(t, { channels }, async (server) => {
    const { email, key } = server.as("hamlet").account
    const to = ["--url", server.origin, "--account", `${email}:${key}`]
    const { out, shown } = await run("rate", ...to, "--channel", "load", ...short, "--queues", "2")
    t.match(out, /^http:\S+, API of Zulip \S+; 1 accounts\nmeasured from /)
    t.match(
      out,
      /\n\nrate .*median reader p50 ms .*lost {2}doubled .*limited by\n2 sockets, 20\/s .* 0 +0 +the pace asked for\n/,
    )
    t.match(shown, /^bench: 2 queues are registered\nbench: a first message\nbench: rate: 2 sockets, 20\/s\n/)
    const absent = await run("rate", ...to, "--channel", "nowhere", ...short, "--queues", "2")
    t.match(absent.outcome, Result.fail(/^no message could be sent: 1 requests failed \(1 x a message was answered/))
    t.equal(absent.out, "")
  })
})

t.test(
  "another server: what it loses and doubles is found, and its chunks are read",
  inTurn(2, "another server: what it loses and doubles is found, and its chunks are read"),
  async (t) => {
    const account = ["--account", "a@b.c:key"]
    const honest = await otherServer(t, () => 1)
    const fine = await run("fan-out", "--url", honest.url, ...account, ...short, "--queues", "4", "--json")
    const [found] = Printed(fine.out).outcomes
    if (found === undefined) throw new Error("nothing was measured")
    t.equal(found.transport, "poll")
    isWhole(t, found)
    t.equal(honest.left(), 5, "four queues, and one to look for a WebSocket")
    t.ok(honest.isArchived())

    // The first queue looked for a WebSocket. The third message does not reach one queue, and the fourth reaches another twice.
    const liar = await otherServer(t, (queue, message) =>
      message === 2 && queue === 1 ? 0 : message === 3 && queue === 2 ? 2 : 1,
    )
    const odd = await run("rate", "--url", liar.url, ...account, ...short, "--queues", "3", "--json")
    t.equal(odd.code, 1, "its exit code says so")
    const [outcome] = Printed(odd.out).outcomes
    t.match(outcome?.counts, { ...clean, lost: 1, doubled: 1 })
    t.same(outcome?.doubts, ["1 events lost", "1 events came twice"])
  },
)

t.test(
  "no more messages a second than were asked for, where a timer would round them up",
  inTurn(2, "no more messages a second than were asked for, where a timer would round them up"),
  async (t) => {
    const other = await otherServer(t, () => 1)
    const to = ["--url", other.url, "--account", "a@b.c:key", "--queues", "1", "--seconds", "1", "--json"]
    for (const perSecond of [600, 800]) {
      const { out } = await run("rate", ...to, "--per-second", `${perSecond}`)
      const [outcome] = Printed(out).outcomes
      const sent = outcome?.figures["messages/s"] ?? Number.NaN
      t.ok(sent > 0 && sent <= perSecond, `${sent} of ${perSecond}`)
    }
  },
)

t.test(
  "a message that is not answered has failed",
  inTurn(2, "a message that is not answered has failed"),
  async (t) => {
    const other = await otherServer(t, () => 1, { isSilent: (message) => message === 2 })
    const { out } = await run("rate", "--url", other.url, "--account", "a@b.c:key", ...short, "--queues", "2", "--json")
    const [outcome] = Printed(out).outcomes
    t.match(outcome?.counts, { ...clean, failed: 1 })
    t.same(outcome?.doubts, ["1 requests failed (1 x not answered)"])
  },
)

t.test(
  "a later step that cannot be measured: what was measured is printed, and the exit code says so",
  inTurn(2, "a later step that cannot be measured: what was measured is printed, and the exit code says so"),
  async (t) => {
    const other = await otherServer(t, () => 1, { mostQueues: 3 })
    const to = ["--url", other.url, "--account", "a@b.c:key"]
    const { outcome, code, out } = await run("rate", ...to, ...short, "--queues", "2,4", "--json")
    t.ok(Result.isSuccess(outcome))
    t.equal(code, 1)
    const report = Printed(out)
    t.same(
      report.outcomes.map(({ queues }) => queues),
      [2],
    )
    t.match(report.endedEarly, /./)
    t.equal(report.doubts[0], `it ended early: ${report.endedEarly}`)
  },
)

t.test("why nothing is measured is one line", inTurn(2, "why nothing is measured is one line"), async (t) => {
  const other = await otherServer(t, (queue) => (queue === 2 ? 0 : 1))
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["--queues", "0"], /^parley bench: .*--queues/],
    [
      ["--url", `http://127.0.0.1:${await findFreePort()}`],
      /^http:\S+ does not answer as a server of this API: .* \(.*ECONNREFUSED.*\)$/,
    ],
    [
      ["--url", other.url],
      /^http:\S+ gives no keys, because it is in production: name accounts by --account or --accounts$/,
    ],
    [
      ["--url", other.url, "--accounts", "a@b.c:Yq8tdN3vKx"],
      /^--accounts takes a file: an account is named by --account$/,
    ],
    [["--url", other.url, "--accounts", "/nowhere.json"], /^--accounts \/nowhere\.json cannot be read: /],
    [
      ["--url", other.url, "--accounts", "package.json"],
      /^--accounts package\.json holds no accounts: expected a JSON list/,
    ],
    [
      ["--url", other.url, "--account", "a@b.c:k", "--transport", "socket"],
      /^the server has no WebSocket .*: answered 404/,
    ],
  ]
  for (const [argv, why] of cases) {
    const { outcome, out } = await run("rate", ...argv)
    t.match(outcome, Result.fail(why), argv.join(" "))
    t.equal(out, "")
  }
})
