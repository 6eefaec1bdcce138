/** The Authorization header: every form of it that is refused. */
import t from "tap"
import { ask, bodyOf as body } from "../../kit/raw-http.ts"
import { basic, goodKey, hamlet, startFixture } from "../http-fixture.ts"

t.test("signing in", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port } = server

  t.test("each form of the Authorization header", async (t) => {
    const table: ReadonlyArray<readonly [header: string | undefined, status: number, code: string, msg: RegExp]> = [
      [undefined, 401, "UNAUTHORIZED", /Not signed in/],
      ["Bearer abc", 400, "BAD_REQUEST", /Basic/],
      ["Basic", 401, "UNAUTHORIZED", /Authorization header/],
      ["Basic ???", 401, "UNAUTHORIZED", /Authorization header/],
      [`Basic ${Buffer.from("no colon").toString("base64")}`, 401, "UNAUTHORIZED", /Authorization header/],
      [`Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString("base64")}`, 401, "UNAUTHORIZED", /Authorization header/],
      [basic("nul\0@example.org", goodKey), 401, "UNAUTHORIZED", /Authorization header/],
      [basic("", goodKey), 401, "UNAUTHORIZED", /Authorization header/],
      [basic("hamlet@example.org", "short"), 401, "UNAUTHORIZED", /Malformed API key/],
      [basic("hamlet@example.org", "-".repeat(32)), 401, "UNAUTHORIZED", /Malformed API key/],
      [basic("hamlet@example.org", "x".repeat(32)), 401, "UNAUTHORIZED", /Invalid API key/],
      [basic("down@example.org", goodKey), 503, "SERVICE_UNAVAILABLE", /./],
      [basic("broken@example.org", goodKey), 500, "INTERNAL_SERVER_ERROR", /./],
    ]
    for (const [header, status, code, msg] of table) {
      const headers = header === undefined ? {} : { Authorization: header }
      const answer = await ask(port, { path: "/api/v1/echo", headers })
      t.equal(answer?.status, status, header ?? "no header")
      t.match(body(answer), { result: "error", code, msg })
      t.equal(answer?.headers.get("www-authenticate"), status === 401 ? 'Basic realm="zulip"' : undefined)
    }
    const spaced = { Authorization: basic("hamlet@example.org", ` ${goodKey}\n`).replace("Basic", "bAsIc") }
    t.equal((await ask(port, { path: "/api/v1/echo", headers: spaced }))?.status, 200)
    const elsewhere = { ...hamlet, Host: "ELSEWHERE.example.org:80" }
    t.equal((await ask(port, { path: "/api/v1/echo", headers: elsewhere }))?.status, 401)
  })
})
