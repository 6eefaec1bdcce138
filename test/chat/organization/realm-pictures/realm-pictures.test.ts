/** The organization's icon and logos: uploading, removing, showing, who may, what becomes of files. */

import * as Effect from "effect/Effect"
import sharp from "sharp"
import t from "tap"
import { realmFile } from "../../../../src/chat/ground/faces/face-files.ts"
import { Files } from "../../../../src/chat/ground/files/files.ts"
import { sweepFiles } from "../../../../src/chat/ground/files/sweep-files.ts"
import { realmPictureFiles } from "../../../../src/chat/organization/realm-pictures/realm-pictures-store.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { getPicture, leadsTo, mustPostImage, pictureAt, postImages } from "../../../kit/images.ts"
import { settles } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { plainPicture } from "../../../kit/some-pictures.ts"
import { until } from "../../../kit/test-database.ts"
import { storedFiles } from "../../../kit/uploads.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const image = await plainPicture(900, 300).png().toBuffer()
const uploaded = /^\/user_avatars\/1\/realm\/[0-9a-f]{32}\.png$/
const drawnIcon = "/user_avatars/1/drawn/icon.png"
const drawnLogo = "/user_avatars/1/drawn/logo.png"
const filesOf = (server: TestServer) => storedFiles(server).filter((file) => file.includes("/realm/"))
const becomes = (server: TestServer, count: number) =>
  until(`${count} files`, 10_000, () => filesOf(server).length === count)

t.test("the icon is uploaded, shown, replaced and taken away", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("polonius", { event_types: ["realm"] })
    t.match(queue.state, { realm_icon_url: drawnIcon, realm_icon_source: "G", max_icon_file_size_mib: 5 })
    const first = (await mustPostImage(server, "iago", "/realm/icon", image))["icon_url"]
    t.match(first, uploaded)
    const event = { type: "realm", op: "update_dict", property: "icon" }
    t.match(await queue.rest(), [{ ...event, data: { icon_url: first, icon_source: "U" } }])
    t.match(await pictureAt(server, first), { status: 200, type: "image/png", width: 100, height: 100 })
    const settings = async () => (await server.anonymous("GET", "/server_settings")).body["realm_icon"]
    t.equal(await settings(), first, "before anybody signs in")
    t.equal(await leadsTo(server, "/api/v1/realm/icon"), first)
    t.equal(await leadsTo(server, "/api/v1/realm/icon", "polonius"), first)
    await sameAfresh(t, server, "with an icon")
    const second = (await mustPostImage(server, "desdemona", "/realm/icon", image))["icon_url"]
    await becomes(server, 1)
    t.equal((await getPicture(server, first)).status, 404)
    t.equal((await getPicture(server, second)).status, 200)
    t.same(await server.as("iago").must.delete("/realm/icon"), { result: "success", msg: "", icon_url: drawnIcon })
    await becomes(server, 0)
    await server.as("iago").must.delete("/realm/icon")
    t.match(await queue.rest(), [
      { ...event, data: { icon_url: second, icon_source: "U" } },
      { ...event, data: { icon_url: drawnIcon, icon_source: "G" } },
    ])
    t.equal(await settings(), drawnIcon)
    t.match(await pictureAt(server, drawnIcon), { status: 200, type: "image/png", width: 100 })
  }),
)

