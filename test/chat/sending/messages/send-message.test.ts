/** POST /messages: refusals and their texts, permissions, and the stored message. */

import { randomBytes } from "node:crypto"
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { limitSetting } from "../../../../src/config/settings.ts"
import { type Fields, formOf } from "../../../kit/client.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { inTurn } from "../../../kit/share.ts"
import { type ChannelSetup, type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "leads", users: ["desdemona", "hamlet"], isPrivate: true },
  { name: "square", users: ["hamlet"], isWebPublic: true },
  { name: "attic", users: ["hamlet", "cordelia"] },
  { name: "hall", users: ["hamlet", "cordelia"] },
  { name: "strict", users: ["hamlet"] },
  { name: "plain", users: ["hamlet"] },
]

const bots = [
  { email: "bot@test.example", owner: "desdemona" },
  { email: "stray@test.example", owner: null },
] as const

/** Settings that no endpoint changes yet are written where they are stored; the server reads them at its start. */
const arrange = async (server: TestServer, further: ReadonlyArray<string> = []): Promise<void> => {
  for (const { email, owner } of bots) {
    const id = await server.run(
      setUpUser(server.realmId, { email, fullName: email, role: roles.member, isBot: true, passwordHash: null }),
    )
    if (owner !== null)
      await server.rows("update account set bot_owner_id = $1::integer where id = $2::integer", [
        server.idOf(owner),
        id,
      ])
  }
  for (const change of [
    "is_archived = true where name = 'attic'",
    `permissions = permissions || '{"can_send_message_group": 6}' where name = 'hall'`,
    "topics_policy = 'disable_empty_topic' where name = 'strict'",
    "topics_policy = 'empty_topic_only' where name = 'plain'",
  ])
    await server.rows(`update channel set ${change}`)
  for (const sql of further) await server.rows(sql)
  await server.restart()
}

const channelId = (server: TestServer, name: string): number => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

const toLobby = { type: "channel", to: "lobby", topic: "t", content: "c" }
const toHamlet = (server: TestServer) => ({ type: "direct", to: [server.idOf("hamlet")], content: "c" })

/** The message of the newest row, as it is stored. */
const stored = async (server: TestServer) => {
  const [row] = await server.rows(
    "select id, topic, content, client, read_by_sender, channel_id, conversation_id from message order by id desc limit 1",
  )
  return row ?? {}
}

