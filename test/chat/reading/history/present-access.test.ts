/**
 * Who is out of a private channel is out: whatever becomes of messages there that they once had, their clients hear nothing
 * of it, live or from the log; and they have it again when they are subscribed again. What they ask is in walks/hidden.test.ts.
 */
import t, { type Test } from "tap"
import type { Fields } from "../../../kit/client.ts"
import { numbersIn } from "../../../kit/client-sections.ts"
import { recordsIn } from "../../../kit/records.ts"
import { some } from "../../../kit/share.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "shared", users: ["hamlet", "cordelia", "desdemona"], isPrivate: true, historyShared: true },
  { name: "protected", users: ["hamlet", "cordelia", "desdemona"], isPrivate: true },
  { name: "closed", users: ["hamlet", "cordelia", "desdemona"] },
  { name: "chapel", users: ["cordelia", "desdemona"], isPrivate: true, historyShared: true },
] as const

const channelId = (server: TestServer, name: string): number => Number(server.realm.realm.findChannelByName(name)?.id)
const change = (server: TestServer, name: string, fields: Fields) =>
  server.as("desdemona").must.patch(`/streams/${channelId(server, name)}`, fields)
const mayRead = (server: TestServer, names: ReadonlyArray<"hamlet" | "cordelia">) =>
  change(server, "chapel", {
    can_subscribe_group: { new: { direct_members: names.map(server.idOf), direct_subgroups: [] } },
  })
const leave = (server: TestServer, name: string, by: "hamlet" | "desdemona" = "hamlet") =>
  server.as(by).must.delete("/users/me/subscriptions", {
    subscriptions: [name],
    ...(by === "hamlet" ? {} : { principals: [server.idOf("hamlet")] }),
  })
const comeBack = (server: TestServer, name: string) =>
  server.as("cordelia").must.post("/users/me/subscriptions", {
    subscriptions: [{ name }],
    principals: [server.idOf("hamlet")],
    send_new_subscription_messages: false,
  })

/** How Hamlet gets out of a private channel, and the channel. */
const waysOut: ReadonlyArray<readonly [way: string, name: string, out: (server: TestServer) => Promise<unknown>]> = [
  ["leaves", "shared", (server) => leave(server, "shared")],
  ["is removed", "shared", (server) => leave(server, "shared", "desdemona")],
  ["leaves a protected history", "protected", (server) => leave(server, "protected")],
  ["is removed from a protected history", "protected", (server) => leave(server, "protected", "desdemona")],
  [
    "is out when it becomes private",
    "closed",
    async (server) => {
      await leave(server, "closed")
      await change(server, "closed", { is_private: true })
    },
  ],
  [
    "is out when it becomes private and protected",
    "closed",
    async (server) => {
      await leave(server, "closed")
      await change(server, "closed", { is_private: true, history_public_to_subscribers: false })
    },
  ],
  ["is out of the group that reads it", "chapel", (server) => mayRead(server, ["cordelia"])],
]

interface Sent {
  readonly said: number
  readonly poll: number
  readonly moving: number
  readonly leaving: number
  readonly doomed: number
}

const changes: Readonly<Record<string, (server: TestServer, sent: Sent) => Promise<unknown>>> = {
  "an edit": ({ as }, { said }) => as("cordelia").must.patch(`/messages/${said}`, { content: "@**hamlet** edited" }),
  "a reaction": ({ as }, { said }) => as("cordelia").must.post(`/messages/${said}/reactions`, { emoji_name: "tada" }),
  "a reaction taken away": ({ as }, { said }) =>
    as("cordelia").must.delete(`/messages/${said}/reactions`, { emoji_name: "tada" }),
  "a vote": ({ as }, { poll }) =>
    as("cordelia").must.post("/submessage", {
      message_id: poll,
      msg_type: "widget",
      content: JSON.stringify({ type: "vote", key: "canned,0", vote: 1 }),
    }),
  "somebody types an edit": ({ as }, { said }) => as("cordelia").must.post(`/messages/${said}/typing`, { op: "start" }),
  "another topic": ({ as }, { said }) =>
    as("desdemona").must.patch(`/messages/${said}`, { topic: "new", propagate_mode: "change_all" }),
  "a move to a channel that he is in": (server, { moving }) =>
    server.as("desdemona").must.patch(`/messages/${moving}`, { stream_id: channelId(server, "kitchen") }),
  "a move to a public channel": (server, { leaving }) =>
    server.as("desdemona").must.patch(`/messages/${leaving}`, { stream_id: channelId(server, "lounge") }),
  "a deletion": ({ as }, { doomed }) => as("desdemona").must.delete(`/messages/${doomed}`),
}
/** What is moved out is his to read again, so he may hear of that. */
const mayTell = (what: string) => what.startsWith("a move")

