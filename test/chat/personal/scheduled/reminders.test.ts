/** Reminders (contract 3.10): made, listed, removed, and what Notification Bot writes when their time has come. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Appliers } from "../../../kit/client-appliers.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"
import { after, channels, letPass, pass, remindersOf } from "./scheduled-scene.ts"

const setup = { channels }
const path = "/reminders"
const type = "reminders"

/** In a minute, unless said otherwise. */
const remind = async (server: TestServer, message_id: number, fields: object = {}, by: Name = "hamlet") => {
  const scheduled_delivery_timestamp = after(server, 60)
  return Number(
    (await server.as(by).must.post(path, { message_id, scheduled_delivery_timestamp, ...fields }))["reminder_id"],
  )
}

/** The texts that Notification Bot has written to somebody, the newest last. */
const written = async (server: TestServer, name: Name = "hamlet") => {
  const asked = { anchor: "newest", num_before: 50, num_after: 0, narrow: [["is", "dm"]], apply_markdown: false }
  return recordsIn((await server.as(name).must.get("/messages", asked))["messages"])
    .filter((message) => message["sender_full_name"] === "Notification Bot")
    .map(({ content }) => content)
}

t.test("one is made, listed, delivered as a direct message of Notification Bot, and gone", (t) =>
  withServer(t, setup, async (server) => {
    const queue = await server.queue("hamlet")
    t.same(queue.state[type], [])
    const message = await server.as("cordelia").send("lobby", "*Lunch*\nat noon", { topic: "food" })
    const id = await remind(server, message, {
      note: " bring a fork ",
      scheduled_delivery_timestamp: `${after(server, 60)}.000001`,
    })
    const record = {
      reminder_id: id,
      type: "private",
      to: [server.idOf("hamlet")],
      content: "bring a fork",
      rendered_content: "<p>bring a fork</p>",
      scheduled_delivery_timestamp: after(server, 60),
      failed: false,
      reminder_target_message_id: message,
    }
    t.strictSame(await remindersOf(server), [record])
    t.strictSame((await server.queue("hamlet")).state[type], [record], "register has it")
    t.same(await remindersOf(server, "cordelia"), [])
    await letPass(server, 60_000)
    t.same(await remindersOf(server), [])
    const events = (await queue.rest()).filter(
      (event) => event.type === type || Object(event["message"]).type === "private",
    )
    t.match(events, [
      { type, op: "add", reminders: [record] },
      { type, op: "remove", reminder_id: id },
      { type: "message", message: { sender_full_name: "Notification Bot" }, flags: [] },
    ])
    const cordelia = server.idOf("cordelia")
    t.same(await written(server), [
      `You asked to be reminded of #**lobby>food@${message}**.

**Note:**

> bring a fork

@_**cordelia|${cordelia}** wrote:

> *Lunch*
> at noon`,
    ])
  }),
)

t.test("it quotes what its owner may read at that moment", (t) =>
  withServer(t, setup, async (server) => {
    const othello = server.as("othello")
    const edited = await othello.send("lobby", "before")
    const deleted = await othello.send("lobby", "a secret that was deleted")
    const hidden = await othello.send("lobby", "a secret that was moved to the den", { topic: "hushed" })
    const toHamlet = { type: "direct", to: [server.idOf("hamlet")], content: "psst" }
    const direct = Number((await othello.must.post("/messages", toHamlet))["id"])
    for (const message of [edited, deleted, hidden, direct]) await remind(server, message, { note: "n" })
    t.notMatch(JSON.stringify(await remindersOf(server)), /secret|psst|before/, "the list has no texts")
    await othello.must.patch(`/messages/${edited}`, { content: "after" })
    await server.as("iago").must.delete(`/messages/${deleted}`)
    const den = channelId(server, "den")
    await server.as("iago").must.post("/users/me/subscriptions", { subscriptions: [{ name: "lobby" }] })
    await server.as("othello").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "den" }],
      principals: [server.idOf("iago")],
    })
    await server
      .as("iago")
      .must.patch(`/messages/${hidden}`, { stream_id: den, send_notification_to_new_thread: false })
    await letPass(server, 60_000)
    const [first, second, third, last] = await written(server)
    t.match(first, /> after$/)
    const gone = "You asked to be reminded of a message that is not there for you any more.\n\n**Note:**\n\n> n"
    t.equal(second, gone, "of one that is gone only the note remains")
    t.equal(third, gone, "and of one that is hidden")
    t.match(last, /^You asked to be reminded of a direct message\..*> psst$/s)
  }),
)