t.test(
  "a logo for light themes and one for dark ones",
  inTurn(2, "a logo for light themes and one for dark ones"),
  (t) =>
    withServer(t, {}, async (server) => {
      const queue = await server.queue("hamlet", { event_types: ["realm"] })
      t.match(queue.state, { realm_logo_url: drawnLogo, realm_logo_source: "D", realm_night_logo_source: "D" })
      await mustPostImage(server, "iago", "/realm/logo", image)
      await mustPostImage(server, "iago", "/realm/logo?night=true", await plainPicture(30, 20).png().toBuffer())
      const { state } = await server.queue("cordelia")
      t.match(state, { realm_logo_url: uploaded, realm_logo_source: "U", realm_night_logo_url: uploaded })
      const { realm_logo_url: light, realm_night_logo_url: dark } = state
      t.match(await queue.rest(), [
        { op: "update_dict", property: "logo", data: { logo_url: light, logo_source: "U" } },
        { op: "update_dict", property: "night_logo", data: { night_logo_url: dark, night_logo_source: "U" } },
      ])
      t.match(await pictureAt(server, light), { width: 300, height: 100 }, "within 800 by 100")
      t.match(await pictureAt(server, dark), { width: 30, height: 20 }, "never larger than it was")
      t.equal(await leadsTo(server, "/api/v1/realm/logo"), light)
      t.equal(await leadsTo(server, "/api/v1/realm/logo?night=true"), dark)
      await server.as("iago").must.delete("/realm/logo", { night: true })
      t.match(await queue.rest(), [{ property: "night_logo", data: { night_logo_source: "D" } }])
      await becomes(server, 1)
      t.equal(await leadsTo(server, "/api/v1/realm/logo?night=true"), drawnLogo)
      t.equal(await leadsTo(server, "/api/v1/realm/logo"), light)
      t.equal((await getPicture(server, "/api/v1/realm/logos", "iago")).status, 404)
      t.equal((await pictureAt(server, drawnLogo)).status, 200)
    }),
)

t.test(
  "only administrators change them, and only to pictures",
  inTurn(2, "only administrators change them, and only to pictures"),
  (t) =>
    withServer(t, {}, async (server) => {
      const queue = await server.queue("hamlet")
      const code = "UNAUTHORIZED_PRINCIPAL"
      for (const path of ["/realm/icon", "/realm/logo"])
        for (const by of ["hamlet", "shiva", "polonius"] as const satisfies ReadonlyArray<Name>) {
          t.match(await postImages(server, by, path, image), { status: 400, body: { code } }, `${by} ${path}`)
          t.match(await server.as(by).delete(path), { status: 400, body: { code } }, `${by} ${path}`)
        }
      const vast = await sharp({ create: { width: 8000, height: 8000, channels: 3, background: "red" } })
        .png({ progressive: true })
        .toBuffer()
      for (const path of ["/realm/icon", "/realm/logo"]) {
        const none = "You must upload exactly one file."
        t.match(await postImages(server, "iago", path), { status: 400, body: { msg: none } })
        t.match(await postImages(server, "iago", path, vast), { status: 400, body: { msg: /too many pixels/ } })
        const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")
        t.match(await postImages(server, "iago", path, svg), { status: 400, body: { msg: /not an image/ } })
      }
      t.same(storedFiles(server), [])
      t.same(await queue.rest(), [])
    }),
)

t.test("files that no setting names are removed after a day", inTurn(2, "files without a setting"), (t) =>
  withServer(t, {}, async (server) => {
    for (const path of ["/realm/icon", "/realm/logo", "/realm/logo?night=true"])
      await mustPostImage(server, "iago", path, image)
    await server.run(Effect.flatMap(Files, (files) => files.put(realmFile(1, "0".repeat(32)), image)))
    const clean = (later: number) => server.run(sweepFiles([realmPictureFiles], Date.now() + later))
    await clean(23 * 3600_000)
    t.equal(filesOf(server).length, 4)
    await clean(25 * 3600_000)
    t.equal(filesOf(server).length, 3)
  }),
)

t.test("I13: the organization's pictures settle", inTurn(2, "I13: the organization's pictures settle"), (t) =>
  withServer(t, {}, async (server) => {
    const seen = await settles(t, viewsOf(server), "icon and logos", async () => {
      await mustPostImage(server, "iago", "/realm/icon", image)
      await mustPostImage(server, "iago", "/realm/logo", image)
      await mustPostImage(server, "iago", "/realm/logo?night=true", image)
      await server.as("iago").must.delete("/realm/logo")
      await server.as("iago").must.patch("/realm", { avatar_changes_disabled: true })
    })
    t.ok(seen.has("realm/update_dict"))
  }),
)
