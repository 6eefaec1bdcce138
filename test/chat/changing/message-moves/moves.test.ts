/** Moves of messages to other topics and channels: what everybody hears and may read. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { objectIn, objectsIn } from "../../../kit/client-sections.ts"
import type { Reader } from "../../../kit/reader.ts"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { type ChannelSetup, type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
  { name: "square", users: ["hamlet", "othello", "iago"] },
  ...["den", "vault", "crypt", "nook", "tower"].map(
    (name): ChannelSetup => ({ name, users: ["cordelia", "iago"], isPrivate: true }),
  ),
  { name: "cellar", users: ["iago"], isPrivate: true },
] as const

const move = (server: TestServer, by: Name, message: number, fields: Fields) =>
  server.as(by).must.patch(`/messages/${message}`, fields)
const quiet = { send_notification_to_new_thread: false }

const found = async (server: TestServer, by: Name, ...narrow: ReadonlyArray<unknown>) => {
  const page = { anchor: "newest", num_before: 1000, num_after: 0, narrow, allow_empty_topic_name: true }
  return recordsIn((await server.as(by).must.get("/messages", page))["messages"])
}
const idsIn = async (server: TestServer, by: Name, ...narrow: ReadonlyArray<unknown>) =>
  (await found(server, by, ...narrow)).map(({ id }) => id)
const types = { event_types: ["message", "update_message", "delete_message", "stream"] }

t.test("moves", (t) =>
  withServer(t, { channels }, async (server) => {
    await t.test(
      "a move to another channel: who may read it there keeps it, who may not is told that it is deleted",
      async (t) => {
        const [lobby, square, den] = ["lobby", "square", "den"].map((name) => channelId(server, name))
        const one = await server.as("iago").send("lobby", "one", { topic: "plans" })
        const two = await server.as("iago").send("lobby", "two", { topic: "plans" })
        await server.as("hamlet").must.post("/messages/flags", { op: "add", flag: "read", messages: [one] })
        await server.as("cordelia").must.post("/messages/flags", { op: "add", flag: "starred", messages: [two] })
        const [hamlet, cordelia, othello] = await Promise.all(
          (["hamlet", "cordelia", "othello"] as const).map((name) => server.queue(name, types)),
        )
        await move(server, "iago", one, { ...quiet, stream_id: square, propagate_mode: "change_all" })
        const moved = {
          type: "update_message",
          message_ids: [one, two],
          stream_id: lobby,
          new_stream_id: square,
          orig_subject: "plans",
        }
        const [toHamlet] = (await hamlet?.rest()) ?? []
        t.match(toHamlet, { ...moved, flags: ["read"] })
        t.notOk("subject" in (toHamlet ?? {}))
        t.match(await cordelia?.rest(), [{ ...moved }, { property: "first_message_id", value: null }, { value: one }])
        t.match(await othello?.rest(), [{ ...moved, flags: ["read"] }, {}, {}])
        const unread = (name: Name) => idsIn(server, name, ["is", "unread"])
        t.same([await unread("hamlet"), await unread("cordelia"), await unread("othello")], [[two], [], []])
        t.same(await idsIn(server, "cordelia", ["is", "starred"]), [two], "what is starred stays where it may be read")
        await hamlet?.rest()

        await move(server, "iago", two, { ...quiet, stream_id: den, topic: "secret" })
        const gone = { type: "delete_message", message_type: "stream", stream_id: square, topic: "plans" }
        t.match(await hamlet?.rest(), [{ ...gone, message_id: two }])
        t.match(await othello?.rest(), [{ ...gone, message_id: two }])
        // She kept it from another channel, as somebody who is not in the square: it comes to her anew.
        const [goneForCordelia, toCordelia] = (await cordelia?.rest()) ?? []
        t.match(goneForCordelia, { type: "delete_message", message_id: two })
        t.match(toCordelia, { message_ids: [two], stream_id: square, new_stream_id: den, subject: "secret" })
        for (const name of ["hamlet", "othello"] as const)
          t.equal((await server.as(name).get(`/messages/${two}`)).body["msg"], "Invalid message(s)")
        t.same(await unread("hamlet"), [])
        t.match(await server.as("cordelia").must.get(`/messages/${two}`), { message: { subject: "secret" } })
        t.same(await idsIn(server, "cordelia", ["is", "starred"]), [two])
        await move(server, "iago", two, { ...quiet, stream_id: lobby })
        t.same(await unread("hamlet"), [two], "who gets it back finds it as they left it")
        await server.restart()
        t.equal(server.realm.realm.findChannelByName("lobby")?.first_message_id, two)
      },
    )

    await t.test("messages are moved to another topic, one, the later ones, or all", async (t) => {
      const lobby = channelId(server, "lobby")
      const send = (content: string) => server.as("hamlet").send("lobby", content, { topic: "Plans" })
      const [one, two, three] = [await send("one"), await send("two"), await send("three")]
      const other = await server.as("hamlet").send("lobby", "other", { topic: "other" })
      const queue = await server.queue("cordelia", types)
      await move(server, "hamlet", two, { topic: "New", propagate_mode: "change_later" })
      const [event, notice] = await queue.rest()
      t.match(event, {
        type: "update_message",
        user_id: server.idOf("hamlet"),
        rendering_only: false,
        message_id: two,
        message_ids: [two, three],
        flags: [],
        stream_id: lobby,
        stream_name: "lobby",
        propagate_mode: "change_later",
        orig_subject: "Plans",
        subject: "New",
        topic_links: [],
      })
      t.notOk("new_stream_id" in (event ?? {}))
      const text = `2 messages were moved here from #**lobby>Plans** by @_**${server.realm.realm.users.get(server.idOf("hamlet"))?.full_name}|${server.idOf("hamlet")}**.`
      const raw = await server.as("hamlet").must.get(`/messages/${objectIn(notice?.["message"])["id"]}`)
      t.equal(raw["raw_content"], text)
      t.same(await idsIn(server, "cordelia", ["channel", "lobby"], ["topic", "plans"]), [one])
      await move(server, "hamlet", one, { ...quiet, topic: "new" })
      await move(server, "iago", three, { ...quiet, topic: "Other", propagate_mode: "change_all" })
      const rest = await queue.rest()
      t.match(rest, [
        { message_ids: [one], propagate_mode: "change_one", subject: "new" },
        { message_ids: [one, two, three, Number], propagate_mode: "change_all", orig_subject: "New", subject: "Other" },
      ])
      const there = await idsIn(server, "cordelia", ["channel", "lobby"], ["topic", "other"])
      t.same(there.slice(0, 4), [one, two, three, other])
      const respelt = await server
        .as("hamlet")
        .must.patch(`/messages/${other}`, { topic: "OTHER", propagate_mode: "change_all" })
      t.same(respelt["detached_uploads"], [])
      t.same(
        new Set((await found(server, "cordelia", ["topic", "other"])).map(({ subject }) => subject)),
        new Set(["OTHER"]),
      )
      t.same((await queue.rest()).length, 1, "no notice about another spelling")
      const [topics] = objectsIn((await server.as("cordelia").must.get(`/users/me/${lobby}/topics`))["topics"])
      t.match(topics, { name: "OTHER" })
      const edits = await server.rows(
        `select v.prev_topic, v.topic, v.channel_id from message m cross join lateral unnest(m.moves) as named(id)
         join message_move v on v.realm_id = m.realm_id and v.id = named.id where m.id = $1 order by v.id`,
        [one],
      )
      t.same(edits, [
        { prev_topic: "Plans", topic: "new", channel_id: null },
        { prev_topic: "new", topic: "Other", channel_id: null },
        { prev_topic: "Other", topic: "OTHER", channel_id: null },
      ])
    })

    await t.test("each hears of a move to another channel with their own flags, whoever is served first", async (t) => {
      const [lobby, square] = ["lobby", "square"].map((name) => channelId(server, name))
      const names = ["cordelia", "othello", "hamlet"] as const
      for (const order of [names, names.toReversed()]) {
        const [plain, loud] = [
          await server.as("iago").send("lobby", "one", { topic: "plans" }),
          await server.as("iago").send("lobby", "@**all** two", { topic: "other" }),
        ]
        const queues: Array<readonly [Name, Reader]> = []
        for (const name of order) queues.push([name, await server.queue(name, { event_types: ["update_message"] })])
        const expectFlags = async (
          message: number,
          channel: number | undefined,
          expected: Readonly<Record<string, unknown>>,
        ) => {
          await move(server, "iago", message, { ...quiet, stream_id: channel })
          for (const [name, queue] of queues)
            t.same(
              (await queue.rest()).map(({ flags }) => flags),
              [expected[name]],
              `${name} of ${order}`,
            )
        }
        const wildcard = ["stream_wildcard_mentioned", "wildcard_mentioned"]
        const away = ["read", "stream_wildcard_mentioned", "wildcard_mentioned"]
        await expectFlags(plain, square, { hamlet: [], othello: ["read"], cordelia: ["read"] })
        await expectFlags(loud, square, { hamlet: wildcard, othello: ["read"], cordelia: away })
        await expectFlags(loud, lobby, { hamlet: wildcard, othello: ["read"], cordelia: wildcard })
      }
    })

    await t.test(
      "those who may not know of a private channel hear what leaves it, and not from where, live or from the log",
      async (t) => {
        const message = await server.as("cordelia").send("den", "hidden", { topic: "secret topic" })
        const queues = async (name: Name) => [await server.queue(name, types), await server.queue(name, types)] as const
        const [stranger, strangerLater] = await queues("othello")
        const [both, bothLater] = await queues("iago")
        await move(server, "iago", message, { stream_id: channelId(server, "square"), topic: "plans", ...quiet })
        const last = await server.as("iago").send("square", "after", { topic: "other" })
        const seenBy = (events: ReadonlyArray<Fields>) => events.filter(({ type }) => type !== "stream")
        const expectOf = (events: ReadonlyArray<Fields>, expected: ReadonlyArray<Fields>, who: string) =>
          t.match(seenBy(events), expected, who) && t.equal(seenBy(events).length, expected.length, who)
        const [square, den] = ["square", "den"].map((name) => channelId(server, name))
        const came = { type: "update_message", message_ids: [message], new_stream_id: square, subject: "plans" }
        const moved = { ...came, stream_id: den, stream_name: "den", orig_subject: "secret topic" }
        const untold = {
          ...came,
          stream_id: square,
          stream_name: "square",
          orig_subject: "(no topic)",
          topic_links: [],
        }
        const sent = { type: "message", message: { id: last } }
        const toStranger = await stranger.rest()
        expectOf(toStranger, [untold, sent], "a stranger, live")
        t.notMatch(JSON.stringify(toStranger), /den|secret topic/)
        expectOf(await both.rest(), [moved, sent], "a subscriber of both, live")
        await server.restart()
        expectOf(await server.resume("othello", strangerLater).rest(), [untold, sent], "a stranger, from the log")
        expectOf(await server.resume("iago", bothLater).rest(), [moved, sent], "a subscriber of both, from the log")
        t.ok(
          (await idsIn(server, "othello", ["channel", "square"])).includes(message),
          "the stranger may read it by now",
        )
      },
    )

    await t.test("notices of a move name a private channel to nobody who reads them elsewhere", async (t) => {
      const [square, den] = ["square", "den"].map((name) => channelId(server, name))
      const tellBoth = { topic: "open topic", send_notification_to_old_thread: true }
      const newestIn = async (channel: string, topic: string) =>
        (await found(server, "iago", ["channel", channel], ["topic", topic])).at(-1)?.["content"]
      const out = await server.as("cordelia").send("den", "one", { topic: "secret topic" })
      await server.as("cordelia").send("den", "two", { topic: "secret topic" })
      await move(server, "iago", out, { ...tellBoth, stream_id: square })
      t.match(await newestIn("square", "open topic"), /A message was moved here from a private channel by /)
      t.match(await newestIn("den", "secret topic"), /moved from this topic to <a .*#square &gt; open topic<\/a> by /)
      await move(server, "iago", out, { ...tellBoth, topic: "secret topic", stream_id: den })
      t.match(await newestIn("square", "open topic"), /A message was moved from this topic to a private channel by /)
      t.match(await newestIn("den", "secret topic"), /moved here from <a .*#square &gt; open topic<\/a> by /)
      await move(server, "iago", out, { topic: "other topic", send_notification_to_old_thread: true })
      t.match(await newestIn("den", "secret topic"), /to <a .*#den &gt; other topic<\/a> by /, "within it")
    })

    await t.test(
      "who came to a private channel later does not hear where something was that they could not read there",
      async (t) => {
        const square = channelId(server, "square")
        const early = await server.as("cordelia").send("vault", "one", { topic: "secret" })
        const add = { subscriptions: [{ name: "vault" }], principals: [server.idOf("othello"), server.idOf("hamlet")] }
        await server
          .as("cordelia")
          .must.post("/users/me/subscriptions", { ...add, send_new_subscription_messages: false })
        const late = await server.as("cordelia").send("vault", "two", { topic: "known" })
        const queues = await Promise.all(
          (["othello", "hamlet", "iago"] as const).map((name) =>
            server.queue(name, { event_types: ["update_message"] }),
          ),
        )
        for (const message of [early, late]) await move(server, "cordelia", message, { ...quiet, stream_id: square })
        const [othello, hamlet, iago] = await Promise.all(
          queues.map(async (queue) =>
            (await queue.rest()).map(({ message_ids, stream_id, orig_subject, subject, new_stream_id }) => {
              t.equal(new_stream_id, square)
              return { message_ids, stream_id, orig_subject, subject }
            }),
          ),
        )
        const vault = channelId(server, "vault")
        const hidden = { message_ids: [early], stream_id: square, orig_subject: "(no topic)", subject: "secret" }
        const known = { message_ids: [late], stream_id: vault, orig_subject: "known", subject: undefined }
        t.same(othello, [hidden, known])
        t.same(hamlet, [hidden, known])
        t.same(iago, [{ message_ids: [early], stream_id: vault, orig_subject: "secret", subject: undefined }, known])
      },
    )

    await t.test("who was not there from the beginning hears only of what they hold", async (t) => {
      const first = await server.as("iago").send("crypt", "one", { topic: "plans" })
      const crypt = { subscriptions: [{ name: "crypt" }], principals: [server.idOf("hamlet")] }
      await server.as("iago").must.post("/users/me/subscriptions", { ...crypt, send_new_subscription_messages: false })
      const second = await server.as("iago").send("crypt", "two", { topic: "plans" })
      const queues = await Promise.all((["hamlet", "cordelia"] as const).map((name) => server.queue(name, types)))
      await move(server, "iago", first, { ...quiet, topic: "new", propagate_mode: "change_all" })
      t.match(await queues[0]?.rest(), [{ message_ids: [second], message_id: second }])
      t.match(await queues[1]?.rest(), [{ message_ids: [first, second], message_id: second }])
      await server.as("hamlet").must.post("/messages/flags", { op: "add", flag: "read", messages: [second] })
      await move(server, "iago", first, { ...quiet, topic: "newer", propagate_mode: "change_all" })
      const flags = async (queue: Reader | undefined) => ((await queue?.rest()) ?? []).map((event) => event["flags"])
      t.same(await flags(queues[0]), [["read"]])
      t.same(await flags(queues[1]), [[]], "of the message that it names")
      await server.as("hamlet").must.post("/messages/flags", { op: "remove", flag: "read", messages: [second] })
      await move(server, "iago", first, { ...quiet, topic: "newest", propagate_mode: "change_all" })
      t.same(await flags(queues[0]), [[]], "unread, though they do not hold the message that was asked for")
      const later = await server.as("hamlet").must.patch(`/messages/${second}`, {
        ...quiet,
        stream_id: channelId(server, "lobby"),
        propagate_mode: "change_all",
      })
      t.same(later["detached_uploads"], [])
      t.match(await queues[0]?.rest(), [{ message_ids: [second] }], "only what the mover may read is moved")
      t.match(await server.as("cordelia").must.get(`/messages/${first}`), { message: { subject: "new" } })
    })

    await t.test("who left a private channel before a message came there does not hear where it was", async (t) => {
      const [lobby, nook] = ["lobby", "nook"].map((name) => channelId(server, name))
      await server.as("iago").must.patch(`/streams/${nook}`, { is_private: true, history_public_to_subscribers: true })
      const message = await server.as("iago").send("cellar", "hidden", { topic: "former topic" })
      const held = await server.as("cordelia").send("nook", "known", { topic: "former topic" })
      const starred = await server.as("iago").send("cellar", "starred", { topic: "former topic" })
      await server.as("cordelia").must.delete("/users/me/subscriptions", { subscriptions: ["nook"] })
      for (const id of [message, starred]) await move(server, "iago", id, { ...quiet, stream_id: nook })
      const [now, later] = [await server.queue("cordelia", types), await server.queue("cordelia", types)]
      await move(server, "iago", message, { ...quiet, stream_id: lobby, propagate_mode: "change_all" })
      const about = (events: ReadonlyArray<Fields>) => events.filter(({ type }) => type === "update_message")
      // They are in the lobby, and out of the nook: all of it comes to them anew.
      const came = { message_ids: [message, held, starred], new_stream_id: lobby, subject: "former topic" }
      const expected = [{ ...came, stream_id: lobby, stream_name: "lobby", orig_subject: "(no topic)" }]
      t.match(about(await now.rest()), expected, "live")
      await server.restart()
      t.match(about(await server.resume("cordelia", later).rest()), expected, "from the log")
      const all = await idsIn(server, "cordelia", ["channel", "lobby"], ["topic", "former topic"])
      t.same(all, [message, held, starred], "by now they may read all of them")
    })

    await t.test(
      "who came later or left before hears of none of them, and takes nothing from the others",
      async (t) => {
        const iago = server.as("iago").must
        const join = (name: Name) =>
          iago.post("/users/me/subscriptions", {
            subscriptions: [{ name: "tower" }],
            principals: [server.idOf(name)],
            send_new_subscription_messages: false,
          })
        const first = await server.as("iago").send("tower", "one", { topic: "plans" })
        for (const name of ["hamlet", "othello"] as const) await join(name)
        for (const name of ["hamlet", "othello"] as const)
          await server.as(name).must.delete("/users/me/subscriptions", { subscriptions: ["tower"] })
        const second = await server.as("iago").send("tower", "two", { topic: "plans" })
        for (const messages of [[first], [second]])
          await server.as("cordelia").must.post("/messages/flags", { op: "add", flag: "read", messages })
        const names = ["hamlet", "cordelia", "othello"] as const
        const listen = () =>
          Promise.all(
            // The two that hear nothing are told one before and one after the one that does.
            names.map(async (name) => ({
              name,
              now: await server.queue(name, types),
              later: await server.queue(name, types),
            })),
          )
        const about = (event: Fields) => ["update_message", "delete_message"].includes(String(event["type"]))
        const between = await listen()
        await move(server, "iago", first, { ...quiet, topic: "new", propagate_mode: "change_all" })
        for (const { name, now } of between) {
          const told = (await now.rest()).filter(about)
          if (name === "cordelia") t.match(told, [{ message_ids: [first, second] }])
          else t.same(told, [], `${name}, who left in between`)
        }
        for (const name of ["hamlet", "othello"] as const) await join(name)
        const late = await listen()
        const away = { ...quiet, stream_id: channelId(server, "cellar"), propagate_mode: "change_all" }
        await move(server, "iago", first, away)
        const check = async (name: Name, events: Promise<ReadonlyArray<Fields>>, when: string) => {
          const told = (await events).filter(about)
          if (name === "cordelia")
            t.same(
              told.map((event) => event["message_id"]),
              [first, second],
              when,
            )
          else t.same(told, [], `${name}, ${when}`)
        }
        for (const { name, now } of late) await check(name, now.rest(), "who came later, live")
        await server.restart()
        for (const { name, later } of late)
          await check(name, server.resume(name, later).rest(), "who came later, from the log")
      },
    )

    await t.test("a topic is resolved, and that is undone", async (t) => {
      const id = await server.as("hamlet").send("lobby", "one", { topic: "doings" })
      server.clock.advance(8 * 24 * 3600 * 1000)
      await move(server, "cordelia", id, { topic: "\u2714 doings", propagate_mode: "change_all" })
      const notice = (await found(server, "hamlet", ["channel", "lobby"])).at(-1)
      t.match(notice, { subject: "\u2714 doings", content: /has marked this topic as resolved\./ })
      t.same(await server.rows("select moved_at from message where id = $1", [id]), [{ moved_at: null }])
      await move(server, "cordelia", id, { topic: "doings", propagate_mode: "change_all" })
      t.match((await found(server, "hamlet", ["channel", "lobby"])).at(-1), {
        subject: "doings",
        content: /has marked this topic as unresolved\./,
      })
      const resolvers = { can_resolve_topics_group: { new: 5 } }
      await server.as("desdemona").must.patch("/realm", resolvers)
      const answer = await server.as("cordelia").patch(`/messages/${id}`, { topic: "\u2714 doings" })
      t.match(answer.body, { msg: "You don't have permission to resolve topics in this channel." })
    })

    await t.test("no topic or channel writes the notice that names it", inTurn(2, "names in notices"), async (t) => {
      const [lobby, square] = ["lobby", "square"].map((name) => channelId(server, name))
      const forged = `x** has been approved by @_**desdemona|${server.idOf("desdemona")}** see **b`
      /** The notice about a message that comes from a topic, as HTML; its text must name the place and the mover only. */
      const noticeOf = async (from: string, topic: string, place: string) => {
        const id = await server.as("iago").send(from, "one", { topic })
        await move(server, "iago", id, { stream_id: square, topic: "target" })
        const html = String((await found(server, "iago", ["channel", "square"])).at(-1)?.["content"])
        const text = html.replaceAll(/<[^>]*>/g, "").replaceAll("&gt;", ">")
        t.equal(text, `A message was moved here from ${place} by iago.`)
        const mentions = Array.from(html.matchAll(/data-user-id="(\d+)"/g), ([, each]) => Number(each))
        t.same(mentions, [server.idOf("iago")], "nobody else is named")
        t.notMatch(html, /message-link/, "nor a message")
        return html
      }
      const names = [
        "plans",
        "a*b",
        "plans@123",
        forged,
        "`",
        "code``",
        "a > b",
        "&lt;b&gt; &amp;",
        "\u{1f600} :smile:",
        "",
      ]
      for (const topic of names) {
        const html = await noticeOf("lobby", topic, `#lobby > ${(topic || "general chat").replaceAll("&", "&amp;")}`)
        t.match(html, `data-stream-id="${lobby}"`)
      }
      const made = (name: string, invite_only: boolean) =>
        server.as("iago").must.post("/users/me/subscriptions", { subscriptions: [{ name }], invite_only })
      await made("lobby>open", false)
      await made("lobby>hidden", true)
      const linked = `data-stream-id="${lobby}" href="/#narrow/channel/${lobby}-lobby/topic/`
      t.notMatch(await noticeOf("lobby", "open>x", "#lobby > open>x"), "/topic/", "it would link another channel")
      t.match(await noticeOf("lobby", "hidden>x", "#lobby > hidden>x"), linked, "as if the hidden one were not there")
      t.match(await noticeOf("lobby", "none>x", "#lobby > none>x"), linked)
      const inside = await noticeOf("lobby>open", "x", "#lobby>open > x")
      t.match(inside, `data-stream-id="${channelId(server, "lobby>open")}"`)
      await server.as("iago").must.patch(`/streams/${lobby}`, { new_name: "a*b" })
      t.notMatch(await noticeOf("a*b", "plans", "#a*b > plans"), "data-stream-id")
      await server.as("iago").must.patch(`/streams/${lobby}`, { new_name: "a>b" })
      t.match(await noticeOf("a>b", "plans", "#a>b > plans"), `data-stream-id="${lobby}"`)
      t.match(await noticeOf("a>b", "c>d", "#a>b > c>d"), `data-stream-id="${lobby}"`)
      await server.as("iago").must.patch(`/streams/${lobby}`, { new_name: forged })
      await noticeOf(forged, "plans", `#${forged} > plans`)
    })
  }),
)

