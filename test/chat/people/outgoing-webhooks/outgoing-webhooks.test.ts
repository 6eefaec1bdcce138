/** Outgoing webhooks: what is posted to whom, what becomes of the answer, and of programs that do not answer as they should. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import t, { type Test } from "tap"
import { plainBot } from "../../../../src/chat/ground/bot-settings/bot-settings.ts"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { Realms } from "../../../../src/chat/ground/realm/realms.ts"
import { sendMessage } from "../../../../src/chat/sending/messages/send-message.ts"
import { createRealm } from "../../../../src/chat/server/setup/realm-create.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { readAllowEntry } from "../../../../src/config/outgoing-allow.ts"
import { Database } from "../../../../src/db/database.ts"
import type { Fields } from "../../../kit/client.ts"
import { objectIn } from "../../../kit/client-sections.ts"
import { type FarServer, farServer } from "../../../kit/far-server.ts"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["cordelia"], isPrivate: true },
] as const
const second = 1000
const minute = 60 * second
const hour = 60 * minute

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

interface Call {
  readonly headers: IncomingMessage["headers"]
  readonly method: string | undefined
  readonly body: string
}

/** A program at a path of the other server, which notes its calls. */
const program = (far: FarServer, path: string, answer: (response: ServerResponse, call: Call) => void) => {
  const calls: Array<Call> = []
  far.pages.set(path, (request, response) => {
    void bodyOf(request).then((body) => {
      const call = { headers: request.headers, method: request.method, body }
      calls.push(call)
      answer(response, call)
    })
  })
  return { calls, url: `${far.origin}${path}` }
}
const saying = (answer: object) => (response: ServerResponse) =>
  void response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer))

const makeBot = async (server: TestServer, name: string, payload_url: string, fields: Fields = {}) => {
  const bot = { full_name: name, short_name: name.toLowerCase(), bot_type: 3, payload_url, ...fields }
  return Number((await server.as("hamlet").must.post("/bots", bot))["user_id"])
}
const direct = (server: TestServer, by: Name, to: ReadonlyArray<number>, content: string) =>
  server.as(by).must.post("/messages", { type: "direct", to, content })
const messageTypes = { event_types: ["message"], apply_markdown: false }
/** The next message of a sender that comes to a queue. */
const nextFrom = async (queue: Awaited<ReturnType<TestServer["queue"]>>, sender: number) => {
  const event = await queue.until(
    ({ type, message }) => type === "message" && objectIn(message)["sender_id"] === sender,
  )
  return objectIn(event["message"])
}
/** Waits for something that needs the clock to go on. */
const awaited = (server: TestServer, what: string, ms: number, condition: () => boolean | Promise<boolean>) =>
  until(what, 20_000, async () => {
    if (await condition()) return true
    server.clock.advance(ms)
    return false
  })
const waiting = async (server: TestServer) =>
  Number(
    (
      await server.rows("select count(*)::integer as n from outbox where kind = 'bot call' and given_up_at is null")
    )[0]?.["n"],
  )

const scene = async (t: Test, act: (server: TestServer, far: FarServer) => Promise<void>) => {
  const far = await farServer(t)
  await withServer(t, { channels, network: far.network }, async (server) => {
    server.closeAfter(far.close)
    await act(server, far)
  })
}

/** Somebody in another organization writes to a bot of their own; from then on the server serves each at its host only. */
const callElsewhere = (server: TestServer, fullName: string, base_url: string) =>
  server.run(
    Effect.gen(function* () {
      const fields = { id: 2, host: "neighbour.example", settings: { name: "Neighbour" } }
      const id = yield* createRealm(yield* Database, fields, server.clock.now())
      yield* (yield* Realms).refresh()
      const known = { role: roles.member, passwordHash: null }
      const person = { ...known, email: "near@neighbour.example", fullName: "Person", isBot: false }
      const user = yield* setUpUser(id, person)
      const settings = { ...plainBot, service: { base_url, interface: 1, token: "t" } } as const
      const bot = { ...known, email: "near-bot@neighbour.example", fullName, isBot: true, botType: 3 } as const
      const called = yield* setUpUser(id, { ...bot, botOwnerId: user, bot: settings })
      const caller = { realm: id, user, keyVersion: 1, client: "test", origin: "" }
      yield* sendMessage(caller, {
        destination: { type: "direct", to: [called], topic: undefined },
        content: "hello",
        readBySender: false,
        widget: undefined,
        echo: null,
      })
    }),
  )

