/** What nobody needs any more is removed: files that no message links, and stored ones without a row. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { removeOrphans } from "../../../src/chat/attachments/orphans.ts"
import { recordsIn } from "../../kit/records.ts"
import { storedFiles, uploaded } from "../../kit/uploads.ts"
import { withServer } from "../../kit/with-server.ts"

const day = 24 * 3600_000

t.test("a file that no message links goes after a week, and one without a row after a day", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const now = () => server.clock.now()
    const sweep = () => server.run(removeOrphans([server.realm], now()))
    const claimed = await uploaded(server, "hamlet", { name: "claimed.txt", bytes: "claimed" })
    await uploaded(server, "hamlet", { name: "unclaimed.txt", bytes: "unclaimed" })
    await server.as("hamlet").send("lobby", `[x](${claimed})`)
    for (const file of storedFiles(server)) utimesSync(file, now() / 1000, now() / 1000)
    const place = join(server.config.filesFolder, "1", "uploads", "ab")
    mkdirSync(place, { recursive: true })
    const lost = join(place, `ab${"0".repeat(30)}`)
    writeFileSync(lost, "nobody's")
    utimesSync(lost, now() / 1000, now() / 1000)
    const small = join(server.config.filesFolder, "1", "thumbnails", "ab")
    mkdirSync(small, { recursive: true })
    writeFileSync(join(small, `ab${"0".repeat(30)}-840x560.webp`), "nobody's")
    utimesSync(join(small, `ab${"0".repeat(30)}-840x560.webp`), now() / 1000, now() / 1000)
    const listed = async () =>
      recordsIn((await server.as("hamlet").must.get("/attachments"))["attachments"]).map(({ name }) => name)
    await sweep()
    t.equal(storedFiles(server).length, 4, "not at once")
    server.clock.advance(day + 1000)
    await sweep()
    t.equal(storedFiles(server).length, 2, "what has no row")
    t.same(await listed(), ["claimed.txt", "unclaimed.txt"])
    server.clock.advance(6 * day)
    const queue = await server.queue("hamlet", { event_types: ["attachment"] })
    await sweep()
    t.same(await listed(), ["claimed.txt"])
    t.equal(storedFiles(server).length, 1)
    t.match(await queue.rest(), [{ type: "attachment", op: "remove", upload_space_used: 7 }])
  }),
)
