/** What operators ask of a running server: what is made and refused, and what clients that are connected learn of it. */

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import t from "tap"
import { Unavailable } from "../../../../src/api/errors.ts"
import { markDemoFinished } from "../../../../src/chat/ground/realm/realm-store.ts"
import { Realms } from "../../../../src/chat/ground/realm/realms.ts"
import { roleNames, type ServerCommand } from "../../../../src/chat/server/commands/command-schema.ts"
import { ServerCommands } from "../../../../src/chat/server/commands/server-commands.ts"
import { createRealm } from "../../../../src/chat/server/setup/realm-create.ts"
import { Database, type DatabaseShape } from "../../../../src/db/database.ts"
import { openMigratedDatabase } from "../../../../src/db/open/open-database.ts"
import { commitSql } from "../../../../src/events/log-commit.ts"
import { RealmId } from "../../../../src/ids.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { type Account, type Fields, request } from "../../../kit/client.ts"
import { inTurn } from "../../../kit/share.ts"
import { createDatabase } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [{ name: "general", users: ["hamlet"], isDefault: true }] as const

const ask = (server: TestServer, command: ServerCommand) =>
  server.run(Effect.flatMap(ServerCommands, (commands) => commands.perform(command)))

const at =
  (server: TestServer, host: string, account?: Account) =>
  (method: string, path: string, fields: Fields = {}) =>
    request(server.origin, method, path, fields, {
      headers: { Host: host },
      ...(account === undefined ? {} : { account }),
    })

const userCreate = (fields: Partial<Extract<ServerCommand, { do: "user create" }>> = {}): ServerCommand => ({
  do: "user create",
  org: null,
  email: "ophelia@test.example",
  name: "Ophelia",
  role: "member",
  password: "by the brook",
  ...fields,
})

const orgCreate = (fields: Partial<Extract<ServerCommand, { do: "org create" }>> = {}): ServerCommand => ({
  do: "org create",
  host: "second.example",
  name: "Second",
  ownerEmail: "ann@second.example",
  ownerName: "Ann Owner",
  password: "a long password",
  ...fields,
})

t.test("a new account is seen by those who are connected, and signs in by its password", (t) =>
  withServer(t, { channels }, async (server) => {
    const reader = await server.queue("hamlet", { event_types: ["realm_user", "subscription"] })
    const answer = await ask(server, userCreate())
    t.match(answer, { isDone: true, text: /^Ophelia, ophelia@test\.example, is a new member of test\.example$/ })
    t.match(await reader.take(2), [
      { type: "realm_user", op: "add", person: { full_name: "Ophelia", role: 400 } },
      { type: "subscription", op: "peer_add" },
    ])
    const signedIn = await server.anonymous("POST", "/fetch_api_key", {
      username: "ophelia@test.example",
      password: "by the brook",
    })
    t.match(signedIn, { status: 200 })
    const { messages } = await server
      .asEmail("ophelia@test.example")
      .must.get("/messages", { anchor: "newest", num_before: 5, num_after: 0 })
    t.match(messages, [{ sender_full_name: "Welcome Bot" }], "it is welcomed")
    await sameAfresh(t, server, "a new account")
  }),
)

t.test("each role can be given", inTurn(2, "each role can be given"), (t) =>
  withServer(t, {}, async (server) => {
    const numbers = [100, 200, 300, 400, 600]
    for (const [index, role] of roleNames.entries()) {
      const email = `${role}@test.example`
      t.match(await ask(server, userCreate({ email, name: role, role, password: null })), { isDone: true })
      t.equal(server.realm.realm.findUserByEmail(email)?.role, numbers[index])
    }
  }),
)

