/** Parts of a request: its query and the three forms of its body, and what cannot be read. */
import t from "tap"
import { ask, bodyOf as body, RawConnection, requestBytes } from "../../kit/raw-http.ts"
import { field, form, hamlet, multipart, startFixture } from "../http-fixture.ts"

t.test("the parameters of a request", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const { port } = server

  t.test("parameters come from the query, urlencoded and multipart bodies, on every method", async (t) => {
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"]) {
      const query = await ask(port, { method, path: "/api/v1/echo?a=1+2&b=%C3%A9&a=3&c&=d&&e=f=g", headers: hamlet })
      t.match(body(query), { result: "success", msg: "", route: `${method} /echo`, user: 7, realm: 1 })
      t.strictSame(body(query)["source"], { a: "3", b: "é", c: "", "": "d", e: "f=g" }, `${method} query`)
      const encoded = await ask(port, {
        method,
        path: "/api/v1/echo?a=query&b=query",
        headers: { ...hamlet, "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
        body: "a=body&c=%F0%9F%90%99",
      })
      t.strictSame(body(encoded)["source"], { a: "body", b: "query", c: "🐙" }, `${method} urlencoded`)
      const parts = await ask(port, {
        method,
        path: "/api/v1/echo?a=query&b=query",
        headers: { ...hamlet, "Content-Type": 'multipart/form-data; boundary="a b"' },
        body: multipart("a b", [
          field("a", "body"),
          field("empty", ""),
          field('q\\"uo%22te', "línea\r\nzwei"),
          ['Content-Type: text/plain\r\nCONTENT-DISPOSITION: form-data; filename="x.txt"; name="up.txt"', "bytes"],
        ]),
      })
      const source = { a: "body", b: "query", empty: "", 'q"uo"te': "línea\r\nzwei", "up.txt": "" }
      t.strictSame(body(parts)["source"], source, `${method} multipart`)
      for (const empty of ["", "{}", " { } \n"]) {
        const headers = { ...hamlet, "Content-Type": "application/json" }
        const answer = await ask(port, { method, path: "/api/v1/echo?a=1", headers, body: empty })
        t.strictSame(body(answer)["source"], { a: "1" }, `${method} with the JSON body "${empty}"`)
      }
      const bare = await ask(port, { method, path: "/api/v1/echo", headers: hamlet, body: "a=1&a=2" })
      t.strictSame(body(bare)["source"], { a: "2" }, `${method} without a content type`)
    }
  })

  t.test("malformed queries and bodies are refused", async (t) => {
    const headers = { ...hamlet, "Content-Type": "application/json" }
    for (const json of ['{"a":1}', "[]", "null", "{", `${" ".repeat(300_000)}x`]) {
      const answer = await ask(port, { method: "POST", path: "/api/v1/echo", headers, body: json })
      t.equal(answer?.status, 400)
      t.match(body(answer), { result: "error", code: "BAD_REQUEST", msg: /form/ })
    }
    for (const bad of ["a=%", "a=%zz", "%=a", "a=%C3", "a=%ff%fe", "a=%ED%A0%80"]) {
      const query = await ask(port, { path: `/api/v1/echo?${bad}`, headers: hamlet })
      t.match(body(query), { code: "BAD_REQUEST", msg: /query string/ }, `query ${bad}`)
      const inBody = await ask(port, { method: "POST", path: "/api/v1/echo", headers: form, body: bad })
      t.match(body(inBody), { code: "BAD_REQUEST", msg: /request body/ }, `body ${bad}`)
    }
    const raw = Buffer.from([0x61, 0x3d, 0xff, 0xfe])
    t.equal((await ask(port, { method: "POST", path: "/api/v1/echo", headers: form, body: raw }))?.status, 400)
    const rawQuery = Buffer.from(requestBytes({ path: "/api/v1/echo?a=QQ", headers: hamlet }))
    rawQuery.fill(0xff, rawQuery.indexOf("QQ"), rawQuery.indexOf("QQ") + 2)
    const connection = new RawConnection(port)
    connection.write(rawQuery)
    t.equal((await connection.next())?.status, 400, "bytes in the query that are not UTF-8")
    connection.destroy()
    const nul = await ask(port, { path: "/api/v1/typed/5?note=a%00b", headers: hamlet })
    t.match(body(nul), { code: "BAD_REQUEST", msg: "note must not contain null bytes" })
    const many = Array.from({ length: 1001 }, (_, index) => `p${index}=1`)
    t.equal((await ask(port, { path: `/api/v1/echo?${many.join("&")}`, headers: hamlet }))?.status, 400)
    t.equal((await ask(port, { path: `/api/v1/echo?${many.slice(1).join("&")}`, headers: hamlet }))?.status, 200)
    const parts = multipart(
      "x",
      many.map((each) => field(each, "1")),
    )
    const type = { ...hamlet, "Content-Type": "multipart/form-data; boundary=x" }
    t.equal((await ask(port, { method: "POST", path: "/api/v1/echo", headers: type, body: parts }))?.status, 400)
  })
})
