/**
 * An account that POST /users has just made, read as zulip-terminal and the Python client read it at their start and
 * then from their queue. Wherever they read a text, a null would crash them; a null anywhere else in what they fetch is
 * one that they know to expect.
 */
import * as Predicate from "effect/Predicate"
import t, { type Test } from "tap"
import { type Fields, type Person, personOf } from "../kit/client.ts"
import { Reader } from "../kit/reader.ts"
import { pluck, recordsIn } from "../kit/records.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"], isDefault: true },
  { name: "square", users: ["hamlet"], isWebPublic: true, isDefault: true },
] as const

const email = "fresh@test.example"
const password = "a long password"

/** The register of zulip-terminal, to the letter. */
const terminalRegister = {
  event_types: [
    "message",
    "update_message",
    "reaction",
    "subscription",
    "typing",
    "update_message_flags",
    "update_global_notifications",
    "update_display_settings",
    "user_settings",
    "realm_emoji",
  ],
  fetch_event_types: [
    "realm",
    "presence",
    "subscription",
    "message",
    "starred_messages",
    "update_message_flags",
    "muted_topics",
    "realm_user",
    "realm_user_groups",
    "update_global_notifications",
    "update_display_settings",
    "user_settings",
    "realm_emoji",
    "zulip_version",
  ],
  client_gravatar: true,
  apply_markdown: true,
  include_subscribers: true,
}

/** The first page of a view: around the first unread message. */
const terminalPage = (narrow: unknown) => ({
  anchor: 0,
  num_before: 30,
  num_after: 10,
  apply_markdown: true,
  use_first_unread_anchor: true,
  client_gravatar: true,
  narrow,
})
/** The number that zulip-terminal takes as "nothing is unread". */
const nothingUnread = 10_000_000_000_000_000

const person = ["bot_type", "delivery_email", "bot_owner_id"]
const channel = ["creator_id", "folder_id", "first_message_id", "message_retention_days", "stream_weekly_traffic"]
/** The nulls that these clients take as "none", or do not read: by the record that holds them. */
const knownNulls: Readonly<Record<string, ReadonlyArray<string>>> = {
  // No limit, no end, no server for calls.
  register: [
    "server_jitsi_server_url",
    "jitsi_server_url",
    "realm_jitsi_server_url",
    "server_min_deactivated_realm_deletion_days",
    "server_max_deactivated_realm_deletion_days",
    "realm_message_content_edit_limit_seconds",
    "realm_message_content_delete_limit_seconds",
    "realm_move_messages_within_stream_limit_seconds",
    "realm_move_messages_between_streams_limit_seconds",
    "realm_push_notifications_enabled_end_timestamp",
  ],
  realm_users: person,
  cross_realm_bots: person,
  members: person,
  person,
  subscriptions: channel,
  // Of GET, not of register: what is inherited.
  "own subscriptions": [
    ...channel,
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
  ],
  unsubscribed: channel,
  never_subscribed: channel,
  streams: channel,
  // Groups that the server has made.
  realm_user_groups: ["creator_id", "date_created"],
}

/** The fields that are null anywhere in a record, each with the name of the list or object that it stands in. */
const nullsIn = (value: unknown, within: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => nullsIn(each, within))
  if (!Predicate.isObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => (each === null ? [`${within}.${name}`] : nullsIn(each, name)))
}

const noOddNull = (t: Test, answer: unknown, within: string): void => {
  const known = new Set(
    Object.entries(knownNulls).flatMap(([name, fields]) => fields.map((field) => `${name}.${field}`)),
  )
  const odd = nullsIn(answer, within).filter((name) => !known.has(name))
  t.same([...new Set(odd)], [], `${within}: no null but those that clients know`)
}

/** Each record has a text in each of these fields. */
const texts = (t: Test, records: ReadonlyArray<Fields>, fields: string, what: string): void => {
  t.ok(records.length > 0, `${what}: there are some`)
  for (const field of fields.trim().split(/\s+/)) {
    const odd = records.filter((record) => typeof record[field] !== "string")
    t.same(pluck(odd, field), [], `${what}: ${field} is a text`)
  }
}

const messageTexts = "content client type subject sender_full_name sender_email sender_realm_str content_type"

const checkMessages = (t: Test, messages: ReadonlyArray<Fields>, what: string): void => {
  texts(t, messages, messageTexts, what)
  for (const { type, display_recipient } of messages) {
    if (type === "stream") t.equal(typeof display_recipient, "string", `${what}: a channel's name`)
    else texts(t, recordsIn(display_recipient), "email full_name", `${what}: recipients`)
  }
  noOddNull(t, messages, "messages")
}

const makeAccount = async (server: TestServer): Promise<Person> => {
  await server.as("iago").must.post("/users", { email, password, full_name: "Fresh Account" })
  const body = (await server.anonymous("POST", "/fetch_api_key", { username: email, password })).body
  return personOf(server.origin, { email, key: String(body["api_key"]) })
}

