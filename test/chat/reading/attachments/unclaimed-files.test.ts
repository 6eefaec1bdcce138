/** Files that nobody needs any more are removed: those that no message links, and stored ones without a row. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import t from "tap"
import { namedFiles } from "../../../../src/chat/features.ts"
import { sweepFiles } from "../../../../src/chat/ground/files/sweep-files.ts"
import { removeUnclaimed } from "../../../../src/chat/reading/attachments/unclaimed-files.ts"
import { addNeighbour, removeNeighbour } from "../../../kit/neighbour.ts"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { storedFiles, uploaded } from "../../../kit/uploads.ts"
import { withServer } from "../../../kit/with-server.ts"

const day = 24 * 3600_000

/** A run of the periodic job. */
const removeOrphans = (now: number) => Effect.andThen(removeUnclaimed(now), sweepFiles(namedFiles, now))

t.test("a file that no message links goes after a week, and one without a row after a day", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const now = () => server.clock.now()
    const sweep = () => server.run(removeOrphans(now()))
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

t.test("what is nobody's goes from organizations too that nobody asks for", (t) =>
  withServer(t, {}, async (server) => {
    await uploaded(server, "hamlet")
    await addNeighbour(server)
    await server.restart()
    t.equal(server.loadedAtStart, 0)
    await server.run(removeOrphans(server.clock.now() + 8 * day))
    t.same(storedFiles(server), [])
    await removeNeighbour(server)
    await server.restart()
    t.same((await server.as("hamlet").must.get("/attachments"))["attachments"], [])
  }),
)

t.test("a file stays for a week after the last message that linked it stopped to", inTurn(2, "unlinked files"), (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "iago"] }] }, async (server) => {
    const names = ["edited.txt", "deleted.txt", "linked.txt"] as const
    const links = new Map<string, string>()
    for (const name of names) links.set(name, `[x](${await uploaded(server, "hamlet", { name, bytes: name })})`)
    const linkTo = (name: (typeof names)[number]) => links.get(name) ?? ""
    await server.rows("update attachment set created_at = created_at - $1::bigint", [30 * day])
    const edited = await server.as("hamlet").send("lobby", linkTo("edited.txt"))
    const deleted = await server.as("hamlet").send("lobby", linkTo("deleted.txt"))
    const both = await server.as("hamlet").send("lobby", `${linkTo("linked.txt")} ${linkTo("edited.txt")}`)
    const start = server.clock.now()
    const remainingAt = async (time: number) => {
      await server.run(removeOrphans(time))
      return recordsIn((await server.as("hamlet").must.get("/attachments"))["attachments"]).map(({ name }) => name)
    }
    await server.as("hamlet").must.patch(`/messages/${edited}`, { content: "none" })
    await server.as("iago").must.delete(`/messages/${deleted}`)
    t.same(await remainingAt(start), names, "not at once, though they are old")
    server.clock.advance(60_000)
    await server.as("hamlet").must.patch(`/messages/${both}`, { content: "none" })
    await server.as("hamlet").send("lobby", linkTo("linked.txt"))
    t.same(await remainingAt(start + 7 * day - 1000), names)
    t.same(await remainingAt(start + 7 * day + 1000), ["edited.txt", "linked.txt"], "a week after the deletion")
    t.same(await remainingAt(start + 7 * day + 61_000), ["linked.txt"], "a week after the edit of the second message")
  }),
)
