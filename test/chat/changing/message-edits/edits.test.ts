/** Edits of the contents of messages: who may, until when, what everybody hears and is shown. */
import { createHash } from "node:crypto"
import t from "tap"
import { mostShownEdits } from "../../../../src/chat/reading/history/walk/message-size-store.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { objectIn } from "../../../kit/client-sections.ts"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
  { name: "den", users: ["hamlet", "cordelia"], isPrivate: true },
] as const

const pathOf = (message: number) => `/messages/${message}`
const edit = (server: TestServer, by: Name, message: number, content: string, fields: Fields = {}) =>
  server.as(by).must.patch(pathOf(message), { content, ...fields })
const shown = async (server: TestServer, by: Name, message: number, fields: Fields = {}) => {
  const answer = await server.as(by).must.get(pathOf(message), fields)
  const [found] = recordsIn([answer["message"]])
  const shown: Fields = { ...found, raw: answer["raw_content"] }
  return shown
}
const refusal = async (answer: Promise<{ readonly status: number; readonly body: Fields }>) => {
  const { status, body } = await answer
  return [status, body["code"], body["msg"]]
}
const bad = (msg: string) => [400, "BAD_REQUEST", msg]
const types = { event_types: ["message", "update_message"] }
const mention = (server: TestServer, name: Name) => `@**${server.realm.realm.users.get(server.idOf(name))?.full_name}**`

