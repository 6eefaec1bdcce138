/** Topics that are marked as resolved, or not any more (contract 6.7): which names do that, and who has its notice unread. */
import t from "tap"
import { channelId } from "../../kit/channel-scene.ts"
import type { Fields } from "../../kit/client.ts"
import { objectsIn } from "../../kit/client-sections.ts"
import { type Name, type TestServer, withServer } from "../../kit/with-server.ts"

const names = ["hamlet", "cordelia", "othello", "iago", "shiva"] as const
const channels = [
  { name: "lobby", users: names },
  { name: "other", users: names },
] as const

const move = (server: TestServer, by: Name, message: number, fields: Fields) =>
  server.as(by).must.patch(`/messages/${message}`, { propagate_mode: "change_all", ...fields })
const say = (server: TestServer, topic: string, channel = "lobby") => server.as("iago").send(channel, "one", { topic })

/** What the newest message of the channel says, and under which topic. */
const newest = async (server: TestServer): Promise<Fields> => {
  const page = { anchor: "newest", num_before: 1, num_after: 0, narrow: [["channel", "lobby"]], apply_markdown: false }
  return objectsIn((await server.as("iago").must.get("/messages", page))["messages"])[0] ?? {}
}

t.test("a long topic is resolved, and its name is cut", (t) =>
  withServer(t, { channels }, async (server) => {
    for (const length of [58, 59, 60]) {
      const topic = "p".repeat(length)
      const id = await say(server, topic)
      server.clock.advance(8 * 24 * 3600 * 1000)
      await move(server, "hamlet", id, { topic: `\u2714 ${topic}` })
      const subject = length === 58 ? `\u2714 ${topic}` : `\u2714 ${topic.slice(0, 55)}...`
      t.match(
        await newest(server),
        { subject, content: /has marked this topic as resolved\.$/ },
        `${length} characters`,
      )
      await move(server, "hamlet", id, { topic: subject.slice(2) })
      t.match(await newest(server), { subject: subject.slice(2), content: /has marked this topic as unresolved\.$/ })
      await server.as("desdemona").must.post(`/streams/${channelId(server, "lobby")}/delete_topic`, {
        topic_name: subject.slice(2),
      })
    }
  }),
)

t.test("the empty topic is not resolved", (t) =>
  withServer(t, { channels }, async (server) => {
    const [empty, named] = [await say(server, ""), await say(server, "plans")]
    for (const id of [empty, named]) {
      for (const topic of ["\u2714", " \u2714 ", "\u2714 general chat", "\u2714 General Chat", "\u2714 (no topic)"]) {
        const answer = await server.as("iago").patch(`/messages/${id}`, { topic })
        t.equal(answer.status, 400)
        t.match(answer.body, { msg: "General chat cannot be marked as resolved", code: "BAD_REQUEST" }, topic)
      }
    }
    await move(server, "iago", empty, { topic: "\u2714 general chatter" })
    t.match(await newest(server), { subject: "\u2714 general chatter" })
  }),
)