t.test("what cannot be moved is refused", inTurn(2, "what cannot be moved is refused"), (t) =>
  withServer(t, { channels }, async (server) => {
    const [lobby, square, den] = ["lobby", "square", "den"].map((name) => channelId(server, name))
    const id = await server.as("hamlet").send("lobby", "one", { topic: "plans" })
    const secret = await server.as("iago").send("den", "secret", { topic: "plans" })
    const direct = { type: "direct", to: [server.idOf("cordelia")], content: "c" }
    const whisper = Number((await server.as("hamlet").must.post("/messages", direct))["id"])
    const refused = async (by: Name, message: number, fields: Fields, msg: string) =>
      t.match((await server.as(by).patch(`/messages/${message}`, fields)).body, { result: "error", msg }, msg)
    const everything = { propagate_mode: "change_all" }
    await refused("hamlet", id, {}, "Nothing to change")
    await refused("hamlet", id, everything, "Invalid propagate_mode without topic edit")
    await refused("hamlet", id, { topic: " plans " }, "Nothing to change")
    await refused("hamlet", id, { stream_id: lobby }, "Nothing to change")
    const empty = await server.as("hamlet").send("lobby", "one", { topic: "" })
    await server.as("iago").must.patch(`/streams/${lobby}`, { topics_policy: "disable_empty_topic" })
    await refused("hamlet", empty, { topic: "general chat" }, "Nothing to change")
    await move(server, "hamlet", empty, { topic: "General Chat", content: "two" })
    t.match(await server.as("hamlet").must.get(`/messages/${empty}`), {
      raw_content: "two",
      message: { subject: "general chat" },
    })
    const barred = "Sending messages to the general chat is not allowed in this channel."
    await refused("hamlet", id, { topic: "general chat" }, barred)
    await refused("hamlet", whisper, { topic: "t" }, "Direct messages cannot have topics.")
    await refused("hamlet", whisper, { stream_id: square }, "Direct messages cannot be moved to channels.")
    await refused(
      "hamlet",
      id,
      { content: "c", stream_id: square },
      "Cannot change message content while changing channel",
    )
    await refused("hamlet", secret, { topic: "t" }, "Invalid message(s)")
    await refused("hamlet", 4711, { topic: "t" }, "Invalid message(s)")
    await refused("hamlet", id, { stream_id: den }, "Invalid channel ID")
    await refused("hamlet", id, { stream_id: 4711 }, "Invalid channel ID")
    const iago = server.as("iago").must
    await iago.patch(`/streams/${square}`, { topics_policy: "empty_topic_only" })
    await refused("hamlet", id, { stream_id: square }, "Only the general chat topic is allowed in this channel.")
    await iago.patch(`/streams/${square}`, { can_send_message_group: { new: 6 } })
    await refused("hamlet", id, { stream_id: square, topic: "" }, "You do not have permission to post in this channel.")
    await iago.patch("/realm", { can_move_messages_between_channels_group: { new: 6 } })
    await refused("cordelia", id, { stream_id: den }, "You don't have permission to move this message")
    await iago.patch("/realm", { can_move_messages_between_topics_group: { new: 6 } })
    await refused("cordelia", id, { topic: "t" }, "You don't have permission to edit this message")
    await iago.patch(`/streams/${lobby}`, { can_move_messages_within_channel_group: { new: 3 } })
    await move(server, "cordelia", id, { topic: "t" })
    server.clock.advance(8 * 24 * 3600 * 1000)
    await refused("cordelia", id, { topic: "plans" }, "The time limit for editing this message's topic has passed.")
    await iago.patch("/realm", { can_move_messages_between_channels_group: { new: 3 } })
    await refused("cordelia", id, { stream_id: den }, "The time limit for editing this message's channel has passed")
    await move(server, "iago", id, { topic: "plans" })
    await iago.patch("/realm", { move_messages_within_stream_limit_seconds: "unlimited" })
    await move(server, "cordelia", id, { topic: "t" })
    const register = await server.as("hamlet").must.post("/register", { fetch_event_types: ["realm"] })
    t.match(register, { realm_move_messages_within_stream_limit_seconds: null })
    await iago.delete(`/streams/${lobby}`)
    await refused("iago", id, { topic: "plans" }, "You don't have permission to edit this message")
  }),
)

