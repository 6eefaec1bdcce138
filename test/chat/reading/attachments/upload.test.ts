/** POST /user_uploads: what is stored and told, names, limits, and forms that are wrong. */
import { readFileSync } from "node:fs"
import t from "tap"
import { RawConnection, requestBytes } from "../../../kit/raw-http.ts"
import { recordsIn } from "../../../kit/records.ts"
import { basic } from "../../../kit/rows.ts"
import { formBytes, formType, postBody, storedFiles, upload, uploaded } from "../../../kit/uploads.ts"
import { withServer } from "../../../kit/with-server.ts"

t.test("a file is stored as it was sent, and its owner is told", (t) =>
  withServer(t, {}, async (server) => {
    const [queue, others] = [await server.queue("hamlet"), await server.queue("iago")]
    const bytes = Buffer.alloc(3_000_000, "0123456789abcdef")
    const first = await upload(server, "hamlet", { field: "a field", name: "Report 1.txt", bytes })
    t.match(first, { status: 200, body: { filename: "Report 1.txt" } })
    const url = String(first.body["url"])
    t.equal(first.body["uri"], url)
    t.match(url, /^\/user_uploads\/1\/[0-9a-f]{2}\/[0-9a-f]{32}\/Report-1\.txt$/)
    const [stored = ""] = storedFiles(server)
    t.ok(readFileSync(stored).equals(bytes))
    const second = await uploaded(server, "hamlet", { bytes: "" })
    const seconds = Math.floor(server.clock.now() / 1000)
    const id = Number
    const type = "attachment"
    const events = await queue.rest()
    t.match(events, [
      {
        type,
        op: "add",
        attachment: {
          id,
          name: "Report 1.txt",
          path_id: url.slice("/user_uploads/".length),
          size: bytes.length,
          create_time: seconds,
          messages: [],
        },
        upload_space_used: bytes.length,
      },
      {
        type,
        op: "add",
        attachment: { path_id: second.slice("/user_uploads/".length), size: 0 },
        upload_space_used: bytes.length,
      },
    ])
    t.same(await others.rest(), [], "nobody else is")
  }),
)

t.test("names are cleaned", (t) =>
  withServer(t, {}, async (server) => {
    const long = "x".repeat(5000)
    const han = "\ud55c".repeat(79)
    const threefold = "\ufb2c".repeat(40).normalize("NFC").slice(0, 116)
    const rows: ReadonlyArray<readonly [sent: string, filename: string, address: string]> = [
      ["../../etc/passwd", "passwd", "passwd"],
      ["C:\\\\temp\\\\a b.txt", "a b.txt", "a-b.txt"],
      ["..", "file", "file"],
      [".htaccess", ".htaccess", "htaccess"],
      ["gnp\u202eexe.png", "gnpexe.png", "gnpexe.png"],
      ["zażółć\u0301 🐙.png", "zażółć\u0301 🐙.png".normalize("NFC"), "zażółć́-.png".normalize("NFC")],
      [`${long}.tar.gz`, `${"x".repeat(117)}.gz`, `${"x".repeat(117)}.gz`],
      ['a\\"b.txt', 'a"b.txt', "a-b.txt"],
      ["a%22b.txt", 'a"b.txt', "a-b.txt"],
      ["a'b;c&d%2fe<f>.txt", "a'b;c&d%2fe<f>.txt", "a-b-c-d-2fe-f-.txt"],
      ["", "file field", "file-field"],
      // Its normal form is three characters, of which the file's address must not have too many.
      [`${"\ufb2c".repeat(116)}.txt`, `${threefold}.txt`, `${threefold}.txt`],
      // Characters of two units where the middle is cut out, the second of which its normal form brings near the beginning.
      [
        `${"\u1112\u1161\u11ab".repeat(79)}xx🐙${"y".repeat(400)}.txt`,
        `${han}xx${"y".repeat(35)}.txt`,
        `${han}xx${"y".repeat(35)}.txt`,
      ],
      [
        `${"x".repeat(300)}🐙${"\u1112\u1161\u11ab".repeat(78)}x.txt`,
        `${"x".repeat(116)}.txt`,
        `${"x".repeat(116)}.txt`,
      ],
    ]
    for (const [name, filename, address] of rows) {
      const answer = await upload(server, "hamlet", { field: "file field", name, bytes: "x" })
      t.equal(answer.body["filename"], filename, name)
      t.equal(String(answer.body["url"]).split("/").at(-1), address, name)
      t.equal((await server.as("hamlet").get(encodeURI(String(answer.body["url"])))).status, 200, name)
    }
    const inHeader = await upload(server, "hamlet", { name: "a\u0000b.txt", bytes: "x" })
    t.match(inHeader, { status: 400 }, "a control character is no part of a header")
  }),
)

