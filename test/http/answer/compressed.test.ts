import { request } from "node:http"
import { gunzipSync } from "node:zlib"
import t from "tap"
import { RawConnection } from "../../kit/raw-http.ts"
import { some } from "../../kit/share.ts"
import { largeText, secretKey, startFixture, until } from "../http-fixture.ts"

interface Answered {
  readonly status: number
  readonly coding: string | undefined
  readonly length: number
  readonly varies: string | undefined
  readonly body: Buffer
}

const ask = (port: number, path: string, accept: string | null, method = "GET"): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const headers = accept === null ? {} : { "Accept-Encoding": accept }
    request({ port, path: `/api/v1${path}`, method, headers }, (answer) => {
      const parts: Array<Buffer> = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("error", reject)
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          coding: answer.headers["content-encoding"],
          length: Number(answer.headers["content-length"]),
          varies: answer.headers["vary"],
          body: Buffer.concat(parts),
        }),
      )
    })
      .on("error", reject)
      .end()
  })

t.test("large answers are compressed for clients that take it", async (t) => {
  const { port, stage, stop } = await startFixture()
  t.teardown(stop)

  for (const path of some(["/pieces", "/pieces?x=1", "/shared", "/large"], 2, "compressed answers")) {
    await t.test(path, async (t) => {
      const plain = await ask(port, path, null)
      t.equal(plain.coding, undefined)
      t.equal(plain.length, plain.body.length)
      for (const accept of ["gzip", "deflate, gzip;q=0.5", "*"]) {
        const answer = await ask(port, path, accept)
        t.match(answer, { status: 200, coding: "gzip", varies: "Origin, Accept-Encoding" })
        t.equal(answer.length, answer.body.length)
        t.ok(answer.body.length < plain.body.length / 10)
        t.ok(gunzipSync(answer.body).equals(plain.body), "the same bytes")
      }
      for (const accept of ["", "identity", "br", "gzip;q=0"]) {
        const answer = await ask(port, path, accept)
        t.equal(answer.coding, undefined, `"${accept}"`)
        t.equal(answer.varies, "Origin, Accept-Encoding")
        t.ok(answer.body.equals(plain.body))
      }
    })
  }

  await t.test("keys stand in them as they are", async (t) => {
    const { body } = await ask(port, "/shared", "gzip")
    t.ok(body.includes(`"keys":["${secretKey}","${secretKey}"]`))
    t.notOk(body.includes("shared shared"))
  })

  await t.test("HEAD has the headers of GET", async (t) => {
    const [get, head] = [await ask(port, "/large", "gzip"), await ask(port, "/large", "gzip", "HEAD")]
    t.same([head.status, head.coding, head.length, head.body.length], [200, "gzip", get.length, 0])
  })

  await t.test("those above 16 KB", async (t) => {
    const least = (await ask(port, "/sized?length=0", null)).length
    for (const [length, coding] of [
      [16 * 1024, undefined],
      [16 * 1024 + 1, "gzip"],
    ] as const)
      t.equal((await ask(port, `/sized?length=${length - least}`, "gzip")).coding, coding)
  })

  await t.test("small answers and errors are not", async (t) => {
    for (const path of ["/written", "/open", "/echo", "/nope"]) {
      const answer = await ask(port, path, "gzip")
      t.equal(answer.coding, undefined, path)
      t.match(JSON.parse(answer.body.toString()), { result: /success|error/ })
    }
  })

  await t.test("a client that goes away meanwhile gives its room back, and others are served", async (t) => {
    stage.left = 0
    const leaving = new RawConnection(port)
    leaving.write("GET /api/v1/pieces HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
    leaving.destroy()
    const stays = await ask(port, "/pieces", "gzip")
    t.equal(stays.status, 200)
    await until(() => stage.left >= 1)
    await leaving.closed
    t.match(JSON.parse(gunzipSync((await ask(port, "/large", "gzip")).body).toString()), { text: largeText })
    t.same(stage.defects, [])
  })
})

t.test("an answer that cannot be sent gives its room back", async (t) => {
  const { port, stage, stop } = await startFixture()
  t.teardown(stop)
  for (const accept of [null, "gzip"]) {
    stage.left = 0
    t.equal((await ask(port, "/unsendable", accept)).status, 500)
    t.equal(stage.left, 1, accept ?? "as it is")
  }
  t.equal(stage.defects.length, 2)
})

t.test("a client that goes away while its request waits for room frees its place", async (t) => {
  const { port, stage, clock, stop } = await startFixture()
  t.teardown(stop)
  const open = (client: string): RawConnection => {
    const connection = new RawConnection(port)
    connection.write(`GET /api/v1/roomy HTTP/1.1\r\nHost: a\r\nUser-Agent: ${client}\r\n\r\n`)
    return connection
  }
  const first = open("first")
  await until(() => stage.gates.length === 1)
  // Each that waits has a timer.
  const timers = clock.pending()
  const gone = open("gone")
  await until(() => clock.pending() === timers + 1)
  const stays = open("stays")
  await until(() => clock.pending() === timers + 2)
  t.equal(stage.gates.length, 1, "there is room for one")
  gone.destroy()
  await until(() => clock.pending() === timers + 1)
  stage.gates[0]?.()
  t.match(JSON.parse((await first.next())?.body ?? ""), { client: "first" })
  await until(() => stage.gates.length === 2)
  stage.gates[1]?.()
  t.match(JSON.parse((await stays.next())?.body ?? ""), { client: "stays" }, "the other was not made")
  t.equal(stage.gates.length, 2)
  for (const connection of [first, stays]) connection.destroy()
})
