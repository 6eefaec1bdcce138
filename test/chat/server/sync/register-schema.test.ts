/**
 * Register of the demo organization compared with the Schemas of its sections: every key, its type and its records, for
 * each account, whole and section by section; and that the sections agree with each other.
 */
import t, { type Test } from "tap"
import { registerSections } from "../../../../src/chat/features.ts"
import { olderSettings } from "../../../../src/chat/people/users/settings-section.ts"
import { demoAccounts } from "../../../../src/chat/server/setup/demo.ts"
import { everyRegister } from "../../../../src/chat/server/sync/register-schema.ts"
import type { Fields, Person } from "../../../kit/client.ts"
import { emptyDatabase } from "../../../kit/lent-database.ts"
import { manualClock } from "../../../kit/manual-clock.ts"
import { signIn } from "../../../kit/program.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { some } from "../../../kit/share.ts"
import { checkAnswer, checkEvent, checkRegister } from "../../../kit/wire-schemas.ts"
import { names, startTestApp, testConfig, withServer } from "../../../kit/with-server.ts"

/** A server of the demo organization; answers its port. */
const startDemo = async (t: Test): Promise<number> => {
  const { database, layer } = await emptyDatabase(t)
  const clock = manualClock()
  const { app, stop } = await startTestApp({
    config: testConfig(database, { config: { mode: "development" } }),
    clock,
    commitTime: () => clock.now(),
    onForeign: () => t.fail("another server took the database over"),
    database: layer,
  })
  t.teardown(stop)
  return app.server.port
}

/** Sections and their keys, by the event type that asks for them with `fetch_event_types`. */
const { unread_msgs: unread = {}, ...named } = Object.fromEntries(
  registerSections.map(({ name, keys }) => [name, keys]),
)
const isOlder = (name: string): boolean => olderSettings.some((each) => each === name)
const sections = Object.fromEntries(Object.entries(named).filter(([name]) => !isOlder(name)))
/** Only for clients without the capability `user_settings_object`. */
const legacySections = Object.fromEntries(Object.entries(named).filter(([name]) => isOlder(name)))
const always = { result: "success", msg: "", ...everyRegister.keys }

const keysOf = (...each: ReadonlyArray<object>): ReadonlyArray<string> => each.flatMap(Object.keys).sort()
const modern = { client_capabilities: { user_settings_object: true } }

const register = (person: Person, fields: Fields) => person.must.post("/register", fields)

