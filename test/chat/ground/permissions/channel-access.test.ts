/**
 * Reading without a subscription: visitors without an account read web-public channels, where that is allowed; accounts
 * read private channels by a permission, or the part that they received while they were subscribed.
 */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "square", users: ["hamlet"], isWebPublic: true },
  { name: "ruin", users: ["hamlet"], isWebPublic: true },
  { name: "lobby", users: ["hamlet"] },
  { name: "crypt", users: ["hamlet", "cordelia"], isPrivate: true, historyShared: true },
  { name: "vault", users: ["hamlet"], isPrivate: true, historyShared: false },
] as const

const idOf = (server: TestServer, name: string): number => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}
const page = { anchor: "newest", num_before: 100, num_after: 0 }
const open = ["channels", "web-public"]

t.test("visitors", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = (name: string) => idOf(server, name)
    const get = (path: string, fields: Fields = {}) => server.anonymous("GET", path, fields)
    const search = (...narrow: ReadonlyArray<unknown>) => get("/messages", { ...page, narrow })
    const sent: Record<string, number> = {}
    for (const { name } of channels) sent[name] = await server.as("hamlet").send(name, `to ${name}`)
    const later = await server.as("hamlet").send("square", "more", { topic: "other" })
    await server.as("iago").must.delete(`/streams/${id("ruin")}`)
    await server.actions.changeUserSetting("hamlet", "email_address_visibility", 1)

    const readable: ReadonlyArray<readonly [path: string, fields?: Fields]> = [
      ["/messages", { ...page, narrow: [open] }],
      ["/messages", { ...page, narrow: [open, ["channel", "square"]] }],
      ["/messages", { ...page, narrow: [{ operator: "stream", operand: id("square") }, open] }],
      ["/messages", { ...page, narrow: [{ operator: "streams", operand: "web-public" }] }],
      ["/messages", { ...page, narrow: [open, { operator: "with", operand: sent["square"] }] }],
      ["/messages", { message_ids: [sent["square"], sent["lobby"]], narrow: [open] }],
      [`/messages/${sent["square"]}`],
      [`/users/me/${id("square")}/topics`],
      ["/streams"],
      [`/streams/${id("square")}`],
    ]
    const refused: ReadonlyArray<readonly [path: string, fields?: Fields]> = [
      ["/messages", page],
      ["/messages", { message_ids: [sent["square"]] }],
      ...[
        [["channel", "square"]],
        [{ operator: "with", operand: sent["square"] }],
        [["foo", "x"]],
        [open, ["channel", "lobby"]],
        [open, { operator: "channel", operand: id("ruin") }],
        [open, { operator: "channel", operand: 4711 }],
        [open, ["channel", "crypt"]],
        [["channels", "public"]],
        [{ operator: "channels", operand: "web-public", negated: true }],
        [["topic", "t"]],
        [["id", String(sent["square"])]],
        [open, ["dm", "hamlet@test.example"]],
        [open, ["is", "dm"]],
        [open, ["is", "starred"]],
      ].map((narrow) => ["/messages", { ...page, narrow }] as const),
      ...["lobby", "crypt", "ruin"].map((name) => [`/messages/${sent[name]}`] as const),
      ["/messages/98712345"],
      ...["lobby", "crypt", "ruin"].map((name) => [`/users/me/${id(name)}/topics`] as const),
      ["/users/me/4711/topics"],
      ...["lobby", "crypt", "ruin"].map((name) => [`/streams/${id(name)}`] as const),
      ["/streams/4711"],
      [`/streams/${id("square")}/members`],
      [`/streams/${id("square")}/email_address`],
      ["/get_stream_id", { stream: "square" }],
      ["/channel_folders"],
    ]
    const unauthorized = { status: 401, body: { result: "error", code: "UNAUTHORIZED" } }

    await t.test("read nothing if the organization does not admit them", async (t) => {
      for (const [path, fields] of [...readable, ...refused])
        t.match(await get(path, fields), unauthorized, `${path} ${JSON.stringify(fields)}`)
    })

    await server.actions.changeRealm({ enable_spectator_access: true })

    await t.test("read web-public channels, and learn of no others", async (t) => {
      for (const [path, fields] of readable)
        t.match(await get(path, fields), { status: 200 }, `${path} ${JSON.stringify(fields)}`)
      for (const [path, fields] of refused)
        t.match(await get(path, fields), unauthorized, `${path} ${JSON.stringify(fields)}`)
      const { body } = await search(open)
      t.same(pluck(body["messages"], "id"), [sent["square"], later])
      t.match(body, { found_newest: true, found_oldest: true })
      t.same(pluck((await search(open, ["topic", "OTHER"])).body["messages"], "id"), [later])
      t.same(pluck((await search(open, ["channel", "square"], ["near", "1"])).body["messages"], "id"), [
        sent["square"],
        later,
      ])
      const listed = await get("/messages", { message_ids: Object.values(sent), narrow: [open] })
      t.same(pluck(listed.body["messages"], "id"), [sent["square"]])
      t.same(pluck((await get("/streams", { include_all: true })).body["streams"], "name"), ["square"])
      t.same((await get("/streams", { include_public: false })).body["streams"], [])
      t.match((await get(`/streams/${id("square")}`)).body, { stream: { name: "square", is_web_public: true } })
      t.match((await get(`/users/me/${id("square")}/topics`)).body, {
        topics: [
          { name: "other", max_id: later },
          { name: "t", max_id: sent["square"] },
        ],
      })
    })

    await t.test("see no email address, and every message as read", async (t) => {
      const placeholder = `user${server.idOf("hamlet")}@test.example`
      const drawn = `/user_avatars/1/drawn/${server.idOf("hamlet")}.png?version=1`
      const { body } = await search(open)
      for (const message of recordsIn(body["messages"]))
        t.match(message, { sender_email: placeholder, flags: ["read"], avatar_url: drawn })
      const one = (await get(`/messages/${sent["square"]}`)).body
      t.match(one, { message: { sender_email: placeholder, flags: ["read"] }, raw_content: "to square" })
      t.notMatch(JSON.stringify([body, one]), /hamlet@/)
    })

    await t.test("wrong credentials do not make a visitor", async (t) => {
      const headers = { Authorization: `Basic ${Buffer.from("hamlet@test.example:wrong").toString("base64")}` }
      const answer = await fetch(`${server.origin}/api/v1/streams`, { headers })
      t.equal(answer.status, 401)
    })
  }),
)

