/** What people have in profile fields: their own and by administrators, each type's values, events, lists, register. */

import t from "tap"
import { profileValues } from "../../../../src/chat/ground/profiles/profile-values.ts"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { Settling } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"
import { make, makeAll, own, path, types } from "../../organization/profile-fields/profile-scene.ts"

const set = (server: TestServer, who: Name, id: number, value: unknown) =>
  server.as(who).patch(own, { data: [{ id, value }] })
const profileOf = async (server: TestServer, who: Name): Promise<unknown> =>
  (await server.as(who).must.get("/users/me"))["profile_data"]
const addBot = async (server: TestServer): Promise<number> => {
  const bot = { email: "bot@test.example", fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
  return server.run(setUpUser(server.realmId, bot))
}

t.test("values of each type, in events and wherever a user's record is read", (t) =>
  withServer(t, {}, async (server) => {
    const ids = await makeAll(server)
    const [user_id, iago] = [server.idOf("hamlet"), server.idOf("iago")]
    const queue = await server.queue("polonius")
    const data = [
      { id: ids.short, value: "+45 *12*" },
      { id: ids.long, value: "I am **Hamlet**.\n\nhttps://castle.example" },
      { id: ids.choice, value: "tea" },
      { id: ids.date, value: "1600-02-29" },
      { id: ids.link, value: "https://castle.example/?q=1" },
      { id: ids.people, value: [iago, user_id, iago] },
      { id: ids.account, value: "hamlet" },
      { id: ids.pronouns, value: "he/him" },
    ]
    await server.as("hamlet").must.patch(own, { data })
    const profile_data = {
      [ids.short]: { value: "+45 *12*", rendered_value: "<p>+45 <em>12</em></p>" },
      [ids.long]: {
        value: "I am **Hamlet**.\n\nhttps://castle.example",
        rendered_value:
          '<p>I am <strong>Hamlet</strong>.</p>\n<p><a href="https://castle.example">https://castle.example</a></p>',
      },
      [ids.choice]: { value: "tea" },
      [ids.date]: { value: "1600-02-29" },
      [ids.link]: { value: "https://castle.example/?q=1" },
      [ids.people]: { value: `[${iago},${user_id}]` },
      [ids.account]: { value: "hamlet" },
      [ids.pronouns]: { value: "he/him" },
    }
    const told = await queue.rest()
    t.same(
      told.map(({ id: _id, ...event }) => event),
      Object.entries(profile_data).map(([id, value]) => ({
        type: "realm_user",
        op: "update",
        person: { user_id, custom_profile_field: { id: Number(id), ...value } },
      })),
    )
    const readAll = async () => {
      const asked = { include_custom_profile_fields: true }
      const guest = server.as("polonius").must
      const { user } = await guest.get(`/users/${user_id}`, asked)
      const { user: byEmail } = await guest.get("/users/hamlet@test.example", asked)
      const { members } = await guest.get("/users", asked)
      const { realm_users } = (await server.queue("polonius")).state
      const listed = (list: unknown) => recordsIn(list).find((each) => each["user_id"] === user_id)
      return [user, byEmail, listed(members), listed(realm_users), await server.as("hamlet").must.get("/users/me")].map(
        (record) => Object(record).profile_data,
      )
    }
    for (const each of await readAll()) t.same(each, profile_data)
    const plain = recordsIn((await server.as("polonius").must.get("/users"))["members"])
    t.notOk(
      plain.some((each) => "profile_data" in each),
      "only where it is asked for",
    )
    await sameAfresh(t, server, "set")
    await server.restart()
    for (const each of await readAll()) t.same(each, profile_data)
    await server.as("hamlet").must.patch(own, { data })
    t.same(await server.resume("polonius", queue).rest(), [], "what is so already is not told again")
  }),
)

t.test(
  "values are taken away: by DELETE, by an empty value, and by none",
  inTurn(2, "values are taken away: by DELETE, by an empty value, and by none"),
  (t) =>
    withServer(t, {}, async (server) => {
      const ids = await makeAll(server)
      const fill = () =>
        server.as("hamlet").must.patch(own, {
          data: [
            { id: ids.short, value: "1" },
            { id: ids.people, value: [server.idOf("iago")] },
            { id: ids.choice, value: "tea" },
          ],
        })
      const queue = await server.queue("cordelia")
      const gone = (...fields: ReadonlyArray<number>) =>
        fields.map((id) => ({
          type: "realm_user",
          op: "update",
          person: { user_id: server.idOf("hamlet"), custom_profile_field: { id, value: null } },
        }))
      const all = gone(ids.short, ids.people, ids.choice)
      const ways: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
        ["DELETE", () => server.as("hamlet").must.delete(own, { data: [ids.short, ids.people, ids.choice, ids.date] })],
        [
          "empty",
          () =>
            server.as("hamlet").must.patch(own, {
              data: [
                { id: ids.short, value: " " },
                { id: ids.people, value: [] },
                { id: ids.choice, value: null },
              ],
            }),
        ],
        [
          "by an administrator",
          () =>
            server.as("iago").must.patch(`/users/${server.idOf("hamlet")}`, {
              profile_data: [{ id: ids.short, value: "" }, { id: ids.people }, { id: ids.choice, value: "" }],
            }),
        ],
      ]
      for (const [way, take] of ways) {
        await fill()
        await queue.rest()
        await take()
        t.match(await queue.rest(), all, way)
        t.same(await profileOf(server, "hamlet"), {}, way)
        t.same(await server.rows("select * from profile_value"), [], way)
        await take()
        t.same(await queue.rest(), [], `${way}, again`)
      }
      await server.as("hamlet").must.patch(own, {
        data: [
          { id: ids.short, value: "first" },
          { id: ids.short, value: "last" },
        ],
      })
      t.match(await profileOf(server, "hamlet"), { [ids.short]: { value: "last" } })
      await sameAfresh(t, server, "taken away")
    }),
)

