/** Signing in: passwords, API keys and how they end, and what clients ask before it. */

import { randomBytes, scryptSync } from "node:crypto"
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { UserId } from "../../../../src/ids.ts"
import { ask } from "../../../kit/at-once.ts"
import { type Answer, type Fields, personOf, request } from "../../../kit/client.ts"
import { emptyDatabase } from "../../../kit/lent-database.ts"
import { manualClock } from "../../../kit/manual-clock.ts"
import { recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { inTurn } from "../../../kit/share.ts"
import { requirePasswordReset } from "../../../kit/test-commands.ts"
import { until } from "../../../kit/test-database.ts"
import { startTestApp, type TestServer, testConfig, withServer } from "../../../kit/with-server.ts"

/** A person with a password, made by the owner as an administrator would. */
const addPerson = async (server: TestServer, email: string): Promise<number> => {
  const fields = { email, password: "a long password", full_name: "New Person" }
  return Number((await server.as("desdemona").must.post("/users", fields))["user_id"])
}

t.test("signing in", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: [], isDefault: true }] }, async (server) => {
    const email = "Fortinbras@test.example"
    const id = await addPerson(server, email)
    const gone = await addPerson(server, "gone@test.example")
    await server.as("iago").must.delete(`/users/${gone}`)
    const fetchKey = (fields: Fields): Promise<Answer> => server.anonymous("POST", "/fetch_api_key", fields)
    const right = { username: email, password: "a long password" }

    await t.test("the right password gives the key, always the same", async (t) => {
      const { status, body } = await fetchKey(right)
      t.equal(status, 200)
      t.match(body, { result: "success", msg: "", api_key: /^[A-Za-z0-9]{32}$/, email, user_id: id })
      for (const username of [email.toLowerCase(), ` ${email.toUpperCase()} `])
        t.same((await fetchKey({ ...right, username })).body, body, username)
      const key = String(body["api_key"])
      const fetched = personOf(server.origin, { email, key })
      t.match(await fetched.must.get("/users/me"), { user_id: id, email })
      t.match(await personOf(server.origin, { email: email.toUpperCase(), key: ` ${key} ` }).get("/users/me"), {
        status: 200,
      })
      await server.restart()
      t.equal((await fetchKey(right)).body["api_key"], key, "after a restart too")
    })

    await t.test("a weak hash is renewed when its owner signs in, without a trace in the log", async (t) => {
      const hash = async () =>
        String((await server.rows("select password_hash as h from account where id = $1", [id]))[0]?.["h"])
      const strong = await hash()
      await fetchKey(right)
      t.equal(await hash(), strong, "one that is not weak stays")
      const [salt, p] = [randomBytes(16), 1]
      const key = scryptSync(right.password, salt, 32, { N: 16, r: 8, p })
      const weak = ["scrypt", 16, 8, p, salt.toString("base64url"), key.toString("base64url")].join("$")
      await server.rows("update account set password_hash = $2 where id = $1", [id, weak])
      const head = server.realm.realm.position
      const { body } = await fetchKey(right)
      t.equal((await fetchKey({ ...right, password: "wrong" })).status, 401)
      const renewed = await hash()
      t.match(renewed, /^scrypt\$16\$8\$3\$/)
      t.same((await fetchKey(right)).body, body, "the password and the key are the same")
      t.equal(await hash(), renewed, "once")
      t.equal(server.realm.realm.position, head)

      // A change of the password while it is checked wins.
      await server.rows("update account set password_hash = $2 where id = $1", [id, weak])
      server.faults.slow("select password_hash", async () => {
        await server.rows("update account set password_hash = $2 where id = $1", [id, strong])
      })
      t.equal((await fetchKey(right)).status, 200)
      server.faults.flow()
      t.equal(await hash(), strong)
    })

    await t.test("refused", async (t) => {
      const wrong = { status: 401, code: "AUTHENTICATION_FAILED", msg: "Your username or password is incorrect" }
      const table: ReadonlyArray<Refusal> = [
        { when: "a wrong password", fields: { ...right, password: "A long password" }, ...wrong },
        { when: "an empty password", fields: { ...right, password: "" }, ...wrong },
        { when: "an unknown address", fields: { ...right, username: "nobody@test.example" }, ...wrong },
        { when: "a person without a password", fields: { ...right, username: "hamlet@test.example" }, ...wrong },
        {
          when: "a wrong password of who has left",
          fields: { ...right, username: "gone@test.example", password: "x" },
          ...wrong,
        },
        {
          when: "who has left",
          fields: { ...right, username: "gone@test.example" },
          status: 401,
          code: "USER_DEACTIVATED",
          msg: "Account is deactivated",
        },
        {
          when: "a name that is no address",
          fields: { ...right, username: "fortinbras" },
          msg: "Enter a valid email address.",
        },
        { when: "NUL in the password", fields: { ...right, password: "a\u0000" }, msg: /null bytes/ },
        ...["username", "password"].map((name) => ({
          when: `no ${name}`,
          fields: { ...right, [name]: undefined },
          code: "REQUEST_VARIABLE_MISSING",
          msg: `Missing '${name}' argument`,
          also: { var_name: name },
        })),
      ]
      await refuses(t, table, fetchKey)
      await refuses(
        t,
        [{ when: "outside of development", fields: { username: email }, msg: "Endpoint not available in production." }],
        (fields) => server.anonymous("POST", "/dev_fetch_api_key", fields),
      )
      await refuses(
        t,
        [{ when: "outside of development", fields: {}, msg: "Endpoint not available in production." }],
        (fields) => server.anonymous("GET", "/dev_list_users", fields),
      )
    })

    await t.test("every wrong way to authenticate is 401 and says so", async (t) => {
      const { key } = server.as("hamlet").account
      const basic = (pair: string) => ({ Authorization: `Basic ${Buffer.from(pair).toString("base64")}` })
      const cases: ReadonlyArray<readonly [string, Record<string, string>, number, RegExp]> = [
        ["nothing", {}, 401, /./],
        ["no scheme", { Authorization: "hamlet" }, 401, /./],
        ["another scheme", { Authorization: `Bearer ${key}` }, 400, /Basic/],
        ["no base64", { Authorization: "Basic ###" }, 401, /Basic/],
        ["no colon", basic("hamlet@test.example"), 401, /Basic/],
        ["a short key", basic("hamlet@test.example:abc"), 401, /Malformed API key/],
        ["another's key", basic(`cordelia@test.example:${key}`), 401, /Invalid API key/],
        ["an unknown address", basic(`yorick@test.example:${key}`), 401, /Invalid API key/],
        ["another key", basic(`hamlet@test.example:${"k".repeat(32)}`), 401, /Invalid API key/],
      ]
      for (const [name, headers, status, msg] of cases) {
        const response = await fetch(`${server.origin}/api/v1/users/me`, { headers })
        t.equal(response.status, status, name)
        t.match(
          await response.json(),
          { result: "error", code: status === 401 ? "UNAUTHORIZED" : "BAD_REQUEST", msg },
          name,
        )
        if (status === 401) t.equal(response.headers.get("www-authenticate"), 'Basic realm="zulip"', name)
      }
    })

    await t.test(
      "a password whose normalization costs the square of its length does not stop the server",
      async (t) => {
        // The longest that is read. Unicode normalization took seconds for one that was sixteen times as long.
        const password = `a${"\u0300\u0316".repeat(4_900)}`
        const refused = await fetchKey({ username: "hamlet@test.example", password })
        t.match(refused, { status: 401, body: { code: "AUTHENTICATION_FAILED" } })
      },
    )
  }),
)

