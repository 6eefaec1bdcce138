/** POST /typing: who may use it, and whose queues get its events. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type Name, withServer } from "../../../kit/with-server.ts"

t.test("typing", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
        { name: "crowd", users: ["hamlet", "cordelia", "iago", "shiva"] },
        { name: "leads", users: ["desdemona", "hamlet"], isPrivate: true },
        { name: "strict", users: ["hamlet", "cordelia"] },
      ],
      limits: { typingChannelSubscribers: 3 },
    },
    async (server) => {
      await server.rows("update channel set topics_policy = 'disable_empty_topic' where name = 'strict'")
      await server.rows("update account set bot_owner_id = null")
      await server.restart()
      const id = (name: Name) => server.idOf(name)
      const channel = (name: string) => server.realm.realm.findChannelByName(name)?.id ?? 0
      const able = { event_types: ["typing"], client_capabilities: { stream_typing_notifications: true } }
      /** A queue that nobody has polled yet: it hears what is not stored from its register on. */
      const live = (name: Name, fields: Fields = able) => server.queue(name, fields)
      const tell = (name: Name, fields: Fields) => server.as(name).must.post("/typing", fields)
      // After a start what is not stored waits for a row: until there is one, later queues would hear it, too.
      await server.as("hamlet").send("lobby", "the first row after the start")

      await t.test("refused", async (t) => {
        const direct = { op: "start", to: [id("cordelia")] }
        const inLobby = { type: "channel", op: "start", stream_id: channel("lobby"), topic: "t" }
        const table: ReadonlyArray<Refusal> = [
          { when: "the old word", fields: { ...direct, type: "private" }, msg: "Invalid type" },
          { when: "an operation of its own", fields: { ...direct, op: "pause" }, msg: "Invalid op" },
          {
            when: "no operation",
            fields: { ...direct, op: undefined },
            code: "REQUEST_VARIABLE_MISSING",
            msg: "Missing 'op' argument",
            also: { var_name: "op" },
          },
          { when: "nobody named", fields: { op: "start" }, msg: "Missing 'to' argument" },
          { when: "nobody in the list", fields: { ...direct, to: [] }, msg: "Empty 'to' list" },
          { when: "an address", fields: { ...direct, to: ["cordelia@test.example"] }, msg: "to[0] is not an integer" },
          { when: "one id", fields: { ...direct, to: 5 }, msg: "to is not a list" },
          { when: "an unknown id", fields: { ...direct, to: [4711] }, msg: "Invalid user ID 4711" },
          { when: "no channel", fields: { ...inLobby, stream_id: undefined }, msg: "Missing 'stream_id' argument" },
          { when: "no topic", fields: { ...inLobby, topic: undefined }, msg: "Missing topic" },
          { when: "a name as channel", fields: { ...inLobby, stream_id: "lobby" }, msg: "stream_id is not an integer" },
          ...[4711, 0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER].map((stream_id) => ({
            when: `an unknown channel, ${stream_id}`,
            fields: { ...inLobby, stream_id },
            msg: "Invalid channel ID",
          })),
          {
            when: "an unknown channel, by the older word",
            fields: { ...inLobby, type: "stream", op: "stop", stream_id: 4711 },
            msg: "Invalid channel ID",
          },
          {
            when: "an empty topic where there must be one",
            fields: { ...inLobby, stream_id: channel("strict"), topic: "" },
            msg: /not allowed/,
          },
        ]
        await refuses(t, table, (fields) => server.as("hamlet").post("/typing", fields))
        const hidden = { ...inLobby, stream_id: channel("leads") }
        for (const name of ["cordelia", "polonius"] as const) {
          const [seen, ghost] = [
            await server.as(name).post("/typing", hidden),
            await server.as(name).post("/typing", { ...inLobby, stream_id: 4711 }),
          ]
          t.strictSame(
            [seen.status, seen.body],
            [ghost.status, ghost.body],
            `a channel that is hidden from ${name} is like one that is not there`,
          )
          t.match(seen, { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid channel ID" } })
          t.notOk("stream_id" in seen.body)
        }
        t.match(
          await server.as("hamlet").must.post("/typing", { ...direct, stream_id: "x", topic: "\n" }),
          { result: "success" },
          "what is not asked for is not judged",
        )
        t.match(await server.as("hamlet").must.post("/typing", { ...inLobby, to: "x" }), { result: "success" })
        await tell("hamlet", { ...direct, op: "stop" })
        await tell("hamlet", { ...inLobby, op: "stop" })
      })

      await t.test(
        "a queue gets typing events between its register and its first connection, by poll and by socket",
        async (t) => {
          // The queue read nothing before it was asked for the first time, and ephemerals are for live queues only.
          const [polled, socket] = [await live("cordelia"), await live("cordelia")]
          await tell("hamlet", { op: "start", to: [id("cordelia")] })
          await tell("hamlet", { op: "stop", to: [id("cordelia")] })
          t.match(await polled.poll(false), [{ op: "start" }, { op: "stop" }])
          await socket.open()
          await server.as("hamlet").send("lobby", "an event that comes in any case")
          const message = await server.queue("cordelia", { event_types: ["message", "typing"] })
          await tell("hamlet", { op: "start", to: [id("cordelia")] })
          t.match(await socket.take(3), [{ op: "start" }, { op: "stop" }, { op: "start" }])
          socket.dropSocket()
          t.match(await message.take(1), [{ op: "start" }])
          await tell("hamlet", { op: "stop", to: [id("cordelia")] })
        },
      )

      await t.test("in a direct conversation all participants get the event, the typist too", async (t) => {
        const readers = [await live("hamlet"), await live("cordelia"), await live("iago", { event_types: ["typing"] })]
        const stranger = await live("shiva")
        const sender = { user_id: id("hamlet"), email: "hamlet@test.example" }
        const recipients = [id("hamlet"), id("cordelia"), id("iago")]
          .sort((a, b) => a - b)
          .map((user_id) => ({ user_id }))
        for (const op of ["start", "stop"]) {
          await tell("hamlet", { op, to: [id("cordelia"), id("iago"), id("hamlet")] })
          for (const reader of readers) {
            const events = await reader.take(1)
            t.match(events, [{ type: "typing", op, message_type: "direct", sender, recipients }])
            t.notOk(events[0] !== undefined && "stream_id" in events[0])
          }
        }
        t.same(await stranger.rest(), [])
      })

      await t.test("in a channel the subscribers get it whose clients ask for it", async (t) => {
        const plain = await live("cordelia", { event_types: ["typing"] })
        const reader = await live("cordelia")
        const guest = await live("polonius", {
          event_types: ["typing"],
          client_capabilities: { stream_typing_notifications: true, empty_topic_name: true },
        })
        const stranger = await live("iago", { ...able, all_public_streams: true })
        for (const type of ["stream", "channel"]) {
          await tell("hamlet", { type, op: "start", stream_id: channel("lobby"), topic: "(no topic)" })
          const event = {
            type: "typing",
            op: "start",
            message_type: "stream",
            stream_id: channel("lobby"),
            sender: { user_id: id("hamlet") },
          }
          t.match(await reader.take(1), [{ ...event, topic: "general chat" }])
          t.match(await guest.take(1), [{ ...event, topic: "" }])
          await tell("hamlet", { type, op: "stop", stream_id: channel("lobby"), topic: "" })
          t.match(await reader.take(1), [{ op: "stop", topic: "general chat" }])
          t.match(await guest.take(1), [{ op: "stop", topic: "" }])
        }
        t.same(await plain.rest(), [])
        t.same(await stranger.rest(), [])
        await tell("hamlet", { type: "channel", op: "start", stream_id: channel("crowd"), topic: "t" })
        t.same(await reader.rest(), [], "not in a channel with more subscribers than the limit")
      })

      await t.test("settings: users who send no indicators are refused, users who want none get none", async (t) => {
        const direct = { op: "start", to: [id("cordelia")] }
        const inLobby = { type: "channel", op: "start", stream_id: channel("lobby"), topic: "t" }
        const ask = (fields: Fields) => server.as("hamlet").post("/typing", fields)
        const off = (kind: string) => `User has disabled typing notifications for ${kind} messages`
        await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", false)
        await refuses(t, [{ when: "in channels", fields: inLobby, msg: off("channel") }], ask)
        const nowhere = { ...inLobby, stream_id: 4711 }
        await refuses(t, [{ when: "in any channel", fields: nowhere, msg: off("channel") }], ask)
        await tell("hamlet", direct)
        await server.actions.changeUserSetting("hamlet", "send_private_typing_notifications", false)
        await refuses(t, [{ when: "between people", fields: direct, msg: off("direct") }], ask)
        await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", true)
        await server.actions.changeUserSetting("hamlet", "send_private_typing_notifications", true)

        await server.actions.changeUserSetting("cordelia", "receives_typing_notifications", false)
        const [deaf, peer] = [await live("cordelia"), await live("polonius")]
        for (const fields of [inLobby, { op: "start", to: [id("cordelia"), id("polonius")] }]) {
          await tell("hamlet", fields)
          await tell("hamlet", { ...fields, op: "stop" })
          t.match(await peer.take(2), [{ op: "start" }, { op: "stop" }])
        }
        t.same(await deaf.rest(), [])
        await server.actions.changeUserSetting("cordelia", "receives_typing_notifications", true)
        await tell("hamlet", inLobby)
        t.match(await deaf.take(1), [{ op: "start" }])
        await tell("hamlet", { ...inLobby, op: "stop" })
        await tell("hamlet", { ...direct, op: "stop" })
      })

      await t.test("an indicator that is not renewed is stopped after 45 seconds", async (t) => {
        const reader = await live("cordelia")
        const start = () => tell("hamlet", { op: "start", to: [id("cordelia")] })
        await start()
        t.match(await reader.take(1), [{ op: "start" }])
        server.clock.advance(40_000)
        await start()
        t.match(await reader.take(1), [{ op: "start" }], "renewed, and announced again")
        server.clock.advance(44_999)
        t.same(
          (await reader.rest()).filter(({ type }) => type === "typing"),
          [],
        )
        server.clock.advance(1)
        t.match(await reader.take(1), [{ type: "typing", op: "stop", sender: { user_id: id("hamlet") } }])
        server.clock.advance(200_000)
        t.same(
          (await reader.rest()).filter(({ type }) => type === "typing"),
          [],
          "once",
        )
      })

      await t.test("typing events are not stored, and a queue that was not live misses them", async (t) => {
        const reader = await live("cordelia")
        await tell("hamlet", { op: "start", to: [id("cordelia")] })
        const [event] = await reader.take(1)
        await server.restart()
        const resumed = server.resume("cordelia", reader)
        await resumed.rest()
        await tell("hamlet", { op: "stop", to: [id("cordelia")] })
        const [stop] = await resumed.take(1)
        t.match(stop, { op: "stop" })
        t.ok((stop?.id ?? 0) > (event?.id ?? Number.POSITIVE_INFINITY), "I4: another id than any before the restart")
        t.equal((await server.rows("select from log where type = 'typing'")).length, 0)
      })

      await t.test("a deactivated participant gets no event, but is named as a participant", async (t) => {
        await server.as("iago").must.delete(`/users/${id("othello")}`)
        const reader = await live("cordelia")
        await tell("hamlet", { op: "start", to: [id("cordelia"), id("othello")] })
        const recipients = [id("hamlet"), id("cordelia"), id("othello")]
          .sort((a, b) => a - b)
          .map((user_id) => ({ user_id }))
        t.match(await reader.take(1), [{ op: "start", recipients }])
      })
    },
  ),
)
