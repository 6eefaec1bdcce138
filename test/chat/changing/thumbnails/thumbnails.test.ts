/** Thumbnails of uploaded pictures: made beside the uploads, shown then, for those who may read the file. */

import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import sharp from "sharp"
import t from "tap"
import { Pictures } from "../../../../src/chat/ground/images/process/uploaded-pictures.ts"
import { thumbnailName } from "../../../../src/chat/reading/attachments/file-names.ts"
import { Database } from "../../../../src/db/database.ts"
import { recordsIn } from "../../../kit/records.ts"
import { basic } from "../../../kit/rows.ts"
import { inTurn } from "../../../kit/share.ts"
import { animation, plainPicture } from "../../../kit/some-pictures.ts"
import { storedFiles, uploaded } from "../../../kit/uploads.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "square", users: ["hamlet"], isWebPublic: true },
] as const
const photo = await plainPicture(1000, 800).jpeg().toBuffer()
const moving = await animation(30, 20, 3).gif().toBuffer()

const types = { event_types: ["message", "update_message"], apply_markdown: true }

/** Takes the place of the one picture of which thumbnails are made, until the function is called that this answers. */
const hold = async (server: TestServer): Promise<() => Promise<void>> => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let isHeld = () => {}
  const begun = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  const read = Effect.promise(async () => {
    isHeld()
    await held
    return null
  })
  const over = server.run(Effect.flatMap(Pictures, (pictures) => pictures.shrink("a test", read)))
  await begun
  return async () => {
    release()
    await over
  }
}

const shown = async (server: TestServer, id: number) => {
  const [message = {}] = recordsIn([(await server.as("cordelia").must.get(`/messages/${id}`))["message"]])
  return message["content"]
}

const fetched = async (server: TestServer, path: string, by?: Name) => {
  const headers = by === undefined ? {} : { Authorization: basic(server.as(by).account) }
  const answer = await fetch(`${server.origin}${path}`, { headers })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

const thumbnailOf = (url: string, format = "840x560.webp") =>
  `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/${format}`

const preview = (url: string, title: string, element: string) =>
  `<div class="message_inline_image"><a href="${url}"${title && ` title="${title}"`}><img ${element}></a></div>`
const ofPhoto = 'data-original-content-type="image/jpeg" data-original-dimensions="1000x800" '
const pending = `class="image-loading-placeholder" ${ofPhoto}src="/static/images/loading/loader-black.svg"`
const finished = (url: string) => `${ofPhoto}src="${thumbnailOf(url)}"`

t.test("a picture is shown as not there yet, then with its thumbnail", (t) =>
  withServer(t, { channels }, async (server) => {
    const go = await hold(server)
    const url = await uploaded(server, "hamlet", { name: "a.bin", type: "application/x-thing", bytes: photo })
    const named = await server.as("hamlet").send("lobby", `[cat](${url})`)
    const alone = await server.as("hamlet").send("lobby", `${server.origin}${url}`)
    const { id: direct } = await server
      .as("hamlet")
      .must.post("/messages", { type: "direct", to: [server.idOf("cordelia")], content: `x ${server.origin}${url}` })
    const code = await server.as("hamlet").send("lobby", `\`${preview(url, "", pending)}\` [](${url})`)
    const other = await server.as("hamlet").send("lobby", "other")
    const link = `<p><a href="${url}">cat</a></p>\n`
    t.equal(await shown(server, named), link + preview(url, "cat", pending))
    t.equal(await shown(server, alone), preview(url, "", pending))
    const spinner = await fetched(server, "/static/images/loading/loader-black.svg")
    t.match([spinner.status, spinner.headers.get("content-type")], [200, "image/svg+xml"])
    const cordelia = await server.queue("cordelia", types)
    await go()
    const update = await cordelia.until((event) => event["message_id"] === code)
    t.match(
      cordelia.events.find((event) => event["message_id"] === named),
      {
        type: "update_message",
        user_id: null,
        rendering_only: true,
        message_ids: [named],
        flags: [],
        stream_name: "lobby",
        content: `[cat](${url})`,
        orig_rendered_content: link + preview(url, "cat", pending),
        rendered_content: link + preview(url, "cat", finished(url)),
        is_me_message: false,
      },
    )
    t.match(
      String(update["rendered_content"]),
      /^<p><code>&lt;div class=&quot;message_inline_image&quot;&gt;.*placeholder/u,
    )
    t.ok(String(update["rendered_content"]).endsWith(preview(url, "", finished(url))))
    t.equal(await shown(server, alone), preview(url, "", finished(url)))
    t.match(await shown(server, Number(direct)), finished(url))
    t.notOk(cordelia.events.some((event) => event["message_id"] === other))
    t.equal(cordelia.events.filter(({ type }) => type === "update_message").length, 4, "each once")
    const later = await server.as("hamlet").send("lobby", `[cat](${url})`)
    t.equal(await shown(server, later), link + preview(url, "cat", finished(url)))
    await server.as("hamlet").must.patch(`/messages/${other}`, { content: `${server.origin}${url}` })
    t.equal(await shown(server, other), preview(url, "", finished(url)))
    const file = await fetched(server, url, "cordelia")
    t.equal(file.headers.get("content-type"), "image/jpeg", "by its bytes")
  }),
)

t.test(
  "a thumbnail is for those who may read the file",
  inTurn(2, "a thumbnail is for those who may read the file"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const url = await uploaded(server, "hamlet", { bytes: moving })
      for (const [format, pages] of [
        ["840x560.webp", undefined],
        ["840x560-anim.webp", 3],
      ] as const) {
        const { status, headers, bytes } = await fetched(server, thumbnailOf(url, format), "hamlet")
        t.match(
          [status, headers.get("content-type"), headers.get("x-content-type-options"), headers.get("cache-control")],
          [200, "image/webp", "nosniff", "private, max-age=3600"],
        )
        t.match(await sharp(bytes).metadata(), { format: "webp", width: 30, height: 20, pages })
      }
      const nowhere = thumbnailOf(url.replace(/[0-9a-f]{32}/, "0".repeat(32)))
      const absent = await fetched(server, nowhere, "hamlet")
      t.equal(absent.status, 404)
      for (const [path, by] of [
        [thumbnailOf(url), "cordelia"],
        [thumbnailOf(url, "500x850.webp"), "hamlet"],
        [thumbnailOf(url, ""), "hamlet"],
        [thumbnailOf(url, "%2e%2e"), "hamlet"],
        [thumbnailOf(await uploaded(server, "hamlet")), "hamlet"],
        ["/user_uploads/thumbnail/", "hamlet"],
        ["/user_uploads/thumbnail/840x560.webp", "hamlet"],
      ] as const) {
        const answer = await fetched(server, path, by)
        t.same([answer.status, answer.bytes.toString()], [404, absent.bytes.toString()], path)
      }
      await server.as("iago").must.patch("/realm", { enable_spectator_access: true })
      t.equal((await fetched(server, thumbnailOf(url))).status, 404)
      await server.as("hamlet").send("square", `[](${url})`)
      t.equal((await fetched(server, thumbnailOf(url))).status, 200, "a visitor")
      t.equal((await fetched(server, thumbnailOf(url), "polonius")).status, 200)
      const { server_thumbnail_formats: formats } = (await server.queue("hamlet")).state
      t.same(recordsIn(formats), [
        { name: "840x560-anim.webp", max_width: 840, max_height: 560, format: "webp", animated: true },
        { name: "840x560.webp", max_width: 840, max_height: 560, format: "webp", animated: false },
      ])
    }),
)