t.test("register of the demo organization matches the Schemas of its sections", async (t) => {
  const port = await startDemo(t)
  const people = await Promise.all(
    demoAccounts.map(async ({ email }) => ({ email, person: await signIn(port, email.slice(0, email.indexOf("@"))) })),
  )

  for (const { email, person } of people) {
    await t.test(email, async (t) => {
      const whole = keysOf(always, unread, ...Object.values(sections))
      t.strictSame(keysOf(await register(person, modern)), whole, "all keys and no others")
      t.strictSame(
        keysOf(await register(person, {})),
        keysOf(Object.fromEntries([...whole, ...keysOf(...Object.values(legacySections))].map((key) => [key, null]))),
        "and the older copies of settings for an older client",
      )
      for (const include_subscribers of [true, "partial"])
        for (const client_gravatar of [true, false])
          await register(person, { ...modern, include_subscribers, client_gravatar, slim_presence: true })
    })
  }

  const [owner] = people
  if (owner === undefined) throw new Error("nobody is there")

  await t.test("a register of one section has the keys of that section", async (t) => {
    for (const [section, keys] of some(Object.entries(sections), 2, "registers of a section")) {
      const state = await register(owner.person, { ...modern, fetch_event_types: [section] })
      t.strictSame(keysOf(state), keysOf(always, keys), section)
      const events = await register(owner.person, { ...modern, event_types: [section] })
      t.strictSame(keysOf(events), keysOf(always, keys), `${section}, as what it wants events of`)
    }
    for (const [section, keys] of Object.entries(legacySections)) {
      const asked = { fetch_event_types: [section] }
      t.strictSame(keysOf(await register(owner.person, asked)), keysOf(always, keys), section)
      t.strictSame(keysOf(await register(owner.person, { ...modern, ...asked })), keysOf(always), `${section}, modern`)
    }
    const both = await register(owner.person, { fetch_event_types: ["message", "update_message_flags"] })
    t.strictSame(keysOf(both), keysOf(always, unread, sections["message"] ?? {}))
    const topics = await register(owner.person, { fetch_event_types: ["muted_topics", "user_topic"] })
    t.strictSame(keysOf(topics), keysOf(always, sections["user_topic"] ?? {}), "one form of muted topics")
    t.strictSame(keysOf(await register(owner.person, { fetch_event_types: ["no_such_type"] })), keysOf(always))
  })

  await t.test("sections agree with each other", async (t) => {
    for (const { email, person } of people) {
      const state = await register(person, { ...modern, include_subscribers: true })
      const users = new Set(pluck(state["realm_users"], "user_id"))
      const channels = new Set(pluck(state["streams"], "stream_id"))
      const known = ["subscriptions", "unsubscribed", "never_subscribed"].flatMap((list) => recordsIn(state[list]))
      t.strictSame(new Set(known.map((each) => each["stream_id"])), channels, `${email}: each channel in one list`)
      t.equal(known.length, channels.size)
      for (const { name, subscribers, subscriber_count } of known) {
        const ids: ReadonlyArray<unknown> = Array.isArray(subscribers) ? subscribers : []
        t.equal(ids.length, subscriber_count, `${email}: ${name}`)
        t.ok(ids.every((id) => users.has(id)))
      }
      const groups = recordsIn(state["realm_user_groups"])
      const ids = new Set(pluck(groups, "id"))
      for (const { name, members, direct_subgroup_ids } of groups) {
        t.ok(Array.isArray(members) && members.every((id) => users.has(id)), `${email}: members of ${name}`)
        t.ok(Array.isArray(direct_subgroup_ids) && direct_subgroup_ids.every((id) => ids.has(id)))
      }
      const own = recordsIn(state["realm_users"]).find(({ user_id }) => user_id === state["user_id"])
      const { email: address, delivery_email, full_name, is_admin, is_owner, is_guest } = state
      t.match(own, { email: address, delivery_email, full_name, is_admin, is_owner, is_guest })
      t.ok(pluck(state["realm_bots"], "user_id").every((id) => users.has(id)))
    }
  })
})

t.test("the state of a visitor names no email address and only web-public channels", (t) => {
  const channels = [
    { name: "square", users: ["hamlet"], isWebPublic: true, isDefault: true },
    { name: "lobby", users: ["hamlet"] },
    { name: "crypt", users: ["hamlet"], isPrivate: true },
  ] as const
  return withServer(t, { channels }, async (server) => {
    await server.as("hamlet").send("crypt", "a secret")
    await server.actions.changeRealm({ enable_spectator_access: true })
    const { status, body } = await server.anonymous("POST", "/register", { client_gravatar: false })
    t.equal(status, 200)
    t.match(body, { queue_id: null, last_event_id: -1, realm_bots: [], recent_private_conversations: [] })
    t.notOk("user_id" in body)
    t.same(pluck(body["streams"], "name"), ["square"])
    for (const list of ["subscriptions", "unsubscribed", "never_subscribed"])
      t.ok(
        pluck(body[list], "name").every((name) => name === "square"),
        list,
      )
    const text = JSON.stringify(body)
    for (const name of names) t.notOk(text.includes(`${name}@`), name)
    const { body: users } = await server.anonymous("GET", "/users")
    t.equal(recordsIn(users["members"]).length, names.length)
    for (const name of names) t.notOk(JSON.stringify(users).includes(`${name}@`), name)
    const hashing = await server.anonymous("POST", "/register", { client_gravatar: true })
    t.match(hashing, { status: 400, body: { code: "BAD_REQUEST" } }, "gravatars are made from addresses")
  })
})

