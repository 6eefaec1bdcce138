/** Pictures of other servers under addresses of this one: only those that it made, and only pictures. */
import { connect } from "node:net"
import * as Effect from "effect/Effect"
import sharp from "sharp"
import t from "tap"
import {
  externalAddress,
  externalKey,
  readExternalAddress,
} from "../../../../src/chat/ground/external-content/external-address.ts"
import { CachedPictures, findExternalPicture } from "../../../../src/chat/ground/external-content/external-content.ts"
import { pictureType } from "../../../../src/chat/ground/images/picture-type.ts"
import { farServer } from "../../../kit/far-server.ts"
import { withServer } from "../../../kit/with-server.ts"

const key = externalKey("some secret")

t.test("an address is one that this server made", async (t) => {
  const url = "http://far.example/a?b=ü&c"
  const address = externalAddress(key, url)
  t.match(address, /^\/external_content\/[0-9a-f]{40}\/[0-9a-f]+$/)
  t.equal(readExternalAddress(key, address), url)
  const [, , mac = "", hex = ""] = address.split("/")
  const other = Buffer.from("http://far.example/b").toString("hex")
  for (const wrong of [
    `/external_content/${mac}/${other}`,
    `/external_content/${mac}/${hex}00`,
    `/external_content/${mac}/${hex.toUpperCase()}`,
    `/external_content/${mac.slice(1)}/${hex}`,
    `/external_content/${"0".repeat(40)}/${hex}`,
    `/external_content/${mac}/`,
    `/external_content/${mac}/${hex}/`,
    `/other/${mac}/${hex}`,
    `/external_content/${mac}/${"61".repeat(100_000)}`,
  ])
    t.equal(readExternalAddress(key, wrong), undefined, wrong.slice(0, 100))
  t.equal(readExternalAddress(externalKey("another secret"), address), undefined)
})