t.test(
  "what is no value of a type is refused, and then nothing of the request is done",
  inTurn(2, "what is no value of a type is refused, and then nothing of the request is done"),
  (t) =>
    withServer(t, {}, async (server) => {
      const ids = await makeAll(server)
      const bot = await addBot(server)
      await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
      const queue = await server.queue("cordelia")
      const lines: ReadonlyArray<readonly [keyof typeof ids, unknown, string | RegExp]> = [
        ["short", "x".repeat(51), "Phone is too long (limit: 50 characters)"],
        ["short", [1], "Phone is not a string"],
        ["long", "x".repeat(501), "Biography is too long (limit: 500 characters)"],
        ["choice", "water", "'water' is not a valid choice for 'Drink'."],
        ["choice", "toString", "'toString' is not a valid choice for 'Drink'."],
        ["choice", "Tea", "'Tea' is not a valid choice for 'Drink'."],
        ["date", "1999-02-29", "Birthday is not a date"],
        ["date", "1999-2-1", "Birthday is not a date"],
        ["date", "1999-13-01", "Birthday is not a date"],
        ["date", "0000-01-01", "Birthday is not a date"],
        ["date", "today", "Birthday is not a date"],
        ["link", "castle.example", "Page is not a URL"],
        ["link", "javascript:alert(1)", "Page is not a URL"],
        ["link", "https://", "Page is not a URL"],
        ["link", "https://a b", "Page is not a URL"],
        ["link", `https://a.example/${"x".repeat(2048)}`, "Page is too long (limit: 2048 characters)"],
        ["people", "1", "User IDs is not a list"],
        ["people", [4711], "Invalid user ID: 4711"],
        ["people", [bot], `User with ID ${bot} is a bot`],
        ["people", [server.idOf("othello")], `User with ID ${server.idOf("othello")} is deactivated`],
        ["people", Array.from({ length: 101 }, () => 1), "User IDs is too long (limit: 100 items)"],
        ["people", [1.5], /^data\[1\]\["value"\]/],
        ["account", "x".repeat(51), "GitHub username is too long (limit: 50 characters)"],
        ["pronouns", "x".repeat(51), "Pronouns is too long (limit: 50 characters)"],
        ["pronouns", 7, 'data[1]["value"] is not a string or a list of integers'],
      ]
      const table = lines.map(([field, value, msg]) => {
        const data = [
          { id: ids.date, value: "2000-01-01" },
          { id: ids[field], value },
        ]
        return { when: `${field}, ${JSON.stringify(value).slice(0, 40)}`, fields: { data }, msg }
      })
      await refuses(t, table, (fields) => server.as("hamlet").patch(own, fields))
      const asAdmin = table.map((line) => ({
        ...line,
        fields: { profile_data: line.fields.data },
        msg: line.msg instanceof RegExp ? /^profile_data\[1\]\["value"\]/ : line.msg.replace(/^data/, "profile_data"),
      }))
      await refuses(t, asAdmin, (fields) => server.as("iago").patch(`/users/${server.idOf("hamlet")}`, fields))
      const missing = {
        when: "no such field",
        fields: { data: [{ id: 99, value: "x" }] },
        msg: "Field id 99 not found.",
      }
      await refuses(t, [missing], (fields) => server.as("hamlet").patch(own, fields))
      await refuses(t, [{ ...missing, fields: { data: [99] } }], (fields) => server.as("hamlet").delete(own, fields))
      await refuses(
        t,
        [
          { when: "an object", fields: { data: {} }, msg: "data is not a list" },
          { when: "no id", fields: { data: [{ value: "x" }] }, msg: 'data[0]["id"] field is missing' },
          { when: "nothing", fields: {}, code: "REQUEST_VARIABLE_MISSING", msg: /data/ },
        ],
        (fields) => server.as("hamlet").patch(own, fields),
      )
      t.same(await queue.rest(), [])
      t.same(await profileOf(server, "hamlet"), {})
      await sameAfresh(t, server, "refused")
    }),
)