t.test("a message that goes just before the commit is not quoted", (t) =>
  withServer(t, setup, async (server) => {
    const message = await server.as("othello").send("lobby", "a secret")
    await remind(server, message)
    await pass(server, 59_999)
    let isGone = false
    server.faults.slow("from submessage", async () => {
      if (isGone) return
      isGone = true
      await server.as("iago").must.delete(`/messages/${message}`)
    })
    await pass(server, 1)
    for (let n = 0; n < 10 && (await remindersOf(server)).length > 0; n++) await pass(server, 1000)
    t.ok(isGone)
    t.match(await written(server), [/not there for you any more\.$/])
  }),
)

t.test("texts of others cannot pass for the notice's own", (t) =>
  withServer(t, setup, async (server) => {
    const message = await server.as("othello").send("lobby", "one\u2028two\n\n**Note:**\n\nthree")
    await remind(server, message)
    await letPass(server, 60_000)
    const [text] = await written(server)
    t.ok(String(text).endsWith("> one\n> two\n> \n> **Note:**\n> \n> three"), String(text))
  }),
)

t.test("refusals", (t) =>
  withServer(t, setup, async (server) => {
    const open = await server.as("othello").send("lobby", "x")
    const hidden = await server.as("othello").send("den", "x")
    const whole = { message_id: open, scheduled_delivery_timestamp: after(server, 60) }
    const absent = { code: "REQUEST_VARIABLE_MISSING" }
    await refuses(
      t,
      [
        { when: "no such message", fields: { message_id: 4711 }, msg: "Invalid message(s)" },
        { when: "a hidden one", fields: { message_id: hidden }, msg: "Invalid message(s)" },
        {
          when: "the past",
          fields: { scheduled_delivery_timestamp: after(server, 0) },
          msg: "Scheduled delivery time must be in the future.",
        },
        { when: "a long note", fields: { note: "x".repeat(1001) }, msg: "note is too long (limit: 1000 characters)" },
        { when: "NUL in the note", fields: { note: "a\u0000" }, msg: "note must not contain null bytes" },
        { ...absent, when: "no message", fields: { message_id: undefined }, msg: "Missing 'message_id' argument" },
        {
          ...absent,
          when: "no time",
          fields: { scheduled_delivery_timestamp: undefined },
          msg: "Missing 'scheduled_delivery_timestamp' argument",
        },
      ],
      (fields) => server.as("hamlet").post(path, { ...whole, ...fields }),
    )
    t.same(await remindersOf(server), [])
    const id = await remind(server, open)
    const missing = { status: 404, body: { code: "BAD_REQUEST", msg: "Reminder does not exist" } }
    for (const some of [id, id + 1000, 0]) t.match(await server.as("cordelia").delete(`${path}/${some}`), missing)
    await letPass(server, 60_000)
    t.match(await server.as("hamlet").delete(`${path}/${id}`), missing, "nor is one that was delivered")
  }),
)

t.test("a deactivated owner's is not delivered", (t) =>
  withServer(t, setup, async (server) => {
    const message = await server.as("othello").send("lobby", "x")
    await remind(server, message)
    await server.as("iago").must.delete(`/users/${server.idOf("hamlet")}`)
    await letPass(server, 60_000)
    await server.as("iago").must.post(`/users/${server.idOf("hamlet")}/reactivate`)
    t.match(await remindersOf(server), [{ failed: true, reminder_target_message_id: message }])
    t.same(await written(server), [])
  }),
)

/** The list that a client keeps, in the order of their times. */
const appliers: Appliers = {
  [type]: {
    key: type,
    apply: (known, { op, reminders = [], reminder_id }) => {
      const list = [...recordsIn(known).filter((each) => each["reminder_id"] !== reminder_id)]
      const all = op === "add" ? [...list, ...recordsIn(reminders)] : list
      return all.sort((a, b) => Number(a["scheduled_delivery_timestamp"]) - Number(b["scheduled_delivery_timestamp"]))
    },
  },
}

t.test("I13: reminders settle, and survive a restart", (t) =>
  withServer(t, setup, async (server) => {
    const views = viewsOf(server, undefined, ["hamlet", "polonius", "iago"]).map((view) => ({ ...view, appliers }))
    const message = await server.as("othello").send("lobby", "x")
    const first = await remind(server, message)
    const seen = await settles(t, views, "they come, go and are delivered", async () => {
      await remind(server, message, { scheduled_delivery_timestamp: after(server, 90) })
      await remind(server, message, {}, "polonius")
      await server.as("hamlet").must.delete(`${path}/${first}`)
      await letPass(server, 60_000, 1)
    })
    for (const op of ["add", "remove"]) t.ok(seen.has(`${type}/${op}`), op)
    const before = await remindersOf(server)
    t.equal(before.length, 1)
    await server.restart()
    t.same(await remindersOf(server), before)
    await letPass(server, 60_000)
    t.equal((await written(server)).length, 1)
  }),
)
