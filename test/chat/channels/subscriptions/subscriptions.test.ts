/** GET and DELETE /users/me/subscriptions: the list, leaving channels, and unsubscribing others. */
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import type { Reader } from "../../../kit/reader.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { listen, makeBot, named, own } from "./subscription-fixture.ts"

const join = (server: TestServer, name: Name, fields: Fields) =>
  server.as(name).must.post("/users/me/subscriptions", fields)

const namesIn = (list: unknown): ReadonlyArray<unknown> => pluck(list, "name")

const findNamed = (list: unknown, name: string): Fields | undefined =>
  recordsIn(list).find((each) => each["name"] === name)

const types = { event_types: ["stream", "subscription"] }

t.test("the requester's subscriptions, and leaving channels", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
        { name: "leads", users: ["hamlet", "cordelia", "iago"], isPrivate: true },
        { name: "attic", users: ["hamlet"] },
        { name: "square", users: ["polonius"], isWebPublic: true },
      ],
    },
    async (server) => {
      await server.rows("update channel set is_archived = true where name = 'attic'")
      await server.restart()
      const leave = (name: Name) => (fields: Fields) => server.as(name).delete("/users/me/subscriptions", fields)

      await t.test("another's channels: those that the requester may know of", async (t) => {
        const hamlet = server.idOf("hamlet")
        const ask = (by: Name, id: number) => server.as(by).get(`/users/${id}/channels`)
        const ids = (...names: ReadonlyArray<string>) => ({
          status: 200,
          body: { subscribed_channel_ids: names.map((name) => channelId(server, name)).sort((a, b) => a - b) },
        })
        for (const by of ["hamlet", "cordelia", "desdemona"] as const)
          t.match(await ask(by, hamlet), ids("lobby", "leads"), `${by}; without what is archived`)
        t.match(await ask("shiva", hamlet), ids("lobby"), "who is not in a private channel does not know of it")
        t.match(await ask("polonius", hamlet), ids("lobby"), "a guest")
        t.match(await ask("polonius", server.idOf("iago")), ids())
        t.match(await ask("hamlet", hamlet), ids("lobby", "leads"), "one's own")
        const { body } = await server.as("desdemona").post("/bots", { full_name: "Bot", short_name: "lister" })
        t.match(await ask("cordelia", Number(body["user_id"])), ids(), "a bot's")
        t.match(await ask("hamlet", 4444), { status: 400, body: { code: "BAD_REQUEST", msg: "No such user" } })
      })

      await t.test("the list of subscriptions", async (t) => {
        const list = async (name: Name, fields: Fields = {}) =>
          (await server.as(name).must.get(own, fields))["subscriptions"]
        t.same(namesIn(await list("hamlet")), ["lobby", "leads"], "without what is archived")
        t.same(await list("shiva"), [])
        const [plain] = recordsIn(await list("hamlet"))
        t.match(plain, {
          color: /^#[0-9a-f]{6}$/,
          is_muted: false,
          in_home_view: true,
          pin_to_top: false,
          // Inherited.
          desktop_notifications: null,
          audible_notifications: null,
          push_notifications: null,
          email_notifications: null,
          wildcard_mentions_notify: null,
        })
        t.notOk(plain !== undefined && "subscribers" in plain, "lists of people only where they are asked for")
        for (const include_subscribers of [true, "partial", '"partial"'])
          t.match(await list("iago", { include_subscribers }), [
            {
              name: "leads",
              subscribers: [server.idOf("hamlet"), server.idOf("iago"), server.idOf("cordelia")].sort((a, b) => a - b),
            },
          ])
        await refuses(
          t,
          [
            { when: "a number", fields: { include_subscribers: 1 }, msg: "include_subscribers is not a boolean" },
            { when: "a word", fields: { include_subscribers: "some" }, msg: "include_subscribers is not a boolean" },
          ],
          (fields) => server.as("hamlet").get(own, fields),
        )
      })

      await t.test("invalid requests are refused", async (t) => {
        const unknown = (name: string) => ({
          when: name,
          fields: { subscriptions: [name] },
          code: "STREAM_DOES_NOT_EXIST",
          msg: `Channel '${name}' does not exist`,
          also: { stream: name },
        })
        const table: ReadonlyArray<Refusal> = [
          unknown("ghost"),
          { ...unknown("ghost"), when: "one of two", fields: { subscriptions: ["lobby", "ghost"] } },
          { when: "nothing", fields: {}, code: "REQUEST_VARIABLE_MISSING", msg: "Missing 'subscriptions' argument" },
          { when: "a name", fields: { subscriptions: "lobby" }, msg: "subscriptions is not valid JSON" },
          { when: "an id", fields: { subscriptions: [1] }, msg: "subscriptions[0] is not a string" },
          { when: "what is archived", fields: { subscriptions: ["attic"] }, msg: /archived/ },
          { when: "an unknown person", fields: { subscriptions: ["lobby"], principals: [4711] }, msg: "No such user" },
        ]
        await refuses(t, table, leave("hamlet"))
        await refuses(t, [unknown("leads")], leave("shiva"))
        const { subscriptions } = await server.as("hamlet").must.get("/users/me/subscriptions")
        t.same(namesIn(subscriptions), ["lobby", "leads"])
      })

      await t.test("the events when a user leaves a channel, and their receivers", async (t) => {
        const readers = new Map<Name, Reader>()
        for (const name of ["hamlet", "cordelia", "iago", "shiva", "polonius"] as const)
          readers.set(name, await server.queue(name, types))
        const check = async (expected: Partial<Record<Name, ReadonlyArray<Fields>>>) => {
          for (const [name, reader] of readers) {
            const got = await reader.rest()
            t.equal(got.length, expected[name]?.length ?? 0, `${name}: ${JSON.stringify(got)}`)
            t.match(got, [...(expected[name] ?? [])], name)
          }
        }
        const events = (channel: string, name: Name) => {
          const stream_id = channelId(server, channel)
          return {
            remove: { type: "subscription", op: "remove", subscriptions: [{ name: channel, stream_id }] },
            hide: { type: "stream", op: "delete", stream_ids: [stream_id], streams: [{ stream_id }] },
            peer: { type: "subscription", op: "peer_remove", stream_ids: [stream_id], user_ids: [server.idOf(name)] },
          }
        }
        const first = await leave("hamlet")({ subscriptions: [" LOBBY ", "square"] })
        t.match(first.body, { removed: ["lobby"], not_removed: ["square"] })
        const lobby = events("lobby", "hamlet")
        await check({
          hamlet: [lobby.remove],
          cordelia: [lobby.peer],
          iago: [lobby.peer],
          shiva: [lobby.peer],
          polonius: [lobby.peer],
        })
        await leave("cordelia")({ subscriptions: ["leads"] })
        const leads = events("leads", "cordelia")
        await check({ cordelia: [leads.remove, leads.hide], hamlet: [leads.peer], iago: [leads.peer] })
        await leave("iago")({ subscriptions: ["leads"] })
        const administrator = events("leads", "iago")
        await check({ iago: [administrator.remove], hamlet: [administrator.peer] })
        await leave("polonius")({ subscriptions: ["lobby", "square"] })
        const guest = [events("lobby", "polonius"), events("square", "polonius")] as const
        const peers = guest.map(({ peer }) => peer)
        await check({
          polonius: [guest[0].remove, guest[0].hide, guest[1].remove],
          hamlet: peers,
          cordelia: peers,
          iago: peers,
          shiva: peers,
        })
        t.match((await leave("hamlet")({ subscriptions: ["lobby"] })).body, { removed: [], not_removed: ["lobby"] })
        await check({})
      })

      await t.test("a user who joins again finds their colour again", async (t) => {
        const colour = async () => {
          const { subscriptions } = await server.as("cordelia").must.get("/users/me/subscriptions")
          return findNamed(subscriptions, "lobby")?.["color"]
        }
        await join(server, "cordelia", { subscriptions: [{ name: "lobby", color: "#123456" }] })
        const before = await colour()
        await leave("cordelia")({ subscriptions: ["lobby"] })
        await join(server, "cordelia", named("lobby"))
        t.equal(await colour(), before)
      })

      await t.test("with include_subscribers=partial only some subscribers of a big channel are listed", async (t) => {
        await server.rows(`insert into account (realm_id, id, email, email_folded, full_name, joined_at)
          select 1, each, 'u' || each, 'u' || each, 'u' || each, 0 from generate_series(1001, 1250) as each`)
        await server.rows(
          `insert into role_span (realm_id, role, user_id, opened)
           select 1, $1::integer, each, 0 from generate_series(1001, 1250) as each`,
          [roles.member],
        )
        await server.rows(
          `insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
           select 1, $1::integer, each, 0, 0 from generate_series(1001, 1250) as each`,
          [channelId(server, "leads")],
        )
        await server.restart()
        const { subscriptions } = await server.as("hamlet").must.get(own, { include_subscribers: "partial" })
        const [leads] = recordsIn(subscriptions)
        t.match(leads, { name: "leads", subscriber_count: 251, partial_subscribers: [server.idOf("hamlet")] })
        t.notOk(leads !== undefined && "subscribers" in leads)
      })
    },
  ),
)