t.test(
  "a field that people do not edit is set by administrators; bots have none",
  inTurn(2, "a field that people do not edit is set by administrators; bots have none"),
  (t) =>
    withServer(t, {}, async (server) => {
      const id = await make(server, { name: "Room", field_type: types.short, editable_by_user: false })
      const bot = await addBot(server)
      const not = "You are not allowed to change this field. Contact an administrator to update it."
      for (const who of ["hamlet", "polonius", "shiva"] as const) {
        t.match(await set(server, who, id, "1"), { status: 400, body: { code: "BAD_REQUEST", msg: not } }, who)
        t.match(await server.as(who).delete(own, { data: [id] }), { status: 400, body: { msg: not } }, who)
      }
      t.match(await set(server, "iago", id, "2"), { status: 200 }, "an administrator, their own")
      for (const [by, of] of [["iago", "desdemona"] as const, ["desdemona", "polonius"] as const]) {
        const fields = { profile_data: [{ id, value: `by ${by}` }] }
        t.match(await server.as(by).patch(`/users/${server.idOf(of)}`, fields), { status: 200 }, "whatever their role")
        t.match(await profileOf(server, of), { [id]: { value: `by ${by}` } })
      }
      const fields = { profile_data: [{ id, value: "3" }] }
      const none = { status: 400, body: { msg: "Bots have no profile fields." } }
      t.match(await server.as("iago").patch(`/users/${bot}`, fields), none)
      const noBots = { status: 400, body: { msg: "This endpoint does not accept bot requests." } }
      t.match(await server.asEmail("bot@test.example").patch(own, { data: [] }), noBots)
      t.match(await server.asEmail("bot@test.example").delete(own, { data: [] }), noBots)
      const asked = { include_custom_profile_fields: true }
      t.notOk("profile_data" in Object((await server.as("iago").must.get(`/users/${bot}`, asked))["user"]))
      const admins = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" }
      for (const who of ["hamlet", "polonius", "shiva"] as const)
        t.match(await server.as(who).patch(`/users/${server.idOf("cordelia")}`, fields), { status: 400, body: admins })
      await server.as("iago").must.delete(`/users/${server.idOf("cordelia")}`)
      t.match(
        await server.as("iago").patch(`/users/${server.idOf("cordelia")}`, fields),
        { status: 200 },
        "who has left",
      )
      await sameAfresh(t, server, "by administrators")
    }),
)