t.test(
  "development mode gives keys without passwords",
  inTurn(2, "development mode gives keys without passwords"),
  async (t) => {
    const clock = manualClock()
    const { database, layer } = await emptyDatabase(t)
    const config = testConfig(database, { config: { mode: "development" } })
    const onForeign = () => t.fail("another server took the database over")
    const { app, stop } = await startTestApp({
      config,
      clock,
      commitTime: () => clock.now(),
      onForeign,
      database: layer,
    })
    t.teardown(stop)
    const origin = `http://127.0.0.1:${app.server.port}`
    const fetchKey = (fields: Fields) => request(origin, "POST", "/dev_fetch_api_key", fields)
    t.match((await request(origin, "GET", "/server_settings", {})).body, {
      realm_name: "Parley demo",
      authentication_methods: { dev: true },
    })
    const { body } = await fetchKey({ username: "member@demo.example" })
    const member = personOf(origin, { email: "member@demo.example", key: String(body["api_key"]) })
    const own = await member.must.get("/users/me")
    t.match(body, { email: own["email"], user_id: own["user_id"] })
    const unknown = { status: 401, code: "AUTHENTICATION_FAILED", msg: /./ }
    await refuses(
      t,
      [
        { when: "an unknown address", fields: { username: "nobody@demo.example" }, ...unknown },
        { when: "no address", fields: {}, code: "REQUEST_VARIABLE_MISSING", msg: /username/ },
      ],
      fetchKey,
    )

    const listed = await request(origin, "GET", "/dev_list_users", {})
    const account = (name: string) => ({ email: `${name}@demo.example`, realm_url: origin })
    t.strictSame(listed.body, {
      result: "success",
      msg: "",
      direct_admins: [account("admin"), account("owner")],
      direct_users: ["guest", "member", "moderator", "visitor"].map(account),
    })
    const owner = await fetchKey({ username: "owner@demo.example" })
    const asOwner = personOf(origin, { email: "owner@demo.example", key: String(owner.body["api_key"]) })
    await asOwner.must.delete(`/users/${own["user_id"]}`)
    t.notMatch(JSON.stringify((await request(origin, "GET", "/dev_list_users", {})).body), "member@")
    const left = { status: 401, code: "USER_DEACTIVATED", msg: "Account is deactivated" }
    await refuses(t, [{ when: "who has left", fields: { username: "member@demo.example" }, ...left }], fetchKey)
  },
)

