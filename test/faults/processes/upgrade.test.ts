/**
 * Processes of two programs on one database, as while they are replaced one by one. The older one is a row of the table of
 * processes, kept alive by its time: what it could not follow is not written, and clients hear of the newer program once.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import t from "tap"
import type { Realm } from "../../../src/chat/ground/realm/realm.ts"
import { markFile } from "../../../src/config/folder-mark-file.ts"
import { newestVersion, readMigrations } from "../../../src/db/sql/migrations.ts"
import { toRealm } from "../../../src/events/audience.ts"
import { type Command, change } from "../../../src/events/command.ts"
import { fruitKind } from "../../kit/further.ts"
import { until } from "../../kit/test-database.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { withServers } from "../../kit/with-servers.ts"

const channels = [{ name: "lobby", users: ["hamlet"] }] as const

const newest = newestVersion(await readMigrations())
const older = 56

const further = { sql: [], kinds: [fruitKind] }

const fruit = (payload: { readonly name: string; readonly text?: string }): Command<Realm, void> => ({
  judge: () => change([fruitKind.change(payload, toRealm)]),
})

const speaks = ({ database }: TestServer) => database.cluster?.speaks() ?? 0
const refused = { _tag: "ApiError", code: "UPGRADE_UNDER_WAY", status: 503 }

/** A process of an older program lives, and has lived before those of this one. */
const putOlder = async (server: TestServer) => {
  writeFileSync(join(server.config.filesFolder, `${markFile}.process-older`), "")
  await server.rows(`insert into process (id, address, program, secret_fingerprint, seen_at, speaks)
    select 'older', 'elsewhere:9991', '0.0.1', secret_fingerprint, seen_at + 3600000, ${older} from process limit 1`)
  await server.rows(`update server_state set speaks = ${older}`)
  await until("the process knows of the older one", 2000, () => speaks(server) === older)
}
const endOlder = (server: TestServer) => server.rows("delete from process where id = 'older'")

t.test("I8: what an older process could not follow is written when none is left", (t) =>
  withServers(t, 1, { channels, further }, async ([one], join_) => {
    if (one === undefined) return
    await putOlder(one)
    const two = await join_()
    const reader = await two.queue("hamlet", { event_types: ["test_fruit"] })
    for (const server of [one, two]) {
      const { writer } = server.realm
      await t.rejects(server.run(writer.submit(fruit({ name: "apple", text: "red" }))), refused)
      await server.run(writer.submit(fruit({ name: "pear" })))
    }
    t.match(await reader.poll(), [{ name: "pear" }])
    await endOlder(one)
    await until("both know that it is gone", 2000, () => speaks(one) === newest && speaks(two) === newest)
    await one.run(one.realm.writer.submit(fruit({ name: "apple", text: "red" })))
    const names = reader.events.map(({ name }) => name)
    while (!names.includes("apple")) names.push(...(await reader.poll()).map(({ name }) => name))
    t.same(names.filter((name) => name === "apple").length, 1)
    await one.rows(
      "insert into process select 'late', address, program, secret_fingerprint, seen_at, 3 from process limit 1",
    )
    const { lastTick } = one.database.cluster ?? {}
    const before = lastTick?.()
    await until("a tick has come", 2000, () => lastTick?.() !== before)
    t.equal(speaks(one), newest, "it never falls")
  }),
)

t.test("clients hear once that another program serves, when all processes are of it", (t) =>
  withServers(t, 1, { channels }, async ([one], join_) => {
    if (one === undefined) return
    await putOlder(one)
    await one.rows('update realm set settings = settings || \'{"program":"older"}\'')
    const servers = [await join_(), await join_()]
    const told = async () =>
      Number((await one.rows("select count(*)::int as n from log where type = 'restart'"))[0]?.["n"])
    const programs = () => servers.map(({ realm }) => realm.realm.settings.program)
    t.same([programs(), await told()], [["older", "older"], 0], "not while the older one may start again")
    await endOlder(one)
    await until("both have heard of it", 5000, () => programs().every((program) => program !== "older"))
    const ticks = servers.map(({ database }) => database.cluster?.lastTick())
    await until("a tick has come", 3000, () =>
      servers.every(({ database }, n) => database.cluster?.lastTick() !== ticks[n]),
    )
    await Promise.all(servers.map((server) => server.as("hamlet").send("lobby", "all that was waiting is written")))
    t.equal(await told(), 1)
  }),
)

t.test("a process that was left behind ends, and one of an older program is not taken", (t) => {
  const reasons: Array<string> = []
  const onForeign = (why: string) => void reasons.push(why)
  return withServers(t, 1, { channels, onForeign }, async ([one], join_) => {
    if (one === undefined) return
    await one.rows(`update server_state set speaks = ${newest + 1}`)
    await until("it ends", 2000, () => reasons.length > 0)
    const message = "A newer program serves this database, and this one may not any more: start the newer one"
    t.same(reasons, [message])
    await t.rejects(join_(), { message })
    await one.rows(`insert into schema_migrations values (${newest + 1})`)
    await t.rejects(join_(), {
      message: /^A newer program serves the database \(version \d+\), and this one \(\d+\) may not/,
    })
    await one.rows(`update server_state set speaks = ${newest}`)
    await t.resolves(join_(), "while nothing of the newer ones was written, it may")
    await one.rows(`delete from schema_migrations where version > ${newest}`)
  })
})

t.test("a row of a kind that a process does not know ends it", (t) => {
  const reasons: Array<string> = []
  return withServers(t, 1, { channels, further }, async ([one], join_) => {
    if (one === undefined) return
    const two = await join_({
      further: { sql: [], kinds: [] },
      onForeign: (why) => void reasons.push(why),
      onOddRows: () => {},
    })
    await two.as("hamlet").must.get("/users/me")
    await one.run(one.realm.writer.submit(fruit({ name: "apple" })))
    await until("it ends", 2000, () => reasons.length > 0)
    t.match(reasons, [/^row \d+ of the log, of type test_fruit, could not be applied$/])
    await t.rejects(two.run(Effect.suspend(() => two.realm.peers.fresh)))
  })
})
