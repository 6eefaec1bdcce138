/** The pictures of people: uploading, removing, showing, who may, what is refused, and what becomes of files. */
import * as Effect from "effect/Effect"
import sharp from "sharp"
import t from "tap"
import { faceFiles } from "../../../../src/chat/ground/faces/face-files.ts"
import { Files } from "../../../../src/chat/ground/files/files.ts"
import { sweepFiles } from "../../../../src/chat/ground/files/sweep-files.ts"
import { avatarFiles } from "../../../../src/chat/people/avatars/avatars-store.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { objectIn } from "../../../kit/client-sections.ts"
import { getPicture, leadsTo, mustPostImage, pictureAt, postImages } from "../../../kit/images.ts"
import { recordsIn } from "../../../kit/records.ts"
import { settles } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { animation, plainPicture, pngHeader } from "../../../kit/some-pictures.ts"
import { until } from "../../../kit/test-database.ts"
import { storedFiles } from "../../../kit/uploads.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "polonius"] }] as const
const path = "/users/me/avatar"
const picture = await plainPicture(300, 200).png().toBuffer()
const uploaded = /^\/user_avatars\/1\/avatars\/[0-9a-f]{32}\.png\?version=\d+$/
const mediumOf = (url: unknown) => String(url).replace(".png", "-medium.png")
const drawn = (server: TestServer, name: Name, version = 1) =>
  `/user_avatars/1/drawn/${server.idOf(name)}.png?version=${version}`
const avatarsOf = (server: TestServer) => storedFiles(server).filter((file) => file.includes("/avatars/"))
const upload = async (server: TestServer, by: Name, file: Uint8Array = picture) =>
  String((await mustPostImage(server, by, path, file))["avatar_url"])
const userAs = async (server: TestServer, by: Name, who: Name) =>
  objectIn((await server.as(by).must.get(`/users/${server.idOf(who)}`))["user"])

t.test("a picture is shown wherever its user is, and taken away again", (t) =>
  withServer(t, { channels }, async (server) => {
    const queue = await server.queue("polonius", { event_types: ["realm_user", "message"] })
    const own = await server.queue("hamlet", { client_gravatar: true })
    t.match(own.state, { avatar_source: "G", avatar_url: drawn(server, "hamlet"), max_avatar_file_size_mib: 5 })
    const url = await upload(server, "hamlet")
    t.match(url, uploaded)
    t.match(url, /version=2$/)
    const shown = { avatar_url: url, avatar_version: 2 }
    for (const by of ["hamlet", "iago", "polonius"] as const) t.match(await userAs(server, by, "hamlet"), shown, by)
    t.match(await server.as("hamlet").must.get("/users/me"), shown)
    const { members } = await server.as("cordelia").must.get("/users", { client_gravatar: true })
    t.match(
      recordsIn(members).find(({ user_id }) => user_id === server.idOf("hamlet")),
      shown,
    )
    const id = await server.as("hamlet").send("lobby", "c")
    const { message } = await server.as("cordelia").must.get(`/messages/${id}`)
    t.match(message, { avatar_url: url })
    const person = { user_id: server.idOf("hamlet"), avatar_source: "U", ...shown, avatar_url_medium: mediumOf(url) }
    t.match(await queue.rest(), [
      { type: "realm_user", op: "update", person },
      { type: "message", message: { avatar_url: url } },
    ])
    const { state } = await server.queue("hamlet")
    t.match(state, { avatar_source: "U", avatar_url: url, avatar_url_medium: mediumOf(url) })
    await sameAfresh(t, server, "with a picture")
    const gone = await server.as("hamlet").must.delete(path)
    t.equal(gone["avatar_url"], drawn(server, "hamlet", 3))
    const bare = { avatar_source: "G", avatar_url: gone["avatar_url"], avatar_version: 3 }
    t.match(await queue.rest(), [{ type: "realm_user", op: "update", person: bare }])
    t.match((await server.as("cordelia").must.get(`/messages/${id}`))["message"], { avatar_url: gone["avatar_url"] })
    await server.as("hamlet").must.delete(path)
    t.same(await queue.rest(), [], "where there is none, nothing is taken away")
    await sameAfresh(t, server, "without one")
    const last = await upload(server, "hamlet")
    await server.restart()
    t.match(await userAs(server, "iago", "hamlet"), { avatar_url: last, avatar_version: 4 }, "after a restart")
  }),
)

