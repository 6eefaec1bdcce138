/** Reporting messages: who may, what the moderators read, and what nobody else learns. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refusal } from "../../../kit/rows.ts"
import { uploaded } from "../../../kit/uploads.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "den", users: ["hamlet", "cordelia", "desdemona"], isPrivate: true },
  { name: "requests", users: ["iago", "shiva"], isPrivate: true },
] as const

const setUp = (server: TestServer) =>
  server.as("desdemona").must.patch("/realm", { moderation_request_channel_id: channelId(server, "requests") })
const report = (server: TestServer, by: Name, id: number, fields: Fields = {}) =>
  server.as(by).post(`/messages/${id}/report`, { report_type: "spam", ...fields })
const page = { anchor: "newest", num_before: 100, num_after: 0 }

/** The reports that a moderator reads, the oldest first. */
const reports = async (server: TestServer, options: Fields = { apply_markdown: false }) => {
  const narrow = [["channel", "requests"]]
  return recordsIn((await server.as("shiva").must.get("/messages", { ...page, narrow, ...options }))["messages"])
}

const mention = (server: TestServer, name: Name): string => {
  const user = server.realm.realm.users.get(server.idOf(name))
  return `@_**${user?.full_name}|${user?.id}**`
}

t.test("a report is a notice to the moderators, with a copy of the message", (t) =>
  withServer(t, { channels }, async (server) => {
    await setUp(server)
    const id = await server.as("hamlet").send("lobby", "buy\n\nthis", { topic: "plans" })
    const readers = [await server.queue("shiva", { event_types: ["message"] }), await server.queue("othello")]
    t.match(await report(server, "cordelia", id, { description: " so\nmany " }), { status: 200, body: { msg: "" } })
    const name = server.realm.realm.users.get(server.idOf("hamlet"))?.full_name
    const wanted = {
      sender_email: /notification-bot/,
      display_recipient: "requests",
      subject: `${name}'s moderation requests`,
      content: [
        `${mention(server, "cordelia")} has reported a message that ${mention(server, "hamlet")} sent in #**lobby>plans@${id}**.`,
        "**Reason:** Spam",
        "> so\n> many",
        "**The message:**",
        "> buy\n> \n> this",
      ].join("\n\n"),
    }
    t.match(await reports(server), [wanted])
    t.match((await reports(server, {}))[0], { content: new RegExp(`class="message-link"[^>]*near/${id}"`) })
    const [told, untold] = await Promise.all(readers.map((reader) => reader.rest()))
    t.match(told, [{ type: "message", message: { subject: wanted.subject }, flags: [] }])
    t.same(untold, [], "who is not in the channel hears nothing")
  }),
)

