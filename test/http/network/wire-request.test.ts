/** The edges of HTTP: where a body ends must be beyond doubt, and nothing that decides may be said twice. */
import t from "tap"
import { bodyOf, RawConnection } from "../../kit/raw-http.ts"
import { hamlet, startFixture } from "../http-fixture.ts"

const authorization = `Authorization: ${hamlet.Authorization}`

t.test("a request whose framing or headers are in doubt is refused, and its connection closed", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const form = "Content-Type: application/x-www-form-urlencoded"
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket", `Sec-WebSocket-Key: ${"A".repeat(22)}==`]
  const socketPath = "/api/v1/events/ws?queue_id=q&last_event_id=-1"
  const post = "POST /api/v1/echo"
  const chunks = "1\r\na\r\n0\r\n\r\n"
  const table: ReadonlyArray<
    readonly [name: string, line: string, headers: ReadonlyArray<string>, body: string, said?: RegExp]
  > = [
    ["two lengths", post, ["Content-Length: 3", "Content-Length: 5"], "a=1&b", /more than one Content-Length/],
    ["two equal lengths", post, ["Content-Length: 3", "content-length: 3"], "a=1", /more than one Content-Length/],
    ["an empty length", post, ["Content-Length:"], "a=1", /not a number/],
    ["an empty length and one", post, ["Content-Length:", "Content-Length: 3"], "a=1", /more than one Content-Length/],
    ["a coding that only looks like chunked", post, ["Transfer-Encoding: xchunked"], chunks, /only one value/],
    ["another coding", post, ["Transfer-Encoding: identity"], chunks, /only one value/],
    ["a list of codings", post, ["Transfer-Encoding: gzip, chunked"], chunks, /only one value/],
    [
      "two codings",
      post,
      ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
      chunks,
      /more than one Transfer/,
    ],
    // The network layer refuses these itself, with a page of its own.
    ["a signed length", post, ["Content-Length: +3"], "a=1"],
    ["a list of lengths", post, ["Content-Length: 3, 3"], "a=1"],
    ["a length beyond numbers", post, [`Content-Length: ${"9".repeat(30)}`], "a=1"],
    ["a length and a coding", post, ["Content-Length: 3", "Transfer-Encoding: chunked"], chunks],
    ["two hosts", post, ["Host: other.example.org"], ""],
    ["two keys", post, [authorization], "", /more than one Authorization/],
    ["an empty key before a key", "GET /api/v1/open", ["Authorization:", authorization], "", /more than one Authoriz/],
    ["two types", post, [form, form], "", /more than one Content-Type/],
    ["two origins", post, ["Origin: https://a.example", "Origin: https://b.example"], "", /more than one Origin/],
    ["a WebSocket with a body", `GET ${socketPath}`, [...upgrade, "Content-Length: 3"], "a=1", /has no body/],
    ["a plain page", "GET /health", ["Content-Length: 1", "Content-Length: 2"], "", /more than one Content-Length/],
    [
      "two keys of a WebSocket",
      `GET ${socketPath}`,
      [...upgrade, "Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${"B".repeat(22)}==`],
      "",
      /more than one Sec-WebSocket-Key/,
    ],
    [
      "two versions of WebSockets",
      `GET ${socketPath}`,
      [...upgrade, "Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8"],
      "",
      /more than one Sec-WebSocket-Version/,
    ],
  ]
  for (const [name, line, headers, body, said] of table) {
    const connection = new RawConnection(server.port)
    const all = ["Host: chat.example.org", ...(name.startsWith("an empty key") ? [] : [authorization]), ...headers]
    connection.write(`${line} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n${body}`)
    const refused = await connection.next()
    t.equal(refused?.status, 400, name)
    if (said !== undefined) t.match(bodyOf(refused), { result: "error", code: "BAD_REQUEST", msg: said }, name)
    await connection.closed
  }
  t.strictSame(server.stage.prepared, [], "no socket was looked at")

  const smuggled = `POST /api/v1/gate HTTP/1.1\r\nHost: chat.example.org\r\n${authorization}\r\n\r\n`
  const lengths = `Content-Length: 3\r\nContent-Length: ${3 + smuggled.length}`
  for (const head of [lengths, "Transfer-Encoding: chunked"]) {
    const connection = new RawConnection(server.port)
    const body = head === lengths ? "a=1" : "3\r\na=1\r\n0\r\n\r\n"
    connection.write(
      `${post} HTTP/1.1\r\nHost: chat.example.org\r\n${authorization}\r\n${head}\r\n\r\n${body}${smuggled}`,
    )
    t.equal(await connection.next(), undefined, "the connection is cut where a request stands behind a doubtful one")
  }
  t.strictSame(server.stage.gates, [], "which is not handled")
})

t.test("what may be said twice or in any case is understood", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const ask = async (...lines: ReadonlyArray<string>) => {
    const connection = new RawConnection(server.port)
    connection.write(lines.join("\r\n"))
    const answer = await connection.next()
    connection.destroy()
    return answer
  }
  const head = ["Host: chat.example.org", authorization]
  t.match(
    bodyOf(
      await ask("GET /api/v1/echo HTTP/1.1", ...head, "User-Agent: A/1", "User-Agent: B/1", "X: 1", "X: 2", "", ""),
    ),
    { client: "A" },
  )
  const chunked = ["Transfer-Encoding: Chunked", "", "3", "a=1", "0", "", ""]
  t.match(bodyOf(await ask("POST /api/v1/echo HTTP/1.1", ...head, ...chunked)), { source: { a: "1" } })
})

t.test("after a body in chunks the connection closes, whatever is answered", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  for (const [line, status] of [
    ["POST /api/v1/echo", 200],
    ["POST /nowhere", 404],
    ["GET /health", 200],
    ["HEAD /health", 200],
    ["OPTIONS /api/v1/echo", 204],
  ] as const) {
    const connection = new RawConnection(server.port)
    const head = `${line} HTTP/1.1\r\nHost: chat.example.org\r\n${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`
    connection.write(`${head}0\r\n\r\n`)
    const answer = await connection.next(line.startsWith("HEAD"))
    t.equal(answer?.status, status, line)
    t.equal(answer?.headers.get("connection"), "close", line)
    // After a HEAD the network layer waits for the client to close.
    if (line.startsWith("HEAD")) connection.destroy()
    await connection.closed
  }
})