t.test("refusals", (t) =>
  withServer(t, { channels }, async (server) => {
    await arrange(server)
    const ask = (name: Name) => (fields: Fields) => server.as(name).post("/messages", fields)

    await t.test("refusals that do not depend on the sender", async (t) => {
      const table: ReadonlyArray<Refusal> = [
        { when: "a type of its own", fields: { ...toLobby, type: "shout" }, msg: "Invalid type" },
        {
          when: "no type",
          fields: { ...toLobby, type: undefined },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'type' argument",
          also: { var_name: "type" },
        },
        {
          when: "no destination",
          fields: { ...toLobby, to: undefined },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'to' argument",
          also: { var_name: "to" },
        },
        {
          when: "no content",
          fields: { ...toLobby, content: undefined },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'content' argument",
          also: { var_name: "content" },
        },
        { when: "empty content", fields: { ...toLobby, content: "" }, msg: "Message must not be empty" },
        { when: "blank content", fields: { ...toLobby, content: " \n\t\r\n " }, msg: "Message must not be empty" },
        { when: "NUL in the content", fields: { ...toLobby, content: "a\u0000b" }, msg: /must not contain null bytes/ },
        { when: "NUL in the topic", fields: { ...toLobby, topic: "a\u0000b" }, msg: /must not contain null bytes/ },
        { when: "no topic", fields: { ...toLobby, topic: undefined }, msg: "Missing topic" },
        {
          when: "a line break in the topic",
          fields: { ...toLobby, topic: " ab\ncd" },
          msg: "Invalid character in topic, at position 3!",
        },
        {
          when: "a topic that nobody sees",
          fields: { ...toLobby, topic: "\u200B" },
          msg: "Invalid character in topic, at position 1!",
        },
        {
          when: "an unassigned character after an astral one in the topic",
          fields: { ...toLobby, topic: "\u{1F600}\u0378" },
          msg: "Invalid character in topic, at position 2!",
        },
        {
          when: "topic under two names",
          fields: { ...toLobby, subject: "t" },
          code: "REQUEST_CONFUSING_VAR",
          msg: "Can't decide between 'topic' and 'subject' arguments",
          also: { var_name1: "topic", var_name2: "subject" },
        },
        {
          when: "a channel's name that is nobody's",
          fields: { ...toLobby, to: "nowhere" },
          code: "STREAM_DOES_NOT_EXIST",
          msg: "Channel 'nowhere' does not exist",
          also: { stream: "nowhere" },
        },
        {
          when: "a channel's id that is nobody's",
          fields: { ...toLobby, to: 4711 },
          code: "STREAM_DOES_NOT_EXIST",
          msg: "Channel with ID '4711' does not exist",
          also: { stream_id: 4711 },
        },
        {
          when: "an id beyond all integers of the database",
          fields: { ...toLobby, to: Number.MAX_SAFE_INTEGER },
          code: "STREAM_DOES_NOT_EXIST",
          msg: /does not exist/,
        },
        { when: "two channels", fields: { ...toLobby, to: ["lobby", "square"] }, msg: "Expected exactly one channel" },
        { when: "a list of no channel", fields: { ...toLobby, to: [] }, msg: "Expected exactly one channel" },
        { when: "an object as channel", fields: { ...toLobby, to: { name: "lobby" } }, msg: /^to is not/ },
        { when: "no people", fields: { ...toLobby, type: "direct", to: [] }, msg: "Message must have recipients" },
        {
          when: "more addresses in a text than are looked up",
          fields: { ...toLobby, type: "direct", to: "hamlet@test.example,".repeat(1000) },
          msg: "Recipient lists may have at most 1000 addresses.",
        },
        { when: "no people in text", fields: { ...toLobby, type: "direct", to: " , " }, msg: /must have recipients/ },
        {
          when: "an unknown address",
          fields: { ...toLobby, type: "direct", to: ["yorick@test.example"] },
          msg: "Invalid email 'yorick@test.example'",
        },
        { when: "an unknown id", fields: { ...toLobby, type: "private", to: [4711] }, msg: "Invalid user ID 4711" },
        {
          when: "addresses and ids together",
          fields: { ...toLobby, type: "direct", to: ["hamlet@test.example", server.idOf("hamlet")] },
          msg: "Recipient lists may contain emails or user IDs, but not both.",
        },
        {
          when: "a queue without a local id",
          fields: { ...toLobby, queue_id: "q" },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'local_id' argument",
          also: { var_name: "local_id" },
        },
        ...[{}, { queue_id: "" }].map((queue) => ({
          when: `a local id without a queue (${JSON.stringify(queue)})`,
          fields: { ...toLobby, ...queue, local_id: "1" },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'queue_id' argument",
          also: { var_name: "queue_id" },
        })),
        {
          when: "a local id that no index can hold",
          fields: { ...toLobby, queue_id: "q", local_id: randomBytes(4096).toString("base64") },
          msg: "local_id is too long (limit: 255 characters)",
        },
        {
          when: "a word for read_by_sender",
          fields: { ...toLobby, read_by_sender: "yes" },
          msg: "read_by_sender is not a boolean",
        },
        {
          when: "an empty topic where the channel wants one",
          fields: { ...toLobby, to: "strict", topic: "  " },
          msg: "Sending messages to the general chat is not allowed in this channel.",
          also: { empty_topic_display_name: "general chat" },
        },
        {
          when: "'(no topic)' where the channel wants one",
          fields: { ...toLobby, to: "strict", topic: "(no topic)" },
          msg: /is not allowed in this channel/,
        },
        {
          when: "the empty topic's own name where the channel wants one",
          fields: { ...toLobby, to: "strict", topic: "general chat" },
          msg: /is not allowed in this channel/,
        },
        {
          when: "a topic where the channel has none",
          fields: { ...toLobby, to: "plain" },
          msg: "Only the general chat topic is allowed in this channel.",
          also: { empty_topic_display_name: "general chat" },
        },
        {
          when: "an archived channel",
          fields: { ...toLobby, to: "attic" },
          msg: "Not authorized to send to channel 'attic'",
        },
        {
          when: "a channel for administrators",
          fields: { ...toLobby, to: "hall" },
          msg: "You do not have permission to post in this channel.",
        },
      ]
      await refuses(t, table, ask("hamlet"))
    })

    await t.test("a channel that the sender may not see answers like one that does not exist", async (t) => {
      const ways = [
        { to: "leads", unknown: "leads", same: "ghost" },
        { to: channelId(server, "leads"), unknown: String(channelId(server, "leads")), same: 4711 },
      ]
      for (const name of ["cordelia", "shiva", "polonius"] as const) {
        for (const { to, unknown, same } of ways) {
          const hidden = await ask(name)({ ...toLobby, to })
          const absent = await ask(name)({ ...toLobby, to: same })
          t.equal(hidden.status, absent.status)
          const bare = JSON.stringify(absent.body).replaceAll(String(same), unknown)
          t.equal(JSON.stringify(hidden.body), bare, `${name} learns nothing from ${to}`)
        }
      }
      await refuses(
        t,
        [
          {
            when: "an administrator who may know of it and is not in it",
            fields: { ...toLobby, to: "leads" },
            msg: "Not authorized to send to channel 'leads'",
          },
        ],
        ask("iago"),
      )
      await refuses(
        t,
        [
          {
            when: "a guest and a public channel",
            fields: toLobby,
            code: "STREAM_DOES_NOT_EXIST",
            msg: "Channel 'lobby' does not exist",
          },
        ],
        ask("polonius"),
      )
    })

    await t.test("a deactivated user cannot be written to", async (t) => {
      await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
      await refuses(
        t,
        [
          {
            when: "their id",
            fields: { ...toLobby, type: "direct", to: [server.idOf("othello")] },
            msg: /^'othello@test.example' is no longer using /,
          },
          {
            when: "their address beside others",
            fields: { ...toLobby, type: "direct", to: "cordelia@test.example, othello@test.example" },
            msg: /^'othello@test.example' is no longer using /,
          },
        ],
        ask("hamlet"),
      )
    })

    t.equal((await server.rows("select from message")).length, 0, "nothing of it was stored")
  }),
)