/** Hamlet's messages, with all that makes one a message of his own: he stars, reacts, and is mentioned. */
const sendAll = async (server: TestServer, name: string): Promise<Sent> => {
  const ids: Array<number> = []
  for (const [topic, content] of [
    ["t", "@**hamlet** said"],
    ["t", "/poll fox"],
    ["moving", "@**hamlet** goes"],
    ["leaving", "@**all** goes, too"],
    ["doomed", "@**hamlet** not for long"],
  ] as const) {
    const id = await server.as("cordelia").send(name, content, { topic })
    await server.as("hamlet").must.post("/messages/flags", { messages: [id], op: "add", flag: "starred" })
    await server.as("hamlet").must.post(`/messages/${id}/reactions`, { emoji_name: "eyes" })
    ids.push(id)
  }
  const [said = 0, poll = 0, moving = 0, leaving = 0, doomed = 0] = ids
  return { said, poll, moving, leaving, doomed }
}

const starred = async (server: TestServer): Promise<ReadonlyArray<number>> =>
  numbersIn(
    (await server.as("hamlet").must.post("/register", { event_types: ["starred_messages"] }))["starred_messages"],
  )
/** Who has read a message, as Cordelia is shown it; Desdemona aside. */
const readersOf = async (server: TestServer, message: number): Promise<ReadonlyArray<number>> => {
  const { user_ids } = await server.as("cordelia").must.get(`/messages/${message}/read_receipts`)
  return numbersIn(user_ids).filter((id) => id !== server.idOf("desdemona"))
}
const listed = async (server: TestServer, narrow: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<number>> => {
  const page = { anchor: "newest", num_before: 100, num_after: 0, narrow }
  const { messages } = await server.as("hamlet").must.get("/messages", page)
  return recordsIn(messages).map(({ id }) => Number(id))
}

for (const [way, name, out] of some(waysOut, 3, "ways out"))
  t.test(`Hamlet ${way}`, (t: Test) =>
    withServer(
      t,
      {
        channels: [
          ...channels,
          { name: "kitchen", users: ["hamlet", "desdemona"] },
          { name: "lounge", users: ["desdemona"] },
        ],
      },
      async (server) => {
        await server.as("desdemona").must.patch("/realm", { message_content_edit_limit_seconds: "unlimited" })
        if (name === "chapel") await mayRead(server, ["hamlet", "cordelia"])
        const sent = await sendAll(server, name)
        const all = Object.values(sent)
        t.same(await starred(server), all)
        await server.as("hamlet").must.post("/messages/flags", { messages: [sent.said], op: "add", flag: "read" })
        t.same(await readersOf(server, sent.said), [server.idOf("hamlet")])
        await out(server)
        t.same(await readersOf(server, sent.said), [], "he is in no receipt")
        t.same(await starred(server), [], "none is starred")
        for (const narrow of [
          [],
          [["is", "starred"]],
          [["is", "mentioned"]],
          [["search", "goes"]],
          [["has", "reaction"]],
        ])
          t.same(
            (await listed(server, narrow)).filter((id) => all.includes(id)),
            [],
            JSON.stringify(narrow),
          )
        const [live, late] = [await server.queue("hamlet"), await server.queue("hamlet")]
        for (const [what, make] of Object.entries(changes)) {
          await make(server, sent)
          const told = (await live.rest()).filter(({ type }) => type !== "heartbeat")
          if (mayTell(what))
            t.same(
              told.filter(({ stream_id }) => stream_id === channelId(server, name)),
              [],
              what,
            )
          else t.same(told, [], what)
        }
        await server.restart()
        const named = (await server.resume("hamlet", late).rest()).filter(
          ({ stream_id }) => stream_id === channelId(server, name),
        )
        t.same(named, [], "nor from the log")
        const left = [sent.said, sent.poll]
        const back = await server.queue("hamlet")
        await comeBack(server, name)
        const events = (await back.rest()).filter(({ type, op }) => op !== "peer_add" && type !== "heartbeat")
        const own = events.filter(({ type }) => type === "subscription" || type === "update_message_flags")
        t.match(own, [
          { type: "subscription", op: "add" },
          { type: "update_message_flags", op: "add", flag: "starred", messages: left, all: false },
        ])
        t.equal(own.length, 2, "his clients are told what is starred")
        t.same(
          (await starred(server)).filter((id) => left.includes(id)),
          left,
          "they are his again, as he left them",
        )
        const queue = await server.queue("hamlet")
        for (const id of left) {
          t.equal((await server.as("hamlet").get(`/messages/${id}`)).status, 200)
          await server.as("cordelia").must.post(`/messages/${id}/reactions`, { emoji_name: "heart" })
        }
        t.match(
          await queue.rest(),
          left.map((message_id) => ({ type: "reaction", message_id })),
          "and he hears of them",
        )
      },
    ),
  )
