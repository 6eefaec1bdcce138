/** Custom emoji: uploading, serving, taking out of use, reactions; names, rights, limits. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import sharp from "sharp"
import t from "tap"
import { Files } from "../../../../src/chat/ground/files/files.ts"
import { sweepFiles } from "../../../../src/chat/ground/files/sweep-files.ts"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { emojiFile } from "../../../../src/chat/organization/realm-emoji/emoji-pictures.ts"
import { emojiPictures } from "../../../../src/chat/organization/realm-emoji/emoji-pictures-store.ts"
import { addNeighbour } from "../../../kit/neighbour.ts"
import { recordsIn } from "../../../kit/records.ts"
import { basic } from "../../../kit/rows.ts"
import { settles } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "polonius"] }] as const

const plain = (width: number, height: number, shade = 200) =>
  sharp({ create: { width, height, channels: 3, background: { r: shade, g: 10, b: 10 } } })
const still = await plain(200, 100).png().toBuffer()
const animated = await sharp(await Promise.all([10, 100, 200].map((shade) => plain(80, 80, shade).png().toBuffer())), {
  join: { animated: true },
})
  .gif({ delay: [50, 50, 50] })
  .toBuffer()

/** Posts an emoji, its file under the name of a field that clients choose; answers the status and the text. */
const upload = async (server: TestServer, by: Name, name: string, ...files: ReadonlyArray<Uint8Array>) => {
  const form = new FormData()
  for (const [n, bytes] of files.entries()) form.set(`picture ${n}.png`, new Blob([new Uint8Array(bytes)]), `${n}.png`)
  const answer = await fetch(`${server.origin}/api/v1/realm/emoji/${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { Authorization: basic(server.as(by).account) },
    body: form,
  })
  const [body = {}] = recordsIn([await answer.json()])
  return { status: answer.status, body }
}
const must = async (server: TestServer, by: Name, name: string, file: Uint8Array = still): Promise<void> => {
  const { status, body } = await upload(server, by, name, file)
  if (status !== 200 || "ignored_parameters_unsupported" in body) throw new Error(JSON.stringify(body))
}
const emojiOf = async (server: TestServer, by: Name = "polonius") =>
  recordsIn([(await server.as(by).must.get("/realm/emoji"))["emoji"]])[0] ?? {}
const filesOf = (server: TestServer): ReadonlyArray<string> => {
  try {
    return readdirSync(join(server.config.filesFolder, "1", "emoji", "images")).sort()
  } catch {
    return []
  }
}
const react = (server: TestServer, by: Name, message: number, fields: object) =>
  server.as(by).post(`/messages/${message}/reactions`, { ...fields })

t.test("an emoji is uploaded, listed, served, used and taken out of use", (t) =>
  withServer(t, { channels }, async (server) => {
    const queue = await server.queue("polonius", { event_types: ["realm_emoji", "reaction"] })
    t.same(queue.state["realm_emoji"], {})
    await must(server, "hamlet", "  party parrot ", animated)
    await must(server, "cordelia", "green_tick")
    const picture = /^\/user_avatars\/1\/emoji\/images\/[0-9a-f]{32}(-still)?\.(png|webp)$/
    const parrot = {
      id: "1",
      name: "party_parrot",
      source_url: picture,
      still_url: picture,
      deactivated: false,
      author_id: server.idOf("hamlet"),
    }
    const tick = { ...parrot, id: "2", name: "green_tick", still_url: null, author_id: server.idOf("cordelia") }
    t.match(await emojiOf(server), { 1: parrot, 2: tick })
    const id = await server.as("hamlet").send("lobby", "c")
    t.match(await react(server, "hamlet", id, { emoji_name: "party_parrot" }), { status: 200 })
    await server.as("cordelia").must.delete("/realm/emoji/green_tick")
    const gone = { ...tick, deactivated: true }
    t.match(await emojiOf(server), { 1: parrot, 2: gone })
    const type = "realm_emoji"
    t.match(await queue.rest(), [
      { type, op: "update", realm_emoji: { 1: parrot } },
      { type, op: "update", realm_emoji: { 1: parrot, 2: tick } },
      { type: "reaction", emoji_name: "party_parrot", emoji_code: "1", reaction_type: "realm_emoji" },
      { type, op: "update", realm_emoji: { 1: parrot, 2: gone } },
    ])
    await server.restart()
    const fresh = await server.queue("polonius")
    t.match(fresh.state["realm_emoji"], { 1: parrot, 2: gone })
    await must(server, "hamlet", "green_tick")
    t.match(await emojiOf(server), { 2: gone, 3: { name: "green_tick", deactivated: false } }, "the name is free again")
  }),
)

t.test("pictures are encoded anew, small, and served as nothing but pictures", inTurn(2, "encoded emoji"), (t) =>
  withServer(t, {}, async (server) => {
    await must(server, "hamlet", "wide", still)
    await must(server, "hamlet", "moving", animated)
    await must(server, "hamlet", "tiny", await plain(7, 5).jpeg().toBuffer())
    const [wide, moving, tiny] = recordsIn(Object.values(await emojiOf(server)))
    const fetched = async (path: unknown, method = "GET") => {
      const answer = await fetch(`${server.origin}${path}`, { method })
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
    }
    const sizeOf = async (path: unknown) => {
      const {
        width,
        height,
        pageHeight = height,
        pages,
        format,
      } = await sharp((await fetched(path)).bytes, { animated: true }).metadata()
      return { width, height: pageHeight, pages, format }
    }
    t.match(await sizeOf(wide?.["source_url"]), { width: 64, height: 32, format: "png" })
    t.match(await sizeOf(moving?.["source_url"]), { width: 64, height: 64, pages: 3, format: "webp" })
    t.match(await sizeOf(moving?.["still_url"]), { width: 64, height: 64, format: "png" })
    t.match(await sizeOf(tiny?.["source_url"]), { width: 7, height: 5, format: "png" })
    const { headers } = await fetched(moving?.["source_url"])
    t.same(
      ["content-type", "x-content-type-options", "content-security-policy", "cache-control"].map((name) =>
        headers.get(name),
      ),
      ["image/webp", "nosniff", "default-src 'none'; sandbox", "public, max-age=31536000, immutable"],
    )
    t.match(await fetched(wide?.["source_url"], "HEAD"), { status: 200, bytes: { length: 0 } })
    t.match(await fetched(wide?.["source_url"], "POST"), { status: 405 })
    for (const path of [
      "/user_avatars/",
      "/user_avatars/1/emoji/images/x.png",
      "/user_avatars/1/emoji/images/%2e%2e%2fx.png",
      "/user_avatars/1/secret",
    ])
      t.match(await fetched(path), { status: 404 }, path)
  }),
)

t.test(
  "messages show emoji that are in use, those of the organization before all others",
  inTurn(2, "messages show emoji that are in use, those of the organization before all others"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const render = async (content: string) =>
        (await server.as("hamlet").must.post("/messages/render", { content }))["rendered"]
      await must(server, "iago", "octopus")
      await must(server, "hamlet", "mine", animated)
      const [octopus, mine] = recordsIn(Object.values(await emojiOf(server))).map(({ source_url }) => source_url)
      const picture = (name: string, src: unknown) =>
        `<p><img alt=":${name}:" class="emoji" src="${src}" title="${name}"></p>`
      t.equal(await render(":octopus:"), picture("octopus", octopus))
      t.equal(await render(":mine:"), picture("mine", mine))
      await server.as("iago").must.delete("/realm/emoji/octopus")
      t.match(await render(":octopus:"), 'class="emoji emoji-1f419"')
    }),
)

t.test("refusals, which leave no file behind", inTurn(2, "refused emoji"), (t) =>
  withServer(t, {}, async (server) => {
    await must(server, "hamlet", "mine")
    const files = filesOf(server)
    const queue = await server.queue("hamlet")
    const refused = async (
      what: string,
      by: Name,
      name: string,
      msg: string | RegExp,
      ...sent: ReadonlyArray<Uint8Array>
    ) => t.match(await upload(server, by, name, ...sent), { status: 400, body: { code: "BAD_REQUEST", msg } }, what)
    await refused("no file", "hamlet", "nice", "You must upload exactly one file.")
    await refused("two files", "hamlet", "nice", "You must upload exactly one file.", still, still)
    await refused("a taken name", "hamlet", "mine", "A custom emoji with this name already exists.", still)
    for (const name of ["Aa", "a-", "a_", "ä", "a/b", "a.b", "-"])
      await refused(name, "hamlet", name, /^Emoji names have/, still)
    await refused("no name", "hamlet", " ", "Emoji name is missing", still)
    await refused("a default emoji", "hamlet", "octopus", "Only administrators can override default emoji.", still)
    await refused("the server's own", "hamlet", "zulip", "Only administrators can override default emoji.", still)
    await refused("a guest", "polonius", "nice", "Insufficient permission", still)
    const noImage = /^The uploaded file is not an image/
    await refused("a text", "hamlet", "nice", noImage, Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))
    await refused("nothing", "hamlet", "nice", noImage, Buffer.from(""))
    await refused("half an image", "hamlet", "nice", noImage, still.subarray(0, still.length / 2))
    await refused("a beginning", "hamlet", "nice", noImage, still.subarray(0, 12))
    await refused("a vast image", "hamlet", "nice", /too many pixels/, await plain(8000, 8000).png().toBuffer())
    const frames = await Promise.all(
      Array.from({ length: 210 }, (_, n) =>
        plain(8, 8, n % 2 === 0 ? 0 : 250)
          .png()
          .toBuffer(),
      ),
    )
    const long = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    await refused("too many pictures", "hamlet", "nice", /too many pictures/, long)
    t.same(filesOf(server), files)
    t.same(await queue.rest(), [])
    await must(server, "iago", "octopus")
    t.match(await emojiOf(server), { 2: { name: "octopus" } }, "administrators override")
  }),
)

t.test(
  "an image may be larger than other requests, up to its limit",
  inTurn(2, "an image may be larger than other requests, up to its limit"),
  (t) =>
    withServer(t, { limits: { maxRequestBytes: 4096, imageFileBytes: 100_000 } }, async (server) => {
      const noise = await sharp(Buffer.from(Array.from({ length: 150 * 150 * 3 }, (_, n) => (n * n * 7919) % 251)), {
        raw: { width: 150, height: 150, channels: 3 },
      })
        .png({ compressionLevel: 0 })
        .toBuffer()
      t.ok(noise.length > 60_000 && noise.length < 100_000, `${noise.length} bytes`)
      await must(server, "hamlet", "noise", noise)
      const padded = Buffer.concat([noise, Buffer.alloc(100_001 - noise.length)])
      t.match(await upload(server, "hamlet", "more", padded), {
        status: 400,
        body: { msg: /larger than the allowed limit/ },
      })
      t.match(await server.as("hamlet").post("/messages", { content: "c".repeat(5000) }), { status: 413 })
    }),
)

t.test(
  "who may add emoji is a setting; authors and administrators take them out of use",
  inTurn(2, "who may add emoji is a setting; authors and administrators take them out of use"),
  (t) =>
    withServer(t, {}, async (server) => {
      await must(server, "hamlet", "first_own")
      await must(server, "hamlet", "second_own")
      const setting = "can_add_custom_emoji_group"
      const state = (await server.queue("iago")).state
      await server.as("iago").must.patch("/realm", {
        [setting]: { new: systemGroups["role:administrators"], old: state[`realm_${setting}`] },
      })
      t.match(await upload(server, "hamlet", "third_own", still), {
        status: 400,
        body: { msg: "Insufficient permission" },
      })
      const path = "/realm/emoji/first_own"
      const author = { status: 400, body: { msg: "Must be an organization administrator or emoji author" } }
      t.match(await server.as("cordelia").delete(path), author)
      t.match(await server.as("hamlet").delete(path), author, "an author who may add none any more")
      await server.as("iago").must.delete(path)
      const missing = { status: 404, body: { code: "BAD_REQUEST", msg: "Emoji 'first_own' does not exist" } }
      t.match(await server.as("iago").delete(path), missing)
      t.match(await server.as("cordelia").delete("/realm/emoji/none"), { status: 404 })
    }),
)

t.test("reactions with custom emoji", inTurn(2, "reactions with custom emoji"), (t) =>
  withServer(t, { channels }, async (server) => {
    await must(server, "iago", "octopus")
    await must(server, "hamlet", "mine")
    const id = await server.as("hamlet").send("lobby", "c")
    const custom = { emoji_name: "mine", emoji_code: "2", reaction_type: "realm_emoji" }
    t.match(await react(server, "hamlet", id, { emoji_name: "octopus" }), { status: 200 })
    t.match(await react(server, "hamlet", id, custom), { status: 200 })
    const next = await server.as("hamlet").send("lobby", "c")
    const refused = async (fields: object, msg: string) =>
      t.match(await react(server, "cordelia", next, { ...custom, ...fields }), { status: 400, body: { msg } })
    await refused({ emoji_name: "other", emoji_code: "1" }, "Invalid custom emoji name.")
    await refused({ emoji_code: "3" }, "Invalid custom emoji.")
    await refused({ emoji_code: "mine" }, "Invalid custom emoji.")
    await server.as("hamlet").must.delete("/realm/emoji/mine")
    await server.as("iago").must.delete("/realm/emoji/octopus")
    t.match(await react(server, "cordelia", id, custom), { status: 200 }, "a vote for what is there already")
    const other = await server.as("hamlet").send("lobby", "c")
    const deactivated = { status: 400, body: { msg: "This custom emoji has been deactivated." } }
    t.match(await react(server, "cordelia", other, custom), deactivated)
    t.match(await react(server, "cordelia", other, { emoji_name: "mine" }), {
      status: 400,
      body: { msg: "Emoji 'mine' does not exist" },
    })
    t.match(
      await react(server, "cordelia", other, { emoji_name: "octopus" }),
      { status: 200 },
      "the default one is back",
    )
    t.match(await server.as("cordelia").delete(`/messages/${id}/reactions`, { emoji_name: "mine" }), { status: 200 })
    const [message] = recordsIn([(await server.as("cordelia").must.get(`/messages/${id}`))["message"]])
    t.match(message?.["reactions"], [
      { emoji_name: "octopus", emoji_code: "1", reaction_type: "realm_emoji" },
      { ...custom, user_id: server.idOf("hamlet") },
    ])
  }),
)

t.test(
  "a picture that no emoji has is removed after a day",
  inTurn(2, "a picture that no emoji has is removed after a day"),
  (t) =>
    withServer(t, {}, async (server) => {
      await must(server, "hamlet", "moving", animated)
      await server.as("hamlet").must.delete("/realm/emoji/moving")
      const used = filesOf(server)
      const stored = Date.now()
      await server.run(
        Effect.gen(function* () {
          const files = yield* Files
          yield* files.put(emojiFile(1, "left-over.png"), still)
        }),
      )
      const clean = (later: number) => server.run(sweepFiles([emojiPictures], stored + later))
      await addNeighbour(server)
      await server.restart()
      t.equal(server.loadedAtStart, 0, "of organizations too that nobody asks for")
      await clean(23 * 3600_000)
      t.same(filesOf(server), [...used, "left-over.png"].sort())
      await clean(25 * 3600_000)
      t.same(filesOf(server), used, "those of an emoji that is out of use stay")
      t.equal(used.length, 2)
    }),
)

t.test(
  "uploads at once: each name once, and no file too many",
  inTurn(2, "uploads at once: each name once, and no file too many"),
  (t) =>
    withServer(t, {}, async (server) => {
      const names = ["hamlet", "cordelia", "othello", "iago", "desdemona"] as const
      const answers = await Promise.all(names.map((name) => upload(server, name, "same", still)))
      t.same(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
      t.equal(filesOf(server).length, 1)
    }),
)

t.test("I13: custom emoji settle", inTurn(2, "I13: custom emoji settle"), (t) =>
  withServer(t, {}, async (server) => {
    const seen = await settles(t, viewsOf(server), "custom emoji", async () => {
      await must(server, "hamlet", "first_own")
      await must(server, "hamlet", "second_own", animated)
      await server.as("hamlet").must.delete("/realm/emoji/first_own")
      await must(server, "cordelia", "first_own")
    })
    t.ok(seen.has("realm_emoji/update"))
  }),
)
