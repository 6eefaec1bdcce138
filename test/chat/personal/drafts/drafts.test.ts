/** Drafts (contract 2.12, 3.10, spec 12 and its Draft resource): list, keep, edit, remove; the setting; limits; owners. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { Settling } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/drafts"
const channels = [
  { name: "lobby", users: ["hamlet", "iago"] },
  { name: "vault", users: ["iago"], isPrivate: true },
  { name: "tombs", users: ["hamlet"] },
] as const
const setup = { channels }

const unaddressed = { type: "", to: [], topic: "", content: "text" }
const keep = async (
  server: TestServer,
  name: Name,
  ...drafts: ReadonlyArray<object>
): Promise<ReadonlyArray<number>> => {
  const { ids } = await server.as(name).must.post(path, { drafts })
  return Array.isArray(ids) ? ids.map(Number) : []
}
const listOf = async (server: TestServer, name: Name = "hamlet") =>
  recordsIn((await server.as(name).must.get(path))["drafts"])
const switchTo = (server: TestServer, value: boolean, name: Name = "hamlet") =>
  server.as(name).must.patch("/settings", { enable_drafts_synchronization: value })
/** For tests of one server: hamlet has no drafts. */
const discardAll = async (server: TestServer) => {
  for (const value of [false, true]) await switchTo(server, value)
}
const secondsOf = (server: TestServer) => Math.floor(server.clock.now() / 1000)

const missing = { status: 404, body: { code: "BAD_REQUEST", msg: "Draft does not exist" } }
const off = { status: 400, body: { code: "BAD_REQUEST", msg: "User has disabled synchronizing drafts." } }

