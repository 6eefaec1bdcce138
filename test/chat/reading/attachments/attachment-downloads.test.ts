/** Reading uploaded files: who may, ranges, headers, temporary addresses, slow clients. */
import t from "tap"
import { RawConnection, requestBytes } from "../../../kit/raw-http.ts"
import { recordsIn } from "../../../kit/records.ts"
import { basic } from "../../../kit/rows.ts"
import { inTurn } from "../../../kit/share.ts"
import { uploaded } from "../../../kit/uploads.ts"
import { type Name, names, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "secret", users: ["hamlet", "cordelia"], isPrivate: true, historyShared: false },
  { name: "square", users: ["hamlet"], isWebPublic: true },
] as const

interface Asked {
  readonly by?: Name
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

const fetched = async (server: TestServer, path: string, { by, method = "GET", headers = {} }: Asked = {}) => {
  const signed = by === undefined ? {} : { Authorization: basic(server.as(by).account) }
  const answer = await fetch(`${server.origin}${path}`, { method, headers: { ...signed, ...headers } })
  return {
    status: answer.status,
    headers: answer.headers,
    text: Buffer.from(await answer.arrayBuffer()).toString("latin1"),
  }
}

/** The people who get a file, signed as themselves. Everybody else gets what they would for a file that is not there. */
const readers = async (server: TestServer, url: string): Promise<ReadonlyArray<Name>> => {
  const found: Array<Name> = []
  const nowhere = url.replace(/[0-9a-f]{32}/, "0".repeat(32))
  for (const by of names) {
    if (server.as(by).account.key === "") continue
    const answer = await fetched(server, url, { by })
    const api = await server.as(by).get(url)
    if (answer.status === 200) found.push(by)
    else {
      const absent = await fetched(server, nowhere, { by })
      if (absent.status !== 404 || answer.text !== absent.text || answer.status !== 404) throw new Error(answer.text)
      const missing = await server.as(by).get(nowhere)
      if (JSON.stringify(api.body) !== JSON.stringify(missing.body)) throw new Error(JSON.stringify(api.body))
    }
    if ((api.status === 200) !== (answer.status === 200)) throw new Error(`${by}: ${api.status} and ${answer.status}`)
  }
  return found
}

t.test("a file is for its owner, and for whoever may read a message that links it", (t) =>
  withServer(t, { channels }, async (server) => {
    const url = await uploaded(server, "hamlet", { bytes: "to be" })
    const link = `[it](${url})`
    t.same(await readers(server, url), ["hamlet"])
    await server.as("hamlet").must.post("/messages", { type: "direct", to: [server.idOf("iago")], content: link })
    t.same([...(await readers(server, url))].sort(), ["hamlet", "iago"])
    await server.as("hamlet").send("secret", link)
    t.same([...(await readers(server, url))].sort(), ["cordelia", "hamlet", "iago"])
    const address = String((await server.as("cordelia").must.get(url))["url"])
    t.match(await fetched(server, address), { status: 200, text: "to be" })
    await server.as("cordelia").must.delete("/users/me/subscriptions", { subscriptions: ["secret"] })
    // The channel is private, so what they had there is not theirs while they are out of it.
    t.notOk((await readers(server, url)).includes("cordelia"), "they are out of the channel")
    t.match(await fetched(server, address), { status: 404 }, "and so is whoever they gave an address to")
    await server.as("hamlet").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "secret" }],
      principals: [server.idOf("cordelia")],
    })
    t.match(await fetched(server, address), { status: 200, text: "to be" }, "they are in it again")
    t.match(await fetched(server, address.replace(/u\d+\./, "u1.")), { status: 401 }, "it says whose it is")
    t.match(await fetched(server, url), { status: 401 }, "a visitor, where there are none")
    await server.as("iago").must.patch("/realm", { enable_spectator_access: true })
    t.match(await fetched(server, url), { status: 404 }, "a visitor")
    await server.as("hamlet").send("square", link)
    t.match(await fetched(server, url), { status: 200, text: "to be" })
    const given = recordsIn([await (await fetch(`${server.origin}/api/v1${url}`)).json()])[0]?.["url"]
    t.match(given, /^\/user_uploads\/temporary\/v\d/, "it says that it is a visitor's")
    t.match(await fetched(server, String(given)), { status: 200, text: "to be" })
    t.not((await fetched(server, String(given).replace("/v", "/"))).status, 200)
    t.equal((await readers(server, url)).length, names.length)
    for (const path of [
      "/user_uploads/",
      `${url}/..`,
      `${url}x`,
      "/user_uploads/1/../../parley",
      "/user_uploads/%00",
      "/user_uploads/1/%2e%2e/%2e%2e/x",
    ])
      t.match(await fetched(server, path, { by: "hamlet" }), { status: 404 }, path)
    t.match(await fetched(server, url, { by: "hamlet", method: "POST" }), { status: 405 })
    t.match(await fetched(server, url, { headers: { Authorization: "Basic eDp4" } }), { status: 401 })
  }),
)