t.test("what is wrong is said, and changes nothing", inTurn(2, "what is wrong is said, and changes nothing"), (t) =>
  withServer(t, { channels }, async (server) => {
    const before = server.realm.realm.position
    const email = "hamlet@test.example"
    const cases: ReadonlyArray<readonly [ServerCommand, RegExp]> = [
      [userCreate({ email: "Hamlet@TEST.example" }), /^Email 'Hamlet@TEST\.example' already in use$/],
      [userCreate({ email: "ophelia" }), /^Enter a valid email address\.$/],
      [userCreate({ email: "ophelia@o\ufb00ice.example" }), /^Enter a valid email address\.$/],
      [userCreate({ email: "ophelia@acm\u212f.example" }), /^Enter a valid email address\.$/],
      [userCreate({ email: "ophelia@acme\u034f.example" }), /^Enter a valid email address\.$/],
      [userCreate({ email: "user7@test.example" }), /not allowed in this organization$/],
      [userCreate({ name: " " }), /^Name too short!$/],
      [userCreate({ name: "O\u0000" }), /^Invalid characters in name!$/],
      [userCreate({ password: "short" }), /^password is too short \(at least 6 characters\)$/],
      [userCreate({ password: "x".repeat(101) }), /^password is too long/],
      [
        userCreate({ org: "elsewhere.example" }),
        /^There is no organization at "elsewhere\.example" \(there is test\.example\)$/,
      ],
      [{ do: "user api-key", org: null, email: "nobody@test.example", isNew: false }, /^Nobody in test\.example has/],
      [{ do: "user password", org: null, email: "nobody@test.example", password: "long enough" }, /^Nobody in/],
      [{ do: "user password", org: null, email, password: "short" }, /^password is too short/],
      [orgCreate({ host: "test.example" }), /^There is an organization at test\.example already$/],
      [orgCreate({ host: "TEST.example" }), /^There is an organization at test\.example already$/],
      [orgCreate({ host: "https://second.example" }), /^"https:\/\/second\.example" is no host: expected a name like/],
      [orgCreate({ host: "second.example:9991" }), /is no host/],
      [orgCreate({ host: "-second" }), /is no host/],
      [orgCreate({ host: "" }), /is no host/],
      [orgCreate({ host: "x".repeat(254) }), /is no host/],
      [orgCreate({ host: "demo.example" }), /is the host of the demo organization/],
      [orgCreate({ name: "" }), /^The name of an organization cannot be blank$/],
      [orgCreate({ name: "x".repeat(41) }), /at most 40 characters$/],
      [orgCreate({ ownerEmail: "ann" }), /^Enter a valid email address\.$/],
      [orgCreate({ ownerName: "" }), /^Name too short!$/],
      [orgCreate({ password: "short" }), /^password is too short/],
    ]
    for (const [command, text] of cases)
      t.match(await ask(server, command), { isDone: false, text }, JSON.stringify(command))
    t.equal(server.realm.realm.position, before)
    t.same(await server.rows("select id from realm"), [{ id: 1 }])
    await server.as("desdemona").must.delete(`/users/${server.idOf("hamlet")}`)
    t.match(await ask(server, { do: "user api-key", org: null, email, isNew: false }), { text: /is deactivated$/ })
    await server.actions.deactivateRealm()
    t.match(await ask(server, userCreate()), {
      isDone: false,
      text: "The organization at test.example is deactivated: parley org reactivate brings it back",
    })
  }),
)

t.test(
  "the key of an account, and another one in its place",
  inTurn(2, "the key of an account, and another one in its place"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const email = "hamlet@test.example"
      const before = server.as("hamlet")
      const known = await ask(server, { do: "user api-key", org: null, email, isNew: false })
      t.same(known, { isDone: true, text: before.account.key })
      const { isDone, text: key } = await ask(server, { do: "user api-key", org: null, email, isNew: true })
      t.ok(isDone && key !== known.text)
      t.equal((await before.get("/users/me")).status, 401, "the one before is not valid any more")
      t.match(await at(server, "test.example", { email, key })("GET", "/users/me"), { status: 200 })
    }),
)

