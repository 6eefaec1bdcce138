/** How scheduled messages are sent: at their time, once, by the rules of that moment, or not, and then their author hears why. */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { forgetSentJob } from "../../../../src/chat/personal/scheduled/scheduled-kind.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import { untilRun, workOf } from "../../../kit/jobs.ts"
import type { ReadEvent } from "../../../kit/reader.ts"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import {
  after,
  channels,
  fail,
  left,
  letPass,
  listOf,
  pass,
  path,
  schedule,
  sentTexts,
  textsFromNow,
} from "./scheduled-scene.ts"

const setup = { channels }
const type = "scheduled_messages"

/** What a killed server had claimed is free again after this. */
const claimMilliseconds = 10_000

/** The newest direct message to somebody: what Notification Bot has told them. */
const told = async (server: TestServer, name: Name = "hamlet") => {
  const asked = { anchor: "newest", num_before: 1, num_after: 0, narrow: [["is", "dm"]], apply_markdown: false }
  const [message] = recordsIn((await server.as(name).must.get("/messages", asked))["messages"])
  return message?.["sender_full_name"] === "Notification Bot" ? message["content"] : undefined
}

t.test("messages that are due", (t) =>
  withServer(t, setup, async (server) => {
    await t.test("one is sent at its time, in one commit with its end", async (t) => {
      const [queue, other] = [await server.queue("hamlet"), await server.queue("cordelia")]
      const id = await schedule(server, "*Hello*")
      await letPass(server, 59_999, 1)
      t.same(await sentTexts(server), [], "not before its time")
      await letPass(server, 1)
      t.same(await sentTexts(server), ["*Hello*"])
      t.same(await listOf(server), [])
      const events = (await queue.rest()).filter((event) => event.type !== "stream")
      const [, removed, sent] = events
      t.match(events, [
        { type, op: "add" },
        { type, op: "remove", scheduled_message_id: id },
        { type: "message", message: { content: "*Hello*", client: "Unspecified", timestamp: after(server, 0) } },
      ])
      t.equal(Number(sent?.id) - Number(removed?.id), 65_536, "no other row is between them")
      t.not(Object(sent)["message"]["id"], id, "spec: the scheduled message ID differs from the ID once sent")
      t.match((await other.rest())[0], { type: "message", flags: [] })
      t.equal(server.faults.commits.at(-1), "run_steps_v1")
    })

    await t.test(
      "messages of an author are sent in the order of their times, and of one time in that of their making",
      async (t) => {
        const sent = await textsFromNow(server)
        const want: Array<string> = []
        for (const [content, seconds] of [
          ["c", 30],
          ["a", 10],
          ["d", 30],
          ["b", 20],
          ["e", 31],
        ] as const) {
          await schedule(server, content, { scheduled_delivery_timestamp: after(server, seconds) })
          want.push(content)
        }
        await letPass(server, 60_000)
        t.same(await sent(), want.sort())
      },
    )

    await t.test("read_by_sender: as the request says, or else as its client is", async (t) => {
      await schedule(server, "read", { read_by_sender: true })
      await schedule(server, "unread", { read_by_sender: false })
      await schedule(server, "a program's")
      await letPass(server, 60_000)
      t.same(await server.rows("select content, read_by_sender as read from message order by id desc limit 3"), [
        { content: "a program's", read: false },
        { content: "unread", read: false },
        { content: "read", read: true },
      ])
    })

    await t.test("a changed key is no reason", async (t) => {
      const sent = await textsFromNow(server)
      await schedule(server, "x")
      await server
        .as("hamlet")
        .must.post("/users/me/api_key/regenerate")
        .catch(() => null)
      await server.rows("select 1")
      await letPass(server, 60_000)
      t.same(await sent(), ["x"])
    })

    await t.test("it is rendered, marked and judged by what holds at that moment", async (t) => {
      await schedule(server, "@**cordelia** on #**square**")
      await server.as("iago").must.patch(`/streams/${channelId(server, "square")}`, { new_name: "circle" })
      await server.as("cordelia").must.post("/users/me/alert_words", { alert_words: ["square"] })
      const queue = await server.queue("cordelia", { apply_markdown: true })
      await letPass(server, 60_000)
      const [event] = await queue.rest()
      t.match(
        event,
        { message: { content: /@cordelia<\/span> on #<strong>square/ } },
        "the channel has another name by now",
      )
      t.same(Object(event)["flags"].sort(), ["has_alert_word", "mentioned"])
    })

    await t.test(
      "one's own that was sent: to change it is 400 for a day, then 404; to remove it is 404, and so is another's",
      async (t) => {
        const id = await schedule(server, "x")
        await letPass(server, 60_000)
        const [hamlet, cordelia] = [server.as("hamlet"), server.as("cordelia")]
        const ask = () =>
          Promise.all([
            hamlet.patch(`${path}/${id}`, { content: "y" }),
            hamlet.patch(`${path}/${id}`, { scheduled_delivery_timestamp: after(server, 60) }),
          ])
        const gone = { status: 404, body: { code: "BAD_REQUEST", msg: "Scheduled message does not exist" } }
        const was = { status: 400, body: { code: "BAD_REQUEST", msg: "Scheduled message was already sent" } }
        for (const answer of await ask()) t.match(answer, was)
        t.match(await hamlet.delete(`${path}/${id}`), gone)
        t.match(await cordelia.patch(`${path}/${id}`, { content: "y" }), gone)
        server.clock.advance(24 * 3600_000 - 1)
        for (const answer of await ask()) t.match(answer, was)
        server.clock.advance(1)
        for (const answer of await ask()) t.match(answer, gone)
        const rows = () => server.rows("select id from scheduled_item")
        await untilRun(workOf(server), forgetSentJob, () => server.clock.advance(3600_000))
        t.same(await rows(), [], "it is forgotten")
      },
    )

    await t.test(
      "whose place its author sees no more: the notice says so, and names it by nothing that was not theirs",
      async (t) => {
        const den = channelId(server, "den")
        await schedule(server, "hear me", { by: "cordelia", to: den })
        await server.as("desdemona").must.delete("/users/me/subscriptions", {
          subscriptions: ["den"],
          principals: [server.idOf("cordelia")],
        })
        await server.as("desdemona").must.patch(`/streams/${den}`, { new_name: "cave" })
        await letPass(server, 60_000)
        const notice = await told(server, "cordelia")
        t.match(notice, "`The channel does not exist any more, or you cannot see it.`")
        t.notMatch(notice, new RegExp(`'${den}'|den|cave`))
        await server.as("desdemona").must.patch(`/streams/${den}`, { new_name: "den" })
      },
    )

    await t.test("what ends each attempt is failed after twelve of them", async (t) => {
      const id = await schedule(server, "a riddle")
      await server.rows("update outbox set attempts = 12")
      await letPass(server, 60_000)
      t.match(await listOf(server), [{ failed: true }])
      t.match(await told(server), /The server failed to send it/)
      await server.as("hamlet").must.delete(`${path}/${id}`)
    })

    await t.test("what a send refuses by the database alone makes it failed, too", async (t) => {
      await schedule(server, "x", { type: "direct", to: [server.idOf("cordelia")] })
      const nobody = { new: systemGroups["role:nobody"] }
      await server.as("desdemona").must.patch("/realm", { direct_message_initiator_group: nobody })
      await letPass(server, 60_000)
      t.match(await listOf(server), [{ failed: true }])
      t.match(await told(server), /You do not have permission to initiate direct message conversations/)
    })
  }),
)

t.test(
  "refused at its time it is failed, its author is told, and a new time brings it back",
  inTurn(2, "refused at its time it is failed, its author is told, and a new time brings it back"),
  (t) =>
    withServer(t, setup, async (server) => {
      const hamlet = server.as("hamlet")
      const queue = await server.queue("hamlet")
      const time = after(server, 1)
      const id = await fail(server, "hear me")
      const scheduled_message = { scheduled_message_id: id, content: "hear me", failed: true }
      t.match(await listOf(server), [scheduled_message], "spec: it carries `failed: true` in the listing")
      const isOfHim = (event: ReadEvent) => event.type === type || Object(event["message"]).type === "private"
      t.match((await queue.rest()).filter(isOfHim), [
        { type, op: "add" },
        { type, op: "update", scheduled_message },
        { type: "message", message: { sender_full_name: "Notification Bot", type: "private" } },
      ])
      t.equal(
        await told(server),
        `The message that you scheduled for <time:${time}> was not sent because of the following error:

> \`You do not have permission to post in this channel.\`

It stays among your scheduled messages. With a new time it is tried again.`,
      )
      const refusal = { code: "BAD_REQUEST", msg: "Scheduled delivery time must be in the future." }
      const without = await hamlet.patch(`${path}/${id}`, { content: "x", to: channelId(server, "lobby") })
      t.match(without, { status: 400, body: refusal }, "spec: the time is required when it has failed")
      await letPass(server, 3600_000)
      t.match(await listOf(server), [{ failed: true }], "it is not tried again by itself")

      const scheduled_delivery_timestamp = after(server, 60)
      const still = await hamlet.patch(`${path}/${id}`, { scheduled_delivery_timestamp })
      t.match(still, { status: 400, body: { msg: "You do not have permission to post in this channel." } })
      await hamlet.must.patch(`${path}/${id}`, { to: channelId(server, "lobby"), scheduled_delivery_timestamp })
      t.match(await listOf(server), [{ failed: false, scheduled_delivery_timestamp }])
      await letPass(server, 60_000)
      t.match(await listOf(server), [])
      t.match((await sentTexts(server)).at(-1), "hear me")
      const failed = await fail(server, "again").catch(() => null)
      t.equal(failed, null, "the channel is closed to new ones")
    }),
)

t.test("one that failed can be removed", inTurn(2, "one that failed can be removed"), (t) =>
  withServer(t, setup, async (server) => {
    const id = await fail(server, "x")
    await server.as("hamlet").must.delete(`${path}/${id}`)
    t.same(await listOf(server), [])
  }),
)

t.test(
  "a deactivated author's is not sent, and failed",
  inTurn(2, "a deactivated author's is not sent, and failed"),
  (t) =>
    withServer(t, setup, async (server) => {
      await schedule(server, "from beyond")
      await schedule(server, "later", { scheduled_delivery_timestamp: after(server, 7200) })
      await server.as("iago").must.delete(`/users/${server.idOf("hamlet")}`)
      await letPass(server, 60_000, 1)
      t.same(await sentTexts(server), [], "nobody is told, either")
      await server.as("iago").must.post(`/users/${server.idOf("hamlet")}/reactivate`)
      t.match(await listOf(server), [
        { content: "from beyond", failed: true },
        { content: "later", failed: false },
      ])
      await letPass(server, 7200_000)
      t.match(await listOf(server), [{ content: "from beyond" }], "whoever is active again by its time sends")
    }),
)

t.test(
  "a change that comes while it is being sent: either it is sent as it was, or not before it is due again",
  inTurn(2, "a change that comes while it is being sent: either it is sent as it was, or not before it is due again"),
  (t) =>
    withServer(t, setup, async (server) => {
      const hamlet = server.as("hamlet")
      const [kept, moved, removed] = [
        await schedule(server, "kept"),
        await schedule(server, "moved"),
        await schedule(server, "removed"),
      ]
      // As somebody at work has them.
      server.faults.failQueries("claim_outbox")
      await pass(server, 60_000)
      await server.rows("update outbox set claim = 'somebody', next_at = $1, attempts = 1", [
        server.clock.now() + 9_000,
      ])
      await hamlet.must.patch(`${path}/${kept}`, { content: "kept, but changed" })
      await hamlet.must.patch(`${path}/${moved}`, { scheduled_delivery_timestamp: after(server, 3600) })
      await hamlet.must.delete(`${path}/${removed}`)
      t.same(await sentTexts(server), [])
      server.faults.flow()
      await letPass(server, 60_000, 1)
      t.same(await sentTexts(server), ["kept, but changed"])
      await letPass(server, 3600_000)
      t.same(await sentTexts(server), ["kept, but changed", "moved"])
    }),
)

t.test(
  "once: a server that is killed between claim and send",
  inTurn(2, "once: a server that is killed between claim and send"),
  (t) =>
    withServer(t, setup, async (server) => {
      await schedule(server, "first")
      await schedule(server, "second")
      server.faults.failCommits("late")
      await pass(server, 60_000)
      await until("its commit is on the way", 10_000, () => server.faults.heldUp().length > 0)
      await server.faults.kill()
      t.same(await sentTexts(server), [])
      await letPass(server, claimMilliseconds)
      t.same(await sentTexts(server), ["first", "second"])
      await server.faults.arrive()
      t.same(await sentTexts(server), ["first", "second"], "the late commit of the killed one does nothing")
      t.same(await listOf(server), [])
    }),
)

t.test(
  "once: an answer that is lost, a database that is away, a full disk",
  inTurn(2, "once: an answer that is lost, a database that is away, a full disk"),
  (t) =>
    withServer(t, setup, async (server) => {
      for (const fate of ["lost", "unsent", "full"] as const) {
        await schedule(server, fate)
        await pass(server, 59_999)
        const before = server.faults.commits.length
        server.faults.failCommits(fate)
        await pass(server, 1)
        await until("the commit was tried", 10_000, () => server.faults.commits.length > before)
        for (let n = 0; n < 20 && (await listOf(server)).length > 0; n++) await pass(server, 1000)
        await left(server, 0)
      }
      t.same(await sentTexts(server), ["lost", "unsent", "full"])
      t.same(await listOf(server), [])
    }),
)

t.test("once: a clock that jumps, ahead and back", inTurn(2, "once: a clock that jumps, ahead and back"), (t) =>
  withServer(t, setup, async (server) => {
    await schedule(server, "first")
    await schedule(server, "second", { scheduled_delivery_timestamp: after(server, 7200) })
    server.clock.jump(3600_000)
    // Nobody is told of a jump: the next look, after a minute at most, finds what is due by then.
    await letPass(server, 60_000, 1)
    t.same(await sentTexts(server), ["first"])
    server.clock.jump(-7200_000)
    await letPass(server, 3600_000, 1)
    t.same(await sentTexts(server), ["first"], "neither again nor too early")
    await letPass(server, 4 * 3600_000)
    t.same(await sentTexts(server), ["first", "second"])
  }),
)

/** Of the outbox: scheduled messages, mails, replaced pictures, lost passwords. */
const kinds = 4

t.test(
  "with nothing due, nothing is asked but once in a minute",
  inTurn(2, "with nothing due, nothing is asked but once in a minute"),
  (t) =>
    withServer(t, setup, async (server) => {
      await schedule(server, "x", { scheduled_delivery_timestamp: after(server, 3600) })
      let asked = 0
      server.faults.slow("claim_outbox", async () => void asked++)
      for (let n = 0; n < 10; n++) {
        await pass(server, 59_000)
      }
      t.ok(asked > 0 && asked <= 10 * kinds, `${asked} looks of ${kinds} kinds in ten minutes`)
    }),
)
