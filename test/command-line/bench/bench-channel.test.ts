/** The channel that `parley bench` makes: none is left behind unnamed, whenever somebody interrupts. */
import { createServer } from "node:http"
import t, { type Test } from "tap"
import { clientsOf, makeChannel } from "../../../src/command-line/bench/bench-channel.ts"
import { BenchImpossible } from "../../../src/command-line/bench/bench-impossible.ts"
import { BenchFindings } from "../../../src/command-line/bench/findings.ts"
import { listen } from "../../client/scripted-server.ts"

/** Has a channel made by a server whose answers have a status; `act` is called before one is given. */
const make = async (t: Test, act: (request: string, interrupt: () => void) => number) => {
  const interrupted = new AbortController()
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://other").pathname.replace("/api/v1", "")
    const called = `${request.method} ${path}`
    asked.push(called)
    request.resume().on("end", () => {
      const status = act(called, () => interrupted.abort(new BenchImpossible("interrupted")))
      const fields =
        status === 200
          ? { result: "success", user_id: 7, stream_id: 3 }
          : { result: "error", msg: "no", code: "BAD_REQUEST" }
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(fields))
    })
  })
  const url = await listen(t, server)
  const clients = clientsOf(url, [{ email: "a@b.c", apiKey: "key" }], { findings: new BenchFindings(), tell: () => {} })
  const outcome = await makeChannel(clients, interrupted.signal).catch((error: unknown) => error)
  return { asked, outcome }
}

const [me, found, id, archived] = [
  "GET /users/me",
  "POST /users/me/subscriptions",
  "GET /get_stream_id",
  "DELETE /streams/3",
]

t.test("somebody interrupts while it is made", async (t) => {
  const cases = [
    { at: me, asked: [me] },
    { at: found, asked: [me, found, id, archived] },
    { at: id, asked: [me, found, id, archived] },
  ]
  for (const { at, asked } of cases) {
    const made = await make(t, (called, interrupt) => {
      if (called === at) interrupt()
      return 200
    })
    t.match(made.outcome, new BenchImpossible("interrupted"), at)
    t.same(made.asked, asked, at)
  }
})

t.test("one that cannot be archived is named", async (t) => {
  const cases = [
    { fails: found, why: /^no channel could be made \(.*\): name one/ },
    { fails: id, why: /; the channel parley-bench-\w+ is left$/ },
    { fails: archived, why: /^interrupted; the channel parley-bench-\w+ is left \(/ },
  ]
  for (const { fails, why } of cases) {
    const { outcome } = await make(t, (called, interrupt) => {
      if (fails === archived && called === found) interrupt()
      return called === fails ? 400 : 200
    })
    t.match(outcome, { name: "Unfit", message: why }, fails)
  }
})
