/** Deletions of messages: one by one, and whole topics. */
import { expireMessages } from "../../../src/chat/changing/message-expiry/expiry.ts"
import { channelId } from "../../kit/channel-scene.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { type Action, watching } from "./scene.ts"

const day = 24 * 3600_000

/** Sends to a channel, and then to all who watch: so nobody's newest message is one that is deleted. */
const send = async (server: TestServer, channel: string, topic: string, content: string): Promise<number> => {
  const id = await server.as("cordelia").send(channel, content, { topic })
  const to = watching.map((name) => server.idOf(name))
  await server.as("cordelia").must.post("/messages", { type: "direct", to, content: "newer" })
  return id
}

/** In the state that the actions on flags leave: hamlet and iago are in the den, hamlet and polonius in the lobby. */
export const deletionActions: ReadonlyArray<Action> = [
  {
    what: "messages are deleted: unread, mentioning and starred ones",
    act: async (server) => {
      const one = await send(server, "den", "deleted", "one @**all**")
      const two = await send(server, "lobby", "deleted", "two")
      for (const who of ["hamlet", "polonius"] as const)
        await server.as(who).must.post("/messages/flags", { op: "add", flag: "starred", messages: [two] })
      for (const id of [one, two]) await server.as("cordelia").must.delete(`/messages/${id}`)
    },
  },
  {
    what: "a topic is deleted",
    act: async (server) => {
      await send(server, "lobby", "done", "one @**all**")
      await send(server, "lobby", "Done", "two")
      const path = `/streams/${channelId(server, "lobby")}/delete_topic`
      await server.as("desdemona").must.post(path, { topic_name: "done" })
    },
  },
  {
    what: "messages are as old as their channel keeps them",
    act: async (server) => {
      for (const channel of ["den", "lobby"]) {
        await send(server, channel, "aged", "one @**all**")
        await send(server, channel, "aged", "two")
        const path = `/streams/${channelId(server, channel)}`
        await server.as("desdemona").must.patch(path, { message_retention_days: 1 })
        // It takes hold a day after it was noticed.
        const now = server.clock.now()
        await server.run(expireMessages(now))
        while (await server.run(expireMessages(now + 2 * day)));
        await server.as("desdemona").must.patch(path, { message_retention_days: "unlimited" })
      }
    },
  },
]