t.test(
  "direct messages where the organization limits them",
  inTurn(2, "direct messages where the organization limits them"),
  (t) =>
    withServer(t, {}, async (server) => {
      await arrange(server)
      const cases = [
        {
          when: "nobody may authorize them",
          settings: '{"direct_message_permission_group": 8}',
          msg: "Direct messages are disabled in this organization.",
          toAdministrators: 400,
        },
        {
          when: "only administrators may authorize them",
          settings: '{"direct_message_permission_group": 6}',
          msg: "This conversation does not include any users who can authorize it.",
          toAdministrators: 200,
        },
        {
          when: "only administrators may begin one",
          settings: '{"direct_message_initiator_group": 6}',
          msg: "You do not have permission to initiate direct message conversations.",
          // Their conversation was begun while that was free.
          toAdministrators: 200,
        },
      ]
      for (const { when, settings, msg, toAdministrators } of cases) {
        await t.test(when, async (t) => {
          await server.rows("update realm set settings = $1::text::jsonb", [settings])
          await server.restart()
          const sends = async (name: Name, to: string | number, status: number, why: string) => {
            const answer = await server.as(name).post("/messages", { type: "direct", to: [to], content: "c" })
            t.equal(answer.status, status, `${why}: ${JSON.stringify(answer.body)}`)
          }
          const ask = (fields: Fields) => server.as("cordelia").post("/messages", fields)
          await refuses(t, [{ when, fields: toHamlet(server), msg }], ask)
          await sends("cordelia", server.idOf("cordelia"), 200, "notes to oneself are free")
          await sends("cordelia", "bot@test.example", 200, "so are bots")
          await sends("hamlet", server.idOf("iago"), toAdministrators, "to an administrator")
        })
      }
      await t.test("a user who has got a message may answer it", async (t) => {
        await server.as("iago").must.post("/messages", toHamlet(server))
        const answer = { type: "direct", to: [server.idOf("iago")], content: "c" }
        t.equal((await server.as("hamlet").post("/messages", answer)).status, 200)
      })
    }),
)

