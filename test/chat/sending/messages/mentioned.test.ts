/** Mentions end to end: the flags of each receiver, live, replayed and after a restart; bots; what a send writes. */
import t from "tap"
import { emailOf } from "../../../kit/cast.ts"
import type { Fields } from "../../../kit/client.ts"
import type { Reader } from "../../../kit/reader.ts"
import { type ChannelSetup, type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels: ReadonlyArray<ChannelSetup> = [{ name: "lobby", users: ["hamlet", "cordelia", "iago", "polonius"] }]
const toLobby = { type: "channel", to: "lobby", topic: "t" }

const say = async (server: TestServer, by: Name, content: string, fields: Fields = toLobby): Promise<number> =>
  Number((await server.as(by).must.post("/messages", { ...fields, content }))["id"])

const onlyMessages = { event_types: ["message"] }

t.test("each receiver has the flags of their own, however the event is read", (t) =>
  withServer(t, { channels }, async (server) => {
    const group = { name: "guard", description: "", members: [server.idOf("cordelia"), server.idOf("othello")] }
    await server.as("iago").must.post("/user_groups/create", group)
    await say(server, "cordelia", "first in the topic")
    const names = ["hamlet", "cordelia", "polonius"] as const
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<ReadonlyArray<string>>]> = [
      ["nobody", [[], [], []]],
      ["@**hamlet** and @**othello**", [["mentioned"], [], []]],
      ["@_**hamlet** is silent, and `@**hamlet**` is code", [[], [], []]],
      ["> @**hamlet** in a quote", [[], [], []]],
      ["@*guard*", [[], ["mentioned"], []]],
      ["@*guard* @**hamlet**", [["mentioned"], ["mentioned"], []]],
      [
        "@**all**",
        [
          ["stream_wildcard_mentioned", "wildcard_mentioned"],
          ["stream_wildcard_mentioned", "wildcard_mentioned"],
          ["stream_wildcard_mentioned", "wildcard_mentioned"],
        ],
      ],
      ["@**topic**", [[], ["topic_wildcard_mentioned", "wildcard_mentioned"], []]],
    ]
    const readers = await Promise.all(names.map((name) => server.queue(name, onlyMessages)))
    const narrowed = await server.queue("hamlet", { narrow: [["is", "mentioned"]] })
    for (const [content] of cases) await say(server, "iago", content)
    const check = async (how: string, now: ReadonlyArray<Reader>) => {
      for (const [index, reader] of now.entries()) {
        const seen = await reader.take(cases.length)
        for (const [n, [content, flags]] of cases.entries())
          t.same(seen[n]?.["flags"], flags[index], `${how}: ${names[index]}: ${content}`)
      }
    }
    await check("live", readers)
    const mentioning = cases.filter(([, [flags = []]]) => flags.length > 0).map(([content]) => content)
    const seen = (await narrowed.rest()).map(({ message }) => message)
    t.match(
      seen,
      mentioning.map((content) => ({ content })),
      "the narrow is:mentioned",
    )
    t.equal(seen.length, mentioning.length)
    for (const reader of readers) reader.rewind(Number(reader.state["last_event_id"]))
    await check("replayed", readers)
    await server.restart()
    const resumed = readers.map((reader, index) => server.resume(names[index] ?? "hamlet", reader))
    for (const reader of resumed) reader.rewind(Number(reader.state["last_event_id"]))
    await check("after a restart", resumed)
  }),
)

t.test("a refused mention sends nothing", (t) =>
  withServer(t, { channels }, async (server) => {
    const nobody = { can_mention_group: await groupNamed(server, "role:nobody") }
    const group = { name: "guard", description: "", members: [server.idOf("cordelia")], ...nobody }
    await server.as("iago").must.post("/user_groups/create", group)
    const queue = await server.queue("hamlet")
    t.match(await server.as("hamlet").post("/messages", { ...toLobby, content: "@*guard*" }), {
      status: 400,
      body: { code: "BAD_REQUEST", msg: "You are not allowed to mention user group 'guard'." },
    })
    await say(server, "iago", "@_*guard*")
    t.match(await queue.rest(), [{ message: { content: "@_*guard*" }, flags: [] }])
  }),
)

const groupNamed = async (server: TestServer, name: string): Promise<number> => {
  for (const group of server.realm.realm.groups.values()) if (group.name === name) return group.id
  throw new Error(`no group ${name}`)
}

t.test("a send writes rows for whom it names, not for its receivers", (t) =>
  withServer(t, { channels }, async (server) => {
    const counts = async () => {
      const [row] = await server.rows("select count(*)::integer as count from personal_message")
      return Number(row?.["count"])
    }
    await say(server, "iago", "@**all** @**topic** nobody by name")
    t.equal(await counts(), 0)
    await say(server, "iago", "@**hamlet** @**cordelia** @**hamlet** @**othello**")
    t.equal(await counts(), 2, "one for each receiver by name")
    await say(server, "iago", "@**cordelia** @**all**", { type: "direct", to: [emailOf("cordelia")] })
    t.equal(await counts(), 3)
  }),
)