t.test("drafts", (t) =>
  withServer(t, setup, async (server) => {
    await t.test(
      "whole lists are kept at once, listed, edited and removed, and other clients hear of it",
      async (t) => {
        const [queue, foreign] = [await server.queue("hamlet"), await server.queue("iago")]
        t.same(queue.state["drafts"], [])
        t.same(await server.as("hamlet").must.get(path), { result: "success", msg: "", count: 0, drafts: [] })
        const now = secondsOf(server)
        const lobby = channelId(server, "lobby")
        const to = [server.idOf("cordelia"), server.idOf("hamlet")]
        const [first = 0, second = 0, third = 0] = await keep(
          server,
          "hamlet",
          { type: "stream", to: [lobby], topic: "greetings", content: "Hello", timestamp: 1_595_479_019.999 },
          { type: "private", to, topic: "", content: "Psst" },
          { ...unaddressed, timestamp: 1_595_479_018 },
        )
        const one = {
          id: first,
          type: "stream",
          to: [lobby],
          topic: "greetings",
          content: "Hello",
          timestamp: 1_595_479_019,
        }
        const two = { id: second, type: "private", to, topic: "", content: "Psst", timestamp: now }
        const three = { id: third, ...unaddressed, timestamp: 1_595_479_018 }
        t.same(await listOf(server), [three, one, two], "the one edited longest ago first")
        t.match(await server.as("hamlet").must.get(path), { count: 3 })
        t.same((await server.queue("hamlet")).state["drafts"], [two, one, three], "in a register the newest first")
        server.clock.advance(60_000)
        const edit = { type: "private", to: [], topic: "", content: "Psst, Cordelia" }
        const answer = await server.as("hamlet").patch(`${path}/${third}`, { draft: edit })
        t.same(answer.body, { result: "success", msg: "" }, "spec 12: generic success object")
        const edited = { id: third, ...edit, timestamp: now + 60 }
        t.same(
          await listOf(server),
          [one, two, edited],
          "an edit without a timestamp is of now, and private may be to nobody",
        )
        await server.as("hamlet").must.delete(`${path}/${first}`)
        t.match(await server.as("hamlet").delete(`${path}/${first}`), missing)
        t.same(await listOf(server), [two, edited])
        const type = "drafts"
        t.match(
          await queue.rest(),
          [
            { type, op: "add", drafts: [one] },
            { type, op: "add", drafts: [two] },
            { type, op: "add", drafts: [three] },
            { type, op: "update", draft: edited },
            { type, op: "remove", draft_id: first },
          ],
          "spec 12: the change is synchronized to other clients by drafts events",
        )
        t.same(await foreign.rest(), [], "and to nobody else's")
        await server.restart()
        t.same(await listOf(server), [two, edited])
      },
    )

    await t.test("spec 12: a nonexistent draft gives BAD_REQUEST, and somebody else's is none", async (t) => {
      await discardAll(server)
      const [own = 0] = await keep(server, "hamlet", unaddressed)
      for (const id of [own, own + 1000, 0, 2_147_483_647])
        for (const answer of [
          await server.as("iago").patch(`${path}/${id}`, { draft: unaddressed }),
          await server.as("iago").delete(`${path}/${id}`),
        ])
          t.match(answer, missing)
      t.same(await listOf(server, "iago"), [])
      t.match(await listOf(server), [{ id: own, content: "text" }])
    })

    await t.test("what the Draft resource may have", async (t) => {
      await discardAll(server)
      const lobby = channelId(server, "lobby")
      await server.as("desdemona").must.delete(`/streams/${channelId(server, "tombs")}`)
      const [id = 0] = await keep(server, "hamlet", unaddressed)
      const stream = { type: "stream", to: [lobby], topic: "t", content: "c" }
      const one = "Must specify exactly 1 channel ID for channel messages"
      const tombs = channelId(server, "tombs")
      const vault = channelId(server, "vault")
      const lines = [
        { when: "Draft: id is not sent", draft: { ...stream, id }, msg: 'Argument "id" at $["id"] is unexpected' },
        { when: "type: another word", draft: { ...stream, type: "channel" }, msg: 'Invalid $["type"]' },
        { when: "type is required", draft: { to: [], topic: "", content: "c" }, msg: '$["type"] field is missing' },
        { when: "to is required", draft: { type: "", topic: "", content: "c" }, msg: '$["to"] field is missing' },
        { when: "topic is required", draft: { type: "", to: [], content: "c" }, msg: '$["topic"] field is missing' },
        { when: "content is required", draft: { type: "", to: [], topic: "" }, msg: '$["content"] field is missing' },
        { when: "to: exactly one channel, none", draft: { ...stream, to: [] }, msg: one },
        { when: "to: exactly one channel, two", draft: { ...stream, to: [lobby, lobby] }, msg: one },
        { when: "to: an unknown channel", draft: { ...stream, to: [4711] }, msg: "Invalid channel ID" },
        { when: "to: a hidden channel", draft: { ...stream, to: [vault] }, msg: "Invalid channel ID" },
        { when: "to: an archived channel", draft: { ...stream, to: [tombs] }, msg: "Invalid channel ID" },
        { when: "to: nobody", draft: { ...stream, type: "private", to: [4711] }, msg: "Invalid user ID 4711" },
        { when: "to: no ids", draft: { ...stream, to: ["lobby"] }, msg: '$["to"][0] is not an integer' },
        { when: "topic: no null bytes", draft: { ...stream, topic: "\0" }, msg: "Topic must not contain null bytes" },
        {
          when: "topic: no null bytes without a channel",
          draft: { ...unaddressed, topic: "a\0" },
          msg: "Topic must not contain null bytes",
        },
        {
          when: "content: no null bytes",
          draft: { ...stream, content: "a\0" },
          msg: '$["content"] must not contain null bytes',
        },
        { when: "content: empty", draft: { ...stream, content: "" }, msg: '$["content"] cannot be blank' },
        { when: "content: blank", draft: { ...stream, content: " \n" }, msg: "Message must not be empty" },
        { when: "timestamp: negative", draft: { ...stream, timestamp: -1 }, msg: "Timestamp must not be negative." },
        {
          when: "timestamp: no number",
          draft: { ...stream, timestamp: "1.5" },
          msg: '$["timestamp"] is not a number',
        },
        { when: "timestamp: milliseconds", draft: { ...stream, timestamp: 1e12 }, msg: '$["timestamp"] is too large' },
        { when: "no object", draft: [], msg: "$ is not a dict" },
      ]
      const lineOf = (at: string) =>
        lines.map(({ when, draft, msg }) => ({ when, fields: { draft }, msg: msg.replace("$", () => at) }))
      await refuses(t, lineOf("drafts[1]"), ({ draft }) =>
        server.as("hamlet").post(path, { drafts: [unaddressed, draft] }),
      )
      await refuses(t, lineOf("draft"), ({ draft }) => server.as("hamlet").patch(`${path}/${id}`, { draft }))
      const lacking = { code: "REQUEST_VARIABLE_MISSING" }
      t.match((await server.as("hamlet").patch(`${path}/${id}`)).body, { ...lacking, msg: "Missing 'draft' argument" })
      t.match((await server.as("hamlet").post(path)).body, { ...lacking, msg: "Missing 'drafts' argument" })
      t.match(await listOf(server), [{ id, ...unaddressed }], "all or none")
      t.same(await keep(server, "hamlet"), [])
    })

    await t.test("Draft: to and topic are of its type only, and what is too long is cut as in a message", async (t) => {
      await discardAll(server)
      const lobby = channelId(server, "lobby")
      await keep(
        server,
        "hamlet",
        { type: "", to: [lobby], topic: "t", content: "unaddressed", timestamp: 1 },
        { type: "private", to: [server.idOf("iago")], topic: "t", content: "direct", timestamp: 2 },
        { type: "stream", to: [lobby], topic: "t".repeat(61), content: "c".repeat(10_001), timestamp: 3 },
        { type: "stream", to: [lobby], topic: "", content: "\n  indented \n", timestamp: 4 },
      )
      t.match(await listOf(server), [
        { to: [], topic: "", content: "unaddressed" },
        { to: [server.idOf("iago")], topic: "", content: "direct" },
        { to: [lobby], topic: `${"t".repeat(57)}...`, content: /^c+\n\[message truncated\]$/ },
        { to: [lobby], topic: "", content: "  indented" },
      ])
    })

    await t.test("enable_drafts_synchronization off deletes the drafts without events, and refuses all", async (t) => {
      await discardAll(server)
      const [id = 0] = await keep(server, "hamlet", unaddressed, unaddressed)
      await keep(server, "iago", unaddressed)
      const queue = await server.queue("hamlet")
      t.match(queue.state, { user_settings: { enable_drafts_synchronization: true } }, "it is on from the start")
      await switchTo(server, false)
      t.same(
        (await queue.rest()).filter(({ type }) => type === "drafts"),
        [],
      )
      t.same((await server.queue("hamlet")).state["drafts"], [])
      for (const answer of [
        await server.as("hamlet").get(path),
        await server.as("hamlet").post(path, { drafts: [unaddressed] }),
        await server.as("hamlet").patch(`${path}/${id}`, { draft: unaddressed }),
        await server.as("hamlet").delete(`${path}/${id}`),
        await server.as("hamlet").delete(`${path}/4711`),
      ])
        t.match(answer, off)
      t.match(await listOf(server, "iago"), [unaddressed], "others are not concerned")
      await switchTo(server, true)
      t.same(await listOf(server), [])
      await keep(server, "hamlet", unaddressed)
      t.match(await listOf(server), [unaddressed])
    })

    await t.test("no draft outlives the setting that is turned off beside it", async (t) => {
      for (let round = 0; round < 5; round++) {
        await switchTo(server, true)
        const [id = 0] = await keep(server, "hamlet", unaddressed)
        const answers = await Promise.all([
          server.as("hamlet").post(path, { drafts: [unaddressed] }),
          switchTo(server, false),
          server.as("hamlet").post(path, { drafts: [unaddressed] }),
          server.as("hamlet").patch(`${path}/${id}`, { draft: { ...unaddressed, content: "late" } }),
        ])
        for (const answer of answers) if ("status" in answer && answer.status !== 200) t.match(answer.status, /40[04]/)
        const kept = await server.rows("select from own_item where user_id = $1", [server.idOf("hamlet")])
        t.same(kept.length, 0)
      }
    })
  }),
)

