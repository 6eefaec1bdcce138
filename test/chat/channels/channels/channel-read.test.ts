/** The endpoints that read one channel: its record, its members, whether a user is subscribed. */
import t from "tap"
import { recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channelId = (server: TestServer, name: string): number => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

/** Ids that no channel has, as clients may send them. */
const nowhere = [4711, 0, 999_999_999_999_999]

t.test("one channel", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "othello", "polonius"] },
        { name: "leads", users: ["hamlet"], isPrivate: true },
        { name: "square", users: [], isWebPublic: true },
        { name: "attic", users: ["hamlet"] },
      ],
    },
    async (server) => {
      await server.rows("update channel set is_archived = true where name = 'attic'")
      await server.restart()
      const path = (name: string) => `/streams/${channelId(server, name)}`
      const seen: ReadonlyArray<readonly [Name, ReadonlyArray<string>, ReadonlyArray<string>]> = [
        ["hamlet", ["lobby", "leads", "square", "attic"], []],
        ["iago", ["lobby", "leads", "square", "attic"], []],
        ["cordelia", ["lobby", "square", "attic"], ["leads"]],
        ["polonius", ["lobby", "square"], ["leads", "attic"]],
      ]

      await t.test("its record equals the one in the list", async (t) => {
        const { streams } = await server.as("iago").must.get("/streams", { include_all: true, exclude_archived: false })
        for (const listed of recordsIn(streams)) {
          const { stream } = await server.as("iago").must.get(`/streams/${listed["stream_id"]}`)
          t.same(stream, listed)
        }
        t.match(await server.as("hamlet").must.get(path("attic")), { stream: { name: "attic", is_archived: true } })
      })

      await t.test("its members are the present, active subscribers", async (t) => {
        const members = async (name: string) =>
          (await server.as("iago").must.get(`${path(name)}/members`))["subscribers"]
        const sorted = (...names: ReadonlyArray<Name>) => names.map(server.idOf).sort((a, b) => a - b)
        t.same(await members("lobby"), sorted("hamlet", "othello", "polonius"))
        t.same(await members("leads"), sorted("hamlet"))
        t.same(await members("square"), [])
        await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
        await server.as("polonius").must.delete("/users/me/subscriptions", { subscriptions: ["lobby"] })
        t.same(await members("lobby"), sorted("hamlet"))
        await server.as("hamlet").must.post("/users/me/subscriptions", {
          subscriptions: [{ name: "lobby" }],
          principals: [server.idOf("polonius")],
        })
      })

      await t.test("whether a user is subscribed", async (t) => {
        const ask = async (by: Name, who: Name, name: string) =>
          (await server.as(by).must.get(`/users/${server.idOf(who)}/subscriptions/${channelId(server, name)}`))[
            "is_subscribed"
          ]
        t.equal(await ask("cordelia", "hamlet", "lobby"), true)
        t.equal(await ask("cordelia", "cordelia", "lobby"), false)
        t.equal(await ask("polonius", "hamlet", "lobby"), true)
        t.equal(await ask("iago", "hamlet", "leads"), true)
        t.equal(await ask("iago", "iago", "leads"), false)
        t.equal(await ask("iago", "othello", "lobby"), false, "who has left")
        const noUser: Refusal = { when: "an unknown user", fields: {}, msg: "No such user" }
        for (const name of ["lobby", "leads"])
          await refuses(t, [noUser], () =>
            server.as("cordelia").get(`/users/4711/subscriptions/${channelId(server, name)}`),
          )
      })

      await t.test("a channel that the user may not know of is answered like one that does not exist", async (t) => {
        const paths = (id: number) => [
          `/streams/${id}`,
          `/streams/${id}/members`,
          `/users/${server.idOf("hamlet")}/subscriptions/${id}`,
          `/users/me/${id}/topics`,
        ]
        for (const [name, open, hidden] of seen) {
          const person = server.as(name)
          for (const each of open)
            for (const path of paths(channelId(server, each)))
              t.equal((await person.get(path)).status, 200, `${name} ${path} (${each})`)
          for (const id of [...hidden.map((each) => channelId(server, each)), ...nowhere])
            for (const path of paths(id)) {
              const { status, body } = await person.get(path)
              const refusal = { result: "error", code: "BAD_REQUEST", msg: "Invalid channel ID" }
              t.same({ status, body }, { status: 400, body: refusal }, `${name} ${path}`)
            }
        }
      })

      await t.test("its address for mail does not exist, whoever is to be its sender", async (t) => {
        const path = `/streams/${channelId(server, "lobby")}/email_address`
        const hamlet = server.as("hamlet")
        for (const fields of [{}, { sender_id: server.idOf("hamlet") }])
          t.match(await hamlet.get(path, fields), { status: 400, body: { msg: /receives no mail/ } })
        t.match(await hamlet.get(path, { sender_id: 4711 }), { status: 400, body: { msg: "No such user" } })
      })
    },
  ),
)