t.test("server_settings", inTurn(2, "server_settings"), (t) =>
  withServer(t, {}, async (server) => {
    const { status, body } = await server.anonymous("GET", "/server_settings")
    t.equal(status, 200)
    t.match(body, {
      result: "success",
      zulip_version: /^\d+\./,
      zulip_merge_base: /^\d+\./,
      zulip_feature_level: 417,
      push_notifications_enabled: false,
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: true,
      authentication_methods: { password: true, email: true, dev: false, ldap: false },
      external_authentication_methods: [],
      realm_url: server.origin,
      realm_uri: server.origin,
      realm_name: "Test",
      realm_icon: "/user_avatars/1/drawn/icon.png",
      realm_description: "",
      realm_web_public_access_enabled: false,
    })
    await server.rows("update realm set settings = settings || $1::text::jsonb", ['{"description": "<b> & more"}'])
    await server.restart()
    t.match((await server.anonymous("GET", "/server_settings")).body, {
      realm_description: "<p>&lt;b&gt; &amp; more</p>",
    })
    const withSurplus = await server.anonymous("GET", "/server_settings", { b: 1, a: 2 })
    t.same(withSurplus.body["ignored_parameters_unsupported"], ["a", "b"])
  }),
)

t.test("states of the organization and of an account", inTurn(2, "states of the organization and of an account"), (t) =>
  withServer(t, {}, async (server) => {
    const username = "fortinbras@test.example"
    const id = await addPerson(server, username)
    const right = { username, password: "a long password" }
    const wrong = { ...right, password: "another password" }
    const fetchKey = (fields: Fields): Promise<Answer> => server.anonymous("POST", "/fetch_api_key", fields)
    const signInFailed = { status: 401, code: "AUTHENTICATION_FAILED", msg: "Your username or password is incorrect" }

    await t.test("signing in by password is switched off and on again", async (t) => {
      await server.actions.changeRealm({ password_auth_enabled: false })
      const off = { status: 401, code: "PASSWORD_AUTH_DISABLED", msg: /password/ }
      const table = [right, wrong, { ...right, username: "nobody@test.example" }]
      await refuses(
        t,
        table.map((fields) => ({ when: "switched off", fields, ...off })),
        fetchKey,
      )
      t.match((await server.anonymous("GET", "/server_settings")).body, {
        email_auth_enabled: false,
        authentication_methods: { password: false, email: false },
      })
      t.equal((await server.as("hamlet").get("/users/me")).status, 200, "keys are as good as before")
      await server.actions.changeRealm({ password_auth_enabled: true })
      t.equal((await fetchKey(right)).status, 200)
    })

    await t.test("a password that must be reset: only a client with the right password learns of it", async (t) => {
      await server.run(requirePasswordReset(server.realmId, UserId(id)))
      const reset = { status: 401, code: "PASSWORD_RESET_REQUIRED", msg: /password/ }
      const table: ReadonlyArray<Refusal> = [
        { when: "the right password", fields: right, ...reset },
        { when: "a wrong one", fields: wrong, ...signInFailed },
      ]
      await refuses(t, table, fetchKey)
      await server.as("iago").must.delete(`/users/${id}`)
      await refuses(t, table, fetchKey)
    })

    await t.test("server_settings says whether visitors are admitted", async (t) => {
      await server.actions.changeRealm({ enable_spectator_access: true })
      t.match((await server.anonymous("GET", "/server_settings")).body, { realm_web_public_access_enabled: true })
    })

    await t.test("a deactivated organization", async (t) => {
      const gone = "This organization has been deactivated"
      await server.actions.deactivateRealm()
      const table = [right, wrong, { ...right, username: "fortinbras" }]
      await refuses(
        t,
        table.map((fields) => ({ when: "deactivated", fields, status: 401, code: "REALM_DEACTIVATED", msg: gone })),
        fetchKey,
      )
      for (const [when, refused] of [
        ["known before", await server.as("hamlet").get("/users/me")],
        ["not known before", await server.as("cordelia").get("/users/me")],
        ["a wrong key", await personOf(server.origin, { email: username, key: "k".repeat(32) }).get("/users/me")],
      ] as const) {
        t.equal(refused.status, 401, when)
        t.match(refused.body, { code: "UNAUTHORIZED", msg: gone }, when)
      }
      t.match(await ask(server, "hamlet", "POST /users/me/api_key/regenerate", {}), {
        told: "refused",
        error: { code: "UNAUTHORIZED", msg: gone },
      })
      t.equal((await server.anonymous("GET", "/server_settings")).status, 200)
      await server.actions.reactivateRealm()
      t.equal((await server.as("hamlet").get("/users/me")).status, 200)
    })
  }),
)

