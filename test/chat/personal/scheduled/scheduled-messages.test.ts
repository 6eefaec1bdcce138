/** Scheduled messages (contract 2.5, 3.10; spec 5): made, listed, changed and removed. How they are sent: delivery.test.ts. */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { removeUnclaimed } from "../../../../src/chat/reading/attachments/unclaimed-files.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Appliers } from "../../../kit/client-appliers.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { uploaded } from "../../../kit/uploads.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"
import { after, channels, fail, letPass, listOf, path, schedule, sentTexts } from "./scheduled-scene.ts"

const setup = { channels }
const type = "scheduled_messages"

const scene = (server: TestServer) => ({
  hamlet: server.as("hamlet"),
  lobby: channelId(server, "lobby"),
  cordelia: server.idOf("cordelia"),
  othello: server.idOf("othello"),
  self: server.idOf("hamlet"),
})

t.test("one is made and listed; its author alone sees it", (t) =>
  withServer(t, setup, async (server) => {
    const { hamlet, lobby } = scene(server)
    const [queue, other] = [await server.queue("hamlet"), await server.queue("cordelia")]
    t.same(queue.state[type], [])
    const time = after(server, 60)
    const fields = { topic: "later", scheduled_delivery_timestamp: time + 0.75 }
    const id = await schedule(server, "*Hello*", fields)
    const record = {
      scheduled_message_id: id,
      type: "stream",
      to: lobby,
      content: "*Hello*",
      rendered_content: "<p><em>Hello</em></p>",
      topic: "later",
      scheduled_delivery_timestamp: time,
      failed: false,
    }
    t.strictSame(await listOf(server), [record])
    t.strictSame((await server.queue("hamlet")).state[type], [record], "register has it")
    t.strictSame(await listOf(server, "cordelia"), [])
    t.match(await queue.rest(), [{ type, op: "add", scheduled_messages: [record] }])
    const missing = { status: 404, body: { code: "BAD_REQUEST", msg: "Scheduled message does not exist" } }
    for (const some of [id, id + 1000, 0]) {
      t.match(await server.as("cordelia").patch(`${path}/${some}`, { content: "x" }), missing)
      t.match(await server.as("cordelia").delete(`${path}/${some}`), missing)
    }
    await hamlet.must.delete(`${path}/${id}`)
    t.match(await queue.rest(), [{ type, op: "remove", scheduled_message_id: id }])
    t.match(await hamlet.delete(`${path}/${id}`), missing)
    await letPass(server, 120_000)
    t.same(await sentTexts(server), [], "one that was removed is not sent")
    t.same(await other.rest(), [])
  }),
)

t.test("spec 5: type, to and topic", inTurn(2, "spec 5: type, to and topic"), (t) =>
  withServer(t, setup, async (server) => {
    const { hamlet, lobby, cordelia, othello, self } = scene(server)
    for (const word of ["direct", "private"]) await schedule(server, word, { type: word, to: [cordelia] })
    for (const word of ["channel", "stream"]) await schedule(server, word, { type: word })
    t.match(await listOf(server), [
      { type: "private", to: [cordelia] },
      { type: "private", to: [cordelia] },
      { type: "stream", to: lobby, topic: "topic" },
      { type: "stream", to: lobby, topic: "topic" },
    ])
    const last = async () => (await listOf(server)).at(-1)
    await schedule(server, "one number", { type: "direct", to: cordelia })
    t.match(await last(), { to: [cordelia] })
    await schedule(server, "a list for a channel", { to: [lobby] })
    t.match(await last(), { to: lobby })
    await schedule(server, "a group", { type: "direct", to: [othello, self, cordelia] })
    t.strictSame((await last())?.["to"], [cordelia, othello], "all but the author")
    const id = await schedule(server, "oneself", { type: "direct", to: [self], topic: "ignored for direct messages" })
    t.match(await last(), { to: [self], topic: undefined })

    const change = (fields: object) => hamlet.patch(`${path}/${id}`, { ...fields })
    await refuses(
      t,
      [
        {
          when: "`to` is required when the type changes",
          fields: { type: "channel", topic: "t" },
          msg: "Recipient required when updating type of scheduled message.",
        },
        {
          when: "`topic` is required when the type changes to channel",
          fields: { type: "stream", to: lobby },
          msg: "Topic required when updating scheduled message type to channel.",
        },
        { when: "no parameter", fields: {}, msg: "Nothing to change" },
        { when: "a channel for people", fields: { to: lobby + 4000 }, msg: `Invalid user ID ${lobby + 4000}` },
        { when: "an unknown type", fields: { type: "carrier pigeon" }, msg: "Invalid type" },
        { when: "nobody", fields: { to: [] }, msg: "Message must have recipients" },
      ],
      change,
    )
    t.match(await change({ type: "private" }), { status: 200 }, "the same type by its other name needs no `to`")
    t.match(await change({ type: "channel", to: lobby, topic: "moved" }), { status: 200 })
    t.match(await last(), { type: "stream", to: lobby, topic: "moved" })
    t.match(await change({ type: "stream" }), { status: 200 }, "nor a topic")
    t.match(await change({ topic: "renamed" }), { status: 200 })
    t.match(await last(), { type: "stream", to: lobby, topic: "renamed", content: "oneself" })
    t.match(await change({ type: "direct", to: [cordelia] }), { status: 200 })
    t.match(await last(), { type: "private", to: [cordelia], topic: undefined })
  }),
)