t.test(
  "another password: the one before is refused, and one that had to be reset signs in",
  inTurn(2, "another password: the one before is refused, and one that had to be reset signs in"),
  (t) =>
    withServer(t, {}, async (server) => {
      const username = "hamlet@test.example"
      const signIn = async (password: string) =>
        (await server.anonymous("POST", "/fetch_api_key", { username, password })).body
      const change = (password: string) => ask(server, { do: "user password", org: null, email: username, password })
      t.match(await change("the first one"), { isDone: true, text: "hamlet@test.example has a new password" })
      t.match(await signIn("the first one"), { result: "success" })
      await server.actions.requirePasswordReset("hamlet")
      t.match(await signIn("the first one"), { code: "PASSWORD_RESET_REQUIRED" })
      t.match(await change("the second one"), { isDone: true })
      t.match(await signIn("the first one"), { code: "AUTHENTICATION_FAILED" })
      t.match(await signIn("the second one"), { result: "success" })
      await sameAfresh(t, server, "another password")
      const [logged] = await server.rows(
        "select string_agg(payload::text, '') as text from log where type = 'account_state'",
      )
      t.notMatch(String(logged?.["text"]), /scrypt/, "no hash comes into the log")
    }),
)

t.test(
  "several organizations on one server, each at its host",
  inTurn(2, "several organizations on one server, each at its host"),
  (t) =>
    withServer(t, { channels, config: { externalUrl: "https://test.example:8443" } }, async (server) => {
      t.match(await at(server, "anything.example")("GET", "/server_settings"), { body: { realm_name: "Test" } })
      const made = await ask(server, orgCreate({ host: "Second.example" }))
      t.match(made, {
        isDone: true,
        text: /^Organization Second at second\.example\nOwner Ann Owner, ann@second\.example\nAPI key \w{32}\nThis server has several/,
      })
      const key = /^API key (\w{32})$/m.exec(made.text)?.[1] ?? ""
      const [first, second] = ["test.example", "second.example"].map((host) => at(server, host))
      if (first === undefined || second === undefined) throw new Error("two hosts")
      const settingsOf = async (ask: typeof first) => (await ask("GET", "/server_settings")).body
      t.match(await settingsOf(first), { realm_name: "Test", realm_url: "https://test.example:8443" })
      t.match(await settingsOf(second), { realm_name: "Second", realm_url: "https://second.example:8443" })
      t.notOk("realm_name" in (await settingsOf(at(server, "anything.example"))), "no other host any more")

      const ann = at(server, "second.example", { email: "ann@second.example", key })
      const said = { type: "channel", to: "general", topic: "t", content: "first" }
      t.match(await ann("POST", "/messages", said), { status: 200 })
      const page = { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false }
      t.match((await ann("GET", "/messages", page)).body["messages"], [
        { sender_full_name: "Notification Bot", subject: "welcome", flags: ["read"] },
        { sender_full_name: "Welcome Bot" },
        { content: "first" },
      ])
      t.match(await at(server, "test.example", { email: "ann@second.example", key })("GET", "/users/me"), {
        status: 401,
      })
      const entered = { username: "ann@second.example", password: "a long password" }
      t.match(await second("POST", "/fetch_api_key", entered), { status: 200, body: { api_key: key } })
      t.match(await first("POST", "/fetch_api_key", entered), { status: 401 })

      t.match(await ask(server, userCreate()), {
        isDone: false,
        text: /^There are several organizations: name one with --org/,
      })
      t.match(await ask(server, userCreate({ org: "SECOND.example" })), { isDone: true })
      t.equal(
        server.realm.realm.findUserByEmail("ophelia@test.example"),
        undefined,
        "the other one has not heard of it",
      )
      t.same(await ask(server, { do: "org list" }), {
        isDone: true,
        text: "test.example  Test  (7 people)\nsecond.example  Second  (2 people)",
      })
      await server.restart()
      t.match(
        await settingsOf(second),
        { realm_name: "Second", realm_url: "https://second.example:8443" },
        "after a restart",
      )
    }),
)