t.test("forms that are wrong are refused, and leave nothing", (t) =>
  withServer(t, {}, async (server) => {
    const file = { bytes: "x".repeat(200_000) }
    const whole = formBytes(file)
    const queue = await server.queue("hamlet")
    const noFile = "You must specify a file to upload"
    const two = "You may only upload one file at a time"
    const bad = "The form in the request body cannot be read"
    const rows: ReadonlyArray<readonly [what: string, body: Buffer, type: string, msg: string]> = [
      ["no file", formBytes(), formType, noFile],
      [
        "a field alone",
        Buffer.from(formBytes({ bytes: "x" }).toString().replace('; filename="a.txt"', "")),
        formType,
        noFile,
      ],
      ["two files", formBytes(file, file), formType, two],
      ["a second file, empty", formBytes(file, { bytes: "" }), formType, two],
      ["a file without a field's name", Buffer.from(whole.toString().replace('name="file"; ', "")), formType, bad],
      ["cut short", whole.subarray(0, whole.length - 10), formType, bad],
      ["cut in the header", whole.subarray(0, 60), formType, bad],
      ["another boundary", whole, "multipart/form-data; boundary=other", bad],
      ["no boundary", whole, "multipart/form-data", noFile],
      ["an empty boundary", whole, 'multipart/form-data; boundary=""', noFile],
      ["no form", Buffer.from("a=b"), "application/x-www-form-urlencoded", noFile],
      ["a header without an end", Buffer.from(`${whole.toString().slice(0, 40)}${"a".repeat(40_000)}`), formType, bad],
      ["much behind the form", Buffer.concat([whole, Buffer.alloc(400_000, "x")]), formType, bad],
    ]
    for (const [what, body, type, msg] of rows)
      t.match(
        await postBody(server, "hamlet", new Uint8Array(body), type),
        { status: 400, body: { code: "BAD_REQUEST", msg } },
        what,
      )
    t.match(await server.as("hamlet").post("/user_uploads"), { status: 400, body: { msg: noFile } })
    t.same(storedFiles(server), [])
    t.same(await queue.rest(), [])
    const inside = Buffer.from(`text\r\n--${"a boundary"}\r\n\r\n--\r\n-\r`)
    const url = await uploaded(server, "hamlet", { bytes: inside })
    t.ok(readFileSync(storedFiles(server)[0] ?? "").equals(inside), url)
  }),
)

t.test("what the database refuses leaves nothing", (t) =>
  withServer(t, {}, async (server) => {
    server.faults.failCommits("refused")
    t.match(await upload(server, "hamlet", { bytes: "x" }), { status: 500 })
    t.same(storedFiles(server), [])
    server.faults.failCommits("unsent")
    t.match(await upload(server, "hamlet", { bytes: "x" }), { status: 503 })
    t.same(storedFiles(server), [])
    // The commit is done, and its answer is lost: the file has a row.
    server.faults.failCommits("lost")
    await uploaded(server, "hamlet", { bytes: "x" })
    t.equal(storedFiles(server).length, 1)
  }),
)

t.test("a defect that follows the commit leaves the file, which has its row", (t) =>
  withServer(t, {}, async (server) => {
    server.faults.failCommits("garbled")
    t.match(await upload(server, "hamlet", { bytes: "x" }), { status: 500 })
    t.equal(storedFiles(server).length, 1)
    const { attachments } = await server.as("hamlet").must.get("/attachments")
    const [{ path_id } = {}] = recordsIn(attachments)
    const path = String(path_id)
    for (const each of [path, encodeURIComponent(path)])
      t.equal((await server.as("hamlet").get(`/user_uploads/${each}`)).status, 200, "and is sent")
  }),
)

t.test("limits: of a file, of the organization, of strangers", (t) =>
  withServer(t, { limits: { maxFileUploadSizeMib: 1, realmUploadQuotaMib: 2 } }, async (server) => {
    const tooLarge = { status: 400, body: { msg: "Uploaded file is larger than the allowed limit of 1 MiB" } }
    const full = { status: 400, body: { msg: "The organization's files would take more space than it has." } }
    const bytes = Buffer.alloc(2 ** 20)
    t.match(await upload(server, "hamlet", { bytes: Buffer.alloc(2 ** 20 + 1) }), tooLarge, "found while it is read")
    t.match(await upload(server, "hamlet", { bytes: Buffer.alloc(2 ** 22) }), tooLarge, "known by its length")
    t.same(storedFiles(server), [])
    await uploaded(server, "hamlet", { bytes })
    await uploaded(server, "iago", { bytes: bytes.subarray(0, -10) })
    t.match(await upload(server, "hamlet", { bytes: "0123456789a" }), full)
    await uploaded(server, "hamlet", { bytes: "0123456789" })
    t.match(await upload(server, "hamlet", { bytes: "0" }), full)
    t.equal(storedFiles(server).length, 3)
    const { port } = new URL(server.origin)
    const stranger = new RawConnection(Number(port))
    stranger.write(
      `POST /api/v1/user_uploads HTTP/1.1\r\nHost: ${server.config.host}\r\nContent-Type: ${formType}\r\nContent-Length: 1000000\r\n\r\n`,
    )
    t.match(await stranger.next(), { status: 401 }, "before anything of the body has come")
    await stranger.closed
  }),
)

t.test("an upload that ends early leaves nothing; one that is too slow is cut; those that wait take no place", (t) =>
  withServer(t, {}, async (server) => {
    const { port } = new URL(server.origin)
    const body = formBytes({ bytes: Buffer.alloc(600_000) })
    const begin = (sent: number) => {
      const connection = new RawConnection(Number(port))
      const headers = {
        Host: new URL(server.origin).host,
        Authorization: basic(server.as("hamlet").account),
        "Content-Type": formType,
      }
      const request = requestBytes({ method: "POST", path: "/api/v1/user_uploads", headers, body })
      connection.write(request.subarray(0, request.length - body.length + sent))
      return connection
    }
    const receiving = async (count: number) => {
      while (storedFiles(server).length !== count) await new Promise(setImmediate)
    }
    const gone = begin(20_000)
    await receiving(1)
    gone.destroy()
    await receiving(0)
    const slow = [1, 2, 3, 4].map(() => begin(20_000))
    await receiving(4)
    const waiting = begin(body.length)
    await uploaded(server, "iago", { bytes: "x" })
    t.equal(storedFiles(server).length, 5, "others upload meanwhile")
    server.clock.advance(31_000)
    server.clock.advance(6_000)
    await Promise.all(slow.map(({ closed }) => closed))
    t.match(await waiting.next(), { status: 200 }, "the fifth has its turn")
    waiting.destroy()
    await receiving(2)
  }),
)