t.test("edits", (t) =>
  withServer(t, { channels }, async (server) => {
    await t.test("a sender edits a message: its holders hear of it, and it is shown as it is now", async (t) => {
      const id = await server.as("hamlet").send("lobby", "to be", { topic: "Plans" })
      await server.as("cordelia").must.post("/messages/flags", { messages: [id], op: "add", flag: "starred" })
      await server.as("cordelia").must.post("/messages/flags", { messages: [id], op: "add", flag: "read" })
      const [hamlet, cordelia, iago] = [
        await server.queue("hamlet", types),
        await server.queue("cordelia", types),
        await server.queue("iago", types),
      ]
      server.clock.advance(3000)
      t.same(await edit(server, "hamlet", id, "/me is *not*"), { result: "success", msg: "", detached_uploads: [] })
      const event = {
        type: "update_message",
        user_id: server.idOf("hamlet"),
        rendering_only: false,
        message_id: id,
        message_ids: [id],
        stream_id: channelId(server, "lobby"),
        stream_name: "lobby",
        orig_content: "to be",
        orig_rendered_content: "<p>to be</p>",
        content: "/me is *not*",
        rendered_content: "<p>/me is <em>not</em></p>",
        is_me_message: true,
      }
      t.match(await iago.rest(), [{ ...event, flags: [] }])
      const [of] = await cordelia.rest()
      t.match(of, event)
      t.same(of?.["flags"], ["read", "starred"])
      const [own] = await hamlet.rest()
      t.match(own, event)
      for (const key of ["propagate_mode", "orig_subject", "subject", "new_stream_id"]) t.notOk(key in (own ?? {}), key)
      const message = await shown(server, "iago", id)
      t.match(message, { content: "<p>/me is <em>not</em></p>", raw: "/me is *not*", is_me_message: true })
      t.match(message, {
        last_edit_timestamp: own?.["edit_timestamp"],
        edit_history: [
          { user_id: server.idOf("hamlet"), prev_content: "to be", prev_rendered_content: "<p>to be</p>" },
        ],
      })
      await edit(server, "hamlet", id, "  \n ")
      t.match(await shown(server, "iago", id), { raw: "(deleted)" })
      server.clock.advance(3000)
      await edit(server, "hamlet", id, "(deleted)")
      // A client that saves an edit waits for its event, whatever the new content is.
      const [emptied, same, ...more] = await iago.rest()
      t.match(emptied, { orig_content: "/me is *not*", content: "(deleted)" })
      t.match(same, {
        orig_content: "(deleted)",
        content: "(deleted)",
        rendered_content: "<p>(deleted)</p>",
        flags: [],
      })
      t.same(more, [])
      t.match(await shown(server, "iago", id), {
        last_edit_timestamp: same?.["edit_timestamp"],
        edit_history: [{ prev_content: "(deleted)" }, { prev_content: "/me is *not*" }, { prev_content: "to be" }],
      })
      await edit(server, "hamlet", id, "x".repeat(20_000))
      t.match(await shown(server, "iago", id), { raw: /^x+\n\[message truncated\]$/ })
    })

    await t.test("an edit changes whom a message mentions and alerts, and unreads nothing", async (t) => {
      await server.as("iago").must.post("/users/me/alert_words", { alert_words: ["skull"] })
      const id = await server.as("hamlet").send("lobby", "to be")
      await server.as("cordelia").must.post("/messages/flags", { messages: [id], op: "add", flag: "read" })
      const flags = async (by: Name) => (await shown(server, by, id))["flags"]
      const queue = await server.queue("cordelia", types)
      await edit(server, "hamlet", id, `${mention(server, "cordelia")}: a skull`)
      t.same(
        (await queue.rest()).map((each) => each["flags"]),
        [["read", "mentioned"]],
      )
      t.same(await flags("cordelia"), ["read", "mentioned"])
      t.same(await flags("iago"), ["has_alert_word"])
      const narrow = [["is", "mentioned"]]
      const found = await server
        .as("cordelia")
        .must.get("/messages", { narrow, anchor: "newest", num_before: 9, num_after: 0 })
      t.equal(recordsIn(found["messages"]).length, 1)
      await edit(server, "hamlet", id, "@**all** nobody")
      t.same(
        (await queue.rest()).map((each) => each["flags"]),
        [["read", "stream_wildcard_mentioned", "wildcard_mentioned"]],
      )
      t.same(await flags("cordelia"), ["read", "stream_wildcard_mentioned", "wildcard_mentioned"])
      t.same(await flags("iago"), ["stream_wildcard_mentioned", "wildcard_mentioned"])
      await edit(server, "hamlet", id, "nobody")
      t.same(await flags("iago"), [])
    })

    await t.test("queues that read late get the message as it was sent, then its edits", async (t) => {
      const away = await server.queue("cordelia", types)
      const id = await server.as("hamlet").send("lobby", "one")
      await edit(server, "hamlet", id, "two")
      await edit(server, "hamlet", id, "three")
      await server.restart()
      const events = await server.resume("cordelia", away).rest()
      t.match(events, [
        { type: "message", message: { content: "one" } },
        { orig_content: "one", content: "two" },
        { orig_content: "two", content: "three" },
      ])
    })

    await t.test("direct messages are edited, too", async (t) => {
      const to = [server.idOf("cordelia")]
      const { id } = await server.as("hamlet").must.post("/messages", { type: "direct", to, content: "to be" })
      const queue = await server.queue("cordelia", types)
      await edit(server, "hamlet", Number(id), "or @**all**")
      const [event] = await queue.rest()
      t.match(event, { message_ids: [id], content: "or @**all**", orig_content: "to be" })
      t.same(event?.["flags"], ["stream_wildcard_mentioned", "wildcard_mentioned"])
      for (const key of ["stream_id", "stream_name", "propagate_mode"]) t.notOk(key in (event ?? {}), key)
      t.match(await shown(server, "cordelia", Number(id)), { flags: event?.["flags"] })
    })

    await t.test("an edit marks whoever has the message, by a subscription or by a row of their own", async (t) => {
      const cordelia = server.idOf("cordelia")
      const group = {
        name: "guard",
        description: "",
        members: [server.idOf("othello"), server.idOf("shiva"), cordelia],
      }
      await server.as("desdemona").must.post("/user_groups/create", group)
      for (const name of ["othello", "shiva"] as const)
        await server.as(name).must.post("/users/me/alert_words", { alert_words: ["skull"] })
      const id = await server.as("hamlet").send("lobby", "to be")
      const flags = async (by: Name) => (await shown(server, by, id))["flags"]
      await star(server, "othello", id)
      // Subscribers who came later may read it, but do not have it.
      await server.as("shiva").must.post("/users/me/subscriptions", { subscriptions: [{ name: "lobby" }] })
      const [othello, shiva] = [await server.queue("othello", types), await server.queue("shiva", types)]
      await edit(server, "hamlet", id, `@**all** @*guard* ${mention(server, "othello")} skull`)
      const all = ["mentioned", "stream_wildcard_mentioned", "has_alert_word", "historical", "wildcard_mentioned"]
      t.same(await flags("othello"), ["read", "starred", ...all])
      t.same(await flags("shiva"), ["read", "historical"])
      t.same(await flags("cordelia"), ["mentioned", ...wildcard])
      t.match(await othello.rest(), [{ flags: ["read", "starred", ...all] }])
      t.same(
        (await shiva.rest()).map((each) => each["flags"]),
        [["read", "historical"]],
      )
      await edit(server, "hamlet", id, `@**all** @*guard* skull ${mention(server, "shiva")}`)
      t.same(await flags("shiva"), ["read", ...all], "who is named has it from then on")
      await edit(server, "hamlet", id, "nobody")
      t.same(await flags("othello"), ["read", "starred", "historical"])
      t.same(await flags("shiva"), ["read", "historical"])
    })

    await t.test(
      "an edit is refused: others' messages, unseen ones, widgets, stale contents, late edits, where it is off",
      async (t) => {
        const id = await server.as("hamlet").send("lobby", "to be")
        const hidden = await server.as("hamlet").send("den", "secret")
        const poll = await server.as("hamlet").send("lobby", "/poll Which?")
        const patch = (by: Name, message: number, fields: Fields) =>
          refusal(server.as(by).patch(pathOf(message), fields))
        const content = "or not"
        const sha = (text: string) => createHash("sha256").update(text).digest("hex")
        t.same(await patch("hamlet", id, {}), bad("Nothing to change"))
        t.same(
          await patch("hamlet", id, { content, propagate_mode: "change_all" }),
          bad("Invalid propagate_mode without topic edit"),
        )
        t.same(await patch("iago", id, { content }), bad("You don't have permission to edit this message"))
        t.same(await patch("iago", hidden, { content }), bad("Invalid message(s)"))
        t.same(await patch("iago", 999_999, { content }), bad("Invalid message(s)"))
        t.same(await patch("hamlet", poll, { content }), bad("Widgets cannot be edited."))
        t.same(await patch("hamlet", id, { content, prev_content_sha256: sha("else") }), [
          400,
          "EXPECTATION_MISMATCH",
          "'prev_content_sha256' value does not match the expected value.",
        ])
        t.same(
          await patch("hamlet", id, { content, stream_id: channelId(server, "den") }),
          bad("Cannot change message content while changing channel"),
        )
        await edit(server, "hamlet", id, content, { prev_content_sha256: sha("to be").toUpperCase() })
        await edit(server, "hamlet", id, "and a topic", { topic: "elsewhere" })
        t.match(await shown(server, "iago", id), { raw: "and a topic", subject: "elsewhere" })
        await server.as("iago").must.patch("/realm", { allow_message_editing: false })
        t.same(await patch("hamlet", id, { content }), bad("Your organization has turned off message editing"))
        await server.as("iago").must.patch("/realm", { allow_message_editing: true })
        server.clock.advance(619_000)
        await edit(server, "hamlet", id, "in the time of grace")
        server.clock.advance(2000)
        t.same(await patch("hamlet", id, { content }), bad("The time limit for editing this message has passed"))
        await server.as("iago").must.patch("/realm", { message_content_edit_limit_seconds: '"unlimited"' })
        await edit(server, "hamlet", id, content)
      },
    )

    await t.test("the policy says how much of earlier versions is shown", async (t) => {
      const id = await server.as("hamlet").send("lobby", "one", { topic: "before" })
      await edit(server, "hamlet", id, "two")
      await edit(server, "hamlet", id, "three", { topic: "after", send_notification_to_new_thread: false })
      const history = async () =>
        recordsIn((await server.as("iago").must.get(`${pathOf(id)}/history`))["message_history"])
      const short = { user_id: server.idOf("hamlet"), timestamp: Number }
      const all = await history()
      t.match(all, [
        { ...short, content: "one", rendered_content: "<p>one</p>", topic: "before" },
        { ...short, content: "two", prev_content: "one", prev_rendered_content: "<p>one</p>", topic: "before" },
        { ...short, content: "three", prev_content: "two", topic: "after", prev_topic: "before" },
      ])
      const spans = (before: string, after: string) =>
        `<p><span class="highlight_text_deleted">${before}</span><span class="highlight_text_inserted">${after}</span></p>`
      t.same(
        all.map((each) => each["content_html_diff"]),
        [undefined, spans("one", "two"), spans("two", "three")],
      )
      t.notOk("prev_content" in (all[0] ?? {}) || "prev_topic" in (all[0] ?? {}))
      const list = async () => recordsIn((await shown(server, "iago", id))["edit_history"])
      t.match(await list(), [{ prev_content: "two", prev_topic: "before", topic: "after" }, { prev_content: "one" }])
      await server.as("iago").must.patch("/realm", { message_edit_history_visibility_policy: "moves" })
      t.same(
        (await list()).map((each) => Object.keys(each).sort()),
        [["prev_topic", "timestamp", "topic", "user_id"]],
      )
      t.match(await history(), [{ topic: "before" }, { topic: "after", prev_topic: "before" }])
      t.notMatch(JSON.stringify(await history()), /one|two|content_html_diff/)
      await server.as("iago").must.patch("/realm", { allow_edit_history: false })
      t.notOk("edit_history" in (await shown(server, "iago", id)))
      t.same(
        await refusal(server.as("iago").get(`${pathOf(id)}/history`)),
        bad("Message edit history is disabled in this organization"),
      )
    })
  }),
)