t.test("what cannot be decoded is a link", inTurn(2, "what cannot be decoded is a link"), (t) =>
  withServer(t, { channels }, async (server) => {
    const noise = Buffer.from(Array.from({ length: 300 * 200 * 3 }, (_, n) => (n * n * 7919) % 251))
    const png = await sharp(noise, { raw: { width: 300, height: 200, channels: 3 } })
      .png()
      .toBuffer()
    const go = await hold(server)
    const url = await uploaded(server, "hamlet", { name: "a.png", bytes: png.subarray(0, png.length / 2) })
    const named = await server.as("hamlet").send("lobby", `[a](${url}) b`)
    const alone = await server.as("hamlet").send("lobby", `${server.origin}${url}`)
    t.match(await shown(server, named), /image-loading-placeholder/)
    const queue = await server.queue("cordelia", types)
    await go()
    await queue.until((event) => event["message_id"] === alone)
    t.equal(await shown(server, named), `<p><a href="${url}">a</a> b</p>`)
    t.equal(await shown(server, alone), `<p><a href="${url}">${url}</a></p>`)
    t.equal((await fetched(server, thumbnailOf(url), "hamlet")).status, 404)
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    const drawn = await uploaded(server, "hamlet", { name: "a.png", type: "image/png", bytes: svg })
    const id = await server.as("hamlet").send("lobby", `[a](${drawn})`)
    t.equal(await shown(server, id), `<p><a href="${drawn}">a</a></p>`)
  }),
)

t.test("a restart goes on with what was to be made", inTurn(2, "a restart goes on with what was to be made"), (t) =>
  withServer(t, { channels }, async (server) => {
    const go = await hold(server)
    const url = await uploaded(server, "hamlet", { bytes: photo })
    const id = await server.as("hamlet").send("lobby", `${server.origin}${url}`)
    await server.restart()
    const queue = await server.queue("cordelia", types)
    if ((await shown(server, id)) !== preview(url, "", finished(url)))
      await queue.until((event) => event["message_id"] === id)
    t.equal(await shown(server, id), preview(url, "", finished(url)))
    await go()
  }),
)