t.test("what is a picture is told from its bytes", async (t) => {
  const image = sharp({ create: { width: 2, height: 2, channels: 3, background: "red" } })
  for (const format of ["png", "jpeg", "gif", "webp", "avif"] as const)
    t.equal(pictureType(await image.clone().toFormat(format).toBuffer()), `image/${format}`)
  for (const text of ["", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<html>", "%PDF-1.7", "RIFFaaaaWAVE", "\x89PNG"])
    t.equal(pictureType(Buffer.from(text, "latin1")), undefined, text)
})

t.test("pictures are kept for a while, those asked for last", async (t) => {
  const kept = new CachedPictures()
  const picture = (bytes: number) => ({ contentType: "image/png", bytes: new Uint8Array(bytes) })
  const megabyte = 1024 * 1024
  for (let n = 0; n < 8; n++) kept.keep(`${n}`, { picture: picture(4 * megabyte), until: 100 })
  t.ok(kept.find("0", 0))
  kept.keep("8", { picture: picture(4 * megabyte), until: 100 })
  t.ok(kept.find("0", 0))
  t.equal(kept.find("1", 0), undefined)
  t.equal(kept.find("0", 100), undefined)
  kept.keep("none", { picture: null, until: 50 })
  t.equal(kept.find("none", 49), null)
  for (let n = 0; n < 3000; n++) kept.keep(`none ${n}`, { picture: null, until: 50 })
  t.equal(kept.find("none 0", 0), undefined)
  t.equal(kept.find("none 2999", 0), null)
})

t.test("external content", async (t) => {
  const far = await farServer(t)
  await withServer(
    t,
    { network: far.network, config: { rateLimit: true }, limits: { pageRequestsPerMinute: 100 } },
    async (server) => {
      server.closeAfter(far.close)
      const own = externalKey(server.config.secret)
      const fetched = async (address: string, method = "GET") => {
        const answer = await fetch(`${server.origin}${address}`, { method })
        return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
      }
      const get = (path: string, method = "GET") =>
        fetched(externalAddress(own, path.startsWith("/") ? `${far.origin}${path}` : path), method)
      const png = await sharp({ create: { width: 300, height: 300, channels: 3, background: "red" } })
        .png({ compressionLevel: 0 })
        .toBuffer()
      const serve = (path: string, type: string, body: string | Buffer) =>
        far.pages.set(path, (_, response) => response.writeHead(200, { "Content-Type": type }).end(body))
      serve("/a.png", "image/jpeg; x=y", png)

      const found = await get("/a.png")
      t.equal(found.status, 200)
      t.ok(found.bytes.equals(png))
      const headers = Object.fromEntries(found.headers)
      t.match(headers, {
        "content-type": "image/png",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        "cache-control": "public, max-age=86400",
        "cross-origin-resource-policy": "cross-origin",
      })
      t.equal(headers["set-cookie"], undefined)
      t.equal((await get("/a.png", "HEAD")).headers.get("content-type"), "image/png")
      t.equal((await get("/a.png", "POST")).status, 405)
      t.equal(far.asked.length, 1, "it was kept")
      server.clock.advance(11 * 60_000)
      await Promise.all(Array.from({ length: 10 }, async () => t.equal((await get("/a.png")).status, 200)))
      t.equal(far.asked.length, 2, "and is fetched once for several")

      serve("/svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
      serve("/lie", "image/png", "<html><script>alert(1)</script></html>")
      serve("/html", "text/html", png)
      serve("/large", "image/png", Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]))
      for (const path of ["/svg", "/lie", "/html", "/large", "/missing", "http://127.0.0.1/a.png", "nonsense"]) {
        const before = far.asked.length
        const answer = await get(path)
        t.match([answer.status, JSON.parse(answer.bytes.toString())], [404, { result: "error" }], path)
        t.equal((await get(path)).status, 404)
        t.ok(far.asked.length <= before + 1, "that there is none is kept too")
      }
      const forged = await fetched(externalAddress(key, `${far.origin}/a.png`))
      t.equal(forged.status, 404)

      await t.test("a client that goes away while a picture is fetched", async (t) => {
        let answer = () => {}
        const asked = new Promise<void>((resolve) => {
          far.pages.set("/late.png", (_, response) => {
            answer = () => void response.writeHead(200, { "Content-Type": "image/png" }).end(png)
            resolve()
          })
        })
        const socket = connect(server.port, "127.0.0.1")
        socket.write(`GET ${externalAddress(own, `${far.origin}/late.png`)} HTTP/1.1\r\nHost: a\r\n\r\n`)
        await asked
        socket.destroy()
        answer()
        t.equal((await get("/late.png")).status, 200)
      })

      await t.test("one who asks for many pictures of a slow server keeps nobody else waiting", async (t) => {
        const held: Array<() => void> = []
        const begun = new Promise<void>((resolve) => {
          far.pages.set("/slow.png", (_, response) => {
            held.push(() => void response.writeHead(200, { "Content-Type": "image/png" }).end(png))
            if (held.length === 6) resolve()
          })
        })
        serve("/quick.png", "image/png", png)
        const find = (path: string, client: string) =>
          server.run(
            Effect.result(findExternalPicture(externalAddress(own, `${far.origin}${path}`), "test.example", client)),
          )
        const many = Array.from({ length: 60 }, (_, n) => find(`/slow.png?${n}`, "192.0.2.1"))
        await begun
        t.match(await find("/quick.png?1", "192.0.2.1"), { _tag: "Failure" }, "their own line is full")
        t.match(await find("/quick.png?2", "192.0.2.2"), { _tag: "Success", success: { contentType: "image/png" } })
        server.clock.advance(20_000)
        for (const answer of held) answer()
        const tags = (await Promise.all(many)).map((each) => each._tag)
        t.equal(tags.filter((tag) => tag === "Success").length, 6, "those under way are over in time, and are none")
        t.equal(tags.filter((tag) => tag === "Failure").length, 54)
      })

      await t.test("requests are counted", async (t) => {
        const statuses: Array<number> = []
        for (let n = 0; n < 100; n++) statuses.push((await get("/a.png")).status)
        t.ok(statuses.includes(429))
      })
    },
  )
})
