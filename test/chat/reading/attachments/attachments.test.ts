/** A user's files and the messages that link them: list, events, deletion. */
import t from "tap"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { storedFiles, uploaded } from "../../../kit/uploads.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "secret", users: ["cordelia", "iago"], isPrivate: true },
] as const

const listOf = async (server: TestServer, by: Name) =>
  recordsIn((await server.as(by).must.get("/attachments"))["attachments"])
const pathOf = (url: string) => url.slice("/user_uploads/".length)

t.test("a file is listed with the messages that link it, and its owner is told of each", (t) =>
  withServer(t, { channels }, async (server) => {
    const url = await uploaded(server, "hamlet", { name: "play.txt", bytes: "words" })
    const other = await uploaded(server, "hamlet", { name: "more.txt", bytes: "more words" })
    const seconds = Math.floor(server.clock.now() / 1000)
    const queue = await server.queue("hamlet", { event_types: ["message", "attachment"] })
    const first = await server.as("hamlet").send("lobby", `[the play](${url}) and [again](${server.origin}${url})`)
    const second = await server.as("cordelia").send("lobby", `${server.origin}${url} is good`)
    const file = {
      id: Number,
      name: "play.txt",
      path_id: pathOf(url),
      size: 5,
      create_time: seconds,
      messages: [
        { id: first, date_sent: seconds },
        { id: second, date_sent: seconds },
      ],
    }
    t.match(await server.as("hamlet").must.get("/attachments"), {
      attachments: [file, { path_id: pathOf(other), messages: [] }],
      upload_space_used: 15,
    })
    const type = "attachment"
    const update = { type, op: "update", upload_space_used: 15 }
    t.match(await queue.rest(), [
      { type: "message", message: { id: first } },
      { ...update, attachment: { ...file, messages: [{ id: first }] } },
      { type: "message", message: { id: second } },
      { ...update, attachment: file },
    ])
    t.same(await listOf(server, "cordelia"), [], "files of others are not listed")
  }),
)

t.test(
  "a message that links many files tells of few messages of each, for as long as it has the lock",
  inTurn(2, "many linked files"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const urls = await Promise.all(Array.from({ length: 24 }, () => uploaded(server, "hamlet")))
      const content = urls.map((url) => `[a](${url})`).join(" ")
      for (let count = 0; count < 21; count++) await server.as("hamlet").send("lobby", content)
      const queue = await server.queue("hamlet")
      await server.as("hamlet").send("lobby", content)
      const told = (await queue.rest()).filter(({ type }) => type === "attachment")
      t.equal(told.length, urls.length)
      for (const { attachment } of told) t.equal(Object(attachment).messages.length, 20)
      for (const { messages } of await listOf(server, "hamlet")) t.equal(recordsIn(messages).length, 22)
    }),
)

t.test("who cannot read a file cannot pass it on, and an owner learns of no message that they cannot read", (t) =>
  withServer(t, { channels }, async (server) => {
    const url = await uploaded(server, "hamlet", { bytes: "words" })
    const queue = await server.queue("hamlet", { event_types: ["attachment"] })
    await server.as("iago").send("secret", `[stolen](${url})`)
    const linked = async () => (await listOf(server, "hamlet"))[0]?.["messages"]
    t.same(await linked(), [])
    await server.as("hamlet").send("lobby", `[shared](${url})`)
    const known = await linked()
    await server.as("cordelia").send("secret", `[passed on](${url})`)
    t.same(await linked(), known)
    t.equal((await queue.rest()).length, 1)
    await server.as("hamlet").must.get("/attachments")
    for (const link of [
      `${url}x`,
      url.replace("/1/", "/2/"),
      `/user_uploads/1/00/${"0".repeat(32)}/a.txt`,
      "/user_uploads/%00",
      "/user_uploads/1/../1",
      `${url}/..`,
    ])
      await server.as("hamlet").send("lobby", `[x](${link}) \`${url}\``)
    t.same(await linked(), known)
  }),
)

t.test("the list of files names no message that its owner may not read any more", (t) =>
  withServer(t, { channels: [...channels, { name: "square", users: ["othello"] }] }, async (server) => {
    const url = await uploaded(server, "hamlet", { bytes: "words" })
    const linkedIn: Array<number> = []
    for (const [by, to] of [
      ["hamlet", "lobby"],
      ["cordelia", "lobby"],
      ["othello", "square"],
    ] as const)
      linkedIn.push(await server.as(by).send(to, `[f](${url})`))
    await server.as("hamlet").must.post("/messages", { type: "direct", to: [server.idOf("iago")], content: url })
    const linked = async () =>
      recordsIn((await listOf(server, "hamlet"))[0]?.["messages"])
        .map(({ id }) => Number(id))
        .filter((id) => linkedIn.includes(id))
    t.same(await linked(), linkedIn)
    const channelOf = (name: string) => server.realm.realm.findChannelByName(name)?.id
    const [first, second, third] = linkedIn
    const iago = server.as("iago").must
    await iago.patch(`/messages/${second}`, { stream_id: channelOf("secret"), send_notification_to_new_thread: false })
    t.same(await linked(), [first, third], "one is moved to where they cannot read it")
    const hidden = { is_private: true, history_public_to_subscribers: true }
    await iago.patch(`/streams/${channelOf("square")}`, hidden)
    t.same(await linked(), [first], "a public channel that they are not in becomes private")
    await iago.patch(`/streams/${channelOf("lobby")}`, hidden)
    t.same(await linked(), [first], "what they have received they keep")
  }),
)

t.test("a file is deleted by its owner alone", (t) =>
  withServer(t, { channels }, async (server) => {
    const url = await uploaded(server, "hamlet", { bytes: "words" })
    await server.as("hamlet").send("lobby", `[shared](${url})`)
    const queue = await server.queue("hamlet", { event_types: ["attachment"] })
    const id = Number((await listOf(server, "hamlet"))[0]?.["id"])
    const invalid = { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid attachment" } }
    t.match(await server.as("cordelia").delete(`/attachments/${id}`), invalid)
    t.match(await server.as("iago").delete(`/attachments/${id}`), invalid)
    t.match(await server.as("hamlet").delete(`/attachments/${id + 1}`), invalid)
    await server.as("hamlet").must.delete(`/attachments/${id}`)
    t.match(await server.as("hamlet").delete(`/attachments/${id}`), invalid)
    t.match(await server.as("hamlet").must.get("/attachments"), { attachments: [], upload_space_used: 0 })
    t.same(storedFiles(server), [])
    t.match(await queue.rest(), [{ type: "attachment", op: "remove", attachment: { id }, upload_space_used: 0 }])
  }),
)