t.test(
  "spec 5: what is refused when one is made, and when it is changed",
  inTurn(2, "spec 5: what is refused when one is made, and when it is changed"),
  (t) =>
    withServer(t, setup, async (server) => {
      const { hamlet, lobby, cordelia } = scene(server)
      const den = channelId(server, "den")
      const unknownChannel = (stream_id: number) => ({
        code: "STREAM_DOES_NOT_EXIST",
        msg: `Channel with ID '${stream_id}' does not exist`,
        also: { stream_id },
      })
      const future = "Scheduled delivery time must be in the future."
      const both = [
        { when: "a nonexistent channel", fields: { to: 4711 }, ...unknownChannel(4711) },
        { when: "a hidden one", fields: { to: den }, ...unknownChannel(den) },
        { when: "a nonexistent user", fields: { type: "direct", to: [4711] }, msg: "Invalid user ID 4711" },
        { when: "blank content", fields: { content: " \n" }, msg: "Message must not be empty" },
        { when: "NUL in the content", fields: { content: "a\u0000" }, msg: "content must not contain null bytes" },
        { when: "a bad topic", fields: { topic: "a\nb" }, msg: "Invalid character in topic, at position 2!" },
        { when: "names for ids", fields: { to: '["lobby"]' }, msg: "to is not an integer or a list of integers" },
        { when: "two channels", fields: { to: [lobby, lobby] }, msg: "Expected exactly one channel" },
        { when: "now", fields: { scheduled_delivery_timestamp: after(server, 0) }, msg: future },
        { when: "the past", fields: { scheduled_delivery_timestamp: 1 }, msg: future },
        {
          when: "milliseconds",
          fields: { scheduled_delivery_timestamp: server.clock.now() + 60_000 },
          msg: "scheduled_delivery_timestamp is too large",
        },
        {
          when: "no number",
          fields: { scheduled_delivery_timestamp: "soon" },
          msg: "scheduled_delivery_timestamp is not an integer",
        },
      ]
      const whole = {
        type: "channel",
        to: lobby,
        topic: "t",
        content: "c",
        scheduled_delivery_timestamp: after(server, 9),
      }
      await refuses(t, both, (fields) => hamlet.post(path, { ...whole, ...fields }))
      const absent = { code: "REQUEST_VARIABLE_MISSING" }
      await refuses(
        t,
        [
          {
            ...absent,
            when: "direct without `to`",
            fields: { type: "direct", to: undefined },
            msg: "Missing 'to' argument",
          },
          { ...absent, when: "channel without `to`", fields: { to: undefined }, msg: "Missing 'to' argument" },
          { when: "channel without `topic`", fields: { topic: undefined }, msg: "Missing topic" },
          { ...absent, when: "no content", fields: { content: undefined }, msg: "Missing 'content' argument" },
          {
            ...absent,
            when: "no time",
            fields: { scheduled_delivery_timestamp: undefined },
            msg: "Missing 'scheduled_delivery_timestamp' argument",
          },
        ],
        (fields) => hamlet.post(path, { ...whole, ...fields }),
      )
      t.same(await listOf(server), [], "nothing was kept")
      const id = await schedule(server, "c")
      const before = await listOf(server)
      await refuses(t, both, (fields) => hamlet.patch(`${path}/${id}`, fields))
      t.same(await listOf(server), before, "nothing was changed")

      await server.actions.changeRealm({ topics_policy: "disable_empty_topic" })
      await refuses(
        t,
        [
          {
            when: "the empty topic, where sending to it is refused",
            fields: { topic: "" },
            msg: "Sending messages to the general chat is not allowed in this channel.",
          },
        ],
        (fields) => hamlet.patch(`${path}/${id}`, fields),
      )
      await server.actions.changeRealm({ direct_message_initiator_group: systemGroups["role:nobody"] })
      const mayNotBegin = "You do not have permission to initiate direct message conversations."
      const toCordelia = { type: "direct", to: [cordelia] }
      t.match(await hamlet.patch(`${path}/${id}`, toCordelia), { status: 400, body: { msg: mayNotBegin } })
      t.match(await hamlet.post(path, { ...whole, ...toCordelia }), { status: 400, body: { msg: mayNotBegin } })
    }),
)

