/**
 * Hidden addresses: for each of the five visibilities and each role of a viewer, which address is shown and which one
 * finds the user; and that no answer or event contains a hidden address or its gravatar hash.
 */
import { createHash } from "node:crypto"
import t, { type Test } from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import type { Answer, Fields } from "../../../kit/client.ts"
import type { Reader } from "../../../kit/reader.ts"
import { recordsIn } from "../../../kit/records.ts"
import { some } from "../../../kit/share.ts"
import { type ChannelSetup, type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const viewers = ["desdemona", "iago", "shiva", "hamlet", "polonius"] as const
type Viewer = (typeof viewers)[number]

/** Viewers who see the address under each choice. */
const choices: ReadonlyArray<readonly [visibility: 1 | 2 | 3 | 4 | 5, seeing: ReadonlyArray<Viewer>]> = [
  [1, viewers],
  [2, ["desdemona", "iago", "shiva", "hamlet"]],
  [3, ["desdemona", "iago"]],
  [4, []],
  [5, ["desdemona", "iago", "shiva"]],
]

/** The person whose address it is. */
const owner = "cordelia"
const real = `${owner}@test.example`
const hash = (address: string) => createHash("md5").update(address.toLowerCase()).digest("hex")

/** Whoever may not see the address must find nothing of it. */
const checkBytes = (t: Test, text: string, what: string) => {
  t.notOk(text.toLowerCase().includes(real.toLowerCase()), `${what}: no address`)
  t.notOk(text.includes(hash(real)), `${what}: no hash of it`)
}

/** The shown address of `owner` where the real one is hidden. */
const placeholderOf = (server: TestServer) => `user${server.idOf(owner)}@test.example`
const lobby: ChannelSetup = { name: "lobby", users: [owner, ...viewers] }

/** All that a viewer can ask for in which the person appears; `others`: in the shapes that hold less, too. */
const lookEverywhere = async (server: TestServer, viewer: Viewer, others: boolean): Promise<ReadonlyArray<Answer>> => {
  const person = server.as(viewer)
  const range: Fields = { anchor: "newest", num_before: 20, num_after: 0 }
  const target = server.idOf(owner)
  const usual = [
    person.get(`/users/${target}`, { client_gravatar: false }),
    person.get(`/users/${placeholderOf(server)}`),
    person.get("/messages", { ...range, client_gravatar: false }),
    person.get("/users", { client_gravatar: false }),
    person.post("/register", { client_gravatar: false }),
  ]
  if (!others) return Promise.all(usual)
  return Promise.all([
    ...usual,
    person.get("/users"),
    person.get("/messages", range),
    person.post("/register", { client_capabilities: { user_list_incomplete: true } }),
  ])
}

/** Says something in every way that makes an event, once for all viewers or to each of them. */
const beActive = async (server: TestServer) => {
  const target = server.idOf(owner)
  const author = server.as(owner)
  await author.send("lobby", "hear me")
  for (const viewer of viewers) {
    const to = [server.idOf(viewer)]
    await author.must.post("/messages", { type: "direct", to, content: "psst" })
    await author.must.post("/typing", { op: "start", to })
    await server.as(viewer).must.post("/messages", { type: "direct", to: [target], content: "yes?" })
  }
  await server.as("desdemona").must.patch(`/users/${target}`, { role: 300 })
  await server.as("desdemona").must.patch(`/users/${target}`, { role: 400 })
}

const everything = { client_gravatar: false, client_capabilities: { stream_typing_notifications: true } }

t.test("a viewer sees an address only if its visibility allows it", (t) =>
  withServer(t, { channels: [lobby], config: { gravatar: true } }, async (server) => {
    const target = server.idOf(owner)
    const placeholder = placeholderOf(server)
    for (const [visibility, seeing] of some(choices, 2, "visibilities of an address")) {
      await t.test(`visibility ${visibility}`, async (t) => {
        await server.actions.changeUserSetting(owner, "email_address_visibility", visibility)
        const email = visibility === 1 ? real : placeholder
        const readers = await Promise.all(viewers.map((viewer) => server.queue(viewer, everything)))
        for (const reader of readers) await reader.rest()
        await beActive(server)
        for (const [n, viewer] of viewers.entries()) {
          const may = seeing.includes(viewer)
          const label = `${viewer} at ${visibility}`
          const events = (await readers[n]?.rest()) ?? []
          // Each viewer looks in all shapes once, another one at each visibility.
          const answers = await lookEverywhere(server, viewer, n === visibility - 1)
          t.ok(
            answers.every(({ status }) => status === 200),
            `${label}: all is answered`,
          )
          const expected = { user_id: target, email, delivery_email: may ? real : null }
          for (const { body } of answers.slice(0, 2)) t.match(body["user"], expected, label)
          t.match(answers[1]?.body["user"], { avatar_url: visibility === 1 ? null : /^https/ }, label)
          t.match(answers[0]?.body["user"], { avatar_url: new RegExp(hash(email)) }, label)
          const messages = recordsIn(answers[2]?.body["messages"]).filter((each) => each["sender_id"] === target)
          t.ok(messages.length >= 2)
          for (const each of messages.slice(-2))
            t.match(each, { sender_email: email, avatar_url: new RegExp(hash(email)) }, label)
          t.match(
            events.filter(({ type }) => type === "typing" || type === "message"),
            [
              { message: { sender_email: email, display_recipient: "lobby" } },
              { message: { sender_email: email } },
              { sender: { user_id: target, email } },
              { message: { sender_id: server.idOf(viewer) } },
            ],
            label,
          )
          if (!may) {
            checkBytes(t, JSON.stringify(events), `${label}: events`)
            for (const { body } of answers) checkBytes(t, JSON.stringify(body), `${label}: answers`)
          }
          await finds(t, server, viewer, may, label)
        }
        const self = server.as(owner)
        t.match(await self.must.get("/users/me"), { email, delivery_email: real }, "oneself")
        t.match(await self.must.post("/register"), { email, delivery_email: real })
        t.match(await self.must.get(`/users/${real}`), { user: { user_id: target, delivery_email: real } })
      })
    }
  }),
)

/** Asks by the address: a hidden one must answer as one that does not exist, but for the name itself. */
const finds = async (t: Test, server: TestServer, viewer: Viewer, may: boolean, label: string) => {
  const placeholder = placeholderOf(server)
  const person = server.as(viewer)
  const unknown = "nobody.at.all@test.example"
  const asks: ReadonlyArray<readonly [what: string, ask: (address: string) => Promise<Answer>]> = [
    ["GET /users/{email}", (address) => person.get(`/users/${encodeURIComponent(address)}`)],
    ["sending", (address) => person.post("/messages", { type: "direct", to: [address], content: "c" })],
    ["a narrow's sender", (address) => person.get("/messages", narrowed([{ operator: "sender", operand: address }]))],
    ["a narrow's people", (address) => person.get("/messages", narrowed([{ operator: "dm", operand: address }]))],
    [
      "principals",
      (address) => person.delete("/users/me/subscriptions", { subscriptions: ["lobby"], principals: [address] }),
    ],
  ]
  for (const [what, ask] of asks) {
    const [asReal, asPlaceholder, asUnknown] = await Promise.all([ask(real), ask(placeholder), ask(unknown)])
    const found = JSON.stringify([asPlaceholder?.status, asPlaceholder?.body["code"], asPlaceholder?.body["msg"]])
    const missing = JSON.stringify([asUnknown?.status, asUnknown?.body]).replaceAll(unknown, "*")
    t.not(asUnknown?.status, 200, `${label}, ${what}: nobody is not found`)
    if (may) {
      const real = JSON.stringify([asReal?.status, asReal?.body["code"], asReal?.body["msg"]])
      t.equal(real, found, `${label}, ${what}: found by the address as by the placeholder`)
    } else {
      const answer = JSON.stringify([asReal?.status, asReal?.body]).replaceAll(real, "*")
      t.equal(answer, missing, `${label}, ${what}: the address is nobody's`)
    }
    if (what !== "principals") t.equal(asPlaceholder?.status, 200, `${label}, ${what}: the placeholder is somebody's`)
  }
  // Administrators have just unsubscribed them.
  const subscriptions = { subscriptions: [{ name: "lobby" }], principals: [server.idOf(owner)] }
  await server.as("desdemona").must.post("/users/me/subscriptions", subscriptions)
}

const narrowed = (narrow: ReadonlyArray<Fields>): Fields => ({
  anchor: "newest",
  num_before: 1,
  num_after: 0,
  narrow,
})

t.test("a queue narrowed by sender", (t) =>
  withServer(t, { channels: [lobby], config: { gravatar: true } }, async (server) => {
    const target = server.idOf(owner)
    const placeholder = placeholderOf(server)
    await server.actions.changeUserSetting(owner, "email_address_visibility", 3)
    const open = (name: Name, operand: string) =>
      server.queue(name, { narrow: [["sender", operand]], event_types: ["message"] })
    const readers: ReadonlyArray<readonly [string, Reader, number]> = [
      ["an administrator's, by the address", await open("iago", real.toUpperCase()), 1],
      ["a member's, by the address", await open("hamlet", real), 0],
      ["a member's, by an unknown one", await open("hamlet", "nobody@test.example"), 0],
      ["a member's, by the placeholder", await open("hamlet", placeholder), 1],
    ]
    const id = await server.as(owner).send("lobby", "c")
    await server.as("shiva").send("lobby", "d")
    for (const [label, reader, count] of readers) {
      const events = await reader.rest()
      t.equal(events.length, count, label)
      if (count > 0) t.match(events, [{ message: { id, sender_id: target, sender_email: placeholder } }], label)
    }
  }),
)

t.test("a new role shows addresses and hides them", (t) =>
  withServer(t, { config: { gravatar: true } }, async (server) => {
    const target = server.idOf(owner)
    await server.actions.changeUserSetting(owner, "email_address_visibility", 3)
    const reader = await server.queue("hamlet", { event_types: ["realm_user"] })
    const other = await server.queue("othello", { event_types: ["realm_user"] })
    const become = (role: number) => server.as("desdemona").must.patch(`/users/${server.idOf("hamlet")}`, { role })
    const role = (role: number) => ({ op: "update", person: { user_id: server.idOf("hamlet"), role } })
    await become(200)
    t.match(await reader.rest(), [role(200), { op: "update", person: { user_id: target, delivery_email: real } }])
    await become(300)
    t.match(await reader.rest(), [role(300), { op: "update", person: { user_id: target, delivery_email: null } }])
    const heard = await other.rest()
    t.equal(heard.length, 2)
    checkBytes(t, JSON.stringify(heard), "others")
  }),
)

t.test("addresses that no account may take, and errors that name users", (t) =>
  withServer(t, { config: { gravatar: true } }, async (server) => {
    const target = server.idOf(owner)
    const placeholder = placeholderOf(server)
    const fresh = { password: "long enough", full_name: "New" }
    for (const email of [placeholder, "USER4711@test.example"])
      t.match(await server.as("iago").post("/users", { ...fresh, email }), {
        status: 400,
        body: { code: "BAD_REQUEST", msg: `Email '${email}' not allowed in this organization` },
      })
    for (const email of ["user0@test.example", "user5@elsewhere.example", "user5x@test.example"])
      t.match(await server.as("iago").post("/users", { ...fresh, email }), { status: 200 }, email)
    await server.actions.changeUserSetting(owner, "email_address_visibility", 4)
    await server.as("desdemona").must.delete(`/users/${target}`)
    for (const to of [[target], [placeholder]]) {
      const { status, body } = await server.as("iago").post("/messages", { type: "direct", to, content: "c" })
      t.equal(status, 400)
      t.equal(body["msg"], `'${placeholder}' is no longer using this organization.`)
    }
    const { status, body } = await server.as("iago").get(`/users/${target}`)
    t.equal(status, 200, "whoever has left can be looked up")
    t.match(body["user"], { is_active: false, email: placeholder, delivery_email: null })
  }),
)

t.test("an expiring typing indicator respects an address hidden since it started", (t) =>
  withServer(t, { config: { gravatar: true } }, async (server) => {
    const people = [owner, "hamlet", "iago"] as const
    const reader = await server.queue("hamlet", { event_types: ["typing"] })
    t.same(await reader.rest(), [], "live from here on")
    for (const name of [owner, "iago"] as const)
      await server.as(name).must.post("/typing", { op: "start", to: people.map(server.idOf) })
    t.match(await reader.take(2), [{ sender: { email: real } }, { sender: { email: "iago@test.example" } }])
    await server.actions.changeUserSetting(owner, "email_address_visibility", 4)
    server.clock.advance(server.config.limits.typingStartedExpiryMilliseconds)
    const ended = await reader.take(2)
    t.match(ended, [
      { op: "stop", sender: { user_id: server.idOf(owner), email: placeholderOf(server) } },
      { op: "stop", sender: { email: "iago@test.example" } },
    ])
    checkBytes(t, JSON.stringify(ended), "its typist's, and its recipients'")
  }),
)

t.test("the address of a bot is never hidden", (t) =>
  withServer(t, { config: { gravatar: true } }, async (server) => {
    const email = "bot@test.example"
    const id = await server.run(
      setUpUser(server.realmId, { email, fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }),
    )
    await server.rows("update account set settings = $2::text::jsonb where id = $1::integer", [
      id,
      '{"email_address_visibility": 4}',
    ])
    await server.restart()
    const { user } = await server.as("polonius").must.get(`/users/${id}`)
    t.match(user, { email, delivery_email: email, is_bot: true, avatar_url: null })
  }),
)

t.test("visitors without an account", (t) =>
  withServer(t, { config: { gravatar: true } }, async (server) => {
    const ask = (fields: Fields = {}) => server.anonymous("GET", "/users", fields)
    const closed = await ask()
    t.equal(closed.status, 401)
    t.match(closed.body, { result: "error", code: "UNAUTHORIZED" })
    t.equal(closed.headers.get("www-authenticate"), 'Basic realm="zulip"')
    await server.actions.changeRealm({ enable_spectator_access: true })
    for (const fields of [{}, { client_gravatar: false, include_custom_profile_fields: true }]) {
      const { status, body } = await ask(fields)
      t.equal(status, 200)
      const members = recordsIn(body["members"])
      t.equal(members.length, 7)
      const id = server.idOf("hamlet")
      const email = `user${id}@test.example`
      const hamlet = members.find((each) => each["user_id"] === id)
      t.match(hamlet, { email, delivery_email: null, full_name: "hamlet", role: 400, is_active: true })
      t.match(hamlet?.["date_joined"], /^\d{4}-\d\d-\d\d$/)
      t.match(hamlet?.["avatar_url"], new RegExp(hash(email)))
      for (const each of members) {
        t.notOk("timezone" in each)
        t.notOk("profile_data" in each)
        t.equal(each["delivery_email"], null)
      }
      t.notOk(JSON.stringify(body).includes(hash("hamlet@test.example")))
      t.notOk(JSON.stringify(body).includes("hamlet@"))
    }
    t.equal(recordsIn((await ask({ user_ids: [server.idOf("iago")] })).body["members"]).length, 1)
    for (const path of [`/users/${server.idOf("iago")}`, "/users/iago@test.example", "/users/me"])
      t.equal((await server.anonymous("GET", path)).status, 401, path)
    const wrong = await fetch(`${server.origin}/api/v1/users`, { headers: { Authorization: "Basic eA==" } })
    t.equal(wrong.status, 401, "who tries to sign in and fails is no visitor")
    await server.actions.changeRealm({ enable_spectator_access: false })
    t.equal((await ask()).status, 401)
  }),
)