t.test("files are sent so that nothing in them runs", inTurn(2, "files are sent so that nothing in them runs"), (t) =>
  withServer(t, {}, async (server) => {
    const unknown = "application/octet-stream"
    const rows: ReadonlyArray<readonly [type: string | null, name: string, sent: string, disposition: string]> = [
      ["image/png", "a.png", "image/png", "inline; filename=\"a.png\"; filename*=UTF-8''a.png"],
      ["text/plain", "a.html", "text/plain; charset=utf-8", "inline; filename=\"a.html\"; filename*=UTF-8''a.html"],
      ["text/html", "a.png", "application/octet-stream", "attachment; filename=\"a.png\"; filename*=UTF-8''a.png"],
      ["image/svg+xml", "a.svg", "application/octet-stream", "attachment; filename=\"a.svg\"; filename*=UTF-8''a.svg"],
      ["application/pdf", "a b.pdf", "application/pdf", "inline; filename=\"a_b.pdf\"; filename*=UTF-8''a%20b.pdf"],
      [null, "b.PDF", "application/pdf", "inline; filename=\"b.PDF\"; filename*=UTF-8''b.PDF"],
      ["image/heic", "a.heic", unknown, "attachment; filename=\"a.heic\"; filename*=UTF-8''a.heic"],
      [
        "evil/x; y",
        "ä'.exe",
        "application/octet-stream",
        "attachment; filename=\"__.exe\"; filename*=UTF-8''%C3%A4%27.exe",
      ],
      // A file whose type says nothing gets the one of its name, if that is one that is shown.
      [null, "v.mp4", "video/mp4", "inline; filename=\"v.mp4\"; filename*=UTF-8''v.mp4"],
      [unknown, "b.v.M4A", "audio/mp4", "inline; filename=\"b.v.M4A\"; filename*=UTF-8''b.v.M4A"],
      ["no type", "a.txt", "text/plain; charset=utf-8", "inline; filename=\"a.txt\"; filename*=UTF-8''a.txt"],
      [null, "a.html", unknown, "attachment; filename=\"a.html\"; filename*=UTF-8''a.html"],
      [null, "mp4", unknown, "attachment; filename=\"mp4\"; filename*=UTF-8''mp4"],
      ["text/html", "a.mp4", unknown, "attachment; filename=\"a.mp4\"; filename*=UTF-8''a.mp4"],
    ]
    for (const [type, name, sent, disposition] of rows) {
      const url = await uploaded(server, "hamlet", { type, name, bytes: "<script>" })
      const { headers } = await fetched(server, url, { by: "hamlet" })
      t.same(
        ["content-type", "content-disposition", "x-content-type-options", "cache-control"].map((each) =>
          headers.get(each),
        ),
        [sent, disposition, "nosniff", "private, max-age=3600"],
        `${type} ${name}`,
      )
      t.match(headers.get("content-security-policy"), /^default-src 'none'.*; sandbox$/)
    }
  }),
)

t.test(
  "parts of files, and files that a client has already",
  inTurn(2, "parts of files, and files that a client has already"),
  (t) =>
    withServer(t, {}, async (server) => {
      const url = await uploaded(server, "hamlet", { bytes: "0123456789" })
      const ask = (headers: Readonly<Record<string, string>>, method = "GET") =>
        fetched(server, url, { by: "hamlet", headers, method })
      const whole = await ask({})
      const etag = String(whole.headers.get("etag"))
      t.match(whole, { status: 200, text: "0123456789" })
      const rows: ReadonlyArray<readonly [range: string, status: number, text: string, shown: string | null]> = [
        ["bytes=2-4", 206, "234", "bytes 2-4/10"],
        ["bytes=8-", 206, "89", "bytes 8-9/10"],
        ["bytes=-3", 206, "789", "bytes 7-9/10"],
        ["bytes=-30", 206, "0123456789", "bytes 0-9/10"],
        ["bytes=9-900", 206, "9", "bytes 9-9/10"],
        ["bytes=10-", 416, "", "bytes */10"],
        ["bytes=-0", 416, "", "bytes */10"],
        ["bytes=4-2", 200, "0123456789", null],
        ["bytes=0-1,4-5", 200, "0123456789", null],
        ["bytes=-", 200, "0123456789", null],
        ["lines=1-2", 200, "0123456789", null],
        [`bytes=${"9".repeat(30)}-`, 200, "0123456789", null],
      ]
      for (const [Range, status, text, shown] of rows) {
        const answer = await ask({ Range })
        t.match(answer, { status, text }, Range)
        t.equal(answer.headers.get("content-range"), shown, Range)
      }
      t.match(await ask({ Range: "bytes=2-4", "If-Range": etag }), { status: 206 })
      t.match(await ask({ Range: "bytes=2-4", "If-Range": '"other"' }), { status: 200 })
      t.match(await ask({ "If-None-Match": `"x", W/${etag}` }), { status: 304, text: "" })
      t.match(await ask({ "If-None-Match": "*" }), { status: 304, text: "" })
      const head = await ask({}, "HEAD")
      t.match(head, { status: 200, text: "" })
      t.equal(head.headers.get("content-length"), "10")
      const empty = await uploaded(server, "hamlet", { bytes: "" })
      t.match(await fetched(server, empty, { by: "hamlet" }), { status: 200, text: "" })
    }),
)