t.test("changes during the check of a password count", inTurn(2, "changes during the check of a password count"), (t) =>
  withServer(t, {}, async (server) => {
    const fields = { username: "fortinbras@test.example", password: "a long password" }
    await addPerson(server, fields.username)
    const { changeRealm, deactivateRealm, reactivateRealm } = server.actions
    const codeOver = async (change: () => Promise<void>) => {
      server.faults.slow("password_hash", change)
      const { status, body } = await server.anonymous("POST", "/fetch_api_key", fields)
      server.faults.flow()
      return [status, body["code"]]
    }
    t.same(await codeOver(() => changeRealm({ password_auth_enabled: false })), [401, "PASSWORD_AUTH_DISABLED"])
    await changeRealm({ password_auth_enabled: true })
    t.same(await codeOver(deactivateRealm), [401, "REALM_DEACTIVATED"])
    await reactivateRealm()
    t.same(await codeOver(async () => {}), [200, undefined])
  }),
)

t.test("the number of password guesses is limited", inTurn(2, "the number of password guesses is limited"), (t) =>
  withServer(
    t,
    { config: { rateLimit: true }, limits: { signInFailuresPerAddress: 12, addressRequestsPerMinute: 1000 } },
    async (server) => {
      const username = "fortinbras@test.example"
      await addPerson(server, username)
      const guess = (name: string, password: string): Promise<Answer> =>
        server.anonymous("POST", "/fetch_api_key", { username: name, password })
      const right = () => guess(username, "a long password")

      for (let count = 0; count < 7; count++) t.equal((await right()).status, 200, "the right password does not count")
      const atOnce = await Promise.all(Array.from({ length: 12 }, () => guess(username, "x")))
      const told = atOnce.map(({ status }) => status).sort()
      t.strictSame(
        told,
        [401, 401, 401, 401, 401, 429, 429, 429, 429, 429, 429, 429],
        "twelve at once are no way round",
      )
      const late = await guess(` ${username.toUpperCase()} `, "a long password")
      t.equal(late.status, 429, "the right one comes too late, however the name is written")
      t.match(late.body, { result: "error", code: "RATE_LIMIT_HIT", "retry-after": 1800 })
      t.equal(late.headers.get("retry-after"), "1800")

      for (let count = 0; count < 5; count++) t.equal((await guess("nobody@test.example", "x")).status, 401)
      t.equal((await guess("nobody@test.example", "x")).status, 429, "an unknown name is no different")
      for (const name of ["a", "b"]) t.equal((await guess(`${name}@test.example`, "x")).status, 401)
      t.equal((await guess("c@test.example", "x")).status, 429, "an address guesses so often for all names")
      t.equal((await server.as("hamlet").get("/users/me")).status, 200, "keys are not held up")

      server.clock.advance(30 * 60_000 - 1)
      t.match((await right()).body, { code: "RATE_LIMIT_HIT", "retry-after": 0.001 })
      server.clock.advance(1)
      t.equal((await right()).status, 200)
    },
  ),
)

t.test(
  "many right passwords at once are not counted as guesses",
  inTurn(2, "many right passwords at once are not counted as guesses"),
  (t) =>
    withServer(t, { config: { rateLimit: true } }, async (server) => {
      const fields = { username: "fortinbras@test.example", password: "a long password" }
      await addPerson(server, fields.username)
      const right = () => server.anonymous("POST", "/fetch_api_key", fields)
      let open = () => {}
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      server.faults.slow("password_hash", () => gate)
      const told: Array<Answer> = []
      const all = Array.from({ length: 8 }, async () => told.push(await right()))
      await until("three are refused", 10_000, () => told.length === 3)
      for (const { body } of told) t.match(body, { code: "RATE_LIMIT_HIT", "retry-after": 1 })
      open()
      await Promise.all(all)
      t.strictSame(
        told.slice(3).map(({ status }) => status),
        [200, 200, 200, 200, 200],
      )
      t.equal((await right()).status, 200)
    }),
)