t.test("a mention and a direct message call the program, and its answer comes to the same place", (t) =>
  scene(t, async (server, far) => {
    const echo = program(far, "/echo", (response, { body }) =>
      saying({ content: `you said: ${JSON.parse(body).data}` })(response),
    )
    const id = await makeBot(server, "Echo", echo.url)
    const [record = {}] = recordsIn((await server.queue("hamlet")).state["realm_bots"])
    const [{ token = null } = {}] = recordsIn(record["services"])
    const cordelia = await server.queue("cordelia", messageTypes)

    const message = await server.as("cordelia").send("lobby", "@**Echo** hello", { topic: "greetings" })
    t.match(await nextFrom(cordelia, id), {
      type: "stream",
      display_recipient: "lobby",
      subject: "greetings",
      content: "you said: @**Echo** hello",
      client: "OutgoingWebhookResponse",
    })
    const [first] = echo.calls
    t.match(first, { method: "POST", headers: { "content-type": "application/json" } })
    t.notOk(first !== undefined && ("authorization" in first.headers || "cookie" in first.headers))
    t.match(JSON.parse(first?.body ?? ""), {
      bot_email: `echo-bot@${server.realm.realm.host}`,
      bot_full_name: "Echo",
      data: "@**Echo** hello",
      token,
      trigger: "mention",
      message: {
        id: message,
        sender_id: server.idOf("cordelia"),
        sender_email: "cordelia@test.example",
        type: "stream",
        display_recipient: "lobby",
        subject: "greetings",
        content: "@**Echo** hello",
        rendered_content: /<span class="user-mention" data-user-id="\d+">@Echo<\/span> hello/,
      },
    })

    await direct(server, "cordelia", [id, server.idOf("hamlet")], "among us")
    const answer = await nextFrom(cordelia, id)
    t.match(answer, { type: "private", content: "you said: among us" })
    t.equal(recordsIn(answer["display_recipient"]).length, 3)
    t.match(JSON.parse(echo.calls[1]?.body ?? ""), { trigger: "direct_message", data: "among us" })
    await until("nothing is left to do", 10_000, async () => (await waiting(server)) === 0)
  }),
)

t.test("who is not called: silent mentions, bots, private channels, those that are deactivated", (t) =>
  scene(t, async (server, far) => {
    const echo = program(far, "/echo", saying({ response_string: "@**Other** over to you" }))
    const other = program(far, "/other", saying({ response_not_required: true }))
    const id = await makeBot(server, "Echo", echo.url)
    const otherId = await makeBot(server, "Other", other.url)
    const cordelia = await server.queue("cordelia", messageTypes)
    await server.as("cordelia").send("lobby", "@_**Echo** and `@**Echo**`")
    await server.as("cordelia").send("den", "@**Echo** here you may not read")
    await server.as("cordelia").send("lobby", "@**Echo** here you may")
    t.match(await nextFrom(cordelia, id), { content: "@**Other** over to you", subject: "t" })
    t.equal(echo.calls.length, 1)
    await server.as("hamlet").must.delete(`/bots/${id}`)
    await server.as("cordelia").send("lobby", "@**Echo** gone")
    await direct(server, "cordelia", [otherId], "and you")
    await until("the other is called", 10_000, () => other.calls.length > 0)
    await until("nothing is left", 10_000, async () => (await waiting(server)) === 0)
    t.equal(echo.calls.length, 1, "neither the silent mention, the private channel nor the deactivated bot")
    t.match(
      other.calls.map(({ body }) => JSON.parse(body).data),
      ["and you"],
      "no bot calls a bot",
    )
  }),
)

