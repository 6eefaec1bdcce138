/** GET /streams and GET /get_stream_id: which channels each user finds. */
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import type { Fields } from "../../../kit/client.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const _named = (...names: ReadonlyArray<string>): Fields => ({ subscriptions: names.map((name) => ({ name })) })

const _join = (server: TestServer, name: Name, fields: Fields) =>
  server.as(name).must.post("/users/me/subscriptions", fields)

const channelId = (server: TestServer, name: string): number => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

const namesIn = (list: unknown): ReadonlyArray<unknown> => pluck(list, "name")

const _findNamed = (list: unknown, name: string): Fields | undefined =>
  recordsIn(list).find((each) => each["name"] === name)

const _types = { event_types: ["stream", "subscription"] }
t.test("the channels that each user finds", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "Beta", users: ["hamlet", "polonius"] },
        { name: "alpha", users: ["hamlet"], isDefault: true },
        { name: "secret", users: ["hamlet"], isPrivate: true },
        { name: "square", users: [], isWebPublic: true },
        { name: "attic", users: ["hamlet"] },
      ],
    },
    async (server) => {
      await server.rows("update channel set is_archived = true where name = 'attic'")
      const email = "bot@test.example"
      await server.run(
        setUpUser(server.realmId, { email, fullName: "bot", role: roles.member, isBot: true, passwordHash: null }),
      )
      await server.rows("update account set bot_owner_id = $1::integer where is_bot", [server.idOf("hamlet")])
      await server.restart()
      const list = async (name: Name, fields: Fields = {}) =>
        namesIn((await server.as(name).must.get("/streams", fields))["streams"])
      const cases: ReadonlyArray<readonly [Name, Fields, ReadonlyArray<string>]> = [
        ["hamlet", {}, ["alpha", "Beta", "secret", "square"]],
        ["cordelia", {}, ["alpha", "Beta", "square"]],
        ["iago", {}, ["alpha", "Beta", "square"]],
        ["iago", { include_all: true }, ["alpha", "Beta", "secret", "square"]],
        ["iago", { include_all_active: true }, ["alpha", "Beta", "secret", "square"]],
        ["cordelia", { include_all: true }, ["alpha", "Beta", "square"]],
        ["hamlet", { include_public: false }, ["alpha", "Beta", "secret"]],
        ["hamlet", { include_subscribed: false }, ["alpha", "Beta", "square"]],
        ["hamlet", { include_public: false, include_subscribed: false }, []],
        ["hamlet", { include_public: false, include_subscribed: false, include_web_public: true }, ["square"]],
        ["hamlet", { exclude_archived: false }, ["alpha", "attic", "Beta", "secret", "square"]],
        ["polonius", {}, ["Beta"]],
        ["polonius", { include_web_public: true }, ["Beta", "square"]],
        ["polonius", { include_can_access_content: true }, ["Beta", "square"]],
        ["iago", { include_can_access_content: true }, ["alpha", "Beta", "square"]],
        [
          "hamlet",
          { include_public: false, include_subscribed: false, include_can_access_content: true },
          ["alpha", "Beta", "secret", "square"],
        ],
        ["hamlet", { include_public: false, include_owner_subscribed: true }, ["alpha", "Beta", "secret"]],
      ]
      for (const [name, fields, expected] of cases)
        t.same(await list(name, fields), expected, `${name} ${JSON.stringify(fields)}`)

      const bot = (fields: Fields) => server.asEmail("bot@test.example").must.get("/streams", fields)
      t.same(namesIn((await bot({}))["streams"]), ["alpha", "Beta", "square"], "a bot, by itself")
      t.same(
        namesIn((await bot({ include_public: false, include_owner_subscribed: true }))["streams"]),
        ["alpha", "Beta", "secret"],
        "a bot, of its owner",
      )

      const { streams } = await server.as("hamlet").must.get("/streams", { include_default: true })
      t.match(streams, [
        {
          stream_id: channelId(server, "alpha"),
          name: "alpha",
          is_default: true,
          invite_only: false,
          is_web_public: false,
          history_public_to_subscribers: true,
          is_archived: false,
          subscriber_count: 1,
          topics_policy: "inherit",
          message_retention_days: null,
          folder_id: null,
        },
        { is_default: false, subscriber_count: 2 },
        { invite_only: true, history_public_to_subscribers: false },
        { is_web_public: true, subscriber_count: 0 },
      ])

      await t.test("a channel's id by its name", async (t) => {
        for (const stream of ["alpha", " ALPHA "])
          t.match(await server.as("cordelia").must.get("/get_stream_id", { stream }), {
            stream_id: channelId(server, "alpha"),
          })
        t.match(await server.as("iago").must.get("/get_stream_id", { stream: "secret" }), { stream_id: /\d/ })
        const unknown = (stream: string) => ({
          when: stream,
          fields: { stream },
          msg: `Invalid channel name '${stream}'`,
        })
        const ask = (name: Name) => (fields: Fields) => server.as(name).get("/get_stream_id", fields)
        const missing = {
          when: "no name",
          fields: {},
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'stream' argument",
        }
        await refuses(t, [unknown("ghost"), unknown("secret"), unknown(""), missing], ask("cordelia"))
        await refuses(t, [unknown("alpha"), unknown("secret")], ask("polonius"))
      })
    },
  ),
)
