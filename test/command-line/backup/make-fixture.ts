/**
 * Makes an archive of an organization in which a little of everything has happened, for upgrade.test.ts:
 * `node dist/test/command-line/backup/make-fixture.js test/fixtures/backup-048.tar.gz`, with the version of the tables in
 * its name. One is made before a release that changes tables, and stays.
 */
import { resolve } from "node:path"
import t from "tap"
import { originOf, signIn } from "../../kit/program.ts"
import { basic } from "../../kit/rows.ts"
import { formBytes, formType } from "../../kit/uploads.ts"
import { findFreePort, makePlace } from "./places.ts"

/** The year 2100, in seconds. */
const farAhead = 4_102_444_800

const [file = "backup.tar.gz"] = process.argv.slice(2)

t.test("an archive", async (t) => {
  const place = await makePlace(t, "pglite")
  const port = await findFreePort()
  const server = await place.serve(port)
  const [owner, member, guest] = [
    await signIn(port, "owner"),
    await signIn(port, "member"),
    await signIn(port, "guest"),
  ]
  const idOf = async (person: typeof owner) => Number((await person.must.get("/users/me"))["user_id"])
  const [ownerId, memberId, guestId] = [await idOf(owner), await idOf(member), await idOf(guest)]
  const { stream_id: general } = await owner.must.get("/get_stream_id", { stream: "general" })

  const uploaded = await fetch(`${originOf(port)}/api/v1/user_uploads`, {
    method: "POST",
    headers: { Authorization: basic(owner.account), "Content-Type": formType },
    body: new Uint8Array(formBytes({ bytes: "the bytes of a file" })),
  })
  const { url }: { url?: unknown } = Object(await uploaded.json())
  const linking = await owner.send("general", `a [file](${String(url)}) and @**Max Member**`, { topic: "fixture" })
  const moved = await member.send("general", "to be **edited** and moved", { topic: "before" })
  const deleted = await member.send("general", "to be deleted", { topic: "fixture" })
  await member.send("general", "/poll What is for lunch?\nsoup\nsalad", { topic: "fixture" })
  const direct = { type: "direct", to: [memberId, guestId], content: "only for *us*" }
  await owner.must.post("/messages", direct)
  await guest.must.post(`/messages/${linking}/reactions`, { emoji_name: "tada" })
  await member.must.patch(`/messages/${moved}`, { content: "was **edited**" })
  await owner.must.patch(`/messages/${moved}`, { topic: "fixture", propagate_mode: "change_all" })
  await owner.must.delete(`/messages/${deleted}`)
  await member.must.post("/messages/flags", { messages: [linking], op: "add", flag: "starred" })
  await member.must.post("/user_topics", { stream_id: general, topic: "fixture", visibility_policy: 3 })
  await member.must.post(`/users/me/muted_users/${guestId}`)
  await member.must.post("/users/me/alert_words", { alert_words: ["lunch"] })
  await member.must.post("/saved_snippets", { title: "hello", content: "Hello, and **welcome**" })
  const draft = { type: "stream", to: [general], topic: "fixture", content: "half a thought", timestamp: 1 }
  await member.must.post("/drafts", { drafts: [draft] })
  await member.must.post("/scheduled_messages", {
    type: "channel",
    to: general,
    topic: "fixture",
    content: "from a time that has not come",
    scheduled_delivery_timestamp: farAhead,
  })
  await owner.must.post("/user_groups/create", { name: "cooks", description: "of lunch", members: [ownerId, memberId] })
  await owner.must.post("/users/me/subscriptions", { subscriptions: [{ name: "kitchen" }], principals: [memberId] })
  await owner.must.post("/realm/filters", { pattern: "#(?P<id>[0-9]+)", url_template: "https://issues.example/{id}" })
  await owner.must.post("/bots", { full_name: "Cook", short_name: "cook", bot_type: 1 })

  server.signal("SIGTERM")
  await server.ended
  const { code, err } = await place.run(["backup", resolve(file)])
  t.equal(code, 0, err)
})