const wildcard = ["stream_wildcard_mentioned", "wildcard_mentioned"]
const star = (server: TestServer, by: Name, message: number) =>
  server.as(by).must.post("/messages/flags", { messages: [message], op: "add", flag: "starred" })
const unreadMentions = async (server: TestServer, by: Name) =>
  objectIn(
    (await server.as(by).must.post("/register", { fetch_event_types: ["message", "update_message_flags"] }))[
      "unread_msgs"
    ],
  )["mentions"]

const withSquare = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "square", users: ["hamlet", "othello"] },
] as const

t.test(
  "a wildcard that an edit brings into a moved message is for those who have it there",
  inTurn(2, "edits with wildcards"),
  (t) =>
    withServer(t, { channels: withSquare }, async (server) => {
      const quietly = { send_notification_to_new_thread: false }
      const move = (message: number, channel: string) =>
        server.as("iago").must.patch(`/messages/${message}`, { ...quietly, stream_id: channelId(server, channel) })
      const flags = async (by: Name, message: number) => (await shown(server, by, message))["flags"]
      const before = await server.as("hamlet").send("lobby", "@**all** to be")
      const after = await server.as("hamlet").send("lobby", "to be", { topic: "other" })
      for (const id of [before, after]) await move(id, "square")
      const queue = await server.queue("othello", types)
      await edit(server, "hamlet", after, "@**all** or not")
      t.same(await flags("cordelia", before), ["read", "stream_wildcard_mentioned", "wildcard_mentioned"])
      t.same(await flags("othello", before), ["read"], "a move marks nobody")
      t.same(await flags("othello", after), ["read", ...wildcard])
      t.match(await queue.rest(), [{ flags: ["read", ...wildcard] }])
      t.same(await flags("cordelia", after), ["read"])
      await server.as("othello").must.post("/messages/flags", { messages: [before, after], op: "remove", flag: "read" })
      t.same(await unreadMentions(server, "othello"), [after])
      await move(after, "lobby")
      t.same(await flags("cordelia", after), [], "as she left it")
      t.same(await flags("hamlet", after), wildcard)
      t.same(await unreadMentions(server, "hamlet"), [before, after])
      t.same(await unreadMentions(server, "cordelia"), [])
      await server.restart()
      t.same(await flags("othello", after), ["read", "stream_wildcard_mentioned", "wildcard_mentioned"])
    }),
)