t.test("readers by permission, and former subscribers", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = (name: string) => idOf(server, name)
    const sent: Record<string, number> = {}
    for (const name of ["crypt", "vault"]) sent[name] = await server.as("hamlet").send(name, `to ${name}`)
    for (const name of ["crypt", "vault"]) {
      const holders = JSON.stringify({ direct_members: [server.idOf("othello")], direct_subgroups: [] })
      await server.rows(
        "update channel set permissions = permissions || jsonb_build_object($1::text, $2::text::jsonb) where name = $3",
        [name === "crypt" ? "can_subscribe_group" : "can_add_subscribers_group", holders, name],
      )
    }
    await server.restart()
    const othello = server.as("othello")
    const narrowed = async (name: string, by: "othello" | "cordelia" | "iago" | "shiva") => {
      const answer = await server.as(by).get("/messages", { ...page, narrow: [["channel", name]] })
      return answer.status === 200 ? pluck(answer.body["messages"], "id") : answer.body["code"]
    }

    await t.test("a permission lets users read and search the whole shared history", async (t) => {
      t.same(await narrowed("crypt", "othello"), [sent["crypt"]])
      t.match(await othello.must.get(`/messages/${sent["crypt"]}`), { message: { flags: ["read", "historical"] } })
      t.match(await othello.must.get(`/users/me/${id("crypt")}/topics`), { topics: [{ name: "t" }] })
      t.same(await narrowed("vault", "othello"), [], "a protected history stays closed")
      t.match(await othello.get(`/messages/${sent["vault"]}`), { status: 400 })
      t.same(await narrowed("crypt", "iago"), [], "administrators know of it, and read nothing")
      t.equal(await narrowed("crypt", "shiva"), "BAD_NARROW", "nobody else knows of it")
    })

    // The channel is private: what they received there does not count while they are out of it.
    await t.test("a former subscriber reads nothing", async (t) => {
      await server.as("cordelia").must.delete("/users/me/subscriptions", { subscriptions: ["crypt"] })
      const after = await server.as("hamlet").send("crypt", "after")
      t.equal(await narrowed("crypt", "cordelia"), "BAD_NARROW")
      for (const id of [sent["crypt"], after])
        t.match(await server.as("cordelia").get(`/messages/${id}`), { status: 400 })
      t.same(await narrowed("crypt", "othello"), [sent["crypt"], after])
    })
  }),
)
