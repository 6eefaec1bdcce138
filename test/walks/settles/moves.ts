/** Moves of messages: what changes for those who keep them, those who get them and those who lose them. */
import { channelId } from "../../kit/channel-scene.ts"
import type { Fields } from "../../kit/client.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { type Action, watching } from "./scene.ts"

/** Sends to a channel, and then to all who watch: so nobody's newest message is one that is moved. */
const send = async (server: TestServer, channel: string, topic: string, content: string): Promise<number> => {
  const id = await server.as("cordelia").send(channel, content, { topic })
  const to = watching.map((name) => server.idOf(name))
  await server.as("cordelia").must.post("/messages", { type: "direct", to, content: "newer" })
  return id
}
const move = (server: TestServer, id: number, fields: Fields) =>
  server.as("cordelia").must.patch(`/messages/${id}`, { propagate_mode: "change_all", ...fields })

/** In the state that the actions on flags leave: hamlet and iago are in the den, hamlet and polonius in the lobby. */
export const moveActions: ReadonlyArray<Action> = [
  {
    what: "an unread topic gets another name, is merged into another one and resolved",
    act: async (server) => {
      await send(server, "den", "before", "one @**all**")
      await send(server, "den", "", "two")
      const id = await send(server, "den", "before", "three")
      await move(server, id, { topic: "after", send_notification_to_old_thread: true })
      await move(server, id, { topic: "" })
      await move(server, id, { topic: "merged" })
      await move(server, id, { topic: "\u2714 merged" })
      await move(server, id, { topic: "Merged" })
    },
  },
  {
    what: "a topic of a private channel is moved to a public one: some get it, some keep it",
    act: async (server) => {
      const id = await send(server, "den", "wandering", "one")
      await send(server, "den", "wandering", "two")
      // A client cannot know that somebody who is not in the new channel has read it, unless it knows the subscriptions.
      await server.as("iago").must.post("/mark_all_as_read")
      await server.as("hamlet").must.post("/messages/flags", { op: "add", flag: "starred", messages: [id] })
      await move(server, id, { stream_id: channelId(server, "lobby"), topic: "arrived" })
    },
  },
  {
    what: "messages of a public channel are moved to a private one: some lose them",
    act: async (server) => {
      const id = await send(server, "lobby", "leaving", "one")
      await send(server, "lobby", "leaving", "two")
      for (const who of ["hamlet", "polonius"] as const)
        await server.as(who).must.post("/messages/flags", { op: "add", flag: "starred", messages: [id] })
      await move(server, id, { stream_id: channelId(server, "den") })
    },
  },
]