t.test(
  "an account has 2,000 drafts, of which a register has the newest 1,000; a list has 200 at most",
  inTurn(2, "two thousand drafts"),
  (t) =>
    withServer(t, setup, async (server) => {
      const draftsFrom = (from: number, count: number) =>
        Array.from({ length: count }, (_, n) => ({ ...unaddressed, content: `draft ${from + n}`, timestamp: from + n }))
      const tooMany = await server.as("hamlet").post(path, { drafts: draftsFrom(0, 201) })
      t.match(tooMany, { status: 400, body: { msg: "drafts is too long (limit: 200 items)" } })
      for (let from = 0; from < 1900; from += 100) await keep(server, "hamlet", ...draftsFrom(from, 100))
      const full = { status: 400, body: { code: "BAD_REQUEST", msg: "You can keep at most 2000 drafts." } }
      t.match(await server.as("hamlet").post(path, { drafts: draftsFrom(1900, 101) }), full)
      await keep(server, "hamlet", ...draftsFrom(1900, 100))
      t.match(await server.as("hamlet").post(path, { drafts: [unaddressed] }), full)
      const contents = (drafts: unknown) => recordsIn(drafts).map(({ content }) => content)
      const all = draftsFrom(0, 2000).map(({ content }) => content)
      const { count, drafts } = await server.as("hamlet").must.get(path)
      t.equal(count, 2000)
      t.same(contents(drafts), all)
      const { state } = await server.queue("hamlet")
      t.same(contents(state["drafts"]), all.slice(1000).toReversed())
      const [oldest] = recordsIn(drafts)
      await server
        .as("hamlet")
        .must.patch(`${path}/${String(oldest?.["id"])}`, { draft: { ...unaddressed, content: "new" } })
      t.match(contents((await server.queue("hamlet")).state["drafts"]), { 0: "new", length: 1000 })
      await keep(server, "iago", unaddressed)
    }),
)

