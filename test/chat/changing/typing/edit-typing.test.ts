/** Typing a new content of a message: who may tell of it, who hears of it, and when it ends. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import { type Name, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "den", users: ["hamlet", "cordelia"], isPrivate: true },
  { name: "crowd", users: ["hamlet", "cordelia", "iago", "shiva"] },
] as const
const types = { event_types: ["typing_edit_message"] }

t.test("typing while editing", (t) =>
  withServer(t, { channels, limits: { typingChannelSubscribers: 3 } }, async (server) => {
    const sent = await server.as("hamlet").send("lobby", "one", { topic: "plans" })
    const path = (message: number) => `/messages/${message}/typing`
    const tell = (message: number, op: string, by: Name = "hamlet") => server.as(by).must.post(path(message), { op })
    const start = {
      type: "typing_edit_message",
      op: "start",
      sender_id: server.idOf("hamlet"),
      message_id: sent,
      recipient: { type: "channel", channel_id: channelId(server, "lobby"), topic: "plans" },
    }
    const stop = { ...start, op: "stop" }
    const live = (name: Name) => server.queue(name, types)

    await t.test("subscribers hear of it, until it stops or is not renewed", async (t) => {
      const [reader, own, stranger] = [await live("cordelia"), await live("hamlet"), await live("iago")]
      await tell(sent, "start")
      await tell(sent, "stop")
      t.match(await reader.take(2), [start, stop])
      t.match(await own.take(2), [start, stop])
      await tell(sent, "start")
      server.clock.advance(45_000)
      t.match(await reader.take(2), [start, stop])
      t.same(await stranger.rest(), [])
    })

    await t.test("it ends with the edit, with a move and with the deletion", async (t) => {
      const message = await server.as("hamlet").send("lobby", "two", { topic: "plans" })
      const reader = await live("cordelia")
      const ends = async () => t.match(await reader.take(2), [{ op: "start" }, { op: "stop", message_id: message }])
      await tell(message, "start")
      await server.as("hamlet").must.patch(`/messages/${message}`, { content: "three" })
      await ends()
      await tell(message, "start")
      await server.as("iago").must.patch(`/messages/${message}`, { topic: "elsewhere" })
      await ends()
      await tell(message, "start")
      await server.as("iago").must.delete(`/messages/${message}`)
      await ends()
      server.clock.advance(100_000)
      t.same(await reader.rest(), [], "once")
    })

    await t.test("in a direct conversation", async (t) => {
      const [hamlet, cordelia] = [server.idOf("hamlet"), server.idOf("cordelia")]
      const { id } = await server.as("hamlet").must.post("/messages", { type: "direct", to: [cordelia], content: "c" })
      const reader = await live("cordelia")
      await tell(Number(id), "start")
      t.match(await reader.take(1), [
        { recipient: { type: "direct", user_ids: [hamlet, cordelia].sort((a, b) => a - b) } },
      ])
      await tell(Number(id), "stop")
    })

    await t.test("who may not edit the message may not tell, whoever cannot see it learns nothing", async (t) => {
      const hidden = await server.as("hamlet").send("den", "secret")
      const msg = async (by: Name, message: number) =>
        (await server.as(by).post(path(message), { op: "start" })).body["msg"]
      t.equal(await msg("cordelia", sent), "You don't have permission to edit this message")
      t.equal(await msg("iago", hidden), "Invalid message(s)")
      t.equal(await msg("iago", 4711), "Invalid message(s)")
      await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", false)
      t.equal(await msg("hamlet", sent), "User has disabled typing notifications for channel messages")
      await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", true)
    })

    await t.test(
      "nobody hears of it who wants none, who has come later to a protected history, or in a crowd",
      async (t) => {
        const [hidden, crowded] = [
          await server.as("hamlet").send("den", "secret"),
          await server.as("hamlet").send("crowd", "loud"),
        ]
        await server.as("hamlet").must.post("/users/me/subscriptions", {
          subscriptions: [{ name: "den" }],
          principals: [server.idOf("polonius")],
        })
        await server.actions.changeUserSetting("cordelia", "receives_typing_notifications", false)
        const readers = [await live("polonius"), await live("cordelia"), await live("shiva")]
        const own = await live("hamlet")
        await tell(hidden, "start")
        await tell(crowded, "start")
        t.match(await own.take(1), [{ message_id: hidden }])
        for (const reader of readers) t.same(await reader.rest(), [])
      },
    )
  }),
)
