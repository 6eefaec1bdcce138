/**
 * The program as a process: a command line that is wrong, a server from its start to its drain, and the next one on its data.
 * More of it, by more processes: main-processes.test.ts.
 */
import { connect as connectTcp } from "node:net"
import t from "tap"
import { demoPassword } from "../src/chat/server/setup/demo-password.ts"
import { findFreePort } from "../src/testing/free-port.ts"
import { formOf } from "./kit/client.ts"
import { makeFlags, oneLine, originOf, Program, signIn, stopLine } from "./kit/program.ts"
import { bodyOf, RawConnection, requestBytes } from "./kit/raw-http.ts"
import { Reader } from "./kit/reader.ts"
import { openSocket } from "./kit/sockets.ts"
import { until } from "./kit/test-database.ts"

/** The programs run in development mode, which answers to names of this machine only. */
const local = { Host: "localhost" }

t.test("a wrong command line ends with code 2 and one line on standard error", async (t) => {
  const program = new Program(t, ["--colour", "red"])
  t.same(await program.ended, { code: 2, signal: null })
  t.match(program.err, /--colour/)
  t.match(program.err, oneLine)
  t.equal(program.out, "")
})

t.test("a server from its first start to its drain, and the next one on its data", async (t) => {
  const [flags, port] = [await makeFlags(t), await findFreePort()]
  const program = new Program(t, flags(port))
  t.equal(await program.port(), port)

  await t.test("it prints its address, accounts and a command to try", async (t) => {
    t.match(program.out, new RegExp(`^Parley listens on http://127\\.0\\.0\\.1:${port}\n`))
    t.match(
      program.out,
      new RegExp(`owner, admin, moderator, member, guest, visitor @demo.example, password ${demoPassword}`),
    )
    const pasted =
      /curl -u (\S+):(\S+) (\S+) \\\n\s+-d type=(\S+) -d to=(\S+) -d topic=(\S+) -d content='([^']+)'/.exec(program.out)
    const [, email = "", key = "", url = "", type = "", to = "", topic = "", content = ""] = pasted ?? []
    const response = await fetch(url, {
      method: "POST",
      headers: { Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}` },
      body: formOf({ type, to, topic, content }),
    })
    t.match(await response.json(), { result: "success", id: Number }, "what is to be pasted works")
  })

  await t.test("a browser that opens its address gets the page to chat in", async (t) => {
    const page = await fetch(`${originOf(port)}/`, { headers: { Accept: "text/html" } })
    t.equal(page.status, 200)
    t.equal(page.headers.get("content-type"), "text/html; charset=utf-8")
    t.match(page.headers.get("content-security-policy"), /^default-src 'none'; script-src 'self';/)
    const text = await page.text()
    const [script = ""] = /\/page\/page-\w+\.js/.exec(text) ?? []
    const [style = ""] = /\/page\/page-\w+\.css/.exec(text) ?? []
    for (const [path, type] of [
      [script, "text/javascript; charset=utf-8"],
      [style, "text/css; charset=utf-8"],
    ] as const) {
      const file = await fetch(`${originOf(port)}${path}`, { headers: { "Accept-Encoding": "gzip, br" } })
      t.equal(file.headers.get("content-type"), type)
      t.equal(file.headers.get("content-encoding"), "br")
      t.equal(file.headers.get("cache-control"), "public, max-age=31536000, immutable")
      t.equal(file.headers.get("x-content-type-options"), "nosniff")
      t.not((await file.text()).length, 0)
    }
  })

  await t.test("/ready and /health answer", async (t) => {
    for (const [path, body] of [
      ["/ready", { status: "ready" }],
      ["/health", { status: "alive" }],
    ] as const) {
      const response = await fetch(`${originOf(port)}${path}`)
      t.equal(response.status, 200)
      t.match(await response.json(), body)
      t.equal((await fetch(`${originOf(port)}${path}`, { method: "HEAD" })).status, 200)
      const posted = await fetch(`${originOf(port)}${path}`, { method: "POST" })
      t.equal(posted.status, 405)
      t.match(await posted.json(), { result: "error", code: "METHOD_NOT_ALLOWED" })
    }
    t.match(await (await fetch(`${originOf(port)}/nowhere`)).json(), { result: "error", code: "NOT_FOUND" })
  })

  await t.test("what browsers and machines ask for by themselves", async (t) => {
    const icon = await fetch(`${originOf(port)}/favicon.ico`)
    t.equal(icon.headers.get("content-type"), "image/svg+xml")
    t.match(await icon.text(), /^<svg /)
    const robots = await fetch(`${originOf(port)}/robots.txt`)
    t.equal(robots.headers.get("content-type"), "text/plain; charset=utf-8")
    t.equal(await robots.text(), "User-agent: *\nDisallow: /\n")
  })

  await t.test("a second server on the same database is refused in one line", async (t) => {
    const onItsData = new Program(t, flags(await findFreePort()))
    t.equal((await onItsData.ended).code, 2)
    t.match(onItsData.err, oneLine, "on its database")
    t.equal((await fetch(`${originOf(port)}/ready`)).status, 200, "it has not noticed")
  })

  await t.test("SIGTERM: requests in flight are answered, polls and sockets end, and the exit code is 0", async (t) => {
    const member = await signIn(port, "member")
    const readerOf = async () => new Reader(member, port, await member.must.post("/register"))
    const sockets = await Promise.all([1, 2, 3].map(async () => (await readerOf()).open()))
    const waiting = await readerOf()
    const cursor = { queue_id: waiting.queueId, last_event_id: waiting.lastId }
    const poll = member.get("/events", cursor)
    const unsigned = await openSocket({ port, query: cursor })

    // A request is in flight once its head has come: half of its body waits until the server no longer listens.
    const inFlight = new RawConnection(port)
    const { email, key } = member.account
    const body = formOf({ type: "channel", to: "general", topic: "t", content: "in flight" }).toString()
    const bytes = requestBytes({
      method: "POST",
      path: "/api/v1/messages",
      headers: {
        ...local,
        Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`,
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body,
    })
    inFlight.write(bytes.subarray(0, -10))
    const idle = new RawConnection(port)
    for (let each = 0; each < 2; each++) {
      idle.write(requestBytes({ path: "/health", headers: local }))
      t.equal((await idle.next())?.status, 200)
    }

    program.signal("SIGTERM")
    await until(
      "it listens no more",
      20_000,
      () =>
        new Promise<boolean>((resolve) => {
          const attempt = connectTcp(port, "127.0.0.1")
          attempt.once("connect", () => {
            attempt.destroy()
            resolve(false)
          })
          attempt.once("error", () => resolve(true))
        }),
    )
    idle.write(requestBytes({ path: "/api/v1/server_settings", headers: local }))
    const late = await idle.next()
    t.equal(late?.status, 503, "nothing new is taken")
    t.match(bodyOf(late), { code: "SERVICE_UNAVAILABLE", "retry-after": Number })
    for (const socket of [...sockets, unsigned])
      t.match(await socket.closed, { code: 1001, reason: /^going away; come back$/ })
    t.match(await poll, { status: 200, body: { result: "success" } }, "a poll is answered and may come back")
    // The others are gone, and still it waits for this one.
    inFlight.write(bytes.subarray(-10))
    const answer = await inFlight.next()
    t.equal(answer?.status, 200, "what was in flight is done")
    t.match(bodyOf(answer), { result: "success", id: Number })
    t.same(await program.ended, { code: 0, signal: null })
    t.same(program.log, [stopLine("SIGTERM")])
  })

  await t.test("the next server continues, and warns that another secret voids all keys", async (t) => {
    const next = new Program(t, [...flags(port), "--secret", "another secret"])
    t.equal(await next.port(), port, "on the same port at once")
    const member = await signIn(port, "member")
    const page = { anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false }
    t.match(await member.must.get("/messages", page), { messages: [{ content: "in flight" }] })
    await until("the warning is printed", 20_000, () => next.log.length > 0)
    const [warned = ""] = next.log
    t.match(warned, /^WARN the secret is not the one .*: all API keys are void, /)
    next.signal("SIGINT")
    t.same(await next.ended, { code: 0, signal: null }, "SIGINT ends it as well")
    t.same(next.log, [warned, stopLine("SIGINT")])
  })
})
