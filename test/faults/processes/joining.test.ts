/** Who may serve a database together, and that an organization made through one process is known to the others at once. */
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import t from "tap"
import { adoptFiles } from "../../../src/chat/ground/files/folder-mark.ts"
import { readOrganizations } from "../../../src/db/cluster/organizations-store.ts"
import { Database } from "../../../src/db/database.ts"
import { identityOf } from "../../../src/db/open/identity.ts"
import { openMigratedDatabase } from "../../../src/db/open/open-database.ts"
import { ask, bodyOf } from "../../kit/raw-http.ts"
import { createFolder, until } from "../../kit/test-database.ts"
import { uploaded } from "../../kit/uploads.ts"
import { withServers } from "../../kit/with-servers.ts"

const channels = [{ name: "lobby", users: ["hamlet"] }] as const

t.test("a process joins only with the same secret, the same folder for files and the same program", (t) =>
  withServers(t, 2, { channels }, async ([one], join_) => {
    if (one === undefined) return
    const { filesFolder, database } = one.config
    await t.rejects(join_({ config: { secret: "another secret that is only used in tests, long enough" } }), {
      message: /^The secret is not that of the processes that serve this database: set PARLEY_SECRET as for them$/,
    })
    const apart = join(tmpdir(), `parley-test-files-${randomBytes(8).toString("hex")}`)
    await t.rejects(join_({ config: { filesFolder: apart } }), {
      message: /^The folder for files .* is not that of the process at .*: all need one that they share/,
    })
    await t.rejects(
      Effect.runPromise(Effect.scoped(Effect.provide(Effect.void, openMigratedDatabase(database)))),
      { message: /^Another server is using the database at / },
      "one that wants it alone",
    )
    const other = new URL(database.kind === "postgres" ? database.url : "")
    other.pathname = "/postgres"
    await t.rejects(
      Effect.runPromise(
        Effect.scoped(
          Effect.provide(
            Effect.void,
            openMigratedDatabase(database, [], {
              processes: { bus: "none", busUrl: other.href, sharesLimits: true, child: null },
            }),
          ),
        ),
      ),
      { message: /^PARLEY_BUS_URL leads to another database than DATABASE_URL$/ },
    )
    await one.rows("update schema_functions set digest = 'of another version' where name = 'cluster.sql'")
    await t.rejects(join_(), { message: /another program of the same version \(\d+\): end them all first$/ })
    t.equal((await one.as("hamlet").get("/users/me", {})).status, 200, "those that serve go on")
    t.equal(readdirSync(filesFolder).filter((name) => name.includes("process-")).length, 2, "each has its file there")
    t.equal((await one.rows("select from process")).length, 2)
    t.ok(existsSync(filesFolder))
  }),
)

t.test("an empty folder for files is not taken where rows name files, but by an operator", (t) =>
  withServers(t, 1, { channels }, async ([one], join_) => {
    if (one === undefined) return
    await uploaded(one, "hamlet")
    const { database, filesFolder } = one.config
    const apart = await createFolder(t)
    await t.rejects(join_({ config: { filesFolder: apart } }), {
      message:
        /^The folder for files \S+ is empty, and this database names files: set PARLEY_FILES_DIR .* parley files adopt$/,
    })
    t.same(readdirSync(apart), [], "it is not marked")
    const identity = await one.run(identityOf(one.database, database, filesFolder))
    await one.run(adoptFiles(apart, identity))
    // What is wrong then is that the other has another one.
    await t.rejects(join_({ config: { filesFolder: apart } }), { message: / is not that of the process at / })
  }),
)

t.test("an organization that is made through one process is known to the others at once", (t) =>
  withServers(t, 2, { channels, bus: "none" }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const settingsOf = async (host: string) => {
      const answer = await ask(two.port, { path: "/api/v1/server_settings", headers: { Host: host } })
      return bodyOf(answer)["realm_name"] ?? null
    }
    t.not(await settingsOf("other.example"), null, "the only organization has every host")
    await one.rows(
      `insert into realm (id, host, epoch, created_at, settings)
       select 2, 'other.example', 'other', 0, settings || '{"name":"Another"}' from realm where id = 1`,
    )
    t.equal(await settingsOf("other.example"), "Another", "it has its own")
    t.equal(await settingsOf("third.example"), null, "and nobody has what is nobody's")
    const listed = await two.run(Effect.flatMap(Database, readOrganizations))
    t.equal(listed, "2 2")
    await two.rows("delete from realm where id = 2")
  }),
)

t.test("the time that servers have run is the same for all, however many they are", (t) =>
  withServers(t, 3, {}, async (servers) => {
    const ran = async () => Number((await servers[0]?.rows("select ran_for as n from server_state"))?.[0]?.["n"])
    // It grows with each tick by the time since the one before, so the measuring begins right behind a tick.
    const first = await ran()
    await until("a tick has come", 10_000, async () => (await ran()) !== first)
    const [began, before] = [performance.now(), await ran()]
    await until("ticks have come", 10_000, async () => (await ran()) > before + 2500)
    t.ok((await ran()) - before < performance.now() - began + 1500, "three do not run three times as long")
  }),
)