t.test("what may be reported, by whom and for what", (t) =>
  withServer(t, { channels }, async (server) => {
    const open = await server.as("hamlet").send("lobby", "open")
    const secret = await server.as("hamlet").send("den", "a secret", { topic: "t*t" })
    const to = [server.idOf("hamlet"), server.idOf("cordelia")]
    const direct = Number(
      (await server.as("hamlet").must.post("/messages", { type: "direct", to, content: "psst" }))["id"],
    )
    const off = refusal("This organization has no channel for moderation requests, so messages cannot be reported.")
    t.match(await report(server, "cordelia", open), off)
    await setUp(server)
    t.match(await report(server, "cordelia", open, { report_type: "dull" }), refusal("Invalid report_type"))
    for (const description of [undefined, " \n"])
      t.match(
        await report(server, "cordelia", open, { report_type: "other", ...(description && { description }) }),
        refusal("A report for another reason needs a description."),
      )
    t.match(
      await report(server, "cordelia", open, { description: "d".repeat(1001) }),
      refusal(/description is too long/),
    )
    for (const hidden of [secret, direct])
      t.match(await report(server, "othello", hidden), await report(server, "othello", 98_712_345))
    t.match(await report(server, "othello", secret), refusal("Invalid message(s)"))
    t.same(await reports(server), [], "what is refused tells nobody")

    t.equal((await report(server, "polonius", open, { report_type: "harassment" })).status, 200, "a guest")
    for (const id of [secret, direct]) {
      const other = { report_type: "other", description: "look" }
      t.equal((await report(server, "cordelia", id, other)).status, 200)
    }
    t.match(
      (await reports(server)).map(({ content }) => content),
      [
        /\*\*Reason:\*\* Harassment\n\n\*\*The message:\*\*\n\n> open$/,
        new RegExp(
          `sent in #\\*\\*den\\*\\* > \`t\\*t\` \\(message ${secret}\\)\\.[\\s\\S]*Another reason\n\n> look[\\s\\S]*> a secret$`,
        ),
        /sent in a direct message\.[\s\S]*> psst$/,
      ],
    )
    t.match((await reports(server, {}))[1], { content: /<a class="stream"[^>]*>#den<\/a>/ }, "though it is private")
    const requests = channelId(server, "requests")
    await server.as("desdemona").must.delete(`/streams/${requests}`)
    t.match(await report(server, "cordelia", open), off, "its channel is archived")
  }),
)

/** HTML with a Q for each quote. */
const outsideOf = (html: string): string => {
  let depth = 0
  let text = ""
  for (const part of html.split(/(<\/?blockquote>)/)) {
    if (part === "<blockquote>") text += depth++ === 0 ? "Q" : ""
    else if (part === "</blockquote>") depth--
    else if (depth === 0) text += part
  }
  return text
}

t.test("no message gets out of its quote, and long ones are cut", (t) =>
  withServer(t, { channels, limits: { maxMessageLength: 2000 } }, async (server) => {
    await setUp(server)
    const outbreaks = [
      "```quote\nx",
      "~~~\nx",
      "```\n\n**Reason:** x",
      "a\rb\u2028c\r\n\r\nd",
      "</blockquote>x",
      "- x\n\n1. y",
    ]
    for (const content of outbreaks) {
      const id = await server.as("hamlet").send("lobby", content)
      await report(server, "cordelia", id, { description: content })
    }
    const shown = await reports(server, {})
    t.equal(shown.length, outbreaks.length)
    for (const { content } of shown) {
      const outside = outsideOf(String(content))
      t.match(
        outside,
        /^<p>.*<\/p>\n<p><strong>Reason:<\/strong> Spam<\/p>\nQ\n<p><strong>The message:<\/strong><\/p>\nQ$/,
      )
    }
    const id = await server.as("hamlet").send("lobby", "@**all**\n".repeat(200).trim())
    t.equal((await report(server, "cordelia", id)).status, 200)
    const [last] = (await reports(server)).slice(-1)
    t.match(last, { content: /\n\n\[message truncated\]$/ })
    t.equal([...String(last?.["content"])].length, 2000)
    t.notMatch(last, { flags: ["wildcard_mentioned"] })
  }),
)

t.test("a topic keeps its end where the name is long, and is empty where the channel has no topics", (t) =>
  withServer(t, { channels, limits: { maxTopicLength: 27 } }, async (server) => {
    await setUp(server)
    const id = await server.as("hamlet").send("lobby", "x")
    const change = (topics_policy: string) =>
      server.as("iago").must.patch(`/streams/${channelId(server, "requests")}`, { topics_policy })
    await change("empty_topic_only")
    await report(server, "cordelia", id)
    await change("inherit")
    await report(server, "cordelia", id)
    const all = await reports(server, { apply_markdown: false, allow_empty_topic_name: true })
    t.same(
      all.filter(({ content }) => String(content).includes("has reported")).map(({ subject }) => subject),
      ["", "ha...'s moderation requests"],
    )
  }),
)

t.test("a message that leaves its channel while it is reported is judged where it is", (t) =>
  withServer(t, { channels }, async (server) => {
    await setUp(server)
    const id = await server.as("hamlet").send("lobby", "soon a secret")
    const den = channelId(server, "den")
    let isMoved = false
    server.faults.slow("from submessage s where", async () => {
      if (isMoved) return
      isMoved = true
      await server.as("desdemona").must.patch(`/messages/${id}`, { stream_id: den })
    })
    t.match(await report(server, "polonius", id), refusal("Invalid message(s)"))
    t.same(await reports(server), [])
  }),
)

t.test("the moderators may read the files that a reported message links, as long as they have its copy", (t) =>
  withServer(t, { channels }, async (server) => {
    await setUp(server)
    const [url, other] = [await uploaded(server, "hamlet"), await uploaded(server, "iago")]
    // Nobody lets others read a file by linking what they may not read themselves.
    const content = `[it](${url}) [else](${other})`
    const id = await server.as("hamlet").send("den", content)
    const status = async (by: Name, of: string) => (await server.as(by).get(of)).status
    const queue = await server.queue("hamlet", { event_types: ["attachment"] })
    t.equal(await status("shiva", url), 404)
    t.equal((await report(server, "cordelia", id)).status, 200)
    t.equal(await status("shiva", url), 200)
    t.equal(await status("shiva", other), 404)
    t.equal(await status("othello", url), 404)
    t.same(await queue.rest(), [], "its owner learns of no message that they may not read")
    await server.as("desdemona").must.delete(`/messages/${id}`)
    t.equal(await status("shiva", url), 200, "the copy links it when the message is gone")
  }),
)