t.test(
  "messages that were changed often take no more room in an answer than it has",
  inTurn(2, "messages changed often"),
  (t) =>
    withServer(t, { channels, limits: { answerBytes: 24 * 1024 } }, async (server) => {
      const topics = (round: number) => `${"long ".repeat(11)}${round}`
      const ids: Array<number> = []
      for (let n = 0; n < 10; n++) ids.push(await server.as("hamlet").send("lobby", "short", { topic: "plans" }))
      for (let round = 0; round < 20; round++)
        await move(server, "iago", ids[0] ?? 0, { ...quiet, topic: topics(round), propagate_mode: "change_all" })
      const page = { anchor: "newest", num_before: 100, num_after: 0 }
      const some = recordsIn((await server.as("cordelia").must.get("/messages", page))["messages"])
      t.ok(some.length > 2 && JSON.stringify(some).length < 30 * 1024, `${some.length} messages`)

      // Whoever changes a message again and again does not hide those before it.
      const often = await server.as("hamlet").send("square", "first", { topic: "plans" })
      await server.as("hamlet").send("square", "second", { topic: "plans" })
      for (let round = 0; round < 60; round++)
        await server.as("hamlet").must.patch(`/messages/${often}`, { content: `${round} ${"x".repeat(150)}` })
      const narrow = [["channel", "square"]]
      const both = recordsIn((await server.as("othello").must.get("/messages", { ...page, narrow }))["messages"])
      t.equal(both.length, 2)
      t.equal(objectsIn(both[0]?.["edit_history"]).length, 20, "the newest changes")
      const { message_history } = await server.as("othello").must.get(`/messages/${often}/history`)
      t.equal(recordsIn(message_history).length, 61, "all versions")
    }),
)