t.test(
  "a temporary address is for anybody, for a minute, and for one file",
  inTurn(2, "a temporary address is for anybody, for a minute, and for one file"),
  (t) =>
    withServer(t, {}, async (server) => {
      const url = await uploaded(server, "hamlet", { name: "ä.txt", bytes: "text" })
      const temporary = async () => String((await server.as("hamlet").must.get(encodeURI(url)))["url"])
      const address = await temporary()
      t.match(address, /^\/user_uploads\/temporary\/[^/]+\/%C3%A4\.txt$/)
      t.match(await fetched(server, address), { status: 200, text: "text" })
      for (const [from, to] of [
        [/temporary\/\d+/, "temporary/1"],
        [/\.(\d+)\./, ".99999999999."],
        [/.\//, "x/"],
      ] as const)
        t.not((await fetched(server, address.replace(from, to))).status, 200)
      server.clock.advance(62_000)
      t.not((await fetched(server, address)).status, 200)
      const again = await temporary()
      const { attachments } = await server.as("hamlet").must.get("/attachments")
      const [{ id } = { id: 0 }] = Array.isArray(attachments) ? attachments : []
      await server.as("hamlet").must.delete(`/attachments/${id}`)
      t.match(await fetched(server, again), { status: 404 })
    }),
)

t.test(
  "pages of allowed origins may read files, and all may show what has a temporary address",
  inTurn(2, "pages of allowed origins may read files, and all may show what has a temporary address"),
  (t) =>
    withServer(t, { config: { origins: ["https://web.example"] } }, async (server) => {
      const url = await uploaded(server, "hamlet", { bytes: "text" })
      const shared = async (path: string, asked: Asked, origin = "https://web.example") => {
        const { status, headers } = await fetched(server, path, {
          ...asked,
          headers: { ...asked.headers, Origin: origin },
        })
        return [status, ...["allow-origin", "allow-headers"].map((name) => headers.get(`access-control-${name}`))]
      }
      const allowed = "https://web.example"
      t.same(await shared(url, { by: "hamlet" }), [200, allowed, null])
      t.same(await shared(url, { by: "hamlet", headers: { Range: "bytes=1-2" } }), [206, allowed, null])
      t.same(await shared(url, { by: "hamlet", headers: { Range: "bytes=9-" } }), [416, allowed, null])
      t.same(await shared(url, { by: "hamlet", headers: { "If-None-Match": "*" } }), [304, allowed, null])
      t.same(await shared(`${url}x`, { by: "hamlet" }), [404, allowed, null])
      t.same(await shared(url, { by: "hamlet" }, "https://evil.example"), [200, null, null])
      t.same(await shared(url, { method: "OPTIONS" }), [204, allowed, "Authorization, Content-Type"])
      t.same(await shared(url, { method: "OPTIONS" }, "https://evil.example"), [204, null, null])
      const plain = await fetched(server, url, { by: "hamlet" })
      t.equal(plain.headers.get("vary"), "Origin", "what is kept is not taken for the answer to a page")
      t.equal(plain.headers.get("cross-origin-resource-policy"), "same-site")
      const temporary = String((await server.as("hamlet").must.get(url))["url"])
      t.equal((await fetched(server, temporary)).headers.get("cross-origin-resource-policy"), "cross-origin")
    }),
)

t.test(
  "a client that does not read takes a place of its own, and is cut",
  inTurn(2, "downloads that are not read"),
  (t) =>
    withServer(t, {}, async (server) => {
      const bytes = Buffer.alloc(20_000_000, "0123456789")
      const url = await uploaded(server, "hamlet", { bytes })
      const request = requestBytes({ path: url, headers: { Authorization: basic(server.as("hamlet").account) } })
      const slow = new RawConnection(Number(new URL(server.origin).port))
      slow.pause()
      slow.write(request)
      const { text } = await fetched(server, url, { by: "hamlet" })
      t.ok(Buffer.from(text, "latin1").equals(bytes), "a large file comes whole")
      for (let n = 0; n < 5; n++) server.clock.advance(2_000_000)
      slow.resume()
      await slow.closed
      t.pass("it was cut")
    }),
)