t.test(
  "spec 5: a content and a topic are bound as those of a send",
  inTurn(2, "spec 5: a content and a topic are bound as those of a send"),
  (t) =>
    withServer(t, setup, async (server) => {
      const { hamlet } = scene(server)
      const id = await schedule(server, "c".repeat(10_001), { topic: "t".repeat(61) })
      const [record] = await listOf(server)
      t.equal(String(record?.["content"]).length, 10_000)
      t.match(record, { content: /\n\[message truncated\]$/, topic: `${"t".repeat(57)}...` })
      await hamlet.must.patch(`${path}/${id}`, { content: "d".repeat(20_000), topic: "(no topic)" })
      t.match(await listOf(server), [{ content: /^d+\n\[message truncated\]$/, topic: "" }])
    }),
)

t.test(
  "a change is an event with the whole record, and a request that changes nothing makes none",
  inTurn(2, "a change is an event with the whole record, and a request that changes nothing makes none"),
  (t) =>
    withServer(t, setup, async (server) => {
      const { hamlet, lobby } = scene(server)
      const id = await schedule(server, "first")
      const queue = await server.queue("hamlet")
      await hamlet.must.patch(`${path}/${id}`, { content: "first", to: lobby, type: "stream", topic: " topic " })
      t.same(await queue.rest(), [])
      const time = after(server, 3600)
      await hamlet.must.patch(`${path}/${id}`, { content: "second", scheduled_delivery_timestamp: time })
      const scheduled_message = {
        scheduled_message_id: id,
        content: "second",
        rendered_content: "<p>second</p>",
        scheduled_delivery_timestamp: time,
        topic: "topic",
      }
      t.match(await queue.rest(), [{ type, op: "update", scheduled_message }])
      t.match(await listOf(server), [scheduled_message])
    }),
)

t.test("the list is sorted by delivery time", inTurn(2, "the list is sorted by delivery time"), (t) =>
  withServer(t, setup, async (server) => {
    for (const [content, seconds] of [
      ["c", 30],
      ["a", 10],
      ["d", 30],
      ["b", 20],
    ] as const)
      await schedule(server, content, { scheduled_delivery_timestamp: after(server, seconds) })
    const contents = (records: ReadonlyArray<{ readonly [key: string]: unknown }>) =>
      records.map(({ content }) => content)
    t.same(contents(await listOf(server)), ["a", "b", "c", "d"])
    t.same(contents(recordsIn((await server.queue("hamlet")).state[type])), ["a", "b", "c", "d"])
  }),
)

t.test(
  "concurrent changes are made one from the other",
  inTurn(2, "concurrent changes are made one from the other"),
  (t) =>
    withServer(t, setup, async (server) => {
      const { hamlet } = scene(server)
      const id = await schedule(server, "content")
      for (let round = 0; round < 5; round++) {
        const [content, topic] = [`content ${round}`, `topic ${round}`]
        await Promise.all([{ content }, { topic }].map((wish) => hamlet.must.patch(`${path}/${id}`, wish)))
        t.match(await listOf(server), [{ content, topic }], "neither is lost")
      }
      t.match(await server.rows("select count(*)::integer as n from outbox"), [{ n: 1 }], "one row waits for its time")
    }),
)

