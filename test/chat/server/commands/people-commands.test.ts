/** What operators do to people and organizations that are there, and the mail by which they see whether mails get through. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import t from "tap"
import { longestAnswer, type ServerCommand } from "../../../../src/chat/server/commands/command-schema.ts"
import { mostListed } from "../../../../src/chat/server/commands/people-commands.ts"
import { ServerCommands } from "../../../../src/chat/server/commands/server-commands.ts"
import type { MailServer } from "../../../../src/config/config.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { headerOf, startMailCatcher } from "../../../kit/mail-catcher.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "iago"] }] as const

const ask = (server: TestServer, command: ServerCommand) =>
  server.run(Effect.flatMap(ServerCommands, (commands) => commands.perform(command)))

const of = (name: string) => ({ org: null, email: `${name}@test.example`, json: false })

const Listed = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      organization: Schema.String,
      users: Schema.Array(
        Schema.Struct({
          user_id: Schema.Number,
          email: Schema.String,
          role: Schema.String,
          is_bot: Schema.Boolean,
          is_active: Schema.Boolean,
        }),
      ),
      next: Schema.NullOr(Schema.Number),
    }),
  ),
)

t.test("all accounts are listed, as lines and as JSON, from a number on", (t) =>
  withServer(t, { channels }, async (server) => {
    const { text } = await ask(server, { do: "user list", org: null, after: 0, json: true })
    const { organization, users, next } = Listed(text)
    t.equal(organization, "test.example")
    t.equal(next, null)
    t.same(
      users.map(({ user_id }) => user_id),
      [...server.realm.realm.users.keys()].sort((a, b) => a - b),
    )
    const hamlet = users.find(({ email }) => email === "hamlet@test.example")
    t.match(hamlet, { role: "member", is_bot: false, is_active: true })
    const after = Number(hamlet?.user_id)
    const lines = (await ask(server, { do: "user list", org: null, after: after - 1, json: false })).text.split("\n")
    t.match(lines[0], new RegExp(`^${after}  hamlet@test\\.example  .*\\(member\\)$`))
    t.equal(lines.length, users.filter(({ user_id }) => user_id >= after).length)
    t.match(await ask(server, { do: "user list", org: null, after: 1e9, json: false }), { text: /^There is nobody/ })
    t.ok(mostListed * 1000 < longestAnswer, "the longest list fits into an answer")
  }),
)

t.test("a role is given as by its endpoint, and the last owner keeps theirs", (t) =>
  withServer(t, { channels }, async (server) => {
    const owners = [...server.realm.realm.users.values()].filter(({ role, is_bot }) => role === 100 && !is_bot)
    const reader = await server.queue("hamlet", { event_types: ["realm_user"] })
    t.match(await ask(server, { do: "user role", ...of("hamlet"), role: "moderator" }), {
      isDone: true,
      text: /, hamlet@test\.example, is a moderator of test\.example$/,
    })
    t.match(await reader.take(1), [{ type: "realm_user", op: "update", person: { role: 300 } }])
    const again = await ask(server, { do: "user role", ...of("hamlet"), role: "moderator", json: true })
    t.match(JSON.parse(again.text), { email: "hamlet@test.example", role: "moderator", is_active: true })
    const last = owners.at(-1)
    if (last === undefined) throw new Error("there is no owner")
    for (const { email } of owners.slice(0, -1)) {
      const given = { do: "user role", org: null, email, role: "member", json: false } as const
      t.match(await ask(server, given), { isDone: true })
    }
    const theirs = { org: null, email: last.email, json: false }
    t.same(await ask(server, { do: "user role", ...theirs, role: "member" }), {
      isDone: false,
      text: "The owner permission cannot be removed from the only organization owner.",
    })
    t.same(await ask(server, { do: "user deactivate", ...theirs }), {
      isDone: false,
      text: "The only organization owner cannot be deactivated.",
    })
    const nobody = { isDone: false, text: 'Nobody in test.example has the address "nobody@test.example"' }
    t.same(await ask(server, { do: "user role", ...of("nobody"), role: "guest" }), nobody)
    t.same(await ask(server, { do: "user deactivate", ...of("nobody") }), nobody)
    await sameAfresh(t, server, "roles of operators")
  }),
)

t.test("an account goes with its bots, and comes back as it was", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const made = await hamlet.must.post("/bots", { full_name: "Skull", short_name: "skull", bot_type: 1 })
    t.match(await ask(server, { do: "user deactivate", ...of("hamlet") }), { isDone: true, text: /is deactivated/ })
    t.match(await hamlet.get("/users/me"), { status: 401 })
    const states = async () =>
      new Map(
        Listed((await ask(server, { do: "user list", org: null, after: 0, json: true })).text).users.map(
          ({ user_id, is_active }) => [user_id, is_active],
        ),
      )
    const gone = await states()
    t.equal(gone.get(Number(made["user_id"])), false, "their bot")
    t.match(
      await ask(server, { do: "user deactivate", ...of("hamlet"), json: true }),
      { isDone: true },
      "twice is once",
    )
    const back = await ask(server, { do: "user reactivate", ...of("hamlet"), json: true })
    t.match(JSON.parse(back.text), { email: "hamlet@test.example", is_active: true })
    t.match(await hamlet.get("/users/me"), { status: 200 })
    t.match(await hamlet.must.get("/users/me/subscriptions"), { subscriptions: [{ name: "lobby" }] })
    t.equal((await states()).get(Number(made["user_id"])), false, "as by the endpoint, bots do not come along")
    await sameAfresh(t, server, "who went and came back")
  }),
)

t.test("an organization ends, and its commands with it, until it is brought back", (t) =>
  withServer(t, { channels }, async (server) => {
    const end = { do: "org deactivate", org: "test.example", json: true } as const
    t.match(await ask(server, { ...end, org: "other.example" }), {
      isDone: false,
      text: /^There is no organization at/,
    })
    const ended = await ask(server, end)
    t.same(JSON.parse(ended.text), {
      organization: "test.example",
      name: server.realm.realm.settings.name,
      is_deactivated: true,
    })
    t.match(await server.as("hamlet").get("/users/me"), { status: 401 })
    t.match(await ask(server, end), { isDone: false, text: /is deactivated already$/ })
    t.match(await ask(server, { do: "user list", org: null, after: 0, json: false }), {
      isDone: false,
      text: /is deactivated: parley org reactivate brings it back$/,
    })
    t.match(await ask(server, { do: "org reactivate", org: null }), { isDone: true })
    t.match(await server.as("hamlet").get("/users/me"), { status: 200 })
  }),
)

const mailServer = (port: number, rest: Partial<MailServer> = {}): MailServer => ({
  host: "127.0.0.1",
  port,
  user: null,
  password: null,
  security: "none",
  from: { name: "Parley", address: "parley@chat.example" },
  ...rest,
})
const testMail = { do: "mail test", email: "ann@far.example", json: false } as const

t.test("a test mail is handed over at once, and what the mail server says of it is said", async (t) => {
  const catcher = await startMailCatcher(t)
  await withServer(t, { config: { mode: "production", mail: mailServer(catcher.port) } }, async (server) => {
    const name = `127.0.0.1:${catcher.port}`
    t.match(await ask(server, testMail), { isDone: true, text: `${name} has taken the mail to ann@far.example` })
    t.match(catcher.mails, [{ to: ["ann@far.example"] }])
    const [mail] = catcher.mails
    t.equal(mail === undefined ? "" : headerOf(mail, "subject"), "A test of mails from Parley")
    const told = await ask(server, { ...testMail, json: true })
    t.same(JSON.parse(told.text), { email: "ann@far.example", server: name })
    t.match(await ask(server, { ...testMail, email: "no address" }), { isDone: false })
  })
  await withServer(t, { config: { mode: "production", mail: mailServer(1) } }, async (server) => {
    const refused = await ask(server, testMail)
    t.match(refused, { isDone: false, text: /^The mail server 127\.0\.0\.1:1 has not taken the mail: .*ECONNREFUSED/ })
  })
  await withServer(t, { config: { mode: "production", mail: null } }, async (server) => {
    t.match(await ask(server, testMail), { isDone: false, text: /^No mail server is named: set PARLEY_SMTP_HOST/ })
  })
  await withServer(t, { config: { mode: "development", mail: null } }, async (server) => {
    t.match(await ask(server, testMail), { isDone: true, text: /is kept and shown at \/outbox/ })
    t.same(await server.rows("select mail->'to'->>'address' as address from kept_mail"), [
      { address: "ann@far.example" },
    ])
  })
})
