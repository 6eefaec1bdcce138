/**
 * The JavaScript client zulip-js, unmodified from npm, signs in, sends, reads events, lists and leaves. It sends every
 * POST as multipart, all else in the query, lists as JSON and everything else as bare text.
 */
import { Worker } from "node:worker_threads"
import * as Predicate from "effect/Predicate"
import t from "tap"
import { eventsOf } from "../kit/reader.ts"
import { pluck, recordsIn } from "../kit/records.ts"
import { until } from "../kit/test-database.ts"
import { withServer } from "../kit/with-server.ts"
import { type Answer, must } from "./must.ts"
import { zulipFor } from "./zulip-js-client.ts"

const senderOf = (message: unknown): unknown =>
  Predicate.hasProperty(message, "sender_id") ? message.sender_id : undefined

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"], isDefault: true }] as const

t.test("zulip-js: all that it does", (t) =>
  withServer(t, { channels }, async (server) => {
    const zulip = zulipFor(t)
    const [username, password, realm] = ["js@test.example", "a long password", server.origin]
    await server.as("iago").must.post("/users", { email: username, password, full_name: "J. S." })
    const { key } = server.as("hamlet").account
    const client = await zulip({ username, password, realm })
    const hamlet = await zulip({ username: "hamlet@test.example", apiKey: key, realm })

    await t.test("a key for a password", async (t) => {
      t.match(await must(client.accounts.retrieve()), { email: username, api_key: /^[A-Za-z0-9]{32}$/ })
      const wrong = await zulip({ username, password: "another", realm })
      t.match(await wrong.accounts.retrieve(), { result: "error", code: "AUTHENTICATION_FAILED" })
      t.match(await wrong.users.me.getProfile(), { result: "error", code: "UNAUTHORIZED" })
      t.match(await must(client.server.settings()), { zulip_feature_level: 417, realm_uri: realm })
    })

    await t.test("register, send to a channel and to a user, read both events, deregister", async (t) => {
      const state = await must(client.queues.register({ event_types: ["message", "typing"] }))
      const queue = { queue_id: state["queue_id"] }
      const sent = [
        await must(hamlet.messages.send({ type: "stream", to: "lobby", topic: "js", content: "to all" })),
        await must(hamlet.messages.send({ type: "private", to: username, content: "to one" })),
        await must(hamlet.messages.send({ type: "direct", to: [username], content: "to a list" })),
      ]
      let last = Number(state["last_event_id"])
      const next = async (count: number) => {
        const taken: Array<ReturnType<typeof eventsOf>[number]> = []
        while (taken.length < count) {
          const { events } = await must(client.events.retrieve({ ...queue, last_event_id: last }))
          for (const event of eventsOf(events)) {
            last = event.id
            if (event.type !== "heartbeat") taken.push(event)
          }
        }
        return taken
      }
      t.match(await next(3), [
        {
          message: {
            id: sent[0]?.["id"],
            type: "stream",
            display_recipient: "lobby",
            subject: "js",
            content: "to all",
          },
        },
        { message: { id: sent[1]?.["id"], type: "private", content: "to one" } },
        { message: { id: sent[2]?.["id"], type: "private", content: "to a list" } },
      ])

      const profile = await must(client.users.me.getProfile())
      await must(hamlet.typing.send({ op: "start", to: [profile["user_id"]] }))
      await must(hamlet.typing.send({ op: "stop", to: [profile["user_id"]] }))
      t.match(await next(2), [
        { type: "typing", op: "start", message_type: "direct", sender: { user_id: server.idOf("hamlet") } },
        { type: "typing", op: "stop" },
      ])

      await must(client.queues.deregister(queue))
      t.match(await client.events.retrieve({ ...queue, last_event_id: last }), {
        result: "error",
        code: "BAD_EVENT_QUEUE_ID",
        ...queue,
      })
    })

    await t.test("users, channels, topics and messages", async (t) => {
      const { members } = await must(client.users.retrieve())
      t.same(pluck(members, "email"), pluck((await server.as("iago").must.get("/users"))["members"], "email"))
      const { streams } = await must(client.streams.retrieve())
      t.same(pluck(streams, "name"), ["lobby"])
      const { stream_id } = await must(client.streams.getStreamId("lobby"))
      t.equal(stream_id, recordsIn(streams)[0]?.["stream_id"])
      t.same(pluck((await must(client.streams.subscriptions.retrieve()))["subscriptions"], "name"), ["lobby"])
      t.same(pluck((await must(client.streams.topics.retrieve({ stream_id })))["topics"], "name"), ["js"])

      const narrow = [{ operator: "stream", operand: "lobby" }]
      const page = { anchor: "newest", num_before: 10, num_after: 0, narrow }
      const { messages } = await must(client.messages.retrieve(page))
      t.same(pluck(messages, "content"), ["<p>to all</p>"])
      const message_id = recordsIn(messages)[0]?.["id"]
      t.match(await client.messages.getById({ message_id }), { result: "success", raw_content: "to all" })

      await must(client.users.me.subscriptions.add({ subscriptions: [{ name: "workshop" }] }))
      t.match(
        await must(client.users.me.subscriptions.remove({ subscriptions: JSON.stringify(["workshop"]) })),
        { removed: ["workshop"] },
        "DELETE in the query",
      )
      t.match(await client.callEndpoint("/no/such/endpoint"), { result: "error", code: "NOT_FOUND" })
    })

    await t.test("flags", async (t) => {
      const id = await server.as("hamlet").send("lobby", "read this")
      const shown = async () => {
        const { messages } = await must(client.messages.retrieve({ anchor: id, num_before: 0, num_after: 0 }))
        return recordsIn(messages)[0]?.["flags"]
      }
      t.match(await must(client.messages.flags.add({ messages: [id], flag: "read" })), { messages: [id] })
      await must(client.messages.flags.add({ messages: [id], flag: "starred" }))
      t.same(await shown(), ["read", "starred"])
      await must(client.messages.flags.remove({ messages: [id], flag: "read" }))
      await must(client.messages.flags.remove({ messages: [id], flag: "starred" }))
      t.same(await shown(), [])
    })

    await t.test("reactions", async (t) => {
      const message_id = await server.as("hamlet").send("lobby", "react to this")
      const shown = async () => {
        const { messages } = await must(client.messages.retrieve({ anchor: message_id, num_before: 0, num_after: 0 }))
        return pluck(recordsIn(messages)[0]?.["reactions"], "emoji_code")
      }
      await must(client.reactions.add({ message_id, emoji_name: "musical_note" }))
      await must(client.reactions.add({ message_id, emoji_name: "octopus", emoji_code: "1f419" }))
      t.same(await shown(), ["1f3b5", "1f419"])
      await must(client.reactions.remove({ message_id, emoji_name: "octopus" }))
      await must(client.reactions.remove({ message_id, emoji_code: "1f3b5" }))
      t.same(await shown(), [])
      t.match(await client.reactions.remove({ message_id, emoji_code: "1f3b5" }), { code: "REACTION_DOES_NOT_EXIST" })
    })

    await t.test("update, history, search, delete", async (t) => {
      const message_id = await server.as("hamlet").send("lobby", "a lost umbrella", { topic: "found" })
      // The client repeats the id of the path as a parameter.
      const accepted = (answer: Answer) =>
        t.same(answer["ignored_parameters_unsupported"] ?? ["message_id"], ["message_id"])
      const search = async (by: typeof hamlet, operand: string) => {
        const narrow = [
          { operator: "stream", operand: "lobby" },
          { operator: "search", operand },
        ]
        const page = { anchor: "newest", num_before: 10, num_after: 0, narrow }
        const { messages } = await must(by.messages.retrieve(page))
        return recordsIn(messages).map(({ id, match_content, match_subject }) => [id, match_content, match_subject])
      }
      const hit = (word: string) => `<span class="highlight">${word}</span>`
      t.same(await search(client, "umbrellas"), [[message_id, `<p>a lost ${hit("umbrella")}</p>`, "found"]])

      const changed = await hamlet.messages.update({
        message_id,
        content: "a lost *scarf*",
        topic: "lost",
        propagate_mode: "change_one",
      })
      t.match(changed, { result: "success", detached_uploads: [] })
      accepted(changed)
      t.same(await search(client, "umbrella"), [])
      t.same(await search(client, "scarf"), [[message_id, `<p>a lost <em>${hit("scarf")}</em></p>`, "lost"]])
      const [first] = await search(client, "lost")
      t.same(first, [message_id, `<p>a ${hit("lost")} <em>scarf</em></p>`, hit("lost")])
      t.match(await client.messages.update({ message_id, content: "not theirs" }), {
        result: "error",
        msg: "You don't have permission to edit this message",
      })

      const history = await client.messages.getHistoryById({ message_id })
      accepted(history)
      t.match(history, {
        message_history: [
          { content: "a lost umbrella", topic: "found" },
          { content: "a lost *scarf*", topic: "lost", prev_topic: "found", prev_content: "a lost umbrella" },
        ],
      })
      t.match(await must(client.messages.render("a *scarf*")), { rendered: "<p>a <em>scarf</em></p>" })

      t.match(await client.messages.deleteById({ message_id }), { result: "error" }, "a message of somebody else")
      const deleted = await hamlet.messages.deleteById({ message_id })
      t.match(deleted, { result: "success" })
      accepted(deleted)
      t.same(await search(client, "scarf"), [])
      t.match(await client.messages.getById({ message_id }), { result: "error", msg: "Invalid message(s)" })
    })

    await t.test("custom emoji and linkifiers", async (t) => {
      t.same((await must(client.emojis.retrieve()))["emoji"], {})
      const pattern = "#(?P<id>[0-9]+)"
      const linkifier = { pattern, url_template: "https://issues.example/{id}" }
      const { id } = await server.as("iago").must.post("/realm/filters", linkifier)
      const filters = [[pattern, "https://issues.example/%(id)s", id]]
      t.same((await must(client.filters.retrieve()))["filters"], filters)
    })

    await t.test("a bot in a channel answers the message that mentions it", async (t) => {
      const reader = await server.queue("hamlet", { event_types: ["message"] })
      const { email, key } = server.as("cordelia").account
      const bot = new Worker(new URL("./zulip-js-bot.js", import.meta.url), { argv: [email, key, realm] })
      t.teardown(() => bot.terminate())
      const hasQueue = async () => {
        const queues = await server.rows("select from event_queue where user_id = $1", [server.idOf("cordelia")])
        return queues.length === 1
      }
      await until("the bot has a queue", 30_000, hasQueue)
      await server.as("hamlet").send("lobby", "nobody is called")
      await server.as("hamlet").send("lobby", "hello, @**cordelia**")
      const answer = await reader.until(({ message }) => senderOf(message) === server.idOf("cordelia"))
      t.match(answer, { message: { content: "hello from the bot", display_recipient: "lobby", subject: "t" } })
      await bot.terminate()
    })
  }),
)
