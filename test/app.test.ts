/** The main road: register, send, receive, by poll and by WebSocket, over a restart. */
import t from "tap"
import { withServer } from "./kit/with-server.ts"

const lobby = { name: "lobby", users: ["hamlet", "cordelia"] } as const

t.test("a message reaches a poll and a socket with the same id, and goes on over a restart", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const reader = await server.queue("hamlet", { event_types: ["message"] })
    const waiting = reader.take(1)
    const id = await server.as("cordelia").send("lobby", "one")
    const [first] = await waiting
    t.match(first, { type: "message", message: { id, content: "one", display_recipient: "lobby" } })

    await server.as("cordelia").send("lobby", "two")
    await server.restart()
    const resumed = server.resume("hamlet", reader)
    await resumed.open()
    t.match(await resumed.take(1), [{ message: { content: "two" } }])
    await server.as("cordelia").send("lobby", "three")
    t.match(await resumed.take(1), [{ message: { content: "three" } }])
    resumed.dropSocket()
    await server.as("cordelia").send("lobby", "four")
    t.match(await resumed.take(1), [{ message: { content: "four" } }])
    t.equal(resumed.events.length, 4)
  }),
)

t.test("a server whose database was taken over says so once, however much finds it out", async (t) => {
  // Each later commit said it again, and so did the last save of a server that ended for this very reason.
  const reasons: Array<string> = []
  await withServer(t, { channels: [lobby], onForeign: (why) => void reasons.push(why) }, async (server) => {
    await server.rows("update realm_lock set holder = 'another'")
    const message = { type: "channel", to: "lobby", topic: "t", content: "refused" }
    for (const _ of [1, 2]) t.match(await server.as("hamlet").post("/messages", message), { status: 503 })
  })
  t.same(reasons, ["another server has taken the database over"])
})
