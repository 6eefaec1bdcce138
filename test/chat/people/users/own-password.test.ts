/** PATCH /settings with another password. */
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { withServer } from "../../../kit/with-server.ts"
import { addPerson, signIn } from "../accounts/accounts-scene.ts"

const rosa = "rosa@test.example"
const [first, second, third] = ["a long password", "a second password", "a third password"] as const

t.test("who knows the password chooses another", (t) =>
  withServer(t, {}, async (server) => {
    await addPerson(server, rosa)
    const bot = { fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
    await server.run(setUpUser(server.realmId, { ...bot, email: "bot@test.example" }))
    const person = server.asEmail(rosa)
    const others = await server.queue("hamlet")
    const wrong = "Wrong password!"
    const table: ReadonlyArray<Refusal> = [
      { when: "a wrong one", fields: { old_password: second, new_password: third }, msg: wrong },
      { when: "none", fields: { new_password: third }, msg: wrong },
      { when: "one that is too short", fields: { old_password: first, new_password: "short" }, msg: /too short/ },
      {
        when: "one that is too long",
        fields: { old_password: first, new_password: "x".repeat(101) },
        msg: /too long/,
      },
      {
        when: "only the old one",
        fields: { old_password: first },
        code: "REQUEST_VARIABLE_MISSING",
        msg: "Missing 'new_password' argument",
      },
    ]
    await refuses(t, table, (fields) => person.patch("/settings", { ...fields, color_scheme: 2 }))
    t.match(await server.asEmail("bot@test.example").patch("/settings", { old_password: "", new_password: third }), {
      status: 400,
      body: { msg: /Bots sign in by key only/ },
    })
    t.match(await server.as("hamlet").patch("/settings", { old_password: first, new_password: third }), {
      body: { msg: wrong },
    })
    t.equal(await signIn(server, rosa, first), 200, "nothing has changed")
    const watching = await person.must.post("/register")
    t.match(watching, { color_scheme: 1 }, "nor has what was asked for beside")

    await person.must.patch("/settings", { old_password: first, new_password: second, color_scheme: 2 })
    t.same([await signIn(server, rosa, first), await signIn(server, rosa, second)], [401, 200])
    t.match(
      await person.must.post("/register"),
      { color_scheme: 2 },
      "the key is the same, and all is changed together",
    )
    await server.restart()
    t.equal(await signIn(server, rosa, second), 200)
    t.same(await server.resume("hamlet", others).rest(), [], "nobody is told")
    await server.actions.changeRealm({ password_auth_enabled: false })
    t.match(await server.asEmail(rosa).patch("/settings", { old_password: second, new_password: third }), {
      status: 400,
      body: { msg: /has no passwords of its own/ },
    })
  }),
)

t.test("an organization that has no passwords any more keeps none that was on its way", (t) =>
  withServer(t, {}, async (server) => {
    await addPerson(server, rosa)
    server.faults.slow("select password_hash", async () => {
      server.faults.slow("nothing else", () => Promise.resolve())
      await server.actions.changeRealm({ password_auth_enabled: false })
    })
    t.match(await server.asEmail(rosa).patch("/settings", { old_password: first, new_password: second }), {
      status: 400,
      body: { msg: /has no passwords of its own/ },
    })
    await server.actions.changeRealm({ password_auth_enabled: true })
    t.equal(await signIn(server, rosa, first), 200)
  }),
)

t.test("of two who change it at once one is told that theirs is wrong", (t) =>
  withServer(t, {}, async (server) => {
    await addPerson(server, rosa)
    const change = (new_password: string) =>
      server.asEmail(rosa).patch("/settings", { old_password: first, new_password })
    const both = await Promise.all([change(second), change(third)])
    t.same(both.map(({ status }) => status).sort(), [200, 400])
    t.match(
      both.find(({ status }) => status === 400),
      { body: { msg: "Wrong password!" } },
    )
    const winner = both[0]?.status === 200 ? second : third
    t.same(
      [await signIn(server, rosa, winner), await signIn(server, rosa, winner === second ? third : second)],
      [200, 401],
    )
  }),
)

t.test("guesses are limited, together with those at signing in", (t) => {
  const limits = { signInFailures: 3, signInFailuresPerAddress: 100, signInFailureMinutes: 30 }
  return withServer(t, { config: { rateLimit: true }, limits }, async (server) => {
    await addPerson(server, rosa)
    const person = server.asEmail(rosa)
    const change = (old_password: string) => person.patch("/settings", { old_password, new_password: second })
    t.equal(await signIn(server, rosa, "wrong"), 401)
    for (let n = 0; n < 2; n++) t.match(await change("wrong"), { status: 400, body: { msg: "Wrong password!" } })
    t.match(await change(first), { status: 429, body: { code: "RATE_LIMIT_HIT" } }, "also the right one")
    t.equal(await signIn(server, rosa, first), 429)
    server.clock.advance(31 * 60_000)
    t.equal((await change(first)).status, 200)
    t.equal(await signIn(server, rosa, second), 200)
  })
})
