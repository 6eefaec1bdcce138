/** The headers of a request that say who asks: the client program, the host; and headers that are too long. */
import t from "tap"
import { clientName } from "../../../src/http/request/request-headers.ts"
import { ask, bodyOf as body } from "../../kit/raw-http.ts"
import { hamlet, startFixture } from "../http-fixture.ts"

t.test("the headers of a request", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port } = server

  t.test("the client name and the host of a request", async (t) => {
    const client = async (agent: string) =>
      body(await ask(port, { path: "/api/v1/echo", headers: { ...hamlet, "User-Agent": agent } }))["client"]
    t.equal(await client("ZulipPython/0.9 (Linux; 5)"), "ZulipPython")
    t.equal(body(await ask(port, { path: "/api/v1/echo", headers: hamlet }))["client"], "Unspecified")
    t.equal(clientName(""), "Unspecified")
    t.equal(clientName("/5"), "Unspecified")
    t.equal(clientName("a\u0000b\u0007c\u007f\u009f/1"), "abc")
    t.equal(clientName("x".repeat(500)), "x".repeat(64))
    t.equal(clientName("My Bot (linux)"), "My Bot")
    const visitor = await ask(port, { path: "/api/v1/open", headers: { Host: "Chat.Example.ORG:80" } })
    t.match(body(visitor), { realm: 1, host: "chat.example.org", origin: "https://chat.example.org" })
    const other = await ask(port, { path: "/api/v1/open", headers: { Host: "[::1]:8080" } })
    t.match(body(other), { realm: null, host: "[::1]" })
    for (const host of ["a b", "<script>", "x/y", "a:b:c", "a@b"]) {
      t.equal((await ask(port, { path: "/api/v1/open", headers: { Host: host } }))?.status, 400, host)
    }
  })

  t.test("paths and headers that are too long are refused", async (t) => {
    const long = "x".repeat(70_000)
    const table: ReadonlyArray<readonly [name: string, path: string, headers: Record<string, string>]> = [
      ["query", `/api/v1/echo?a=${long}`, hamlet],
      ["path", `/api/v1/${long}`, hamlet],
      ["path outside of the API", `/${long}`, {}],
      ["key", "/api/v1/echo", { Authorization: `Basic ${long}` }],
      ["agent", "/api/v1/echo", { ...hamlet, "User-Agent": long }],
    ]
    for (const [name, path, headers] of table) {
      const answer = await ask(port, { path, headers })
      t.equal(answer?.status, 431, name)
      t.match(body(answer), { result: "error", code: "REQUEST_TOO_LARGE", msg: /65536 bytes/ }, name)
    }
    const most = await ask(port, { path: `/api/v1/echo?a=${"x".repeat(65_000)}`, headers: hamlet })
    t.equal(most?.status, 200)
    // Beyond what the network layer holds it answers itself; the server lives.
    t.match(await ask(port, { path: `/api/v1/echo?a=${long}${long}` }), { status: 431 })
    t.equal((await ask(port, { path: "/api/v1/echo", headers: hamlet }))?.status, 200)
  })
})
