/**
 * From an empty database to a first message, by the program's commands, in production mode, on the database of the test run. The
 * server and the command that makes the organization are processes. More of it: from-nothing-processes.test.ts.
 */
import t from "tap"
import { oneLine, originOf, stopLine } from "../kit/program.ts"
import { until } from "../kit/test-database.ts"
import { keyIn, makePlace, org } from "./empty-place.ts"

t.test("beside a running server", async (t) => {
  const place = await makePlace(t)
  const { run, ask } = place
  const server = await place.serve()
  t.equal(server.out, "", "nothing for people: what gathers logs would read it")
  await until("it says so in its log", 20_000, async () => server.log.length > 0)
  t.match(server.log.join("\n"), /^WARN The database holds no organization yet: parley org create makes one/)
  t.same(await run(["org", "list"]), { code: 0, out: "There is no organization.\n", err: "" })
  const readiness = async () => (await fetch(`${originOf(place.port)}/ready`)).json()
  t.match(await readiness(), { status: "ready", note: /^no organization is served yet/ })

  const made = await place.runApart(org("first.example"), "the password of ann\n")
  t.match(made, { code: 0, err: "", out: /^Organization The first\.example at first\.example\nOwner Ann Owner, ann@/ })
  t.strictSame(await readiness(), { status: "ready" })
  t.match(await (await fetch(originOf(place.port))).text(), /<div id="app">/)
  const ann = { email: "ann@first.example", key: keyIn(made.out) }
  const first = { type: "channel", to: "general", topic: "hello", content: "the first message" }
  t.match(await ask("first.example", "POST", "/messages", first, ann), { status: 200 })
  const entered = { username: "ann@first.example", password: "the password of ann" }
  t.match(await ask("first.example", "POST", "/fetch_api_key", entered), { body: { api_key: ann.key } })

  t.match(await run(["user", "create", "bob@first.example", "--name", "Bob", "--no-password"]), { code: 0, err: "" })
  const key = await run(["user", "api-key", "bob@first.example"])
  t.match(key, { code: 0, out: /^\w{32}\n$/, err: "" }, "the key alone")
  const page = { anchor: "newest", num_before: 2, num_after: 0, apply_markdown: false }
  const bob = { email: "bob@first.example", key: key.out.trim() }
  const read = await ask("first.example", "GET", "/messages", page, bob)
  t.match(read.body["messages"], [{ content: "the first message" }, { sender_full_name: "Welcome Bot" }])

  const second = await run([...org("second.example"), "--no-password"])
  t.match(second, { code: 0, out: /without a password yet\nAPI key \w{32}\nThis server has several organizations now/ })
  for (const host of ["first.example", "second.example"])
    t.match((await ask(host, "GET", "/server_settings")).body, {
      realm_name: `The ${host}`,
      realm_url: `https://${host}`,
    })
  t.match(await ask("third.example", "POST", "/fetch_api_key", entered), { status: 404 })
  const other = { email: "ann@second.example", key: keyIn(second.out) }
  t.match(await ask("second.example", "POST", "/messages", { ...first, content: "another" }, other), { status: 200 })

  for (const [args, why] of [
    [[...org("first.example"), "--no-password"], /an organization at first\.example already/],
    [
      ["user", "create", "bob@first.example", "--name", "Bob", "--no-password"],
      /several organizations: name one with --org/,
    ],
    [["org", "list", "--mode", "x"], /--mode is "x"/],
  ] as const) {
    const answer = await run(args)
    t.match(answer, { code: 2, out: "", err: why }, args.join(" "))
    t.match(answer.err, oneLine, "one line")
  }
  server.signal("SIGTERM")
  t.same(await server.ended, { code: 0, signal: null })
  t.same(server.log.slice(1), [stopLine("SIGTERM")])
})
