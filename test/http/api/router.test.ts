/** Which route a path and a method find, and what is answered where there is none. */
import t from "tap"
import { makeRouter } from "../../../src/http/api/router.ts"
import { ask, bodyOf as body } from "../../kit/raw-http.ts"
import { hamlet, routes, startFixture } from "../http-fixture.ts"

t.test("finding a route", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port, stage } = server

  t.test("paths lead to their routes", async (t) => {
    const routed = async (path: string) => (await ask(port, { path: `/api/v1${path}`, headers: hamlet }))?.body ?? ""
    const table: ReadonlyArray<readonly [path: string, route: string, source: object]> = [
      ["/items/15", "GET /items/{item_id:int}", { item_id: "15" }],
      ["/items/15/parts", "GET /items/{item_id:int}/parts", { item_id: "15" }],
      ["/items/15?item_id=99&x=1", "GET /items/{item_id:int}", { item_id: "15", x: "1" }],
      ["/items/15/owner", "GET /items/{name}/owner", { name: "15" }],
      ["/items/1234567890123456", "GET /items/{name}", { name: "1234567890123456" }],
      ["/items/-5", "GET /items/{name}", { name: "-5" }],
      ["/items/a%40b.c%2Fd+e%20f", "GET /items/{name}", { name: "a@b.c/d+e f" }],
      ["/items/special/owner", "GET /items/{name}/owner", { name: "special" }],
      ["/%69tems/15", "GET /items/{item_id:int}", { item_id: "15" }],
    ]
    for (const [path, route, source] of table) t.match(JSON.parse(await routed(path)), { route, source }, path)
    t.strictSame(JSON.parse(await routed("/items/15?x=1")).path, ["item_id"])
    const missing = ["/", "", "/nope", "/items", "/items/", "/items/15/", "/items//parts", "/items/%", "/items/%zz"]
    for (const path of [...missing, "/items/%ff", "/items/a%00b", "/items/15/parts/1", "//echo", "/echo/../echo"]) {
      t.match(JSON.parse(await routed(path)), { result: "error", code: "NOT_FOUND", msg: /./ }, `404 for ${path}`)
    }
    const files = "GET /files/{folder}/{file}"
    for (const [path, folder, file] of [
      ["/files/a/b.png", "a", "b.png"],
      ["/files/a%2Fb.png", "a", "b.png"],
      ["/files/a%2fb%20c%252Fd", "a", "b c%2Fd"],
      ["/files/%61/...", "a", "..."],
    ] as const)
      t.match(JSON.parse(await routed(path)), { route: files, source: { folder, file } }, path)
    const odd = [
      "a%2F..",
      "..%2Fb",
      "a/%2e",
      "a%2F%2e%2e",
      "a%2F",
      "%2Fb",
      "a%2F%2Fb",
      "a%2Fb%5Cc",
      "a%2Fb%00",
      "a%2Fb%2Fc",
      "a%252Fb",
    ]
    for (const path of odd)
      t.match(JSON.parse(await routed(`/files/${path}`)), { code: "NOT_FOUND" }, `404 for ${path}`)
    for (const path of ["/", "/api/v2/echo", "/api/v1echo", "/json/echo", "/health/"]) {
      t.match(body(await ask(port, { path })), { code: "NOT_FOUND" }, `404 for ${path}`)
    }
    t.throws(() => makeRouter([...routes(stage), ...routes(stage)]), /Two routes/)
  })

  t.test("methods that a path does not have are refused", async (t) => {
    const wrong = await ask(port, { method: "POST", path: "/api/v1/items/5", headers: hamlet })
    t.equal(wrong?.status, 405)
    t.equal(wrong?.headers.get("allow"), "GET, HEAD, DELETE, OPTIONS")
    t.match(body(wrong), { code: "METHOD_NOT_ALLOWED", allowed_methods: ["GET", "HEAD", "DELETE", "OPTIONS"] })
    for (const method of ["TRACE", "BREW", "get", "CONNECT"]) {
      t.equal((await ask(port, { method, path: "/api/v1/echo", headers: hamlet }))?.status, 405, method)
    }
    t.equal((await ask(port, { method: "GET", path: "/api/v1/items/special", headers: hamlet }))?.status, 405)
    t.equal((await ask(port, { method: "HEAD", path: "/api/v1/sends", headers: hamlet }))?.status, 405)
    const options = await ask(port, { method: "OPTIONS", path: "/api/v1/items/5" })
    t.match(options, { status: 204, body: "" })
    t.equal(options?.headers.get("allow"), "GET, HEAD, DELETE, OPTIONS")
    t.equal((await ask(port, { method: "OPTIONS", path: "/api/v1/nope" }))?.status, 404)
  })
})