t.test(
  "messages that are accepted, and how they are stored",
  inTurn(2, "messages that are accepted, and how they are stored"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await arrange(server)
      const hamlet = server.as("hamlet")
      const id = channelId(server, "lobby")

      await t.test("a channel by any form of its name and id", async (t) => {
        for (const to of ["lobby", '"lobby"', '["lobby"]', String(id), `[${id}]`, "LOBBY"]) {
          for (const type of ["channel", "stream"]) {
            await hamlet.must.post("/messages", { ...toLobby, type, to })
            t.match(await stored(server), { channel_id: id, topic: "t", content: "c" }, `${type} ${to}`)
          }
        }
        t.equal((await hamlet.post("/messages", { ...toLobby, topic: undefined, subject: "s" })).status, 200)
        t.match(await stored(server), { topic: "s" }, "the topic under its older name")
      })

      await t.test("people by any form of their addresses and ids", async (t) => {
        const cordelia = server.idOf("cordelia")
        const forms = [
          `[${cordelia}]`,
          `[${cordelia}, ${server.idOf("hamlet")}, ${cordelia}]`,
          String(cordelia),
          "cordelia@test.example",
          "CORDELIA@test.example, hamlet@test.example",
          '"cordelia@test.example"',
          '["cordelia@test.example"]',
        ]
        const conversations = new Set<unknown>()
        for (const to of forms)
          for (const type of ["direct", "private"]) {
            await hamlet.must.post("/messages", { type, to, topic: "passed over", content: to })
            const row = await stored(server)
            t.match(row, { channel_id: null, topic: "", content: to }, `${type} ${to}`)
            conversations.add(row["conversation_id"])
          }
        t.equal(conversations.size, 1, "all of them are one conversation")
      })

      await t.test("the three names of the empty topic", async (t) => {
        for (const topic of ["", "(no topic)", "general chat", " General Chat "]) {
          await hamlet.must.post("/messages", { ...toLobby, to: "plain", topic })
          t.match(await stored(server), { topic: "" }, JSON.stringify(topic))
        }
      })

      await t.test("a topic of any length costs little", async (t) => {
        // It was looked at character by character before it was cut, within the judging of a batch.
        const id = await server.as("hamlet").send("lobby", "x", { topic: "y".repeat(900_000) })
        const { body } = await server.as("hamlet").get(`/messages/${id}`)
        t.match(body, { message: { subject: `${"y".repeat(57)}...` } })
      })

      await t.test("text is trimmed, and cut where it is too long", async (t) => {
        const cut = async (fields: Fields) => {
          await hamlet.must.post("/messages", { ...toLobby, ...fields })
          return stored(server)
        }
        t.match(await cut({ topic: "  a b  ", content: "\n \n  x \n\n" }), { topic: "a b", content: "  x" })
        t.match(
          await cut({ content: "\uFEFF\n\uFEFF\uFEFFx\uFEFFy\uFEFF" }),
          { content: "x\uFEFFy" },
          "byte order marks around it",
        )
        t.match(await cut({ topic: "x".repeat(60) }), { topic: "x".repeat(60) })
        t.match(await cut({ topic: "x".repeat(61) }), { topic: `${"x".repeat(57)}...` })
        t.match(
          await cut({ topic: "\u{1F600}".repeat(60) }),
          { topic: "\u{1F600}".repeat(60) },
          "characters are counted",
        )
        t.match(await cut({ topic: "\u{1F600}".repeat(61) }), { topic: `${"\u{1F600}".repeat(57)}...` })
        for (const odd of ["a", "ab"])
          t.match(await cut({ topic: odd + "\u{1F600}".repeat(500) }), {
            topic: `${odd}${"\u{1F600}".repeat(57 - odd.length)}...`,
          })
        t.match(await cut({ content: "y".repeat(10_000) }), { content: "y".repeat(10_000) })
        const mark = "\n[message truncated]"
        const long = await cut({ content: "\u{1F600}".repeat(10_001) })
        t.equal(long["content"], "\u{1F600}".repeat(10_000 - mark.length) + mark)
      })

      await t.test("read_by_sender is a parameter, with a default by the name of the client", async (t) => {
        const read = async (userAgent: string, fields: Fields) => {
          const headers = { Authorization: basicOf(server, "hamlet"), "User-Agent": userAgent }
          const body = formOf({ ...toLobby, ...fields })
          await fetch(`${server.origin}/api/v1/messages`, { method: "POST", headers, body })
          return stored(server)
        }
        const cases: ReadonlyArray<readonly [string, Fields, boolean]> = [
          ["ZulipPython/1.0", {}, false],
          ["ZulipPython/1.0", { read_by_sender: true }, true],
          ["ZulipMobile/28", {}, true],
          ["ZulipMobile/28", { read_by_sender: false }, false],
          ["website", {}, true],
          ["My Desktop App/3", {}, true],
          ["curl/8", {}, false],
        ]
        for (const [userAgent, fields, expected] of cases) {
          const row = await read(userAgent, fields)
          t.match(
            row,
            { read_by_sender: expected, client: userAgent.split("/")[0] },
            `${userAgent} ${JSON.stringify(fields)}`,
          )
        }
      })

      await t.test("what only mirrors of other servers may say is listed as ignored", async (t) => {
        const mirrored = { sender: "cordelia@test.example", forged: "true", time: "1700000000" }
        const sent = await server.as("hamlet").must.post("/messages", { ...toLobby, content: "mirrored", ...mirrored })
        t.same(sent["ignored_parameters_unsupported"], ["forged", "sender", "time"])
        const { message } = await server.as("hamlet").must.get(`/messages/${sent["id"]}`)
        t.match(message, { sender_id: server.idOf("hamlet"), timestamp: Math.floor(server.clock.now() / 1000) })
      })

      await t.test("permissions to post in a channel", async (t) => {
        const cases: ReadonlyArray<readonly [string, string, number]> = [
          ["polonius@test.example", "square", 200],
          ["cordelia@test.example", "square", 200],
          ["othello@test.example", "lobby", 200],
          ["desdemona@test.example", "leads", 200],
          ["iago@test.example", "hall", 200],
          ["shiva@test.example", "hall", 400],
          ["bot@test.example", "hall", 200],
          ["bot@test.example", "leads", 200],
          ["stray@test.example", "hall", 400],
          ["stray@test.example", "leads", 400],
        ]
        for (const [email, to, status] of cases) {
          const answer = await server.asEmail(email).post("/messages", { ...toLobby, to })
          t.equal(answer.status, status, `${email} to ${to}: ${JSON.stringify(answer.body)}`)
        }
      })

      await t.test("the number of participants of a conversation is limited", async (t) => {
        const first = server.realm.realm.users.size + 1
        const crowd = Array.from({ length: 300 }, (_, each) => first + each)
        await server.rows(
          `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
         select 1, id, id || '@crowd.example', id || '@crowd.example', 'one of many', 0 from generate_series($1::integer, $2::integer) id`,
          [first, first + 299],
        )
        await server.rows(
          `insert into role_span (realm_id, user_id, role, opened)
         select 1, id, 400, 0 from generate_series($1::integer, $2::integer) id`,
          [first, first + 299],
        )
        await server.restart()
        const to = (count: number) =>
          server.as("hamlet").post("/messages", { type: "direct", to: crowd.slice(0, count), content: "c" })
        t.equal((await to(199)).status, 200)
        t.match(await to(200), { status: 400, body: { code: "BAD_REQUEST", msg: /at most 200 people/ } })
        t.match(await to(300), { status: 400 })
      })

      await t.test(
        "a bot whose owner is deactivated loses the rights that only its owner had, and has those of who takes it back",
        async (t) => {
          await server.rows("update role_span set role = 100 where user_id = $1::integer", [server.idOf("iago")])
          await server.restart()
          await server.as("iago").must.delete(`/users/${server.idOf("desdemona")}`)
          const bot = server.asEmail("bot@test.example")
          t.equal((await bot.post("/messages", toLobby)).status, 401, "it leaves with its owner")
          await server
            .as("iago")
            .must.post(`/users/${server.realm.realm.findUserByEmail("bot@test.example")?.id}/reactivate`)
          const taken = server.asEmail("bot@test.example")
          t.equal(
            (await taken.post("/messages", { ...toLobby, to: "hall" })).status,
            200,
            "whoever takes it back owns it",
          )
          await server.rows("update role_span set role = 400 where user_id = $1::integer", [server.idOf("iago")])
          await server.restart()
          const again = server.asEmail("bot@test.example")
          t.match((await again.post("/messages", { ...toLobby, to: "hall" })).body, { msg: /permission to post/ })
          t.match((await again.post("/messages", { ...toLobby, to: "leads" })).body, { code: "STREAM_DOES_NOT_EXIST" })
          t.equal((await again.post("/messages", toLobby)).status, 200, "it may still do what any member may")
        },
      )
    }),
)

