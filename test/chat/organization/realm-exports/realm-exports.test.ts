/** Exports: from wanting one to its file, what is in it, its address, deleting it; who may, and how often. */

import type { PathLike } from "node:fs"
import fsPromises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import t from "tap"
import { sweepFiles } from "../../../../src/chat/ground/files/sweep-files.ts"
import { exportFiles } from "../../../../src/chat/organization/realm-exports/export-files-store.ts"
import { endOldExports } from "../../../../src/chat/organization/realm-exports/old-exports.ts"
import { ended, exported, exportsOf, fetched, heldUp, jsonIn, listedIn, wanted } from "../../../kit/exports.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { plainPicture } from "../../../kit/some-pictures.ts"
import { until } from "../../../kit/test-database.ts"
import { storedFiles, uploaded } from "../../../kit/uploads.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/export/realm"
const day = 24 * 3600_000
const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["cordelia"], isPrivate: true, historyShared: true },
] as const

const kept = (server: TestServer) => storedFiles(server).filter((name) => name.includes("/exports/"))

t.test("an export is wanted, made, told of, fetched, and deleted", (t) =>
  withServer(t, { channels }, async (server) => {
    const file = await uploaded(server, "hamlet", { name: "plan Ü.txt", bytes: "the plan" })
    const unlinked = await uploaded(server, "hamlet", { name: "other.txt", bytes: "nobody's" })
    const first = await server.as("hamlet").send("lobby", `first [the plan](${file})`)
    const second = await server.as("cordelia").send("lobby", "second", { topic: "other" })
    await server.as("cordelia").send("den", "whispered")
    await server.as("hamlet").must.patch(`/messages/${first}`, { content: `changed [the plan](${file})` })
    await server.as("cordelia").must.post(`/messages/${first}/reactions`, { emoji_name: "smile" })
    const [admin, member] = [await server.queue("iago"), await server.queue("hamlet")]

    const before = server.clock.now()
    const id = await wanted(server)
    const made = await ended(server, id)
    const url = String(made["export_url"])
    const common = { id, acting_user_id: server.idOf("iago"), export_time: before / 1000, export_type: 1 }
    const nothing = { deleted_timestamp: null, failed_timestamp: null }
    t.strictSame(made, { ...common, ...nothing, export_url: url, pending: false })
    t.match(url, new RegExp(`^${server.origin}/user_exports/[0-9a-f]{64}/export-${id}\\.tar\\.gz$`))
    const told = (await admin.rest()).filter(({ type }) => type === "realm_export")
    t.strictSame(
      told.map(({ exports }) => exports),
      [[{ ...common, ...nothing, export_url: null, pending: true }], [made]],
    )

    const archive = await fetched(url)
    const messages = listedIn(archive, "messages")
    t.strictSame(pluck(messages, "id"), [first, second])
    t.match(messages[0], {
      content: `changed [the plan](${file})`,
      rendered_content: /^<p>changed/,
      type: "stream",
      display_recipient: "lobby",
      subject: "t",
      sender_id: server.idOf("hamlet"),
      sender_email: "hamlet@test.example",
      reactions: [{ emoji_name: "smile", user_id: server.idOf("cordelia") }],
      edit_history: [{ prev_content: `first [the plan](${file})` }],
    })
    const [attachment = {}] = listedIn(archive, "attachments")
    t.match(attachment, { message_id: first, name: "plan Ü.txt", size: 8, file: /^uploads\/\d+\.txt$/ })
    t.equal(String(archive.entries.get(String(attachment["file"]))), "the plan")
    t.match(jsonIn(archive, "export.json"), {
      form: 1,
      id,
      export_type: 1,
      messages: 2,
      files: 1,
      host: "test.example",
    })
    t.match(jsonIn(archive, "realm.json")["realm"], { realm_name: "Test", realm_url: server.origin })
    t.strictSame(pluck(recordsIn(jsonIn(archive, "channels/000001.json")["channels"]), "name"), ["lobby"])
    t.match(jsonIn(archive, "subscribers/000001.json"), {
      subscribers: [{ subscribers: [server.idOf("hamlet"), server.idOf("cordelia")] }],
    })
    const users = recordsIn(jsonIn(archive, "users/000001.json")["users"])
    t.match(
      users.find(({ user_id }) => user_id === server.idOf("hamlet")),
      { full_name: "hamlet", delivery_email: "hamlet@test.example", is_active: true, profile_data: {} },
    )
    t.ok(
      recordsIn(jsonIn(archive, "user_groups/000001.json")["user_groups"]).some(({ name }) => name === "role:members"),
    )
    const whole = [...archive.entries.values()].map(String).join("\n")
    const token = (address: string) => address.split("/")[4] ?? "?"
    for (const secret of ["whispered", "den", "nobody's", token(unlinked), "password_hash", "api_key", "key_version"])
      t.notOk(whole.includes(secret), `it does not have ${secret}`)

    const answer = await fetch(url, { headers: { Range: "bytes=0-1" } })
    t.equal(answer.status, 206)
    t.strictSame([...new Uint8Array(await answer.arrayBuffer())], [0x1f, 0x8b])
    const headers = ["content-type", "content-disposition", "cache-control", "x-content-type-options"]
    t.strictSame(
      headers.map((name) => answer.headers.get(name)),
      ["application/gzip", `attachment; filename="export-${id}.tar.gz"`, "private, no-store", "nosniff"],
    )

    await server.restart()
    const again = url.replace(/^http:\/\/[^/]+/, server.origin)
    t.strictSame(await exportsOf(server), [{ ...made, export_url: again }])
    t.strictSame((await fetched(again)).bytes, archive.bytes, "it stays after a restart")
    t.equal(kept(server).length, 1)
    server.clock.advance(5000)
    await server.as("iago").must.delete(`${path}/${id}`)
    const deleted_timestamp = Math.floor(server.clock.now() / 1000)
    t.strictSame(await exportsOf(server), [{ ...made, export_url: null, deleted_timestamp }])
    t.strictSame(kept(server), [], "its file is gone")
    t.match((await server.resume("iago", admin).rest()).at(-1), { exports: [{ deleted_timestamp, pending: false }] })
    t.notOk((await server.resume("hamlet", member).rest()).some(({ type }) => type === "realm_export"))
    await refuses(t, [{ when: "deleted already", fields: {}, msg: "Export already deleted" }], () =>
      server.as("iago").delete(`${path}/${id}`),
    )

    const shown = async (address: string) => {
      const answer = await fetch(`${server.origin}${address}`)
      return { status: answer.status, type: answer.headers.get("content-type"), body: await answer.text() }
    }
    const absent = await shown("/user_exportz/a/b")
    t.equal(absent.status, 404)
    const { pathname } = new URL(url)
    for (const address of [
      pathname,
      pathname.replace(/[0-9a-f]{8}\//, "00000000/"),
      "/user_exports/",
      "/user_exports/a/b",
    ])
      t.strictSame(await shown(address), absent, address)
  }),
)

t.test("custom emoji come along with their pictures", inTurn(2, "custom emoji come along with their pictures"), (t) =>
  withServer(t, {}, async (server) => {
    const form = new FormData()
    const picture = await plainPicture(64, 64).png().toBuffer()
    form.append("file", new Blob([new Uint8Array(picture)], { type: "image/png" }), "a.png")
    const { email, key } = server.as("iago").account
    const added = await fetch(`${server.origin}/api/v1/realm/emoji/yak`, {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(`${email}:${key}`)}` },
      body: form,
    })
    t.equal(added.status, 200)
    const archive = await exported(server)
    const [emoji = {}] = recordsIn(Object.values(Object(jsonIn(archive, "emoji.json")["emoji"])))
    t.match(emoji, { name: "yak" })
    const name = `emoji/${String(emoji["source_url"]).split("/").at(-1)}`
    t.ok((archive.entries.get(name)?.length ?? 0) > 0, `${name} is there`)
    t.strictSame(listedIn(archive, "messages"), [])
  }),
)

t.test("only administrators have to do with exports", inTurn(2, "only administrators have to do with exports"), (t) =>
  withServer(t, {}, async (server) => {
    const below: ReadonlyArray<Name> = ["polonius", "hamlet", "shiva"]
    const msg = "Must be an organization administrator"
    for (const who of below) {
      const line: Refusal = { when: who, fields: {}, code: "UNAUTHORIZED_PRINCIPAL", msg }
      await refuses(t, [line], (fields) => server.as(who).post(path, fields))
      await refuses(t, [line], () => server.as(who).get(path))
      await refuses(t, [line], () => server.as(who).get(`${path}/consents`))
      await refuses(t, [line], () => server.as(who).delete(`${path}/1`))
    }
    t.strictSame(await exportsOf(server), [])
    t.strictSame((await server.as("desdemona").must.get(path))["exports"], [])
    await refuses(
      t,
      [
        { when: "another type", fields: { export_type: 3 }, msg: /export_type/ },
        { when: "no type", fields: { export_type: "public" }, msg: /export_type/ },
      ],
      (fields) => server.as("iago").post(path, fields),
    )
    const unknown = { when: "an unknown one", fields: {}, msg: "Invalid data export ID" }
    await refuses(t, [unknown], () => server.as("iago").delete(`${path}/1`))
  }),
)

t.test(
  "one at a time, five in a week, and not of everything",
  inTurn(2, "one at a time, five in a week, and not of everything"),
  (t) =>
    withServer(t, {}, async (server) => {
      const busy = { when: "another is being made", fields: {}, msg: "Another export is still in progress" }
      const often = { when: "five were made", fields: {}, msg: "Exceeded rate limit." }
      const running = { when: "still being made", fields: {}, msg: "Export still in progress" }
      const large = { when: "too large", fields: {}, msg: /^The organization is too large/ }
      const post = () => server.as("iago").post(path)
      await server.rows("insert into upload_space (realm_id, used) values (1, $1::bigint)", [20 * 1024 ** 3 + 1])
      await refuses(t, [large], post)
      await server.rows("delete from upload_space")
      const { begun, release } = heldUp(server)
      const first = await wanted(server)
      await begun
      await refuses(t, [busy], post)
      await refuses(t, [running], () => server.as("iago").delete(`${path}/${first}`))
      release()
      await ended(server, first)
      // The one that is made is not over before the other is asked for.
      const again = heldUp(server)
      const answers = await Promise.all([post(), post()])
      again.release()
      t.strictSame(answers.map(({ status }) => status).sort(), [200, 400], "of two at once one is made")
      const second = Number(answers.find(({ status }) => status === 200)?.body["id"])
      await ended(server, second)
      for (let n = 2; n < 5; n++) await ended(server, await wanted(server))
      await server.as("iago").must.delete(`${path}/${second + 3}`)
      await refuses(t, [often], post)
      server.clock.advance(7 * day + 1)
      t.equal(await wanted(server), second + 4, "after a week there may be more, and no id is given twice")
      await ended(server, second + 4)
    }),
)

t.test("the newest three stay, for fourteen days", inTurn(2, "the newest three stay, for fourteen days"), (t) =>
  withServer(t, { channels }, async (server) => {
    const urls: Array<unknown> = []
    for (let n = 0; n < 3; n++) urls.push((await ended(server, await wanted(server)))["export_url"])
    t.equal(kept(server).length, 3)
    const queue = await server.queue("iago")
    server.clock.advance(1000)
    const deleted = Math.floor(server.clock.now() / 1000)
    await ended(server, await wanted(server))
    const gone = { export_url: null, deleted_timestamp: deleted, failed_timestamp: null, pending: false }
    const stays = { export_url: String, deleted_timestamp: null }
    t.match(await exportsOf(server), [gone, stays, stays, stays], "the oldest goes when a new one has ended")
    t.match((await queue.rest()).at(-1), { type: "realm_export", exports: [gone, stays, stays, stays] })
    await until("its file is gone", 10_000, () => kept(server).length === 3)
    t.equal((await fetch(String(urls[0]))).status, 404)

    server.clock.advance(14 * day - 2000)
    await server.run(endOldExports(server.clock.now()))
    t.equal(kept(server).length, 3)
    server.clock.advance(1500)
    await server.run(endOldExports(server.clock.now()))
    t.match(
      await exportsOf(server),
      [gone, { export_url: null }, { export_url: null }, stays],
      "the last was made later",
    )
    server.clock.advance(1000)
    await server.run(endOldExports(server.clock.now()))
    t.match((await exportsOf(server)).at(-1), { export_url: null, deleted_timestamp: Number, pending: false })
    t.strictSame(kept(server), [])
  }),
)

t.test(
  "none is made where the disk has no room for it",
  inTurn(2, "none is made where the disk has no room for it"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const { statfs } = fsPromises
      const set = (value: typeof statfs | ((path: PathLike) => Promise<unknown>)): void => {
        Reflect.set(fsPromises, "statfs", value)
        syncBuiltinESMExports()
      }
      t.teardown(() => set(statfs))
      let free = 0
      const isOwn = (path: PathLike) => String(path).startsWith(server.config.filesFolder)
      set(async (path: PathLike) => (isOwn(path) ? { bavail: free, bsize: 1 } : statfs(path)))
      await server.rows("insert into upload_space (realm_id, used) values (1, 5000)")
      const full = { when: "the disk is full", fields: {}, msg: /^There is not enough room on the server's disk/ }
      for (free of [0, 1024 ** 3 + 4999]) await refuses(t, [full], () => server.as("iago").post(path))
      t.strictSame(await exportsOf(server), [])
      free = 1024 ** 3 + 5000
      await ended(server, await wanted(server))
    }),
)

t.test(
  "files of exports that no row names are removed",
  inTurn(2, "files of exports that no row names are removed"),
  (t) =>
    withServer(t, {}, async (server) => {
      const [first, second] = [await wanted(server), 2]
      await ended(server, first)
      await ended(server, await wanted(server))
      await server.rows(
        `update realm_exports set exports = jsonb_set(exports, '{0,token}', 'null') where exports -> 0 ->> 'id' = $1`,
        [String(first)],
      )
      t.equal(kept(server).length, 2)
      await server.run(sweepFiles([exportFiles], Date.now() + day / 2))
      t.equal(kept(server).length, 2, "not while it may be being written")
      await server.run(sweepFiles([exportFiles], Date.now() + 2 * day))
      t.equal(kept(server).length, 1)
      const named = (await exportsOf(server)).find(({ id }) => id === second)
      await fetched(named?.["export_url"])
    }),
)

t.test("I13: exports settle", inTurn(2, "I13: exports settle"), (t) =>
  withServer(t, { channels }, async (server) => {
    const seen = await settles(t, viewsOf(server), "exports", async () => {
      const id = await wanted(server)
      await ended(server, id)
      await server.as("desdemona").must.delete(`${path}/${id}`)
      await server.as("hamlet").must.patch("/settings", { allow_private_data_export: true })
    })
    t.ok(seen.has("realm_export") && seen.has("realm_export_consent"))
  }),
)

t.test(
  "I9: a commit that ends an export whose answer is lost ends it once",
  inTurn(2, "I9: a commit that ends an export whose answer is lost ends it once"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const queue = await server.queue("iago")
      const { begun, release } = heldUp(server)
      const id = await wanted(server)
      await begun
      server.faults.failCommits("lost")
      release()
      const { export_url } = await ended(server, id, 5000)
      await fetched(export_url)
      t.equal(kept(server).length, 1)
      t.equal((await queue.rest()).filter(({ type }) => type === "realm_export").length, 2)
    }),
)

t.test(
  "an export whose commit is refused leaves no file, and is made again",
  inTurn(2, "an export whose commit is refused leaves no file, and is made again"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const { begun, release } = heldUp(server)
      const id = await wanted(server)
      await begun
      server.faults.failCommits("full")
      release()
      const { export_url } = await ended(server, id, 5000)
      await fetched(export_url)
      t.equal(kept(server).length, 1)
    }),
)

t.test(
  "nothing is sent of an organization that is deactivated",
  inTurn(2, "nothing is sent of an organization that is deactivated"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const { export_url } = await ended(server, await wanted(server))
      await fetched(export_url)
      await server.actions.deactivateRealm()
      t.equal((await fetch(String(export_url))).status, 404)
      await server.actions.reactivateRealm()
      await fetched(export_url)
    }),
)
