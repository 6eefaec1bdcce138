/** Which web pages may read the answers. */
import t from "tap"
import { ask } from "../../kit/raw-http.ts"
import { hamlet, startFixture } from "../http-fixture.ts"

t.test("CORS", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port } = server

  t.test("the origins of the server and of the configuration", async (t) => {
    for (const origin of ["https://chat.example.org", "https://app.example.net"]) {
      const answer = await ask(port, { path: "/api/v1/echo", headers: { ...hamlet, Origin: origin } })
      t.equal(answer?.headers.get("access-control-allow-origin"), origin)
      const preflight = await ask(port, { method: "OPTIONS", path: "/api/v1/echo", headers: { Origin: origin } })
      t.equal(preflight?.headers.get("access-control-allow-origin"), origin)
      t.match(preflight?.headers.get("access-control-allow-methods"), /PATCH/)
      t.match(preflight?.headers.get("access-control-allow-headers"), /Authorization/)
    }
    for (const origin of ["https://evil.example.com", "null", "http://chat.example.org"]) {
      const answer = await ask(port, { path: "/api/v1/echo", headers: { ...hamlet, Origin: origin } })
      t.equal(answer?.status, 200)
      t.notOk(answer?.headers.has("access-control-allow-origin"), origin)
    }
  })
})
