/**
 * A program that is killed in the middle of an upgrade, again and again: what it leaves is usable, the next start brings it up
 * to date with all its messages, and queues of before deliver.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { newChannel } from "../../src/chat/channels/channels/new-channel.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { newestVersion, readMigrations } from "../../src/db/sql/migrations.ts"
import { ChannelId } from "../../src/ids.ts"
import { findFreePort, ownKind } from "../command-line/backup/places.ts"
import { signIn } from "../kit/program.ts"
import { pluck, recordsIn } from "../kit/records.ts"
import { fromArchive, fromSql, makeOld, type Old } from "./upgrade/old-database.ts"

/** Opens the database, brings it up to date, and changes nothing else. */
const openIt = ["org", "list"]

/** All steps are done, and all messages there with all that they had; answers the epoch of the log. */
const checkUpgraded = async (t: Test, old: Old): Promise<string> => {
  const { version, epoch, messages } = await old.tidy()
  t.equal(version, newestVersion(await readMigrations()))
  t.ok(messages.length > 0)
  t.hasStrict(messages, old.messages)
  t.equal(messages.length, old.messages.length)
  return epoch
}

const fields = {
  name: "ΟΔΟΣ",
  description: "",
  isPrivate: false,
  isWebPublic: false,
  historyShared: true,
  isDefault: false,
}
const { permissions } = newChannel(ChannelId(1), fields, null, 0)

/** A database of the first version. */
const firstRows = `
  insert into realm values (1, 'test.example', 'e', 0, '{}');
  insert into realm_lock (realm_id, holder) values (1, '');
  insert into account (realm_id, id, email, full_name, joined_at) values (1, 1, 'Hamlet@test.example', 'Hamlet', 0);
  insert into role_span (realm_id, user_id, role, opened) values (1, 1, 100, 0);
  insert into channel (realm_id, id, name, created_at, permissions)
    values (1, 1, '${fields.name}', 0, '${JSON.stringify(permissions)}');
  insert into subscription_span (realm_id, channel_id, user_id, opened, closed) values (1, 1, 1, 5, 9), (1, 1, 1, 12, null);
  insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, content, rendered, client, read_by_sender, sent_at)
    select 1, n, 1, 1, n, 'Topic ' || n, 'text', '<p>text</p>', '', true, 0 from generate_series(1, 100) n;`

t.test("the first version, killed on its way through all that followed", async (t) => {
  const middle = String(Math.floor(newestVersion(await readMigrations()) / 2))
  const old = await makeOld(t, fromSql(1, firstRows))
  await old.killIn(middle, openIt)
  if (ownKind === "pglite") await old.undo(middle)
  const opened = await (ownKind === "pglite" ? old.place.run(openIt) : old.runBeside(middle, openIt))
  t.match(opened, { code: 0, out: /test\.example/ }, opened.err)
  await checkUpgraded(t, old)
})

/** Of the member of the demo, who has heard of everything up to a position. */
const heard = 104
const queue = "0b0e7a52-7a3e-4c39-8c0c-6a3d1b6f2a11"
const description = {
  event_types: ["message"],
  narrow: [],
  all_public_streams: false,
  rendering: { rendered: false, gravatar: false },
  state: { saw: heard, width: 1, took: heard, types: [] },
}
const queueRow = `insert into event_queue (realm_id, id, user_id, description, acked, idle_ms, seen)
  select realm.id, epoch || '-${queue}', account.id, '${JSON.stringify(description)}', ${heard}::bigint * 65536, 604800000,
      (select ran_for from server_state)
    from realm join account on realm_id = realm.id and email = 'member@demo.example';`

t.test("a version with an organization and a queue", async (t) => {
  const [name = ""] = readdirSync(packageFile("test/fixtures")).filter((each) => /^backup-\d+\.tar\.gz$/.test(each))
  const file = join(packageFile("test/fixtures"), name)
  const next = Number(/\d+/.exec(name)?.[0]) + 1
  const old = await makeOld(t, fromArchive(file), queueRow)
  const port = await findFreePort()
  for (const step of [String(next), "functions"]) {
    await old.killIn(step, ["--port", String(port)])
    await old.undo(step)
  }
  t.match(await old.place.run(openIt), { code: 0, out: /demo\.example/ })
  const epoch = await checkUpgraded(t, old)

  await old.place.serve(port)
  const [owner, member] = [await signIn(port, "owner"), await signIn(port, "member")]
  const sent = await owner.send("general", "after the upgrade")
  const asked = { queue_id: `${epoch}-${queue}`, last_event_id: heard * 65_536, dont_block: true }
  const { events } = await member.must.get("/events", asked)
  const got = pluck(
    recordsIn(events).filter(({ type }) => type === "message"),
    "message",
  )
  const contents = pluck(got, "content")
  t.match(contents[0], /^a \[file\]/, "what came before the upgrade")
  t.ok(contents.includes("only for *us*"))
  t.equal(contents.at(-1), "after the upgrade")
  t.equal(pluck(got, "id").at(-1), sent)
})
