/** The outbound client against servers that do not mean well: whatever they answer, it ends, and soon. */
import { randomBytes } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import { brotliCompressSync, gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import t, { type Test } from "tap"
import { OutboundNetwork } from "../../../../src/chat/ground/outbound/network.ts"
import { NotFetched, Outbound, type OutboundRequest } from "../../../../src/chat/ground/outbound/outbound.ts"
import { Clock } from "../../../../src/clock.ts"
import { Config } from "../../../../src/config/config.ts"
import { readAllowEntry } from "../../../../src/config/outgoing-allow.ts"
import { makeRefusals, Refusals } from "../../../../src/fairness/refusals.ts"
import { farServer } from "../../../kit/far-server.ts"
import { config } from "../../../kit/hand-made-realm.ts"
import { manualClock } from "../../../kit/manual-clock.ts"

const stage = async (t: Test, allowed: ReadonlyArray<string> = []) => {
  const far = await farServer(t)
  const clock = manualClock()
  const refusals = makeRefusals(clock, () => {})
  t.teardown(refusals.stop)
  const outbound = await Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        return yield* Outbound
      }),
      Outbound.layer.pipe(
        Layer.provide(
          Layer.mergeAll(
            Layer.succeed(OutboundNetwork, far.network),
            Layer.succeed(Clock, clock),
            Layer.succeed(Config, {
              ...config,
              outgoingAllow: allowed.flatMap((entry) => readAllowEntry(entry) ?? []),
            }),
            Layer.succeed(Refusals, refusals),
          ),
        ),
      ),
    ),
  )
  const usual = { types: ["text/html"], mostBytes: 1000, isCut: false }
  /** The text that is fetched, or why nothing is. */
  const get = async (path: string, changed: Partial<OutboundRequest> = {}, owner = "one"): Promise<string> => {
    const url = path.startsWith("/") ? `${far.origin}${path}` : path
    const exit = await Effect.runPromiseExit(
      Effect.match(outbound.fetch(owner, { ...usual, url, ...changed }), {
        onSuccess: ({ bytes }) => Buffer.from(bytes).toString(),
        onFailure: (failure) => (failure instanceof NotFetched ? failure.why : "another failure"),
      }),
    )
    return Exit.isSuccess(exit) ? exit.value : "a defect"
  }
  const html = { "Content-Type": "text/html; charset=utf-8" }
  return { ...far, clock, get, html, refusals, outbound }
}

t.test("what is fetched, and what is sent for it", async (t) => {
  const { get, html, pages, asked, origin } = await stage(t)
  const packed = { gzip: gzipSync("packed"), br: brotliCompressSync("packed") }
  pages.set("/a", (_, response) => response.writeHead(200, html).end("hello"))
  for (const [name, bytes] of Object.entries(packed))
    pages.set(`/${name}`, (_, response) => response.writeHead(200, { ...html, "Content-Encoding": name }).end(bytes))
  pages.set("/to", (_, response) => response.writeHead(302, { Location: "/a?b=c", "Set-Cookie": "x=1" }).end())
  t.equal(await get("/a"), "hello")
  t.equal(await get("/gzip"), "packed")
  t.equal(await get("/br"), "packed")
  t.equal(await get("/to#part"), "hello")
  const { headers, url } = asked.at(-1) ?? { headers: {}, url: "" }
  t.equal(url, "/a?b=c")
  t.strictSame(Object.keys(headers).sort(), ["accept", "accept-encoding", "connection", "host", "user-agent"])
  t.equal(headers.host, new URL(origin).host)
  t.match(headers["user-agent"], /^Parley/)
})

t.test("what may not be connected to is refused, at each redirect too", async (t) => {
  const { get, html, pages, names, resolved, asked, origin } = await stage(t)
  const { port } = new URL(origin)
  for (const url of [
    "http://127.0.0.1/",
    "http://localhost/",
    "http://2130706433/",
    "http://[::1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://nowhere.example/",
    "https://user:secret@far.example/",
    "ftp://far.example/",
    "file:///etc/passwd",
    "gopher://far.example/",
    "nonsense",
    `http://far.example/${"a".repeat(3000)}`,
  ])
    t.equal(await get(url), "address", url.slice(0, 50))
  names.set("inner.example", ["192.168.0.1", "fd00::1"])
  const targets = ["http://10.0.0.1/", "http://inner.example/", "http://[::ffff:127.0.0.1]/", "file:///etc/passwd"]
  for (const [at, target] of targets.entries()) {
    pages.set(`/to${at}`, (_, response) => response.writeHead(301, { Location: target }).end())
    t.equal(await get(`/to${at}`), "address", target)
  }
  // A name that means another machine each time it is asked for: it is asked once, and that address is connected to.
  let times = 0
  const get2 = async () => {
    names.set("turning.example", ["127.0.0.1"])
    pages.set("/turned", (_, response) => {
      names.set("turning.example", ["10.0.0.1"])
      times += 1
      response.writeHead(200, html).end("first")
    })
    return get(`http://turning.example:${port}/turned`)
  }
  resolved.length = 0
  t.equal(await get2(), "first")
  t.strictSame([resolved, times], [["turning.example"], 1])
  t.equal(await get(`http://turning.example:${port}/turned`), "address")
  t.ok(asked.every(({ headers }) => headers.authorization === undefined && headers.cookie === undefined))
})