/** The schemas must be able to fail, or nothing is proved by their silence. */
t.test("the check finds each kind of deviation", async (t) => {
  const heartbeat = { id: 1, type: "heartbeat" }
  checkEvent(heartbeat)
  const peers = { id: 7, type: "subscription", op: "peer_add", stream_ids: [1], user_ids: [2] }
  checkEvent(peers)
  const wrong: ReadonlyArray<readonly [string, unknown]> = [
    ["a key too many", { ...heartbeat, at: 1 }],
    ["no id", { type: "heartbeat" }],
    ["an id of another type", { ...heartbeat, id: "1" }],
    ["no type", { id: 1 }],
    ["an unknown type", { id: 1, type: "rumour" }],
    ["an unknown op", { ...peers, op: "peer_change" }],
    ["a key too few", { ...peers, user_ids: undefined }],
    ["an empty list", { ...peers, stream_ids: [] }],
    ["a fraction", { ...peers, user_ids: [1.5] }],
    ["a key too many within", { id: 1, type: "realm_user", op: "update", person: { user_id: 1, role: 100, x: 1 } }],
    ["a value of another setting", { id: 1, type: "user_settings", op: "update", property: "emojiset", value: true }],
  ]
  for (const [what, event] of wrong) t.throws(() => checkEvent(event), what)
  checkRegister({ queue_id: "q", streams: [] })
  for (const [what, state] of [
    ["an unknown key", { queue_id: "q", rumours: [] }],
    ["a value of another type", { queue_id: "q", streams: {} }],
    ["another level", { queue_id: "q", zulip_feature_level: 416 }],
    ["a person as members see them, for a visitor", { queue_id: null, last_event_id: 0 }],
  ] as const)
    t.throws(() => checkRegister(state), what)

  const success = { result: "success", msg: "" }
  const sent = { ...success, id: 5 }
  checkAnswer("POST", "/messages", 200, sent)
  checkAnswer("POST", "/messages", 200, { ...sent, ignored_parameters_unsupported: ["x"] })
  checkAnswer("POST", "/typing", 200, success)
  const error = { result: "error", msg: "No", code: "STREAM_DOES_NOT_EXIST", stream_id: 1 }
  checkAnswer("POST", "/messages", 400, error)
  checkAnswer("GET", "/users/me?x=1", 401, { ...error, code: "UNAUTHORIZED" })
  checkAnswer("POST", "/nowhere", 404, { ...error, code: "NOT_FOUND" })
  const state = { ...success, zulip_version: "1", zulip_merge_base: "1", zulip_feature_level: 417, last_event_id: -1 }
  const registered = { ...state, queue_id: "q", idle_queue_timeout_secs: 600 }
  checkAnswer("POST", "/register", 200, registered)
  for (const [what, method, path, status, body] of [
    ["a key too many", "POST", "/messages", 200, { ...sent, x: 1 }],
    ["a key too few", "POST", "/messages", 200, success],
    ["a word in a success", "POST", "/messages", 200, { ...sent, msg: "done" }],
    ["nothing that was ignored", "POST", "/messages", 200, { ...sent, ignored_parameters_unsupported: [] }],
    ["something where nothing is answered", "POST", "/typing", 200, sent],
    ["a success of what never succeeds", "GET", "/streams/1/email_address", 200, success],
    ["a success of no route", "POST", "/nowhere", 200, success],
    ["another path's answer", "GET", "/users/1", 200, sent],
    ["no queue", "POST", "/register", 200, { ...state, idle_queue_timeout_secs: 600 }],
    ["an unknown section", "POST", "/register", 200, { ...registered, rumours: [] }],
    ["an unknown event", "GET", "/events", 200, { ...success, events: [{ id: 1, type: "rumour" }] }],
    ["another route's code", "GET", "/users/me", 400, error],
    ["a code of accounts where nobody needs one", "GET", "/server_settings", 401, { ...error, code: "UNAUTHORIZED" }],
    ["what cannot be missing", "GET", "/users/1", 400, { ...error, code: "REQUEST_VARIABLE_MISSING" }],
    ["an error without words", "POST", "/messages", 400, { ...error, msg: "" }],
  ] as const)
    t.throws(() => checkAnswer(method, path, status, body), what)
})
