/** Submessages: taking part in polls and to-do lists, what everybody hears, and what messages show. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "den", users: ["hamlet"], isPrivate: true },
] as const

const poll = { widget_type: "poll", extra_data: { question: "Which?", options: ["a", "b"] } }
const todo = { widget_type: "todo", extra_data: { task_list_title: "", tasks: [] } }

const commands = { poll: "/poll Which?\na\nb", todo: "/todo" } as const
const sendWidget = (
  server: TestServer,
  by: Name,
  to: string,
  widget: keyof typeof commands = "poll",
): Promise<number> => server.as(by).send(to, commands[widget])
const asked = (message_id: number, content: Fields) => ({
  message_id,
  msg_type: "widget",
  content: JSON.stringify(content),
})
const add = (server: TestServer, by: Name, message: number, content: Fields) =>
  server.as(by).must.post("/submessage", asked(message, content))
const submessagesOf = async (server: TestServer, by: Name, message: number): Promise<ReadonlyArray<Fields>> =>
  recordsIn(recordsIn([(await server.as(by).must.get(`/messages/${message}`))["message"]])[0]?.["submessages"])
const contentsOf = (submessages: ReadonlyArray<Fields>): ReadonlyArray<unknown> =>
  submessages.map(({ content }) => JSON.parse(String(content)))

const buttons = {
  widget_type: "zform",
  extra_data: {
    type: "choices",
    heading: "Again?",
    choices: [{ type: "multiple_choice", short_name: "A", long_name: "Again", reply: "again" }],
  },
}
const lobby = { type: "channel", to: "lobby", topic: "t", content: "c" }
const sendForm = async (server: TestServer, widget_content: unknown): Promise<number> =>
  Number((await server.as("hamlet").must.post("/messages", { ...lobby, widget_content }))["id"])

t.test("what a message begins with comes with it, in its event and in the message", (t) =>
  withServer(t, { channels }, async (server) => {
    const queue = await server.queue("cordelia", { event_types: ["message"] })
    const begins: ReadonlyArray<readonly [content: string, widget: unknown]> = [
      ["/poll", { ...poll, extra_data: { question: "", options: [] } }],
      [
        "/poll  Which? \n\n a\n- b\r\n* c: d\n-",
        { ...poll, extra_data: { question: "Which?", options: ["a", "b", "c: d"] } },
      ],
      ["/poll\na", { ...poll, extra_data: { question: "", options: ["a"] } }],
      ["/todo", todo],
      [
        "/todo Today\n- sing: aloud: now\n rest",
        {
          widget_type: "todo",
          extra_data: {
            task_list_title: "Today",
            tasks: [
              { task: "sing", desc: "aloud: now" },
              { task: "rest", desc: "" },
            ],
          },
        },
      ],
      ["/pollen", null],
      ["/polls a", null],
      ["a /poll", null],
      ["/me /poll", null],
    ]
    const expected: Array<unknown> = []
    const first = (id: number, widget: unknown) =>
      widget === null
        ? []
        : [
            {
              id,
              message_id: id,
              sender_id: server.idOf("hamlet"),
              msg_type: "widget",
              content: JSON.stringify(widget),
            },
          ]
    for (const [content, widget] of begins) {
      const id = await server.as("hamlet").send("lobby", content)
      t.same(await submessagesOf(server, "cordelia", id), first(id, widget), content)
      expected.push(first(id, widget))
    }
    const form = await sendForm(server, buttons)
    const [shown] = await submessagesOf(server, "cordelia", form)
    t.same(JSON.parse(String(shown?.["content"])), buttons)
    expected.push([shown])
    const submessages = () => recordsIn(queue.events.map(({ message }) => message)).map((each) => each["submessages"])
    await queue.rest()
    t.same(submessages(), expected)
    await server.restart()
    const again = await server.queue("cordelia", { event_types: ["message"] })
    t.same(await again.rest(), [])
    for (const widget_content of [
      {},
      { widget_type: "poll", extra_data: { question: "", options: [] } },
      { ...buttons, extra_data: { ...buttons.extra_data, choices: "x" } },
      { ...buttons, extra_data: { ...buttons.extra_data, more: 1 } },
      { ...buttons, extra_data: { ...buttons.extra_data, choices: [{}] } },
      [],
    ])
      t.match(await server.as("hamlet").post("/messages", { ...lobby, widget_content }), {
        status: 400,
        body: { msg: /widget_content/ },
      })
  }),
)

t.test("a poll: votes, options and the question, as events and in the message", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await sendWidget(server, "hamlet", "lobby")
    const queue = await server.queue("polonius")
    const option = { type: "new_option", idx: 1, option: "neither" }
    const vote = { type: "vote", key: "canned,0", vote: 1 }
    const against = { type: "vote", key: "canned,0", vote: -1 }
    const question = { type: "question", question: "Which one?" }
    await add(server, "cordelia", id, option)
    await add(server, "cordelia", id, vote)
    await add(server, "polonius", id, vote)
    await add(server, "cordelia", id, against)
    await add(server, "hamlet", id, { type: "question", question: "Who?" })
    await add(server, "hamlet", id, question)
    const events = await queue.rest()
    t.match(
      events.map(({ type, message_id, msg_type, sender_id, content }) => [
        type,
        message_id,
        msg_type,
        sender_id,
        JSON.parse(String(content)),
      ]),
      [
        ["submessage", id, "widget", server.idOf("cordelia"), option],
        ["submessage", id, "widget", server.idOf("cordelia"), vote],
        ["submessage", id, "widget", server.idOf("polonius"), vote],
        ["submessage", id, "widget", server.idOf("cordelia"), against],
        ["submessage", id, "widget", server.idOf("hamlet"), { type: "question", question: "Who?" }],
        ["submessage", id, "widget", server.idOf("hamlet"), question],
      ],
    )
    const shown = await submessagesOf(server, "polonius", id)
    t.same(
      contentsOf(shown),
      [poll, option, vote, against, question],
      "of a user's votes for an option the last counts",
    )
    t.match(shown[0], { id, message_id: id, sender_id: server.idOf("hamlet"), msg_type: "widget" })
    t.same(
      shown.slice(1).map((each) => each["id"]),
      [events[0], events[2], events[3], events[5]].map((each) => each?.["submessage_id"]),
    )
  }),
)

t.test("a to-do list", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await sendWidget(server, "hamlet", "lobby", "todo")
    const deeds = [
      { type: "new_task", key: 2, task: "sing", desc: "aloud", completed: false },
      { type: "strike", key: "5,2" },
      { type: "strike", key: "5,2" },
    ]
    for (const deed of deeds) await add(server, "cordelia", id, deed)
    await add(server, "hamlet", id, { type: "new_task_list_title", title: "Today" })
    t.same(contentsOf(await submessagesOf(server, "hamlet", id)), [
      todo,
      ...deeds,
      { type: "new_task_list_title", title: "Today" },
    ])
  }),
)

t.test("refusals", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await sendWidget(server, "hamlet", "lobby")
    const list = await sendWidget(server, "hamlet", "lobby", "todo")
    const form = await sendForm(server, buttons)
    const secret = await sendWidget(server, "hamlet", "den")
    const plain = await server.as("hamlet").send("lobby", "c")
    const vote = { type: "vote", key: "canned,0", vote: 1 }
    const none = { msg: "Invalid message(s)" }
    const lines: ReadonlyArray<Refusal> = [
      { when: "no JSON", fields: { ...asked(id, vote), content: "{" }, msg: "Invalid json for submessage" },
      { when: "a list", fields: { ...asked(id, vote), content: "[]" }, msg: "Invalid json for submessage" },
      { when: "another type", fields: { ...asked(id, vote), msg_type: "x" }, msg: "Invalid msg_type" },
      { when: "unknown deed", fields: asked(id, { type: "strike", key: "1" }), msg: "Unknown type for poll data" },
      { when: "no type", fields: asked(id, {}), msg: "Unknown type for poll data" },
      { when: "a deed of objects", fields: asked(id, { type: "constructor" }), msg: "Unknown type for poll data" },
      { when: "two votes", fields: asked(id, { ...vote, vote: 2 }), msg: 'Invalid content["vote"]' },
      { when: "no key", fields: asked(id, { type: "vote", vote: 1 }), msg: 'content["key"] field is missing' },
      { when: "too much", fields: asked(id, { ...vote, x: 1 }), msg: 'Argument "x" at content["x"] is unexpected' },
      { when: "another one's question", fields: asked(id, { type: "question", question: "?" }), msg: /author/ },
      { when: "another one's title", fields: asked(list, { type: "new_task_list_title", title: "?" }), msg: /author/ },
      { when: "a vote in a list", fields: asked(list, vote), msg: "Unknown type for todo data" },
      { when: "a message", fields: asked(plain, vote), msg: "You cannot attach a submessage to this message." },
      { when: "buttons", fields: asked(form, vote), msg: "You cannot attach a submessage to this message." },
      { when: "out of sight", fields: asked(secret, vote), ...none },
      { when: "no message", fields: asked(plain + 1, vote), ...none },
    ]
    const queue = await server.queue("hamlet")
    await refuses(t, lines, (fields) => server.as("cordelia").post("/submessage", fields))
    t.same(await queue.rest(), [])
  }),
)

t.test("who takes part without holding the message hears of their own part", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await sendWidget(server, "hamlet", "lobby")
    const [mine, another] = [await server.queue("othello"), await server.queue("iago")]
    await add(server, "othello", id, { type: "vote", key: "canned,1", vote: 1 })
    t.match(await mine.rest(), [{ type: "submessage", message_id: id }])
    t.same(await another.rest(), [])
  }),
)

t.test("a poll takes a bounded number of bytes, and votes again take none", inTurn(2, "bounded polls"), (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await sendWidget(server, "hamlet", "lobby")
    const option = "x".repeat(9000)
    const add = (idx: number) =>
      server.as("cordelia").post("/submessage", asked(id, { type: "new_option", idx, option }))
    let taken = 0
    for (let idx = 0; idx < 40; idx++) if ((await add(idx)).status === 200) taken += 1
    t.ok(taken >= 26 && taken <= 29, `${taken} options of 9,000 characters`)
    t.match(await add(41), { status: 400, body: { msg: "Nothing more can be added to this message." } })
    for (let n = 0; n < 30; n++)
      await server
        .as("polonius")
        .must.post("/submessage", asked(id, { type: "vote", key: "canned,0", vote: n % 2 ? 1 : -1 }))
    t.equal((await submessagesOf(server, "hamlet", id)).length, 1 + taken + 1)
  }),
)