t.test("answers that are none, and redirects without an end", async (t) => {
  const { get, html, pages, asked } = await stage(t)
  pages.set("/loop", (_, response) => response.writeHead(302, { Location: "/loop" }).end())
  pages.set("/type", (_, response) => response.writeHead(200, { "Content-Type": "application/octet-stream" }).end("a"))
  pages.set("/no-type", (_, response) => response.writeHead(200).end("a"))
  pages.set("/bad", (_, response) => response.writeHead(500, html).end("a"))
  pages.set("/odd", (_, response) => response.writeHead(200, { ...html, "Content-Encoding": "gzip, gzip" }).end("a"))
  pages.set("/lie", (_, response) => response.writeHead(200, { ...html, "Content-Encoding": "gzip" }).end("no gzip"))
  pages.set("/cut", (_, response) => {
    response.writeHead(200, { ...html, "Content-Length": "500" }).write("a")
    setImmediate(() => response.destroy())
  })
  pages.set("/garbage", (request) => request.socket.end("nonsense\r\n\r\n"))
  pages.set("/hang-up", (request) => request.socket.destroy())
  pages.set("/headers", (_, response) => response.writeHead(200, { ...html, "X-A": "a".repeat(20_000) }).end("a"))
  pages.set("/early", (request) => request.socket.end("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)))
  pages.set("/switch", (request) =>
    request.socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
  )
  t.equal(await get("/loop"), "redirects")
  t.equal(asked.length, 5)
  for (const path of ["/type", "/no-type", "/bad", "/odd", "/nothing"]) t.equal(await get(path), "answer", path)
  for (const path of ["/lie", "/cut", "/garbage", "/hang-up", "/headers", "/early", "/switch"])
    t.equal(await get(path), "connection", path)
})

t.test("bodies are bounded, as they come and unpacked", async (t) => {
  const { get, html, pages } = await stage(t)
  let written = 0
  pages.set("/endless", (_, response) => {
    response.writeHead(200, html)
    const go = (): void => {
      while (!response.destroyed && response.write("a".repeat(16_384))) written += 16_384
      if (!response.destroyed) response.once("drain", go)
    }
    go()
  })
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  pages.set("/bomb", (_, response) => response.writeHead(200, { ...html, "Content-Encoding": "gzip" }).end(bomb))
  // Members that unpack to nothing.
  const empty = Buffer.concat(Array.from({ length: 10_000 }, () => gzipSync("")))
  pages.set("/empty", (_, response) => response.writeHead(200, { ...html, "Content-Encoding": "gzip" }).end(empty))
  pages.set("/says", (_, response) =>
    response.writeHead(200, { ...html, "Content-Length": "1001" }).end("a".repeat(1001)),
  )
  pages.set("/fits", (_, response) => response.writeHead(200, html).end("a".repeat(1000)))
  for (const path of ["/endless", "/bomb", "/empty", "/says"]) t.equal(await get(path), "size", path)
  t.ok(written < 50_000_000)
  t.equal((await get("/fits")).length, 1000)
  for (const path of ["/endless", "/says", "/fits"]) t.equal((await get(path, { isCut: true })).length, 1000, path)
  t.equal((await get("/bomb", { isCut: true })).length, 1000)
})

t.test("an answer that is mostly frame is refused: its chunks take longer than its bytes", async (t) => {
  const { get, pages } = await stage(t)
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n"
  const tiny = (bytes: Uint8Array) =>
    Buffer.concat([...bytes].flatMap((byte) => [Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")]))
  const plain = Buffer.concat([tiny(Buffer.alloc(100_000, "a")), Buffer.from("0\r\n\r\n")])
  const packed = tiny(gzipSync(randomBytes(100_000)))
  const extended = Buffer.from(`1;${"a".repeat(10_000)}\r\na\r\n`.repeat(100))
  pages.set("/tiny", (request) => request.socket.write(Buffer.concat([Buffer.from(`${head}\r\n`), plain])))
  pages.set("/packed", (request) =>
    request.socket.write(Buffer.concat([Buffer.from(`${head}Content-Encoding: gzip\r\n\r\n`), packed])),
  )
  pages.set("/extended", (request) => request.socket.write(Buffer.concat([Buffer.from(`${head}\r\n`), extended])))
  pages.set("/few", (request) =>
    request.socket.write(
      Buffer.concat([Buffer.from(`${head}\r\n`), tiny(Buffer.from("hello")), Buffer.from("0\r\n\r\n")]),
    ),
  )
  for (const path of ["/tiny", "/packed", "/extended"]) {
    t.equal(await get(path, { mostBytes: 1_000_000 }), "size", path)
    t.equal(await get(path, { mostBytes: 1_000_000, isCut: true }), "size", path)
  }
  t.equal(await get("/few"), "hello")
})

t.test("whoever answers slowly, or never, is left", async (t) => {
  const { get, html, pages, clock, network } = await stage(t)
  const begun = (path: string, answer: (response: ServerResponse) => void = () => {}) =>
    new Promise<void>((resolve) => {
      pages.set(path, (_, response) => {
        answer(response)
        resolve()
      })
    })
  const silent = begun("/silent")
  const one = get("/silent")
  await silent
  clock.advance(5_000)
  t.equal(await one, "time")

  let drip: ServerResponse | undefined
  const dripping = begun("/drip", (response) => {
    drip = response
    response.writeHead(200, html).write("a")
  })
  const two = get("/drip")
  await dripping
  // A byte now and then does not help it.
  for (let second = 0; second < 10; second++) {
    drip?.write("a")
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1_000)
  }
  t.equal(await two, "time")

  Object.assign(network, { resolve: () => new Promise(() => {}) })
  const three = get("/never")
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(5_000)
  t.equal(await three, "time")
  t.equal(clock.pending(), 0)
})

t.test("so many at once, of an organization and in all; others get their turn", async (t) => {
  const { get, html, pages, clock, asked, refusals } = await stage(t)
  const held: Array<() => void> = []
  pages.set("/held", (_, response) => void held.push(() => response.writeHead(200, html).end("done")))
  const arrived = async (count: number) => {
    while (asked.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  const many = Array.from({ length: 46 }, () => get("/held"))
  t.equal(await get("/held"), "busy")
  await arrived(6)
  const other = get("/held", {}, "two")
  await arrived(7)
  t.equal(asked.length, 7)
  held.at(-1)?.()
  t.equal(await other, "done")
  clock.advance(5_000)
  t.ok((await Promise.all(many)).every((word) => word === "busy" || word === "time"))
  t.equal(refusals.counts().get("fetches from other servers"), 41)
})

t.test("what an operator has opened is reached by calls of programs alone, and judged at each redirect", async (t) => {
  const other = createServer((_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("inside"))
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
  t.teardown(() => other.close())
  const address = other.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  const { get, pages, names, outbound, resolved } = await stage(t, [`127.0.0.1:${port}`, `named.example:${port}`])
  const post = { contentType: "application/json", body: "{}" }
  names.set("named.example", ["127.0.0.1"])
  for (const host of ["127.0.0.1", "localhost", "named.example"]) {
    const url = `http://${host}:${port}/`
    t.equal(await get(url, { post }), "inside", host)
    t.equal(await get(url), "address", `${host} for a preview`)
  }
  pages.set("/in", (_, response) => response.writeHead(307, { Location: `http://127.0.0.1:${port}/` }).end())
  pages.set("/beside", (_, response) => response.writeHead(307, { Location: `http://127.0.0.2:${port}/` }).end())
  pages.set("/meta", (_, response) => response.writeHead(307, { Location: "http://169.254.169.254/" }).end())
  t.equal(await get("/in", { post }), "inside")
  t.equal(await get("/in"), "address", "a preview is redirected")
  t.equal(await get("/beside", { post }), "address")
  t.equal(await get("/meta", { post }), "address")
  const may = (url: string) => Effect.runPromise(outbound.mayCall(new URL(url)))
  t.equal(await may(`http://127.0.0.1:${port}/`), true)
  t.equal(await may(`http://127.0.0.2:${port}/`), false)
  resolved.length = 0
  t.equal(await may(`http://unknown.example:${port}/`), true, "it may mean that address when it is called")
  t.strictSame(resolved, ["unknown.example"])
})

t.test("a name server that is silent keeps nobody from making a bot", async (t) => {
  const { clock, network, outbound } = await stage(t)
  Object.assign(network, { resolve: () => new Promise(() => {}) })
  const asking = Effect.runPromise(outbound.mayCall(new URL("https://silent.example/")))
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(3_000)
  t.equal(await asking, true)
  t.equal(clock.pending(), 0)
})