t.test(
  "the longest topics and names that an operator may allow can be stored, whatever their letters",
  inTurn(2, "the longest topics and names that an operator may allow can be stored, whatever their letters"),
  async (t) => {
    const most = (key: "maxTopicLength" | "maxChannelNameLength"): number => {
      const allowed = Array.from({ length: 5000 }, (_, each) => each).filter(
        (each) => limitSetting(key).read(String(each)) !== undefined,
      )
      return Math.max(...allowed)
    }
    const limits = { maxTopicLength: most("maxTopicLength"), maxChannelNameLength: most("maxChannelNameLength") }
    /** Four bytes each, and nothing that compression could make smaller. */
    const letters = (count: number) =>
      Array.from({ length: count }, (_, at) => String.fromCodePoint(0x20000 + ((at * 40_503) % 40_960))).join("")
    await withServer(t, { channels, limits }, async (server) => {
      const [topic, name] = [letters(limits.maxTopicLength), letters(limits.maxChannelNameLength)]
      await server.as("hamlet").must.post("/users/me/subscriptions", { subscriptions: [{ name }] })
      await server.as("hamlet").must.post("/messages", { ...toLobby, to: name, topic })
      t.match(await stored(server), { topic, channel_id: channelId(server, name) })
    })
  },
)

const basicOf = (server: TestServer, name: Name): string => {
  const { email, key } = server.as(name).account
  return `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`
}
