/** Edits of contents: what mentions and what is linked changes, alone and with the topic; and a message rendered anew. */
import type { Fields } from "../../kit/client.ts"
import type { Name, TestServer } from "../../kit/with-server.ts"
import { type Action, leave, subscribe, watching } from "./scene.ts"

const nameOf = (server: TestServer, name: Name) => server.realm.realm.users.get(server.idOf(name))?.full_name

/** Sends to a channel, and then to all who watch: so nobody's newest message is one that is edited. */
const send = async (server: TestServer, channel: string, topic: string, content: string): Promise<number> => {
  const id = await server.as("cordelia").send(channel, content, { topic })
  await direct(server, "newer")
  return id
}
const direct = async (server: TestServer, content: string): Promise<number> => {
  const to = watching.map((name) => server.idOf(name))
  return Number((await server.as("cordelia").must.post("/messages", { type: "direct", to, content }))["id"])
}
const edit = (server: TestServer, id: number, fields: Fields) =>
  server.as("cordelia").must.patch(`/messages/${id}`, fields)

/** In the state that the actions on flags leave: hamlet and iago are in the den, hamlet and polonius in the lobby. */
export const editActions: ReadonlyArray<Action> = [
  {
    what: "an edit mentions people, everybody, and nobody any more",
    act: async (server) => {
      const mention = `@**${nameOf(server, "hamlet")}** `
      const one = await send(server, "den", "edited", "one")
      const two = await send(server, "lobby", "edited", `two ${mention}`)
      const three = await direct(server, "three")
      await direct(server, "newer")
      for (const id of [one, two, three]) await edit(server, id, { content: `all @**all** and ${mention}` })
      await edit(server, two, { content: "nobody" })
      await edit(server, three, { content: `${mention} https://example.org/ and #**lobby>edited**` })
    },
  },
  {
    what: "messages that were read mention people by an edit, unread ones do no more",
    act: async (server) => {
      const mention = `@**${nameOf(server, "hamlet")}** `
      const one = await send(server, "den", "edited", "one")
      const two = await send(server, "den", "edited", `two ${mention}`)
      await server.as("hamlet").must.post("/messages/flags", { op: "add", flag: "read", messages: [one] })
      await server.as("hamlet").must.post("/messages/flags", { op: "add", flag: "starred", messages: [two] })
      await edit(server, one, { content: mention })
      await edit(server, two, { content: "two" })
      await server.as("hamlet").must.post("/messages/flags", { op: "remove", flag: "read", messages: [one] })
    },
  },
  {
    what: "one request edits a message and moves its topic",
    act: async (server) => {
      const mention = `@**${nameOf(server, "hamlet")}** `
      await send(server, "den", "both", `one ${mention}`)
      const id = await send(server, "den", "both", "two")
      const fields = { content: `two ${mention}`, topic: "moved", propagate_mode: "change_all" }
      await edit(server, id, fields)
      await edit(server, id, { content: "two", topic: "apart" })
      await edit(server, id, { content: "@**all**", topic: "Apart" })
    },
  },
  {
    what: "edits mention the participants of a topic, groups, and those who do not get the channel",
    act: async (server) => {
      const one = await send(server, "lobby", "wide", "one")
      await server.as("hamlet").send("lobby", "mine", { topic: "wide" })
      const two = await send(server, "den", "wide", "two @**topic**")
      for (const content of ["@**topic**", `@**${nameOf(server, "iago")}**`, "@_**all**", "`@**all**`", "/me waves"])
        for (const id of [one, two]) await edit(server, id, { content })
    },
  },
  {
    what: "messages are edited that some hold no more, and that were read meanwhile",
    act: async (server) => {
      const id = await send(server, "den", "left", "one @**all**")
      await leave(server, "hamlet", ["den"])
      await edit(server, id, { content: `two @**${nameOf(server, "hamlet")}**` })
      await subscribe(server, "cordelia", ["den"], ["hamlet"])
      await edit(server, id, { content: "three", topic: "left behind" })
      await server.as("hamlet").must.post("/messages/flags", { op: "remove", flag: "read", messages: [id] })
      await edit(server, id, { content: "@**all**" })
    },
  },
]