t.test(
  "pictures are made anew: square, upright, still, in two sizes, without what cameras tell",
  inTurn(2, "pictures are made anew: square, upright, still, in two sizes, without what cameras tell"),
  (t) =>
    withServer(t, {}, async (server) => {
      const halves = await sharp({ create: { width: 400, height: 200, channels: 3, background: "#ff0000" } })
        .composite([
          { input: { create: { width: 100, height: 200, channels: 3, background: "#0000ff" } }, left: 150, top: 0 },
        ])
        .jpeg({ quality: 100 })
        .withExif({ IFD0: { Artist: "somebody", Orientation: "6" } })
        .withMetadata({ orientation: 6 })
        .toBuffer()
      const url = await upload(server, "hamlet", halves)
      const [small, medium] = [await pictureAt(server, url), await pictureAt(server, mediumOf(url))]
      const facts = { status: 200, type: "image/png", format: "png", pages: 1, hasExif: false }
      t.match(small, { ...facts, width: 100, height: 100 })
      t.match(medium, { ...facts, width: 500, height: 500 })
      const colourAt = (pixels: Uint8Array | undefined, side: number, x: number, y: number) =>
        [...(pixels ?? []).slice((y * side + x) * 3, (y * side + x) * 3 + 3)].map((each) => Math.round(each / 255))
      // Turned upright the blue band lies across; the middle 200 by 200 of 200 by 400 has it in its middle.
      t.same(colourAt(small.pixels, 100, 5, 50), [0, 0, 1], "the band reaches the left edge")
      t.same(colourAt(small.pixels, 100, 50, 5), [1, 0, 0], "and not the upper one")
      t.same(colourAt(medium.pixels, 500, 495, 250), [0, 0, 1])
      const moving = await upload(server, "hamlet", await animation(60, 60, 4).gif().toBuffer())
      t.match(await pictureAt(server, moving), { ...facts, width: 100, height: 100 })
      t.same(colourAt((await pictureAt(server, moving)).pixels, 100, 50, 50), [0, 0, 0], "the first picture")
      const tiny = await upload(server, "hamlet", await plainPicture(3, 9).webp().toBuffer())
      t.match(await pictureAt(server, tiny), { ...facts, width: 100, height: 100 })
      const served = await getPicture(server, tiny)
      t.same(
        ["content-type", "x-content-type-options", "content-security-policy", "cache-control"].map((name) =>
          served.headers.get(name),
        ),
        ["image/png", "nosniff", "default-src 'none'; sandbox", "public, max-age=31536000, immutable"],
      )
      const page = Buffer.from("<html><script>alert(1)</script></html>")
      const polyglot = await upload(server, "hamlet", Buffer.concat([picture, page]))
      for (const each of [polyglot, mediumOf(polyglot)])
        t.notOk((await getPicture(server, each)).bytes.includes("script"), "nothing is served but pixels")
    }),
)

t.test(
  "what is no picture, or too much, is refused, and leaves nothing behind",
  inTurn(2, "what is no picture, or too much, is refused, and leaves nothing behind"),
  (t) =>
    withServer(t, { limits: { imageFileBytes: 2 ** 20 } }, async (server) => {
      const queue = await server.queue("hamlet")
      t.equal(queue.state["max_avatar_file_size_mib"], 1)
      const refused = async (what: string, msg: string | RegExp, ...files: ReadonlyArray<Uint8Array>) =>
        t.match(
          await postImages(server, "hamlet", path, ...files),
          { status: 400, body: { code: "BAD_REQUEST", msg } },
          what,
        )
      const noImage = /^The uploaded file is not an image/
      const tooLarge = /too many pixels or too many pictures/
      await refused("no file", "You must upload exactly one file.")
      await refused("two files", "You must upload exactly one file.", picture, picture)
      const padded = Buffer.concat([picture, Buffer.alloc(2 ** 20)])
      await refused("too many bytes", "Uploaded file is larger than the allowed limit of 1 MiB", padded)
      await refused("an SVG", noImage, Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))
      await refused("a page", noImage, Buffer.from("<html><body>\x89PNG</body></html>"))
      await refused("a page that begins as a PNG", noImage, Buffer.from("\x89PNG\r\n\x1a\n<html></html>", "latin1"))
      await refused("nothing", noImage, Buffer.alloc(0))
      await refused("half a picture", noImage, picture.subarray(0, picture.length / 2))
      await refused("a header of 60,000 by 60,000 pixels", tooLarge, pngHeader(60_000, 60_000))
      await refused("8,000 by 8,000 pixels, interlaced", tooLarge, pngHeader(8000, 8000, 1))
      await refused("a TIFF", noImage, await plainPicture(9, 9).tiff().toBuffer())
      t.same(storedFiles(server), [])
      t.same(await queue.rest(), [])
      t.match(await upload(server, "hamlet"), uploaded, "and then one is taken")
    }),
)

