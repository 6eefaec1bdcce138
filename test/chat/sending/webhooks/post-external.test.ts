/** Web hooks over HTTP: who may, by which key, where the message goes, and that a delivery counts once. */
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { alertmanager, alertmanagerSaid } from "./slack-payloads.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "two words", users: ["hamlet"] },
  { name: "leads", users: ["cordelia"], isPrivate: true },
] as const

const email = "hook@test.example"

const makeBot = async (server: TestServer, owner: "hamlet" | null, botType: 1 | 2 | 3 = 2, address = email) => {
  const bot = { fullName: address, isBot: true, botType, role: roles.member, passwordHash: null } as const
  const id = await server.run(setUpUser(server.realmId, { ...bot, email: address }))
  if (owner !== null)
    await server.rows("update account set bot_owner_id = $1::integer where id = $2::integer", [server.idOf(owner), id])
  await server.restart()
  return id
}

interface Sent {
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const tell = async (server: TestServer, integration: string, { key, query = {}, headers, body = "{}" }: Sent = {}) => {
  const search = new URLSearchParams({ api_key: key ?? server.asEmail(email).account.key, ...query })
  const answer = await fetch(`${server.origin}/api/v1/external/${integration}?${search}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body,
  })
  return { status: answer.status, ...Object(await answer.json()) }
}

const newest = async (server: TestServer, who: "hamlet" | "cordelia" = "hamlet") => {
  const { messages } = await server
    .as(who)
    .must.get("/messages", { anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false })
  const [message] = recordsIn(messages)
  return message
}

t.test("what a service tells is said by the bot", (t) =>
  withServer(t, { channels }, async (server) => {
    const bot = await makeBot(server, "hamlet")
    const say = (query: Readonly<Record<string, string>>) => tell(server, "json", { query, body: '{"content":"c"}' })
    t.match(await say({ stream: "lobby", topic: "t" }), { status: 200, result: "success", id: Number })
    t.match(await newest(server), { sender_id: bot, display_recipient: "lobby", subject: "t", content: "c" })
    const id = server.realm.realm.findChannelByName("two words")?.id
    t.match(await say({ stream: String(id) }), { status: 200 })
    t.match(await newest(server), { display_recipient: "two words", subject: "JSON" }, "by id, with the usual topic")
    const hidden = { subscriptions: [{ name: String(id) }], invite_only: true }
    await server.as("cordelia").must.post("/users/me/subscriptions", hidden)
    t.match(await say({ stream: String(id) }), { status: 200 }, "a hidden channel with these digits as its name")
    t.match(await say({ stream: "two%20words" }), { status: 200 }, "encoded once too often")
    t.match(await say({}), { status: 200 })
    t.match(await newest(server), { type: "private", sender_id: bot, content: "c" }, "to its owner")
    t.match(await say({ stream: "nowhere" }), { status: 400, code: "STREAM_DOES_NOT_EXIST" })
    t.match(await say({ stream: "leads" }), { status: 400, code: "STREAM_DOES_NOT_EXIST" }, "neither may see it")
    t.match(await tell(server, "nothing"), { status: 404, msg: "There is no such integration." })
    const form = { "Content-Type": "application/x-www-form-urlencoded" }
    const payload = new URLSearchParams({ payload: '{"text":"*from* Slack"}' })
    const query = { stream: "lobby" }
    t.match(await tell(server, "slack_incoming", { query, headers: form, body: `${payload}` }), { status: 200 })
    t.match(await newest(server), { content: "**from** Slack", subject: "Slack" })
    t.match(await tell(server, "slack_incoming", { query, headers: form, body: '{"text":"bare"}' }), { status: 200 })
    t.match(await newest(server), { content: "bare" }, "JSON that says it is a form")
    t.match(await tell(server, "json", { query, body: '\uFEFF{"content":"marked"}' }), { status: 200 })
    t.match(await newest(server), { content: "marked" }, "behind a byte order mark")
    const marked = new URLSearchParams({ payload: '\uFEFF{"text":"too"}', description: "one of theirs" })
    t.match(await tell(server, "slack_incoming", { query, headers: form, body: `${marked}` }), { status: 200 })
    t.match(await newest(server), { content: "too" }, "in a form as well, whose fields are no parameters of ours")
    const opened = {
      action: "opened",
      issue: { number: 1, title: "t", body: "<!-- why? -->\nbecause" },
      sender: { login: "iago" },
    }
    const issue = { headers: { "X-GitHub-Event": "issues" }, body: JSON.stringify(opened) }
    t.match(await tell(server, "github", { query, ...issue }), { status: 200 })
    t.match(await newest(server), { content: "**iago** opened issue #1 t.\n~~~~ quote\nbecause\n~~~~" })
    t.match(await tell(server, "github", { query: { ...query, description: "false" }, ...issue }), { status: 200 })
    t.match(await newest(server), { content: "**iago** opened issue #1 t." })
    const alerts = [{ labels: { host: "moat" }, annotations: { what: "leaks" } }]
    const choice = { ...query, desc: "what", name: "host" }
    const firing = JSON.stringify({ status: "firing", alerts })
    t.match(await tell(server, "alertmanager", { query: choice, body: firing }), { status: 200 })
    t.match(await newest(server), { subject: "moat", content: /\*\*moat\*\*\nleaks\n/ })
    const basic = { Authorization: `Basic ${btoa(`${email}:${server.asEmail(email).account.key}`)}` }
    t.match(await tell(server, "json", { key: "", headers: basic, query }), { status: 200 }, "signed by a header")
  }),
)

t.test(
  "a delivery counts once, and events are chosen",
  inTurn(2, "a delivery counts once, and events are chosen"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await makeBot(server, "hamlet")
      const starred = JSON.stringify({ action: "created", repository: { name: "a" }, sender: { login: "b" } })
      const star = (delivery: string, query: Readonly<Record<string, string>> = {}) =>
        tell(server, "github", {
          query: { stream: "lobby", ...query },
          headers: { "X-GitHub-Event": "star", "X-GitHub-Delivery": delivery },
          body: starred,
        })
      const first = await star("one")
      t.match(first, { status: 200, id: Number })
      t.equal((await star("one")).id, first.id)
      t.not((await star("two")).id, first.id)
      t.not((await star("one", { topic: "elsewhere" })).id, first.id, "another place")
      t.match(await star("3", { only_events: '["push","pull*"]' }), {
        status: 200,
        ignored_event: "star",
        ignored_reason: /address/,
      })
      t.match(await star("4", { exclude_events: '["s*r"]' }), { status: 200, ignored_event: "star" })
      t.match(await star("5", { only_events: '["st*"]' }), { status: 200, id: Number })
      const unknown = { "X-GitHub-Event": "dependabot_alert" }
      t.match(await tell(server, "github", { headers: unknown }), {
        status: 200,
        ignored_event: "dependabot_alert",
        ignored_reason: /shown to few/,
      })
      t.match(await tell(server, "github"), { status: 400, code: "BAD_REQUEST" }, "without its header")
    }),
)

t.test(
  "keys that are no bot's, and bodies that are nothing",
  inTurn(2, "keys that are no bot's, and bodies that are nothing"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const bot = await makeBot(server, null)
      await makeBot(server, "hamlet", 3, "outgoing@test.example")
      const query = { stream: "lobby" }
      const invalid = { status: 401, code: "INVALID_API_KEY" }
      for (const key of ["", "short", "x".repeat(32), server.as("hamlet").account.key])
        t.match(await tell(server, "json", { key, query }), invalid, key)
      t.match(await tell(server, "json", { key: server.asEmail("outgoing@test.example").account.key, query }), invalid)
      t.match(await tell(server, "json"), { status: 400, msg: /has no owner/ })
      const deep = `${"[".repeat(100)}${"]".repeat(100)}`
      for (const body of ["", "{", deep, `[${"{},".repeat(10_001)}{}]`, "\u0000"])
        t.match(await tell(server, "json", { query, body }), { status: 400, code: "INVALID_JSON" }, body.slice(0, 10))
      const key = server.asEmail(email).account.key
      t.match(await tell(server, "json", { query }), { status: 200 })
      await server
        .as("iago")
        .must.delete(`/bots/${bot}`)
        .catch(() => server.as("iago").must.delete(`/users/${bot}`))
      t.match(await tell(server, "json", { key, query }), { status: 401, code: "USER_DEACTIVATED" })
      await server.actions.deactivateRealm()
      t.match(await tell(server, "json", { key, query }), { status: 401, code: "REALM_DEACTIVATED" })
      t.match(
        await tell(server, "json", { key: "short", query }),
        invalid,
        "its form is looked at before the organization",
      )
    }),
)

t.test("what no database stores is replaced in every text of a payload, and fails nothing", (t) =>
  withServer(t, { channels }, async (server) => {
    await makeBot(server, "hamlet")
    const query = { stream: "lobby" }
    const said = async (integration: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
      t.match(await tell(server, integration, { query, headers, body }), { status: 200, id: Number }, body)
      return (await newest(server))?.["content"]
    }
    // As they stand in JSON: NUL, each half of a character alone, and a whole one.
    const odd = String.raw`a\u0000b\ud800c\uDFFFd\uD83D\uDE00`
    const shown = "a\uFFFDb\uFFFDc\uFFFDd\u{1F600}"
    t.equal(await said("json", `{"content":"${odd}","topic":"${odd}"}`), shown)
    t.equal(await said("json", `{"${odd}":["${odd}"]}`), `~~~~ json\n{\n  "${shown}": [\n    "${shown}"\n  ]\n}\n~~~~`)
    t.equal(await said("slack_incoming", `{"text":"${odd} \`\`\`${odd}\`\`\`"}`), `${shown} \n~~~~\n${shown}\n~~~~`)
    const issue = `{"number":1,"title":"${odd}","body":"${odd}","html_url":"https://a.example"}`
    const github = `{"action":"opened","issue":${issue},"sender":{"login":"${odd}"}}`
    t.match(await said("github", github, { "X-GitHub-Event": "issues" }), `~~~~ quote\n${shown}\n~~~~`)
    const alert = `{"status":"firing","labels":{"${odd}":"${odd}"},"annotations":{"summary":"${odd}"}}`
    t.match(await said("alertmanager", `{"status":"firing","alerts":[${alert}]}`), shown)
    t.match(
      await said("gitlab", `{"object_kind":"wiki_page","object_attributes":{"title":"${odd}","action":"create"}}`),
      shown,
    )
    t.match(await said("grafana", `{"title":"t","state":"alerting","message":"${odd}"}`), shown)
    const form = { "Content-Type": "application/x-www-form-urlencoded" }
    t.equal(await said("json", "content=a%00b", form), "a\uFFFDb", "a form's field")
    t.equal(await said("json", "%00=1", form), '~~~~ json\n{\n  "\uFFFD": "1"\n}\n~~~~', "and its name")
    const twice = { stream: "a%00b" }
    t.match(await tell(server, "json", { query: twice }), { status: 400, code: "STREAM_DOES_NOT_EXIST" })
    const split = `{"text":"${"x".repeat(7999)}${String.raw`\ud83d\ude00`}"}`
    t.match(await said("slack_incoming", split), /^x/, "a text that is cut within a character")
  }),
)

t.test("what writes to Slack is answered as Slack does", (t) =>
  withServer(t, { channels }, async (server) => {
    await makeBot(server, "hamlet")
    const query = { stream: "lobby" }
    const slack = (body: object, more: Readonly<Record<string, string>> = {}) =>
      tell(server, "slack_incoming", { query: { ...query, ...more }, body: JSON.stringify(body) })
    t.match(await slack(alertmanager), { status: 200, result: "success", ok: true, id: Number })
    t.match(await newest(server), { content: alertmanagerSaid, subject: "alerts" })
    t.match(await slack({ text: "x" }, { exclude_events: '[""]' }), { status: 200, ok: true })
    t.match(await slack({}), {
      status: 400,
      result: "error",
      code: "BAD_REQUEST",
      ok: false,
      error: /^There is no text/,
    })
    const nowhere = { code: "STREAM_DOES_NOT_EXIST", ok: false, error: "Channel 'nowhere' does not exist" }
    t.match(await slack({ text: "x" }, { stream: "nowhere" }), { status: 400, ...nowhere, stream: "nowhere" })
    const broken = await tell(server, "slack_incoming", { query, body: "{" })
    t.match(broken, { status: 400, code: "INVALID_JSON", ok: false, error: "Malformed JSON" })
    t.notOk(Object.hasOwn(await tell(server, "json", { query }), "ok"), "other services' answers stay as they are")
  }),
)

t.test("keys are found by one look, whichever bots come and change", inTurn(2, "keys of bots"), (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const made = async (n: number) => {
      const bot = { full_name: `Bot ${n}`, short_name: `bot${n}`, bot_type: 2 }
      return hamlet.must.post("/bots", bot)
    }
    const query = { stream: "lobby" }
    const status = async (key: unknown) => (await tell(server, "json", { key: String(key), query })).status
    const bots = await Promise.all([1, 2, 3].map(made))
    const { changedBots } = server.realm.realm
    t.equal(changedBots.size, 3)
    t.equal(await status("x".repeat(32)), 401)
    t.equal(changedBots.size, 0, "all have been looked at")
    for (const { api_key } of bots) t.equal(await status(api_key), 200)
    const [first = {}] = bots
    const { api_key: renewed } = await hamlet.must.post(`/bots/${String(first["user_id"])}/api_key/regenerate`)
    await hamlet.must.patch(`/bots/${String(bots[1]?.["user_id"])}`, { full_name: "Renamed" })
    t.equal(changedBots.size, 2, "those whose records have changed")
    t.equal(await status(first["api_key"]), 401, "it has been replaced")
    t.equal(changedBots.size, 0)
    t.equal(await status(renewed), 200)
    t.equal(await status(bots[1]?.["api_key"]), 200)
    const later = await made(4)
    t.equal(await status(later["api_key"]), 200, "one that was made since")
    t.equal(await status(first["api_key"]), 401)
    await server.restart()
    t.equal(await status(renewed), 200)
  }),
)

t.test("no commit message mentions anybody", inTurn(2, "no commit message mentions anybody"), (t) =>
  withServer(t, { channels }, async (server) => {
    await makeBot(server, "hamlet")
    const queue = await server.queue("hamlet")
    const names = ["@**all**", "@**Cordelia, Lear's daughter**", "[x](https://evil.example)"]
    const commits = names.map((message) => ({ message, url: "https://a.example", id: "1" }))
    const issue = {
      number: 1,
      title: "@**all**",
      body: "~~~~\n@**all** @**hamlet**\n~~~~",
      html_url: "https://a.example",
    }
    const query = { stream: "lobby" }
    for (const [event, payload] of [
      [
        "push",
        { ref: "refs/heads/@**all**", commits, repository: { name: "@**all**" }, sender: { login: "@**all**" } },
      ],
      ["issues", { action: "opened", issue, sender: { login: "**@**all****" } }],
    ] as const) {
      const headers = { "X-GitHub-Event": event }
      t.match(await tell(server, "github", { query, headers, body: JSON.stringify(payload) }), { status: 200 })
      const { message, flags } = await queue.until(({ type }) => type === "message")
      t.strictSame(flags, [], event)
      const html = String(Object(message)["content"])
      t.notMatch(html, /href="https:\/\/evil/)
      if (event === "push") t.match(html, /@\*\*all\*\*/, "it says what it said")
      t.notMatch(html, /user-mention(?![^"]*silent)/)
    }
  }),
)