t.test("a new API key", inTurn(2, "a new API key"), (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "cordelia"] }] }, async (server) => {
    const before = server.as("hamlet")
    const polling = await server.queue("hamlet", { event_types: ["message"] })
    const listening = await server.queue("hamlet", { event_types: ["message"] })
    const others = await server.queue("cordelia", { event_types: ["message"] })
    const socket = await listening.open()
    const poll = before.get("/events", { queue_id: polling.queueId, last_event_id: polling.lastId })
    const otherPoll = others.take(1)
    await until("all three wait", 10_000, () => server.realm.queues.connected().length === 3)

    const key = String((await before.must.post("/users/me/api_key/regenerate"))["api_key"])
    t.match(key, /^[A-Za-z0-9]{32}$/)
    t.not(key, before.account.key)
    t.match(await poll, { status: 401, body: { code: "UNAUTHORIZED", msg: "Invalid API key" } }, "its poll ends")
    t.match(await socket.closed, { code: 4002 }, "its socket ends")
    t.equal((await before.get("/users/me")).status, 401, "the old key is refused at once")
    const after = server.as("hamlet")
    t.equal(after.account.key, key)

    await server.as("cordelia").send("lobby", "hello")
    for (const reader of [polling, listening]) {
      const resumed = server.resume("hamlet", reader)
      t.match(await resumed.take(1), [{ message: { content: "hello" } }], "its queues go on with the new key")
    }
    t.match(await otherPoll, [{ message: { content: "hello" } }], "nobody else notices")
    await server.restart()
    for (const [account, status] of [
      [before.account, 401],
      [after.account, 200],
    ] as const)
      t.equal((await personOf(server.origin, account).get("/users/me")).status, status, "after a restart too")

    const twice = ["POST /users/me/api_key/regenerate", "POST /users/me/api_key/regenerate"]
    const told = await Promise.all(twice.map((what) => ask(server, "hamlet", what, {})))
    t.match(told, [{ told: "done" }, { told: "refused", error: { code: "UNAUTHORIZED", msg: "Invalid API key" } }])
    t.match(await server.rows("select key_version from account where id = $1", [server.idOf("hamlet")]), [
      { key_version: 3 },
    ])
  }),
)

t.test(
  "I6: a command with the old key is not done after the key has changed",
  inTurn(2, "I6: a command with the old key is not done after the key has changed"),
  (t) =>
    withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
      const message = { type: "channel", to: "lobby", topic: "t", content: "too late" }
      const told = await Promise.all([
        ask(server, "hamlet", "POST /users/me/api_key/regenerate", {}),
        ask(server, "hamlet", "POST /messages", message),
      ])
      t.match(told, [{ told: "done" }, { told: "refused", error: { code: "UNAUTHORIZED" } }])
      t.strictSame(await server.rows("select id from message"), [])
    }),
)

t.test(
  "a webhook bot can post messages and do nothing else",
  inTurn(2, "a webhook bot can post messages and do nothing else"),
  (t) =>
    withServer(t, {}, async (server) => {
      const email = "hook@test.example"
      const bot = { email, fullName: "Hook", role: roles.member, isBot: true, botType: 2, passwordHash: null } as const
      await server.run(setUpUser(server.realmId, bot))
      const hook = server.asEmail(email)
      const to = [server.idOf("hamlet")]
      t.match(await hook.post("/messages", { type: "direct", to, content: "built" }), { status: 200 })
      for (const refused of [await hook.get("/users/me"), await hook.post("/register"), await hook.get("/messages")]) {
        t.match(refused, { status: 401, body: { code: "UNAUTHORIZED", msg: /incoming webhook bots/ } })
      }
    }),
)

t.test(
  "GET /static/emoji.json, which clients fetch outside of the API",
  inTurn(2, "GET /static/emoji.json, which clients fetch outside of the API"),
  (t) =>
    withServer(t, {}, async (server) => {
      const answer = await fetch(`${server.origin}/static/emoji.json`)
      t.equal(answer.status, 200)
      t.equal(answer.headers.get("content-type"), "application/json")
      t.match(answer.headers.get("cache-control"), /^public, max-age=\d+$/)
      const { code_to_names } = recordsIn([await answer.json()])[0] ?? {}
      t.match(code_to_names, { "1f419": ["octopus"], "1f44d": ["+1", "thumbs_up", "like", "thumbsup"] })
    }),
)
