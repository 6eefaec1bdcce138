/** GET /messages from a moment on: `anchor=date` with `anchor_date`, as servers of level 445 have it. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { pluck } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { type Name, withServer } from "../../../kit/with-server.ts"

const newest = 10_000_000_000_000_000
const hour = 3_600_000

t.test("the anchor is the first message of the narrow from a moment on", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia"] },
        { name: "leads", users: ["hamlet"], isPrivate: true },
      ],
    },
    async (server) => {
      const start = server.clock.now()
      const after = (hours: number) => new Date(start + hours * hour)
      const ids: Array<number> = []
      // At 0, 1, 2 and 3 hours: the third is of a channel that not everybody reads.
      for (const channel of ["lobby", "lobby", "leads", "lobby"] as const) {
        ids.push(await server.as("hamlet").send(channel, "m"))
        server.clock.advance(hour)
      }
      const [first = 0, second = 0, hidden = 0, fourth = 0] = ids
      const page = { anchor: "date", num_before: 1, num_after: 1 }
      const ask = async (name: Name, anchor_date: string, fields: Fields = {}) => {
        const answer = await server.as(name).must.get("/messages", { ...page, anchor_date, ...fields })
        return { ...answer, ids: pluck(answer["messages"], "id") }
      }

      await t.test("around it, with the id that was found", async (t) => {
        const found = { found_anchor: true, found_oldest: false, found_newest: false }
        t.match(await ask("hamlet", after(1).toISOString()), { anchor: second, ids: [first, second, hidden], ...found })
        t.match(await ask("hamlet", after(0.5).toISOString()), { anchor: second, ids: [first, second, hidden] })
        t.match(await ask("hamlet", "1970-01-01"), { anchor: first, ids: [first, second], found_oldest: true })
        const narrow = [["channel", "lobby"]]
        t.match(await ask("hamlet", after(2).toISOString(), { narrow }), { anchor: fourth, ids: [second, fourth] })
        const without = { include_anchor: false, num_before: 0 }
        t.match(await ask("hamlet", after(1).toISOString(), without), { anchor: second, ids: [hidden] })
      })

      await t.test("one that the reader may not see is not there", async (t) => {
        const answer = await ask("cordelia", after(2).toISOString())
        t.match(answer, { anchor: fourth, ids: [second, fourth], found_anchor: true })
      })

      await t.test("where there is none it is the most recent one", async (t) => {
        const none = { anchor: newest, ids: [fourth], found_anchor: false, found_newest: true }
        t.match(await ask("hamlet", after(4).toISOString()), none)
        t.match(await ask("hamlet", "9999-12-31"), none)
        t.match(await ask("polonius", after(0).toISOString()), { anchor: newest, ids: [], found_oldest: true })
      })

      await t.test("the forms of a moment", async (t) => {
        const date = after(1).toISOString()
        const offset = `${new Date(start + 3 * hour).toISOString().slice(0, -1)}+02:00`
        for (const form of [date, date.slice(0, -1), date.slice(0, -5), offset, JSON.stringify(date), ` ${date}`])
          t.match(await ask("hamlet", form), { anchor: second }, form)
        t.match(await ask("hamlet", date.slice(0, 10)), { anchor: first }, "a day begins at midnight in UTC")
        await refuses(
          t,
          ["", "soon", "2026-13-01", "2026-02-30", "2026-01-01T25:00", "1767225600", "26-1-1", "x".repeat(100)].map(
            (anchor_date) => ({ when: anchor_date, fields: { ...page, anchor_date }, msg: "Invalid anchor_date" }),
          ),
          (fields) => server.as("hamlet").get("/messages", fields),
        )
        await refuses(
          t,
          [
            { when: "none", fields: page, code: "REQUEST_VARIABLE_MISSING", msg: "Missing 'anchor_date' argument" },
            {
              when: "beside ids",
              fields: { message_ids: [1], anchor_date: date },
              msg: "Unsupported parameter combination: anchor_date, message_ids",
            },
          ],
          (fields) => server.as("hamlet").get("/messages", fields),
        )
        const beside = { ...page, anchor: "newest", anchor_date: "soon" }
        t.match(await server.as("hamlet").must.get("/messages", beside), { anchor: newest }, "it is not asked for")
        const flags = { ...page, narrow: [], op: "add", flag: "read", anchor_date: date }
        const refused = { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid anchor" } }
        t.match(await server.as("hamlet").post("/messages/flags/narrow", flags), refused, "flags have no such anchor")
      })

      await t.test("a clock that was set back: what was sent later comes later", async (t) => {
        server.clock.jump(-3 * hour)
        const late = await server.as("hamlet").send("lobby", "m")
        t.match(await ask("hamlet", after(3).toISOString()), { anchor: fourth, ids: [hidden, fourth, late] })
        t.match(await ask("hamlet", after(1).toISOString()), { anchor: second })
      })
    },
  ),
)
