/** Actions on what is read, starred and collapsed: each form of the event update_message_flags. */
import { channelId } from "../../kit/channel-scene.ts"
import { objectsIn } from "../../kit/client-sections.ts"
import type { Name, TestServer } from "../../kit/with-server.ts"
import { type Action, leave, subscribe } from "./scene.ts"

/** The ids of the newest messages that a user holds, in ascending order. */
const newest = async (server: TestServer, who: Name, count: number): Promise<ReadonlyArray<number>> => {
  const page = { anchor: "newest", num_before: count, num_after: 0 }
  return objectsIn((await server.as(who).must.get("/messages", page))["messages"]).map(({ id }) => Number(id))
}
const flag = async (server: TestServer, who: Name, op: string, flag: string, count: number): Promise<void> => {
  await server.as(who).must.post("/messages/flags", { op, flag, messages: await newest(server, who, count) })
}
const readers = ["hamlet", "iago", "polonius"] as const

export const flagActions: ReadonlyArray<Action> = [
  {
    what: "messages that are unread, some of which mention somebody",
    act: async (server) => {
      await subscribe(server, "cordelia", ["den"], ["hamlet", "polonius", "iago"])
      for (const topic of ["plans", "Plans", "", "other"]) await server.as("cordelia").send("den", "one", { topic })
      await server.as("cordelia").send("den", "@**all** two", { topic: "plans" })
      await server.as("hamlet").send("den", "three", { topic: "plans", read_by_sender: true })
      await server
        .as("cordelia")
        .send("den", `@**${server.realm.realm.users.get(server.idOf("hamlet"))?.full_name}** hi`)
      for (const to of [["hamlet"], ["hamlet", "polonius", "iago"], ["cordelia"]] as const)
        await server.as("cordelia").must.post("/messages", { type: "direct", to: to.map(server.idOf), content: "four" })
      await server.as("hamlet").must.post("/messages", { type: "direct", to: [server.idOf("hamlet")], content: "five" })
    },
  },
  {
    what: "the newest messages are read",
    act: async (server) => {
      for (const who of readers) await flag(server, who, "add", "read", 4)
    },
  },
  {
    what: "messages are unread again",
    act: async (server) => {
      for (const who of readers) await flag(server, who, "remove", "read", 6)
    },
  },
  {
    what: "messages are starred and collapsed, and no more",
    act: async (server) => {
      for (const who of readers) {
        await flag(server, who, "add", "starred", 5)
        await flag(server, who, "add", "collapsed", 5)
        await flag(server, who, "remove", "starred", 2)
        await flag(server, who, "remove", "collapsed", 2)
      }
    },
  },
  {
    what: "a topic and a channel are read",
    act: async (server) => {
      const stream_id = channelId(server, "den")
      await server.as("hamlet").must.post("/mark_topic_as_read", { stream_id, topic_name: "PLANS" })
      await server.as("polonius").must.post("/mark_stream_as_read", { stream_id })
    },
  },
  {
    what: "everything is read, then some is not",
    act: async (server) => {
      for (const who of readers) {
        await server.as(who).must.post("/mark_all_as_read")
        await flag(server, who, "remove", "read", 5)
      }
    },
  },
  {
    what: "leaving a channel with unread messages, and coming back",
    act: async (server) => {
      await server.as("cordelia").send("den", "six")
      await leave(server, "hamlet", ["den"])
      await leave(server, "polonius", ["den"])
      await server.as("cordelia").send("den", "seven")
      await subscribe(server, "cordelia", ["den"], ["hamlet"])
      await server.as("cordelia").send("den", "eight")
    },
  },
  {
    what: "leaving a private channel with starred messages",
    act: async (server) => {
      await server.as("cordelia").send("den", "nine")
      await flag(server, "hamlet", "add", "starred", 2)
      await flag(server, "iago", "add", "starred", 2)
      await leave(server, "hamlet", ["den"])
      await leave(server, "iago", ["den"])
    },
  },
  {
    what: "coming back to it",
    act: async (server) => {
      await subscribe(server, "cordelia", ["den"], ["hamlet", "iago"])
    },
  },
]
