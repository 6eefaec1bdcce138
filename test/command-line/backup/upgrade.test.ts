/**
 * Archives of earlier versions (make-fixture.ts), restored by the program of today: what was there is there, in tables of today.
 * An archive of the present version becomes one of an earlier one with the next migration.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { openDatabase } from "../../../src/db/open/open-database.ts"
import { packageFile } from "../../../src/db/package-root.ts"
import { newestVersion, readMigrations } from "../../../src/db/sql/migrations.ts"
import type { Person } from "../../kit/client.ts"
import { originOf, signIn } from "../../kit/program.ts"
import { pluck, recordsIn } from "../../kit/records.ts"
import { openLayer } from "../../kit/test-database.ts"
import { findFreePort, makePlace } from "./places.ts"

const fixtures = readdirSync(packageFile("test/fixtures")).filter((name) => /^backup-\d+\.tar\.gz$/.test(name))

/** The messages of the fixture's topic. */
const messagesOf = async (person: Person) => {
  const narrow = [{ operator: "topic", operand: "fixture" }]
  const page = { narrow, anchor: "oldest", num_before: 0, num_after: 100, apply_markdown: false }
  return recordsIn((await person.must.get("/messages", page))["messages"])
}

const checkPeople = async (t: Test, port: number) => {
  for (const name of ["owner", "admin", "moderator", "member", "guest", "visitor", "bot"]) {
    const person = await signIn(port, name)
    // The answer is checked against the schema of today.
    const state = await person.must.post("/register")
    t.equal(state["email"], `${name}@demo.example`)
  }
}

t.ok(fixtures.length > 0, "there is an archive")
for (const name of fixtures)
  t.test(name, async (t) => {
    const place = await makePlace(t)
    const restored = await place.run(["restore", join(packageFile("test/fixtures"), name)])
    t.match(restored, { code: 0, out: /^Restored from / }, restored.err)
    const { query, close } = await openLayer(t, openDatabase(place.config))
    const newest = newestVersion(await readMigrations())
    t.match(await query("select max(version) as version from schema_migrations"), [{ version: newest }])
    await close()

    const port = await findFreePort()
    await place.serve(port)
    await checkPeople(t, port)
    const [owner, member] = [await signIn(port, "owner"), await signIn(port, "member")]
    const messages = await messagesOf(owner)
    t.match(pluck(messages, "content"), [/^a \[file\]/, "was **edited**", /^\/poll/])
    t.match(messages, [
      { reactions: [{ emoji_name: "tada" }] },
      { edit_history: [{ prev_topic: "before" }, { prev_content: "to be **edited** and moved" }] },
      { submessages: [{ msg_type: "widget" }] },
    ])
    const [, link = ""] = /\((\/user_uploads\/[^)]+)\)/.exec(String(messages[0]?.["content"])) ?? []
    const { url } = await owner.must.get(link)
    t.equal(await (await fetch(`${originOf(port)}${String(url)}`)).text(), "the bytes of a file")
    t.match(await member.must.post("/register"), {
      alert_words: ["lunch"],
      muted_users: [{}],
      user_topics: [{ topic_name: "fixture", visibility_policy: 3 }],
      scheduled_messages: [{ content: "from a time that has not come" }],
      drafts: [{ content: "half a thought" }],
      saved_snippets: [{ title: "hello" }],
    })
    t.match(await member.must.get("/realm/linkifiers"), {
      linkifiers: [{ url_template: "https://issues.example/{id}" }],
    })
    t.match(await messagesOf(member), [{ flags: ["starred", "mentioned"] }, {}, {}])
    t.ok((await owner.send("general", "goes on")) > Number(messages.at(-1)?.["id"]))
  })