t.test("a fresh account meets no null where its client reads a text", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.as("hamlet").send("lobby", "from before the account")
    const fresh = await makeAccount(server)
    const state = await fresh.must.post("/register", terminalRegister)
    const reader = new Reader(fresh, server.port, state)
    const me = Number(state["user_id"])

    await t.test("before signing in, and its own profile", async (t) => {
      const { body } = await server.anonymous("GET", "/server_settings")
      texts(t, [body], "zulip_version realm_uri realm_url realm_name realm_icon realm_description", "server_settings")
      noOddNull(t, body, "server_settings")
      const key = (await server.anonymous("POST", "/fetch_api_key", { username: email, password })).body
      texts(t, [key], "api_key email", "fetch_api_key")
      const profile = await fresh.must.get("/users/me")
      texts(t, [profile], "email delivery_email full_name avatar_url timezone date_joined", "users/me")
      t.notOk("bot_type" in profile)
      noOddNull(t, profile, "person")
    })

    await t.test("the state of its register", async (t) => {
      texts(t, [state], "queue_id zulip_version email full_name realm_name realm_url realm_uri", "register")
      texts(t, [state], "realm_description realm_icon_url avatar_url avatar_url_medium", "register")
      for (const list of ["realm_users", "cross_realm_bots"])
        texts(t, recordsIn(state[list]), "full_name email date_joined timezone", list)
      t.ok(pluck(state["realm_users"], "user_id").includes(me), "zulip-terminal needs its own user in realm_users")
      texts(t, recordsIn(state["realm_user_groups"]), "name description", "groups")
      const subscriptions = recordsIn(state["subscriptions"])
      texts(t, subscriptions, "name color description rendered_description", "subscriptions")
      for (const { name, color, subscribers, in_home_view, pin_to_top } of subscriptions) {
        t.match(color, /^#[0-9a-f]{6}$/, `the color of ${name}`)
        t.ok(Array.isArray(subscribers) && subscribers.includes(me), `the subscribers of ${name}`)
        t.same([in_home_view, pin_to_top], [true, false])
      }
      t.match(state, { muted_topics: [], starred_messages: [], presences: {}, realm_emoji: {}, max_message_id: Number })
      t.match(state, { twenty_four_hour_time: Boolean, pm_content_in_desktop_notifications: Boolean })
      t.match(state, { user_settings: { send_private_typing_notifications: Boolean } })
      t.match(state["unread_msgs"], { mentions: Array, pms: Array, streams: Array, huddles: Array })
      t.equal(typeof state["realm_message_retention_days"], "number")
      // The options of the web client's forms for each permission: these clients do not read them.
      const { server_supported_permission_settings: _forms, ...read } = state
      noOddNull(t, read, "register")
    })

    await t.test("every view that it opens", async (t) => {
      const views: ReadonlyArray<unknown> = [
        [],
        [["stream", "lobby"]],
        [
          ["stream", "lobby"],
          ["topic", "t"],
        ],
        [["is", "private"]],
        [["pm-with", "hamlet@test.example"]],
      ]
      const { unread_msgs } = await fresh.must.post("/register")
      t.match(unread_msgs, { count: 1 }, "the message by Welcome Bot")
      // Read, because the client crashes where nothing is unread and the anchor is not this one.
      await fresh.must.post("/mark_all_as_read")
      for (const narrow of views) {
        const page = await fresh.must.get("/messages", terminalPage(narrow))
        const messages = recordsIn(page["messages"])
        const what = `messages of ${JSON.stringify(narrow)}`
        t.match(page, { anchor: nothingUnread, found_newest: true, history_limited: false }, what)
        if (messages.length > 0) checkMessages(t, messages, what)
      }
    })

    await t.test("lists of people, channels and topics", async (t) => {
      const { members } = await fresh.must.get("/users")
      texts(t, recordsIn(members), "email full_name date_joined timezone", "users")
      noOddNull(t, members, "members")
      const { streams } = await fresh.must.get("/streams")
      texts(t, recordsIn(streams), "name description rendered_description", "streams")
      noOddNull(t, streams, "streams")
      const { subscriptions } = await fresh.must.get("/users/me/subscriptions", { include_subscribers: true })
      t.same(pluck(subscriptions, "name"), ["lobby", "square"])
      texts(t, recordsIn(subscriptions), "name color description rendered_description", "users/me/subscriptions")
      noOddNull(t, subscriptions, "own subscriptions")
      const { topics } = await fresh.must.get(`/users/me/${recordsIn(streams)[0]?.["stream_id"]}/topics`)
      texts(t, recordsIn(topics), "name", "topics")
    })

    await t.test("events of messages, of typing and of its own settings", async (t) => {
      const hamlet = server.as("hamlet")
      await hamlet.send("lobby", "to the channel")
      await hamlet.must.post("/messages", { type: "private", to: [email], content: "to the account" })
      await fresh.must.post("/messages", { type: "stream", to: "lobby", subject: "t", content: "from the account" })
      const events = (await reader.take(3)).filter(({ type }) => type === "message")
      t.same(
        events.map(({ message }) => recordsIn([message])[0]?.["content"]),
        ["<p>to the channel</p>", "<p>to the account</p>", "<p>from the account</p>"],
      )
      checkMessages(t, recordsIn(pluck(events, "message")), "message events")
      await hamlet.must.post("/typing", { op: "start", to: [me] })
      const [typing] = await reader.take(1)
      texts(t, recordsIn([typing?.["sender"]]), "email", "the sender of a typing event")
      await hamlet.must.post("/users/me/subscriptions", { subscriptions: [{ name: "new" }], principals: [me] })
      const added = (await reader.rest()).find(({ type, op }) => type === "subscription" && op === "add")
      texts(t, recordsIn(added?.["subscriptions"]), "name color description rendered_description", "a new subscription")
      noOddNull(t, added, "event")
      const page = await fresh.must.get("/messages", terminalPage([]))
      checkMessages(t, recordsIn(page["messages"]), "messages after the events")
    })
  }),
)