t.test("all drafts of an account have 5 MB together", inTurn(2, "long drafts"), (t) =>
  withServer(t, setup, async (server) => {
    const long = { status: 400, body: { code: "BAD_REQUEST", msg: /^Your drafts are too long together: .* 5 MB/ } }
    const content = "は".repeat(10_000)
    const some = Array.from({ length: 11 }, () => ({ ...unaddressed, content }))
    for (let n = 0; n < 15; n++) await keep(server, "hamlet", ...some)
    t.match(await server.as("hamlet").post(path, { drafts: some }), long)
    const ids = await keep(server, "hamlet", { ...unaddressed, content })
    t.match(await server.as("hamlet").post(path, { drafts: [{ ...unaddressed, content }] }), long)
    const [last = 0] = await keep(server, "hamlet", { ...unaddressed, content: "short" })
    t.match(await server.as("hamlet").patch(`${path}/${last}`, { draft: { ...unaddressed, content } }), long)
    t.equal((await server.as("hamlet").must.get(path))["count"], 167, "no other was made")
    await server.as("hamlet").must.delete(`${path}/${ids[0]}`)
    await server.as("hamlet").must.patch(`${path}/${last}`, { draft: { ...unaddressed, content } })
    await keep(server, "iago", ...some)
  }),
)

t.test("I13: drafts settle, and go with their setting", (t) =>
  withServer(t, setup, async (server) => {
    const views = viewsOf(server, undefined, ["hamlet", "polonius"])
    const [first = 0] = await keep(server, "hamlet", unaddressed)
    const settling = new Settling(t, views)
    const seen = await settling.after("drafts come, change and go", async () => {
      const [, third = 0] = await keep(server, "hamlet", { ...unaddressed, timestamp: 5 }, unaddressed)
      await keep(server, "polonius", unaddressed)
      server.clock.advance(5000)
      await server.as("hamlet").must.patch(`${path}/${first}`, { draft: { ...unaddressed, content: "new" } })
      await server.as("hamlet").must.delete(`${path}/${third}`)
    })
    for (const op of ["add", "update", "remove"]) t.ok(seen.has(`drafts/${op}`), op)
    await settling.after("drafts are turned off", () => switchTo(server, false))
    await settling.after("and on", async () => {
      await switchTo(server, true)
      await keep(server, "hamlet", unaddressed)
    })
    t.match(await listOf(server), [unaddressed])
  }),
)