t.test("an account has at most 200, with a million characters in all", inTurn(2, "bounded scheduled messages"), (t) =>
  withServer(t, setup, async (server) => {
    const { hamlet } = scene(server)
    const full = { code: "BAD_REQUEST", msg: /^You can have at most 200 scheduled messages, with 1000000 characters/ }
    const whole = { type: "channel", to: channelId(server, "lobby"), topic: "t" }
    const ask = (content: string) =>
      hamlet.post(path, { ...whole, content, scheduled_delivery_timestamp: after(server, 60) })
    const answers = await Promise.all(Array.from({ length: 210 }, (_, n) => ask(`${n}`)))
    t.equal(answers.filter(({ status }) => status === 200).length, 200)
    for (const answer of answers.filter(({ status }) => status !== 200)) t.match(answer, { status: 400, body: full })
    t.equal((await listOf(server)).length, 200)
    await schedule(server, "others are not concerned", { by: "cordelia" })
    const [first, second] = await listOf(server)
    await hamlet.must.delete(`${path}/${String(first?.["scheduled_message_id"])}`)
    t.match(await ask("there is room again"), { status: 200 })
    await server.rows("update scheduled_item set characters = 999000 where id = $1", [
      Number(second?.["scheduled_message_id"]),
    ])
    const [third] = (await listOf(server)).slice(2)
    t.match(await hamlet.patch(`${path}/${String(third?.["scheduled_message_id"])}`, { content: "x".repeat(9000) }), {
      status: 400,
      body: full,
    })
  }),
)

t.test(
  "uploaded files that one links stay until it is sent",
  inTurn(2, "uploaded files that one links stay until it is sent"),
  (t) =>
    withServer(t, setup, async (server) => {
      const { hamlet } = scene(server)
      const [kept, taken] = [
        await uploaded(server, "hamlet", { name: "kept.txt", bytes: "kept" }),
        await uploaded(server, "hamlet", { name: "taken.txt", bytes: "taken" }),
      ]
      const month = after(server, 30 * 24 * 3600)
      await schedule(server, `[x](${kept})`, { scheduled_delivery_timestamp: month })
      const id = await schedule(server, `[x](${taken})`, { scheduled_delivery_timestamp: month })
      await hamlet.must.patch(`${path}/${id}`, { content: "without it" })
      await server.run(removeUnclaimed(server.clock.now() + 8 * 24 * 3600_000))
      t.match((await hamlet.must.get("/attachments"))["attachments"], [{ name: "kept.txt", messages: [] }])
    }),
)

const timeOf = (record: unknown) => Number(Object(record).scheduled_delivery_timestamp)

/** The list that a client keeps, in the order of their times. */
const appliers: Appliers = {
  [type]: {
    key: type,
    apply: (known, { op, scheduled_messages = [], scheduled_message, scheduled_message_id }) => {
      const id = Object(scheduled_message).scheduled_message_id ?? scheduled_message_id
      const others = recordsIn(known).filter((each) => each["scheduled_message_id"] !== id)
      const changed =
        op === "add" ? recordsIn(scheduled_messages) : op === "update" ? recordsIn([scheduled_message]) : []
      const idOf = (record: object) => Number(Object(record).scheduled_message_id)
      return [...others, ...changed].sort((a, b) => timeOf(a) - timeOf(b) || idOf(a) - idOf(b))
    },
  },
}

t.test(
  "I13: scheduled messages settle, and survive a restart",
  inTurn(2, "I13: scheduled messages settle, and survive a restart"),
  (t) =>
    withServer(t, setup, async (server) => {
      const { hamlet } = scene(server)
      const views = viewsOf(server, undefined, ["hamlet", "polonius", "iago"]).map((view) => ({ ...view, appliers }))
      const first = await schedule(server, "first")
      const seen = await settles(t, views, "they come, change, go, are sent and fail", async () => {
        const second = await schedule(server, "second", { scheduled_delivery_timestamp: after(server, 30) })
        await schedule(server, "a guest's", { by: "polonius" })
        await hamlet.must.patch(`${path}/${first}`, { content: "new" })
        await hamlet.must.patch(`${path}/${second}`, { scheduled_delivery_timestamp: after(server, 90) })
        await hamlet.must.delete(`${path}/${first}`)
        await fail(server, "refused at its time")
        await letPass(server, 61_000, 1)
      })
      for (const op of ["add", "update", "remove"]) t.ok(seen.has(`${type}/${op}`), op)
      const before = await listOf(server)
      t.match(before, [{ failed: true }, { content: "second", failed: false }])
      await server.restart()
      t.same(await listOf(server), before)
      await letPass(server, 60_000)
      t.match(await listOf(server), [{ failed: true }])
    }),
)