const withVault = [
  { name: "lobby", users: ["hamlet", "polonius", "desdemona"] },
  { name: "vault", users: ["desdemona"], isPrivate: true, historyShared: true },
] as const

t.test(
  "of a message with more changes than are shown, the first version is how it began",
  inTurn(2, "many changes of a message"),
  (t) =>
    withServer(t, { channels: withVault }, async (server) => {
      const id = await server.as("desdemona").send("vault", "*one*", { topic: "secret" })
      const quietly = { send_notification_to_new_thread: false }
      await server.as("desdemona").must.patch(pathOf(id), {
        ...quietly,
        stream_id: channelId(server, "lobby"),
        topic: "first",
      })
      await server.as("desdemona").must.patch(pathOf(id), { ...quietly, topic: "second" })
      for (let n = 0; n < 101; n++) await edit(server, "desdemona", id, `edit ${n}`)
      const historyOf = async (name: Name) =>
        recordsIn((await server.as(name).must.get(`${pathOf(id)}/history`))["message_history"])
      const [all, told] = [await historyOf("desdemona"), await historyOf("polonius")]
      const original = { user_id: server.idOf("desdemona"), content: "*one*", rendered_content: "<p><em>one</em></p>" }
      t.match(all[0], { ...original, topic: "secret" })
      t.match(told[0], { ...original, topic: "second" }, "the topic of a private channel is not told")
      for (const history of [all, told]) {
        t.equal(history.length, 101)
        t.notOk(Object.keys(history[0] ?? {}).some((key) => key.startsWith("prev_")))
        t.match(history[1], { content: "edit 1", prev_content: "edit 0", topic: "second" })
        t.match(history.at(-1), { content: "edit 100", prev_content: "edit 99" })
      }
      await server.as("iago").must.patch("/realm", { message_edit_history_visibility_policy: "moves" })
      t.match(await historyOf("desdemona"), [
        { content: "edit 100", topic: "secret" },
        { topic: "first" },
        { topic: "second" },
      ])
    }),
)