t.test("unsubscribing others", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia", "shiva", "polonius"] },
        { name: "square", users: ["cordelia"] },
        { name: "leads", users: ["hamlet", "cordelia", "othello"], isPrivate: true },
      ],
    },
    async (server) => {
      const id = (name: Name) => server.idOf(name)
      const bot = await makeBot(server, "cordelia")
      await server.as("hamlet").must.post(own, { ...named("lobby", "leads"), principals: [bot] })
      const leave = (name: Name) => (fields: Fields) => server.as(name).delete(own, fields)

      await t.test("users who may not unsubscribe others", async (t) => {
        const refused = (when: string, channel: string, user: number): Refusal => ({
          when,
          fields: { subscriptions: [channel], principals: [user] },
          msg: "Insufficient permission",
        })
        await refuses(
          t,
          [refused("a member", "lobby", id("shiva")), refused("another's bot", "leads", bot)],
          leave("hamlet"),
        )
        const both = { subscriptions: ["lobby"], principals: [id("cordelia"), id("hamlet")] }
        await refuses(t, [{ when: "one of two", fields: both, msg: "Insufficient permission" }], leave("cordelia"))
        await server.as("iago").must.delete(`/users/${id("othello")}`)
        const gone = { subscriptions: ["lobby"], principals: [id("othello")] }
        await refuses(t, [{ when: "who has left", fields: gone, msg: "User is deactivated" }], leave("iago"))
        await server.as("iago").must.post(`/users/${id("othello")}/reactivate`)
      })

      await t.test("users who may unsubscribe others, and the events", async (t) => {
        const check = await listen(t, server, ["iago", "hamlet", "cordelia", "shiva", "othello"], {
          event_types: ["stream", "subscription"],
        })
        const told = (channel: string, ...users: ReadonlyArray<number>) => {
          const stream_id = channelId(server, channel)
          return {
            remove: { type: "subscription", op: "remove", subscriptions: [{ name: channel, stream_id }] },
            hide: { type: "stream", op: "delete", stream_ids: [stream_id] },
            peer: { type: "subscription", op: "peer_remove", stream_ids: [stream_id], user_ids: users },
          }
        }
        const { body } = await leave("iago")({
          subscriptions: ["lobby", "leads", "Lobby"],
          principals: ["cordelia@test.example", id("iago"), id("othello")].map(String),
        })
        t.match(body, { code: "BAD_REQUEST", msg: "No such user" })
        const answer = await server.as("iago").must.delete(own, {
          subscriptions: ["lobby", "leads", "Lobby"],
          principals: [id("cordelia"), id("iago"), id("othello")],
        })
        t.same(answer["removed"], ["lobby", "leads", "leads"])
        t.same(answer["not_removed"], ["lobby", "lobby", "leads"])
        const lobby = told("lobby", id("cordelia"))
        const leads = told("leads", id("cordelia"), id("othello"))
        await check("an administrator, from what he is not in", {
          iago: [lobby.peer, leads.peer],
          hamlet: [lobby.peer, leads.peer],
          cordelia: [lobby.remove, leads.remove, leads.hide],
          shiva: [lobby.peer],
          othello: [lobby.peer, leads.remove, leads.hide],
        })
        t.same(
          (await server.as("cordelia").must.delete(own, { subscriptions: ["lobby"], principals: [bot] }))["removed"],
          ["lobby"],
        )
        const robot = told("lobby", bot)
        await check("one's own bot", {
          iago: [robot.peer],
          hamlet: [robot.peer],
          cordelia: [robot.peer],
          shiva: [robot.peer],
          othello: [robot.peer],
        })
        await refuses(
          t,
          [
            {
              when: "one's own bot, from what one does not know",
              fields: { subscriptions: ["leads"], principals: [bot] },
              code: "STREAM_DOES_NOT_EXIST",
              msg: "Channel 'leads' does not exist",
            },
          ],
          leave("cordelia"),
        )
      })
    },
  ),
)