t.test(
  "where the image library is missing, images are refused, clearly, and clients offer no upload",
  inTurn(2, "no image library"),
  (t) =>
    withServer(t, { config: { imageLibrary: false } }, async (server) => {
      const { state } = await server.queue("hamlet")
      t.match(state, { max_avatar_file_size_mib: 0, max_icon_file_size_mib: 0, server_avatar_changes_disabled: true })
      const msg = "This server takes no images: its image library (sharp) is not installed."
      for (const to of [path, "/realm/icon", "/realm/emoji/nice"])
        t.match(await postImages(server, "iago", to, picture), { status: 400, body: { msg } }, to)
      t.match(
        await pictureAt(server, drawn(server, "hamlet")),
        { status: 200, width: 100 },
        "faces are drawn all the same",
      )
    }),
)

t.test(
  "organizations decide whether people change their pictures",
  inTurn(2, "organizations decide whether people change their pictures"),
  (t) =>
    withServer(t, {}, async (server) => {
      const queue = await server.queue("hamlet", { event_types: ["realm"] })
      await upload(server, "hamlet")
      await server.as("iago").must.patch("/realm", { avatar_changes_disabled: true })
      t.match(await queue.rest(), [{ op: "update", property: "avatar_changes_disabled", value: true }])
      const refusal = { status: 400, body: { msg: "Avatar changes are disabled in this organization." } }
      t.match(await postImages(server, "hamlet", path, picture), refusal)
      t.match(await server.as("hamlet").delete(path), refusal)
      t.match(await upload(server, "iago"), uploaded, "administrators do")
      t.match((await server.queue("hamlet")).state, { realm_avatar_changes_disabled: true })
    }),
)

t.test(
  "files that are replaced are removed behind the commit, what nobody names after a day",
  inTurn(2, "files that are replaced are removed behind the commit, what nobody names after a day"),
  (t) =>
    withServer(t, {}, async (server) => {
      const first = await upload(server, "hamlet")
      t.equal(avatarsOf(server).length, 2)
      t.equal((await getPicture(server, first)).status, 200)
      const second = await upload(server, "hamlet")
      await until("they are removed", 10_000, () => avatarsOf(server).length === 2)
      t.equal((await getPicture(server, first)).status, 404, "from memory, too")
      t.equal((await getPicture(server, second)).status, 200)
      const [name, other] = faceFiles(1, "0".repeat(32))
      await server.run(
        Effect.flatMap(Files, (files) => Effect.andThen(files.put(name, picture), files.put(other, picture))),
      )
      const clean = (later: number) => server.run(sweepFiles([avatarFiles], Date.now() + later))
      await clean(23 * 3600_000)
      t.equal(avatarsOf(server).length, 4)
      await clean(25 * 3600_000)
      t.equal(avatarsOf(server).length, 2)
      t.equal((await getPicture(server, mediumOf(second))).status, 200)
      await server.as("hamlet").must.delete(path)
      await until("they are removed", 10_000, () => avatarsOf(server).length === 0)
      t.equal((await getPicture(server, second)).status, 404)
    }),
)

t.test("I13: pictures settle", inTurn(2, "I13: pictures settle"), (t) =>
  withServer(t, { channels }, async (server) => {
    const seen = await settles(t, viewsOf(server), "pictures", async () => {
      await upload(server, "hamlet")
      await upload(server, "polonius")
      await upload(server, "hamlet")
      await server.as("polonius").must.delete(path)
      await server.as("cordelia").must.patch("/settings", { email_address_visibility: 4 })
    })
    t.ok(seen.has("realm_user/update"))
  }),
)

t.test(
  "I13: pictures settle where people have gravatars",
  inTurn(2, "I13: pictures settle where people have gravatars"),
  (t) =>
    withServer(t, { channels, config: { gravatar: true } }, async (server) => {
      await settles(t, viewsOf(server), "pictures and gravatars", async () => {
        await upload(server, "hamlet")
        await server.as("hamlet").must.patch("/settings", { email_address_visibility: 4 })
        await server.as("hamlet").must.delete(path)
        await server.as("hamlet").must.patch("/settings", { email_address_visibility: 1 })
      })
    }),
)