t.test("the form of Slack", (t) =>
  scene(t, async (server, far) => {
    const slack = program(far, "/slack", saying({ text: "from slack", content: "not this" }))
    const id = await makeBot(server, "Slacker", slack.url, { interface_type: 2 })
    const cordelia = await server.queue("cordelia", messageTypes)
    await server.as("cordelia").send("lobby", "@**Slacker** a=b&c")
    t.match(await nextFrom(cordelia, id), { content: "from slack" })
    t.match(slack.calls[0]?.headers, { "content-type": "application/x-www-form-urlencoded" })
    t.match(Object.fromEntries(new URLSearchParams(slack.calls[0]?.body)), {
      channel_name: "lobby",
      user_name: "cordelia",
      text: "@**Slacker** a=b&c",
      trigger_word: "mention",
      service_id: String(id),
      token: /^[0-9a-f]{32}$/,
    })
    await direct(server, "cordelia", [id], "here, too")
    t.match(await nextFrom(cordelia, id), { content: /don't support direct messages/ })
    t.equal(slack.calls.length, 1)
  }),
)

t.test("what Slack's form answers is read as what is written to Slack's web hooks", (t) =>
  scene(t, async (server, far) => {
    let answer: object = {}
    const slack = program(far, "/slack", (response) => saying(answer)(response))
    const id = await makeBot(server, "Slacker", slack.url, { interface_type: 2 })
    const cordelia = await server.queue("cordelia", messageTypes)
    for (const [given, content] of [
      [{ text: "*done* by <https://e.example/1|CI>" }, "**done** by [CI](https://e.example/1)"],
      [
        { text: "deployed", attachments: [{ title: "castle", title_link: "https://e.example/2", text: "_all_ well" }] },
        "deployed\n\n[castle](https://e.example/2)\n*all* well",
      ],
      [{ blocks: [{ type: "section", text: { type: "mrkdwn", text: "~old~" } }], text: "beside" }, "~~old~~"],
    ] as const) {
      answer = given
      await server.as("cordelia").send("lobby", "@**Slacker** go")
      t.equal((await nextFrom(cordelia, id))["content"], content)
    }
  }),
)

t.test("an answer that means nothing sends nothing, and nobody is told", (t) =>
  scene(t, async (server, far) => {
    const json = { "Content-Type": "application/json" }
    const bodies = ["", " ", '""', '" "', "null", "{}", '{"content":""}', '{"content":" \\n"}', '{"content":null}']
    const own = [...bodies, '{"response_string":""}', '{"response_not_required":true}', '{"widget_content":""}']
    const slackOnes = [...bodies, '{"text":""}', '{"attachments":[]}', '{"attachments":[{}]}']
    const answers = [
      ...own.map((body) => [1, 200, body] as const),
      ...slackOnes.map((body) => [2, 200, body] as const),
      [1, 204, ""] as const,
      [2, 204, ""] as const,
    ]
    const [owner, cordelia] = [await server.queue("hamlet", messageTypes), await server.queue("cordelia", messageTypes)]
    let [status, body] = [200, ""]
    const silent = program(far, "/silent", (response) => void response.writeHead(status, json).end(body))
    const bots = {
      1: await makeBot(server, "Silent", silent.url),
      2: await makeBot(server, "Still", silent.url, { interface_type: 2 }),
    }
    for (const [form, code, text] of answers) {
      ;[status, body] = [code, text]
      const calls = silent.calls.length
      await server.as("cordelia").send("lobby", `@**${form === 1 ? "Silent" : "Still"}** go`)
      await until(`it is called for ${text}`, 10_000, async () => (await waiting(server)) === 0)
      t.equal(silent.calls.length, calls + 1, `once: ${text}`)
    }
    ;[status, body] = [200, '{"response_string": "", "content": "at last"}']
    await server.as("cordelia").send("lobby", "@**Silent** go")
    t.match(await nextFrom(cordelia, bots[1]), { content: "at last" })
    const senders = [...(await owner.rest()), ...(await cordelia.rest())].map(
      ({ message }) => objectIn(message)["sender_id"],
    )
    t.notOk(senders.includes(bots[2]))
    const told = senders.filter((sender) => sender !== server.idOf("cordelia") && sender !== bots[1])
    t.same(told, [], "nobody is told")
  }),
)

t.test("an answer makes a poll, a to-do list or choices", (t) =>
  scene(t, async (server, far) => {
    const poll = { widget_type: "poll", extra_data: { question: "Lunch?", options: ["soup", "bread"] } }
    const todo = { widget_type: "todo", extra_data: { task_list_title: "Castle", tasks: [{ task: "moat", desc: "" }] } }
    const choice = { short_name: "y", long_name: "Yes", reply: "yes" }
    const choices = { widget_type: "zform", extra_data: { type: "choices", heading: "Sure?", choices: [choice] } }
    let answer: object = {}
    const asking = program(far, "/asking", (response) => saying(answer)(response))
    const id = await makeBot(server, "Asking", asking.url)
    const cordelia = await server.queue("cordelia", messageTypes)
    for (const [given, widget] of [
      [{ content: "/poll Lunch?\nsoup\nbread" }, poll],
      [{ content: "Lunch?", widget_content: poll }, poll],
      [{ content: "Castle", widget_content: JSON.stringify(todo) }, todo],
      [{ response_string: "Sure?", widget_content: choices }, choices],
    ] as const) {
      answer = given
      await direct(server, "cordelia", [id], "go")
      const [first] = recordsIn((await nextFrom(cordelia, id))["submessages"])
      t.same(JSON.parse(String(first?.["content"])), widget)
    }
  }),
)

t.test("wrong answers are told to the owner, once an hour for each bot", inTurn(2, "wrong answers to bots"), (t) =>
  scene(t, async (server, far) => {
    let owner = await server.queue("hamlet", messageTypes)
    const nextNotice = async () => {
      const found = ({ type, message }: Fields) =>
        type === "message" && objectIn(message)["sender_full_name"] === "Notification Bot"
      return String(objectIn((await owner.until(found))["message"])["content"])
    }
    const json = { "Content-Type": "application/json" }
    const answers: Readonly<Record<string, readonly [answer: (response: ServerResponse) => void, why: RegExp]>> = {
      notfound: [(response) => void response.writeHead(404).end(), /had the status 404/],
      text: [(response) => void response.writeHead(200).end("hello"), /no JSON object/],
      list: [saying(["x"]), /no JSON object/],
      number: [saying({ content: 5 }), /no text/],
      form: [saying({ content: "x", widget_content: { widget_type: "clock" } }), /widget_content is no poll/],
      formOnly: [saying({ widget_content: { widget_type: "poll", extra_data: { question: "?" } } }), /no content/],
      huge: [(response) => void response.writeHead(200, json).end(`{"content":"${"x".repeat(300_000)}"}`), /too large/],
      deep: [(response) => void response.writeHead(200, json).end("[".repeat(100_000)), /no JSON object/],
      inward: [
        (response) => void response.writeHead(307, { Location: "http://127.0.0.2:1/admin" }).end(),
        /or this server may not call it \(PARLEY_OUTGOING_ALLOW\)/,
      ],
      found: [
        (response) => void response.writeHead(302, { Location: `${far.origin}/inward` }).end(),
        /had the status 302/,
      ],
    }
    for (const [name, [answer, why]] of Object.entries(answers)) {
      const wrong = program(far, `/${name}`, answer)
      const id = await makeBot(server, name, wrong.url)
      await direct(server, "cordelia", [id], "hello")
      t.match(await nextNotice(), why, name)
      t.equal(wrong.calls.length, 1, `${name}: no second try`)
    }
    const inside = await makeBot(server, "Inside", "http://inside.example/")
    far.names.set("inside.example", ["127.0.0.2"])
    await direct(server, "cordelia", [inside], "hello")
    t.match(await nextNotice(), /or this server may not call it/)
    for (let n = 0; n < 3; n++) await direct(server, "cordelia", [inside], `again ${n}`)
    await until("all are called", 10_000, async () => (await waiting(server)) === 0)
    const isNotice = ({ message }: Fields) => objectIn(message)["sender_full_name"] === "Notification Bot"
    t.same((await owner.rest()).filter(isNotice), [], "they are not told one by one")
    server.clock.advance(hour)
    owner = await server.queue("hamlet", messageTypes)
    await direct(server, "cordelia", [inside], "an hour later")
    t.match(await nextNotice(), /happened 4 times/)
    t.same((await owner.rest()).filter(isNotice), [])
  }),
)

t.test(
  "a program that is down is called again, and a slow one is not waited for",
  inTurn(2, "programs that are down"),
  (t) =>
    scene(t, async (server, far) => {
      let isUp = false
      const shaky = program(far, "/shaky", (response) =>
        isUp ? saying({ content: "up again" })(response) : void response.writeHead(503).end(),
      )
      const id = await makeBot(server, "Shaky", shaky.url)
      const cordelia = await server.queue("cordelia", messageTypes)
      await direct(server, "cordelia", [id], "are you there?")
      await until("the first try", 10_000, () => shaky.calls.length === 1)
      await awaited(server, "the second try", second, () => shaky.calls.length === 2)
      isUp = true
      await awaited(server, "a third", second, () => shaky.calls.length === 3)
      t.match(await nextFrom(cordelia, id), { content: "up again" })

      const owner = await server.queue("hamlet", messageTypes)
      const slow = program(far, "/slow", () => {})
      const slowId = await makeBot(server, "Slow", slow.url)
      await direct(server, "cordelia", [slowId], "hello")
      await awaited(server, "the tries end", second, async () => (await waiting(server)) === 0)
      t.equal(slow.calls.length, 4)
      const told = await owner.until(({ message }) => objectIn(message)["sender_full_name"] === "Notification Bot")
      t.match(objectIn(told["message"])["content"], /no answer came in time/)
    }),
)

t.test("a call survives a restart, and a message that is deleted meanwhile is told to nobody", (t) =>
  scene(t, async (server, far) => {
    let isUp = false
    const shaky = program(far, "/shaky", (response, { body }) =>
      isUp ? saying({ content: `got ${JSON.parse(body).data}` })(response) : void response.writeHead(500).end(),
    )
    const id = await makeBot(server, "Shaky", shaky.url)
    await direct(server, "cordelia", [id], "kept")
    const { id: deleted } = await direct(server, "cordelia", [id], "deleted")
    await until("the first try", 10_000, () => shaky.calls.length === 1)
    await until("it waits", 10_000, async () => {
      const [row] = await server.rows(
        "select count(*)::integer as n from outbox where kind = 'bot call' and attempts = 1 and claim is null",
      )
      return row?.["n"] === 1
    })
    await server.as("cordelia").must.delete(`/messages/${String(deleted)}`)
    await server.restart()
    isUp = true
    await awaited(server, "all are done", second, async () => (await waiting(server)) === 0)
    const page = {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      narrow: [["sender", `shaky-bot@${server.realm.realm.host}`]],
      apply_markdown: false,
    }
    const { messages: said } = await server.as("cordelia").must.get("/messages", page)
    t.match(said, [{ content: "got kept" }])
    t.notOk(shaky.calls.some(({ body }) => body.includes("deleted")))
  }),
)

t.test("whoever has programs that do not answer delays nobody else's", inTurn(2, "programs that do not answer"), (t) =>
  scene(t, async (server, far) => {
    const held: Array<ServerResponse> = []
    const hanging = program(far, "/hanging", (response) => void held.push(response))
    const echo = program(far, "/echo", saying({ content: "here" }))
    const make = async (by: Name, name: string, payload_url: string) => {
      const bot = { full_name: name, short_name: name.toLowerCase(), bot_type: 3, payload_url }
      return Number((await server.as(by).must.post("/bots", bot))["user_id"])
    }
    const underWay = async () => {
      const claimed = "select count(*)::integer as n from outbox where kind = 'bot call' and claim is not null"
      return Number((await server.rows(claimed))[0]?.["n"])
    }
    const cordelia = await server.queue("cordelia", messageTypes)
    const slow: Array<number> = []
    for (let n = 1; n <= 8; n++) slow.push(await make("hamlet", `Slow${n}`, hanging.url))
    for (const bot of slow) await direct(server, "hamlet", [bot], "hello")
    await until("two of them are called", 10_000, () => hanging.calls.length === 2)
    const own = await make("cordelia", "Own", echo.url)
    await direct(server, "cordelia", [own], "are you there?")
    t.match(await nextFrom(cordelia, own), { content: "here" }, "another owner's program answers meanwhile")
    t.equal(hanging.calls.length, 2, "and two of one owner are called at a time")

    for (const by of ["iago", "shiva"] as const)
      for (const n of [1, 2]) await direct(server, by, [await make(by, `${by}${n}`, hanging.url)], "hello")
    await until("four of an organization are called", 10_000, () => hanging.calls.length === 4)
    t.equal(await underWay(), 4)
    await callElsewhere(server, "Near", echo.url)
    const isNear = ({ body }: Call) => JSON.parse(body).bot_full_name === "Near"
    await until("one of another organization is called", 10_000, () => echo.calls.some(isNear))
    t.equal(hanging.calls.length, 4)

    for (const response of held.splice(0)) saying({ response_not_required: true })(response)
    await until("the next are called", 10_000, () => hanging.calls.length > 4)
    await until("all are called in turn", 20_000, async () => {
      for (const response of held.splice(0)) saying({ response_not_required: true })(response)
      return (await waiting(server)) === 0
    })
    t.equal(hanging.calls.length, 12, "each once")
  }),
)

t.test("so many calls of a bot wait, and its owner is told of further ones", inTurn(2, "waiting calls of bots"), (t) =>
  scene(t, async (server, far) => {
    const held: Array<ServerResponse> = []
    const hanging = program(far, "/hanging", (response) => void held.push(response))
    const id = await makeBot(server, "Slow", hanging.url)
    const owner = await server.queue("hamlet", messageTypes)
    for (let n = 0; n < 55; n++) await direct(server, "cordelia", [id], `call ${n}`)
    const told = await owner.until(({ message }) => objectIn(message)["sender_full_name"] === "Notification Bot")
    t.match(objectIn(told["message"])["content"], /so many calls of it waited/)
    await until("the others wait", 10_000, async () => (await waiting(server)) === 50)
    await until("all that waited are called", 30_000, async () => {
      for (const response of held.splice(0)) saying({ response_not_required: true })(response)
      return (await waiting(server)) === 0
    })
    t.same(
      hanging.calls.map(({ body }) => JSON.parse(body).data),
      Array.from({ length: 50 }, (_, n) => `call ${n}`),
      "in their order",
    )
  }),
)

t.test("scheduled messages call programs, too", (t) =>
  scene(t, async (server, far) => {
    const echo = program(far, "/echo", saying({ content: "here" }))
    const id = await makeBot(server, "Echo", echo.url)
    await server.as("cordelia").must.post("/scheduled_messages", {
      type: "direct",
      to: [id],
      content: "later",
      scheduled_delivery_timestamp: Math.floor(server.clock.now() / 1000) + 60,
    })
    await awaited(server, "it is called", second, () => echo.calls.length === 1)
    await awaited(server, "it has answered", second, async () => (await waiting(server)) === 0)
    const page = { anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false }
    t.match((await server.as("cordelia").must.get("/messages", page))["messages"], [{ sender_id: id, content: "here" }])
    t.match(JSON.parse(echo.calls[0]?.body ?? ""), { data: "later", trigger: "direct_message" })
  }),
)

t.test(
  "a bot whose program may not be called is refused when it is made or changed, and an opened one is called",
  async (t) => {
    const inner = createServer((_, response) => saying({ content: "from within" })(response))
    await new Promise<void>((resolve) => inner.listen(0, "127.0.0.1", resolve))
    const address = inner.address()
    const port = address === null || typeof address === "string" ? 0 : address.port
    const far = await farServer(t)
    far.names.set("db.corp.example", ["10.0.0.5"])
    const allowed = [`127.0.0.1:${port}`, "10.1.0.0/16:8000-8999"]
    const config = { outgoingAllow: allowed.flatMap((entry) => readAllowEntry(entry) ?? []) }
    await withServer(t, { channels, network: far.network, config }, async (server) => {
      server.closeAfter(far.close)
      server.closeAfter(async () => void inner.close())
      const bot = { full_name: "Inner", short_name: "inner", bot_type: 3 }
      for (const [payload_url, place] of [
        ["http://10.0.0.5/", "10.0.0.5:80"],
        ["http://10.1.0.5/", "10.1.0.5:80"],
        ["http://127.0.0.2:1/", "127.0.0.2:1"],
        ["http://169.254.169.254/latest/meta-data/", "169.254.169.254:80"],
        ["https://[::1]/", "[::1]:443"],
        ["http://far.example:22/", "far.example:22"],
        ["http://db.corp.example/", "db.corp.example:80"],
      ] as const) {
        const msg = new RegExp(
          `^This server may not call ${place.replaceAll(/[[\].]/g, "\\$&")}: .*PARLEY_OUTGOING_ALLOW`,
        )
        const refused = { status: 400, body: { code: "BAD_REQUEST", msg } }
        t.match(await server.as("hamlet").post("/bots", { ...bot, payload_url }), refused, payload_url)
      }
      t.match(await server.as("polonius").post("/bots", { ...bot, payload_url: "http://10.0.0.5/" }), {
        body: { msg: "Insufficient permission" },
      })
      const unknown = await makeBot(server, "Unknown", "http://nobody.corp.example/")
      t.ok(await makeBot(server, "Range", "http://10.1.0.5:8080/"))
      const patch = (fields: Fields) => server.as("hamlet").patch(`/bots/${unknown}`, fields)
      t.match(await patch({ service_payload_url: "http://10.0.0.5/" }), {
        status: 400,
        body: { msg: /10\.0\.0\.5:80: .*PARLEY_OUTGOING_ALLOW/ },
      })
      far.names.set("nobody.corp.example", ["10.0.0.6"])
      const same = { service_payload_url: "http://nobody.corp.example/", full_name: "Renamed" }
      t.match(await patch(same), { status: 200 }, "what it has is not asked about again")
      t.match(await patch({ service_payload_url: `http://127.0.0.1:${port}/` }), { status: 200 })
      const cordelia = await server.queue("cordelia", messageTypes)
      await direct(server, "cordelia", [unknown], "hello")
      t.match(await nextFrom(cordelia, unknown), { content: "from within" })
    })
  },
)