t.test(
  "commands of one batch are judged on the fields that there are",
  inTurn(2, "commands of one batch are judged on the fields that there are"),
  (t) =>
    withServer(t, {}, async (server) => {
      const id = await make(server, { name: "Short lived", field_type: types.short })
      const [removed, ...values] = await Promise.all([
        server.as("iago").delete(`${path}/${id}`),
        ...(["hamlet", "cordelia", "polonius"] as const).map((who) => set(server, who, id, "x")),
      ])
      t.equal(removed.status, 200)
      for (const each of values) t.ok(each.status === 200 || each.body["msg"] === `Field id ${id} not found.`)
      t.same(await server.rows("select * from profile_value"), [])
      await sameAfresh(t, server, "one batch")
    }),
)

t.test(
  "register shares the records of many, and writes only those that have changed",
  inTurn(2, "register shares the records of many, and writes only those that have changed"),
  (t) =>
    withServer(t, {}, async (server) => {
      const ids = await makeAll(server)
      await server.rows(
        `with made as (
         insert into account (realm_id, id, email, email_folded, full_name, joined_at)
         select 1, n, n || '@test.example', n || '@test.example', 'Person ' || n, 0 from generate_series(1, 600) n
         on conflict (realm_id, id) do nothing returning id)
       insert into role_span (realm_id, user_id, role, opened) select 1, id, 400, 0 from made`,
      )
      await server.rows(
        "insert into profile_value (realm_id, field_id, user_id, value) select 1, $1, n, 'room ' || n from generate_series(1, 600) n",
        [ids.pronouns],
      )
      await server.restart()
      const shown = async (): Promise<ReadonlyMap<unknown, unknown>> =>
        new Map(
          recordsIn((await server.queue("polonius")).state["realm_users"]).map((each) => [
            each["user_id"],
            each["profile_data"],
          ]),
        )
      const before = await shown()
      t.same(before.get(599), { [ids.pronouns]: { value: "room 599" } })
      t.ok(server.realm.realm.part(profileValues).characters > 600 * 40)
      t.match(await set(server, "cordelia", ids.pronouns, "now"), { status: 200 })
      const after = await shown()
      t.same(after.get(server.idOf("cordelia")), { [ids.pronouns]: { value: "now" } })
      t.same(after.get(599), before.get(599))
      await server.as("iago").must.delete(`${path}/${ids.pronouns}`)
      t.same(new Set([...(await shown()).values()].map((each) => JSON.stringify(each))), new Set(["{}"]))
      t.equal(server.realm.realm.part(profileValues).characters, 0)
      await sameAfresh(t, server, "many")
    }),
)

t.test("I13: each kind of change settles", inTurn(2, "I13: each kind of change settles"), (t) =>
  withServer(t, {}, async (server) => {
    const ids = await makeAll(server)
    const hamlet = server.as("hamlet").must
    const several: Fields = {
      data: [
        { id: ids.short, value: "1" },
        { id: ids.choice, value: "tea" },
        { id: ids.people, value: [server.idOf("iago"), server.idOf("polonius")] },
      ],
    }
    const deeds: ReadonlyArray<readonly [what: string, act: () => Promise<unknown>]> = [
      ["several values", () => hamlet.patch(own, several)],
      ["a guest's value", () => server.as("polonius").must.patch(own, { data: [{ id: ids.long, value: "# a" }] })],
      ["another value", () => hamlet.patch(own, { data: [{ id: ids.choice, value: "coffee" }] })],
      ["no value", () => hamlet.delete(own, { data: [ids.short] })],
      [
        "by an administrator",
        () =>
          server.as("iago").must.patch(`/users/${server.idOf("polonius")}`, {
            full_name: "Polonius the Elder",
            role: 400,
            profile_data: [{ id: ids.date, value: "2000-01-01" }],
          }),
      ],
      ["who is named leaves", () => server.as("desdemona").must.delete(`/users/${server.idOf("cordelia")}`)],
      ["who has values leaves", () => server.as("desdemona").must.delete(`/users/${server.idOf("polonius")}`)],
      ["and comes back", () => server.as("desdemona").must.post(`/users/${server.idOf("polonius")}/reactivate`)],
    ]
    const names = ["hamlet", "iago", "shiva", "desdemona"] as const
    const settling = new Settling(t, viewsOf(server, undefined, names), (what) => sameAfresh(t, server, what))
    for (const [what, act] of deeds) {
      const seen = await settling.after(what, act)
      t.ok(seen.has("realm_user/update"), what)
    }
  }),
)