t.test(
  "one host is given once, also to commands that come together",
  inTurn(2, "one host is given once, also to commands that come together"),
  (t) =>
    withServer(t, {}, async (server) => {
      const answers = await Promise.all([1, 2, 3].map(() => ask(server, orgCreate())))
      t.same(answers.map(({ isDone }) => isDone).sort(), [false, false, true])
      t.same(await server.rows("select id, host from realm order by id"), [
        { id: 1, host: "test.example" },
        { id: 2, host: "second.example" },
      ])
    }),
)

t.test(
  "an organization whose making was cut off is finished by the same command",
  inTurn(2, "an organization whose making was cut off is finished by the same command"),
  (t) =>
    withServer(t, {}, async (server) => {
      const begun = { id: 2, host: "second.example", settings: { name: "Second", unfinished: true } }
      await server.run(
        Effect.gen(function* () {
          yield* createRealm(yield* Database, begun, null)
          yield* (yield* Realms).refresh()
        }),
      )
      t.match(await ask(server, { do: "org list" }), {
        text: /second\.example {2}Second {2}\(0 people, unfinished: repeat/,
      })
      t.match(await ask(server, orgCreate()), { isDone: true })
      t.match(await ask(server, orgCreate()), {
        isDone: false,
        text: /^There is an organization at second\.example already$/,
      })
      await server.run(Effect.flatMap(Database, (database) => markDemoFinished(database, RealmId(2))))
      await server.rows(`update realm set settings = settings || '{"unfinished": true}' where id = 2`)
      t.match(await ask(server, orgCreate({ ownerEmail: "other@second.example" })), {
        isDone: false,
        text: /^The organization at second\.example was begun with the owner ann@second\.example: name this one to go on$/,
      })
      t.match(await ask(server, orgCreate()), { isDone: true }, "its owner is not made twice")
      t.match(await ask(server, { do: "org list" }), { text: /second\.example {2}Second {2}\(1 person\)$/ })
    }),
)

t.test(
  "whichever commit the making of an organization was cut off at, the same command finishes it",
  inTurn(2, "whichever commit the making of an organization was cut off at, the same command finishes it"),
  async (t) => {
    const database = await createDatabase(t)
    let left = Number.POSITIVE_INFINITY
    const stopped = Effect.fail(new Unavailable({ reason: "the test has stopped it" }))
    const limited = Layer.effect(
      Database,
      Effect.map(Database, (whole): DatabaseShape => {
        const write: DatabaseShape["write"] = (sql, parameters) =>
          Effect.suspend(() => (sql === commitSql && left-- <= 0 ? stopped : whole.write(sql, parameters)))
        return { ...whole, write }
      }),
    ).pipe(Layer.provide(openMigratedDatabase(database)))
    await withServer(t, { config: { database }, databaseLayer: limited }, async (server) => {
      let tries = 0
      for (let isDone = false; !isDone; tries++) {
        left = tries
        const answer = await ask(server, orgCreate())
        isDone = answer.isDone
        if (!isDone) t.match(answer, { text: /^the server cannot do it now, so try again: the test has stopped it$/ })
      }
      left = Number.POSITIVE_INFINITY
      t.equal(tries, 3, "first there was neither channel nor owner, then a channel alone")
      t.same(await server.rows("select count(*)::int as owners from account where realm_id = 2"), [{ owners: 1 }])
      t.same(await server.rows("select count(*)::int as messages from message where realm_id = 2"), [{ messages: 2 }])
      t.match(await ask(server, orgCreate()), { isDone: false, text: /already$/ })
    })
  },
)

t.test("none is made beside the demo organization", inTurn(2, "none is made beside the demo organization"), (t) =>
  withServer(t, {}, async (server) => {
    await server.rows("update realm set host = 'demo.example'")
    t.match(await ask(server, orgCreate()), { isDone: false, text: /^The database holds the demo organization/ })
  }),
)