t.test(
  "a message that was in a private channel for a while does not tell others of it",
  inTurn(2, "a message that was in a private channel for a while does not tell others of it"),
  (t) =>
    withServer(t, { channels: withVault }, async (server) => {
      const [lobby, den] = [channelId(server, "lobby"), channelId(server, "vault")]
      const id = await server.as("hamlet").send("lobby", "one", { topic: "first" })
      const quietly = { send_notification_to_new_thread: false }
      const move = (fields: Fields) => server.as("desdemona").must.patch(pathOf(id), { ...quietly, ...fields })
      await move({ stream_id: den, topic: "secret plan" })
      await move({ topic: "secret deed" })
      await move({ stream_id: lobby, topic: "last" })
      const historyOf = async (name: Name) =>
        recordsIn((await server.as(name).must.get(`${pathOf(id)}/history`))["message_history"])
      const listOf = async (name: Name) => recordsIn((await shown(server, name, id))["edit_history"])
      const short = { timestamp: Number, user_id: server.idOf("desdemona") }
      const [told, listed] = [await historyOf("polonius"), await listOf("polonius")]
      t.match(listed, [
        { ...short, topic: "last", stream: lobby },
        { ...short, prev_topic: "first", prev_stream: lobby },
      ])
      t.match(told, [{ topic: "first" }, { topic: "last", prev_topic: "first", prev_stream: lobby }, { topic: "last" }])
      t.equal(told.length, 3)
      for (const each of [told, listed]) {
        t.notMatch(JSON.stringify(each), /secret/)
        t.notOk(each.some((change) => change["stream"] === den || change["prev_stream"] === den))
      }
      t.match(await listOf("desdemona"), [
        { topic: "last", prev_topic: "secret deed", stream: lobby, prev_stream: den },
        { topic: "secret deed", prev_topic: "secret plan" },
        { topic: "secret plan", prev_topic: "first", stream: den, prev_stream: lobby },
      ])
    }),
)

const withCloister = [
  { name: "lobby", users: ["hamlet", "desdemona", "cordelia", "iago"] },
  { name: "cloister", users: ["hamlet", "desdemona", "cordelia"], isPrivate: true, historyShared: false },
] as const

t.test(
  "of a channel with protected history those are told the topics who were there when the message was",
  inTurn(2, "edits in a protected history"),
  (t) =>
    withServer(t, { channels: withCloister }, async (server) => {
      const [lobby, cloister] = [channelId(server, "lobby"), channelId(server, "cloister")]
      const quietly = { send_notification_to_new_thread: false }
      const move = (id: number, fields: Fields) =>
        server.as("desdemona").must.patch(pathOf(id), { ...quietly, ...fields })
      const topicsOf = async (name: Name, id: number) =>
        recordsIn((await server.as(name).must.get(`${pathOf(id)}/history`))["message_history"]).map(
          (each) => each["topic"],
        )
      const id = await server.as("hamlet").send("cloister", "one", { topic: "first" })
      await server.as("cordelia").must.delete("/users/me/subscriptions", { subscriptions: ["cloister"] })
      await server.as("desdemona").must.post("/users/me/subscriptions", {
        subscriptions: [{ name: "cloister" }],
        principals: [server.idOf("iago")],
      })
      await move(id, { topic: "second" })
      await move(id, { stream_id: lobby, topic: "third" })
      const all = ["first", "second", "third"]
      for (const name of ["hamlet", "desdemona"] as const) t.same(await topicsOf(name, id), all, name)
      t.same(await topicsOf("iago", id), ["third", "third"], "who came later is not told")
      // The channel is private, so what she received there is not hers while she is out of it.
      t.same(await topicsOf("cordelia", id), ["third", "third"], "nor is who is out of it")
      t.match((await shown(server, "hamlet", id))["edit_history"], [
        { prev_topic: "second", topic: "third", prev_stream: cloister, stream: lobby },
        { prev_topic: "first", topic: "second" },
      ])

      const guest = await server.as("hamlet").send("lobby", "two", { topic: "before" })
      await move(guest, { stream_id: cloister, topic: "secret" })
      await move(guest, { stream_id: lobby, topic: "after" })
      t.same(await topicsOf("iago", guest), ["before", "secret", "after"], "who was there when it came")
      t.same(await topicsOf("cordelia", guest), ["before", "after", "after"], "who had left")
      const often = await server.as("hamlet").send("cloister", "three", { topic: "first" })
      await move(often, { stream_id: lobby, topic: "x" })
      for (let n = 0; n < mostShownEdits; n++) await move(often, { topic: `x${n}` })
      t.same((await topicsOf("hamlet", often)).slice(0, 2), ["first", "x"])
    }),
)
