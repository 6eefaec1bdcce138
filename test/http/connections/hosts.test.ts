/** Development mode answers to names of this machine only. */
import t from "tap"
import { makeServedHosts } from "../../../src/http/connections/hosts.ts"
import { ask, bodyOf } from "../../kit/raw-http.ts"
import { connect } from "../../kit/socket-client.ts"
import { hamlet, startFixture } from "../http-fixture.ts"

const development = { mode: "development", developmentOpenToEverybody: false, externalUrl: null } as const

const served = ["localhost", "LocalHost:9991", "demo.localhost:80", "127.0.0.1:9991", "127.9.9.9", "[::1]", "[::1]:80"]
const foreign = [
  ...["", "evil.example", "evil.example:9991", "192.0.2.7", "0.0.0.0:9991", "[::]:80", "[::ffff:127.0.0.1]"],
  ...[
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "notlocalhost",
    "localhost@evil.example",
    "[::1].evil",
    "a b",
  ],
]

t.test("which hosts are served", async (t) => {
  const isServed = makeServedHosts(development)
  for (const host of served) t.ok(isServed(host), host)
  for (const host of foreign) t.notOk(isServed(host), host)
  const named = makeServedHosts({ ...development, externalUrl: "http://chat.test:9991" })
  t.ok(named("chat.test:9991"), "the host of the external URL")
  t.notOk(named("evil.test"))
  for (const all of [{ mode: "production" }, { developmentOpenToEverybody: true }] as const)
    t.ok(makeServedHosts({ ...development, ...all })("evil.example"))
})

t.test("every kind of request to another host is refused, before anything else is looked at", async (t) => {
  const server = await startFixture({ config: { mode: "development", externalUrl: null } })
  t.teardown(server.stop)
  const { port, stage } = server
  const Host = "evil.example:9991"
  for (const [method, path] of [
    ["GET", "/health"],
    ["GET", "/api/v1/echo"],
    ["POST", "/api/v1/keys"],
    ["OPTIONS", "/api/v1/echo"],
    ["GET", "/nowhere"],
  ] as const) {
    const answer = await ask(port, { method, path, headers: { ...hamlet, Host, Origin: `http://${Host}` } })
    t.equal(answer?.status, 403, path)
    t.match(bodyOf(answer), { result: "error", code: "BAD_REQUEST", msg: /^Development mode answers only to/ }, path)
  }
  const path = "/api/v1/events/ws?queue_id=q&last_event_id=-1"
  const socket = await connect({ port, path, headers: { ...hamlet, Host } }).catch((fault: unknown) => fault)
  t.match(socket, { status: 403 }, "a WebSocket")
  t.strictSame(stage.prepared, [])
  t.strictSame(new Set(stage.refusals), new Set(["hosts in development mode: 127.0.0.1"]))
  const own = await ask(port, { path: "/api/v1/echo", headers: { ...hamlet, Host: `localhost:${port}` } })
  t.equal(own?.status, 200)
})