t.test(
  "/avatar leads to the picture of an id or an address, and nobody's looks like anybody's",
  inTurn(2, "addresses of avatars"),
  (t) =>
    withServer(t, {}, async (server) => {
      const [hamlet, cordelia] = [server.idOf("hamlet"), server.idOf("cordelia")]
      const url = await upload(server, "hamlet")
      const ask = (rest: string, by: Name | undefined = "polonius") => leadsTo(server, `/avatar/${rest}`, by)
      t.equal(await ask(`${hamlet}`), url)
      t.equal(await ask(`${hamlet}/medium`), mediumOf(url))
      t.equal(await ask(`${hamlet}?s=500&version=2`), mediumOf(url))
      t.equal(await ask(`${hamlet}?s=50`), url)
      t.equal(await ask("hamlet%40test.example/medium"), mediumOf(url))
      t.equal(await ask(`user${hamlet}@test.example`), url)
      t.equal(await ask(`${cordelia}`), drawn(server, "cordelia"))
      t.equal(await ask("4711"), "/user_avatars/1/drawn/4711.png?version=1", "an id that nobody has")
      t.match(await ask("4711/medium"), /drawn\/4711-medium\.png/)
      const nobody = await ask("nobody@test.example")
      t.match(nobody, /^\/user_avatars\/1\/drawn\/\d+\.png\?version=1$/)
      await server.as("cordelia").must.patch("/settings", { email_address_visibility: 4 })
      t.match(await ask("cordelia@test.example"), /^\/user_avatars\/1\/drawn\/\d+\.png\?version=1$/)
      t.not(await ask("cordelia@test.example"), drawn(server, "cordelia"), "a hidden address is nobody's")
      for (const odd of ["", "a/b", "%ff", "medium/medium/medium"])
        t.equal((await getPicture(server, `/avatar/${odd}`, "polonius")).status, 404, odd)
      t.match(await getPicture(server, `/avatar/${hamlet}`), { status: 401 }, "nobody asks without an account")
      t.equal((await getPicture(server, `/avatar/${hamlet}`, "polonius", "POST")).status, 405)
      await server.actions.changeRealm({ enable_spectator_access: true })
      t.equal(await leadsTo(server, `/avatar/${hamlet}`), url, "but visitors, where there are any")
      t.match(await leadsTo(server, "/avatar/hamlet@test.example"), /drawn/, "who know no addresses")
      for (const each of [url, mediumOf(url), nobody]) t.match(await pictureAt(server, each), { status: 200 })
    }),
)

t.test(
  "gravatars, where the operator wants them: for those without a picture and with an address that is visible",
  (t) =>
    withServer(t, { channels, config: { gravatar: true } }, async (server) => {
      const id = server.idOf("hamlet")
      const asked = async (client_gravatar: boolean) => {
        const { user } = await server.as("cordelia").must.get(`/users/${id}`, { client_gravatar })
        await server.as("hamlet").send("lobby", "c")
        const { messages } = await server
          .as("cordelia")
          .must.get("/messages", { anchor: "newest", num_before: 1, num_after: 0, client_gravatar })
        return [user, ...recordsIn(messages)].map((each) => objectIn(each)["avatar_url"])
      }
      const gravatar = /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=\d$/
      t.match(await asked(true), [null, null])
      t.match(await asked(false), [gravatar, gravatar])
      t.match(await leadsTo(server, `/avatar/${id}`, "iago"), gravatar)
      await server.as("hamlet").must.patch("/settings", { email_address_visibility: 4 })
      t.match(await asked(true), [gravatar, gravatar], "nobody else can make that of a hidden address")
      const url = await upload(server, "hamlet")
      for (const client of [true, false]) t.same(await asked(client), [url, url])
    }),
)

t.test(
  "everybody's picture can be fetched, also of bots, of those who are gone, and of the organization",
  inTurn(2, "everybody's picture can be fetched, also of bots, of those who are gone, and of the organization"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      for (const name of ["hamlet", "iago"] as const) await upload(server, name)
      await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
      const { state } = await server.queue("cordelia")
      const people = ["realm_users", "realm_non_active_users", "cross_realm_bots"].flatMap((list) =>
        recordsIn(state[list]),
      )
      const urls = people.map(({ avatar_url }) => avatar_url)
      const further = ["avatar_url", "avatar_url_medium", "realm_icon_url", "realm_logo_url", "realm_night_logo_url"]
      t.ok(urls.length >= 9)
      for (const url of [...urls, ...urls.map(mediumOf), ...further.map((key) => state[key])]) {
        const { status, type, width = 0 } = await pictureAt(server, url)
        t.match({ status, type }, { status: 200, type: "image/png" }, String(url))
        t.ok(width >= 100, String(url))
      }
    }),
)