t.test(
  "thumbnails go with their file, and a lost one is made anew",
  inTurn(2, "thumbnails go with their file, and a lost one is made anew"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const go = await hold(server)
      const url = await uploaded(server, "hamlet", { bytes: moving })
      const id = await server.as("hamlet").send("lobby", `[cat](${url})`)
      const { attachments } = await server.as("hamlet").must.get("/attachments")
      const [{ id: file } = { id: 0 }] = recordsIn(attachments)
      const deleted = server.as("hamlet").must.delete(`/attachments/${file}`)
      await go()
      await deleted
      t.same(storedFiles(server), [])
      t.match(await shown(server, id), /data-animated="true".*840x560-anim.webp"/)
      const second = await uploaded(server, "hamlet", { bytes: photo })
      const first = await fetched(server, thumbnailOf(second), "hamlet")
      const stored = storedFiles(server)
      t.equal(stored.length, 2)
      for (const path of stored) if (path.includes("thumbnails")) rmSync(path)
      const again = await fetched(server, thumbnailOf(second), "hamlet")
      t.equal(again.status, 200)
      t.ok(again.bytes.equals(first.bytes))
    }),
)

t.test(
  "a message that was rendered before the thumbnails were made, and committed after, is shown anew too",
  inTurn(2, "a message that was rendered before the thumbnails were made, and committed after, is shown anew too"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const query = (sql: string, parameters: ReadonlyArray<string | number> = []) =>
        server.run(Effect.flatMap(Database, (database) => database.query(sql, parameters)))
      const url = await uploaded(server, "hamlet", { bytes: photo })
      await fetched(server, thumbnailOf(url), "hamlet")
      const id = await server.as("hamlet").send("lobby", `${server.origin}${url}`)
      await query("update message set rendered = $1::text where id = $2::bigint", [preview(url, "", pending), id])
      const queue = await server.queue("cordelia", types)
      server.clock.advance(121_000)
      const update = await queue.until((event) => event["message_id"] === id)
      t.match(update, { rendering_only: true, rendered_content: preview(url, "", finished(url)) })
      while ((await query("select from thumbnail_work")).length > 0) await new Promise(setImmediate)
      t.pass("the list is empty")
    }),
)

t.test(
  "thumbnails that cannot be stored keep no other picture waiting, and are made when they can be",
  inTurn(2, "thumbnails that cannot be stored keep no other picture waiting, and are made when they can be"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const go = await hold(server)
      const urls = [
        await uploaded(server, "hamlet", { bytes: photo }),
        await uploaded(server, "cordelia", { bytes: photo }),
      ] as const
      const [first, second] = server.idOf("hamlet") < server.idOf("cordelia") ? urls : ([urls[1], urls[0]] as const)
      const name = thumbnailName(1, first.replace("/user_uploads/", ""), "840x560.webp")
      const inTheWay = join(server.config.filesFolder, String(name))
      mkdirSync(inTheWay, { recursive: true })
      const message = await server.as("hamlet").send("lobby", `[cat](${urls[0]})`)
      const message2 = await server.as("cordelia").send("lobby", `[cat](${urls[1]})`)
      const cordelia = await server.queue("cordelia", types)
      await go()
      await cordelia.until(({ type }) => type === "update_message")
      const [later, sooner] = first === urls[0] ? [message, message2] : [message2, message]
      t.match(await shown(server, sooner), thumbnailOf(second))
      t.match(await shown(server, later), "image-loading-placeholder")
      rmSync(inTheWay, { recursive: true })
      const owner = first === urls[0] ? "hamlet" : "cordelia"
      t.equal((await fetched(server, thumbnailOf(first), owner)).status, 200)
      await cordelia.until(({ message_id, type }) => type === "update_message" && message_id === later)
      t.match(await shown(server, later), thumbnailOf(first))
    }),
)

t.test(
  "thumbnails that cannot be stored do not keep the next picture of the same user waiting",
  inTurn(2, "thumbnails that cannot be stored do not keep the next picture of the same user waiting"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const go = await hold(server)
      const first = await uploaded(server, "hamlet", { bytes: photo })
      const second = await uploaded(server, "hamlet", { bytes: photo })
      const name = thumbnailName(1, first.replace("/user_uploads/", ""), "840x560.webp")
      mkdirSync(join(server.config.filesFolder, String(name)), { recursive: true })
      const message = await server.as("hamlet").send("lobby", `[cat](${second})`)
      const cordelia = await server.queue("cordelia", types)
      await go()
      await cordelia.until(({ message_id, type }) => type === "update_message" && message_id === message)
      t.match(await shown(server, message), thumbnailOf(second))
    }),
)
