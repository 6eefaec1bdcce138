/** Leaving, by oneself or by an administrator, and all that ends by it. Connections and roles: create-user.test.ts, roles.test.ts. */
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { UserId } from "../../../../src/ids.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { pluck } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { mailing as mailingLinks } from "../invitations/invitation-scene.ts"
import { mailing, mailsTo } from "./accounts-scene.ts"

const botOf = (server: TestServer, name: string, owner: number | null) =>
  server.run(
    setUpUser(server.realmId, {
      email: `${name}@test.example`,
      fullName: name,
      role: roles.member,
      isBot: true,
      botOwnerId: owner === null ? null : UserId(owner),
      passwordHash: null,
    }),
  )

t.test("people leave by themselves, but for the last owner", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "iago"] }] }, async (server) => {
    const reader = await server.queue("iago")
    const own = await server.queue("hamlet")
    t.match(await server.as("hamlet").delete("/users/me"), { status: 200, body: { result: "success" } })
    t.match(await server.as("hamlet").get("/users/me"), { status: 401, body: { msg: "Account is deactivated" } })
    const id = server.idOf("hamlet")
    t.match(
      (await reader.rest()).map(({ type, op }) => `${type} ${op}`),
      ["realm_user update", "user_group remove_members", "user_group remove_members", "subscription peer_remove"],
    )
    t.same(await server.rows("select 1 from event_queue where user_id = $1", [id]), [], "their queues have ended")
    await server.as("iago").must.post(`/users/${id}/reactivate`)
    t.match(await server.as("hamlet").get("/events", { queue_id: own.queueId, last_event_id: own.lastId }), {
      status: 400,
      body: { code: "BAD_EVENT_QUEUE_ID" },
    })
    t.match(await server.as("desdemona").delete("/users/me"), {
      status: 400,
      body: {
        code: "CANNOT_DEACTIVATE_LAST_USER",
        msg: "Cannot deactivate the only organization owner.",
        is_last_owner: true,
        entity: "organization owner",
      },
    })
    await sameAfresh(t, server, "left")
  }),
)

t.test("with a person their bots leave, and do not come back with them", (t) =>
  withServer(t, { channels: [{ name: "den", users: ["hamlet", "iago"], isPrivate: true }] }, async (server) => {
    const hamlet = server.idOf("hamlet")
    const [first, second, alone] = [
      await botOf(server, "first", hamlet),
      await botOf(server, "second", hamlet),
      await botOf(server, "alone", null),
    ]
    await server.as("hamlet").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "den" }],
      principals: [first, second],
    })
    await server.as("iago").must.delete(`/users/${second}`)
    const reader = await server.queue("iago")
    await server.as("iago").must.delete(`/users/${hamlet}`)
    const events = await reader.rest()
    const people = events.filter(({ type }) => type === "realm_user").map(({ person }) => person)
    t.match(people, [
      { user_id: first, is_active: false },
      { user_id: hamlet, is_active: false },
    ])
    t.same(
      events.filter(({ op }) => op === "peer_remove").map(({ user_ids }) => user_ids),
      [[first], [hamlet]],
    )
    t.match(await server.asEmail("first@test.example").get("/users/me"), { status: 401 })
    t.match(await server.asEmail("alone@test.example").get("/users/me"), { status: 200 })
    await server.as("iago").must.post(`/users/${hamlet}/reactivate`)
    t.same(
      [hamlet, first, second, alone].map((id) =>
        [...server.realm.realm.users.values()].some((user) => user.id === id && server.realm.realm.isActive(user.id)),
      ),
      [true, false, false, true],
    )
    await server.as("iago").must.post(`/users/${first}/reactivate`)
    t.match(await server.asEmail("first@test.example").get("/users/me"), { status: 200 }, "each by itself")
    await sameAfresh(t, server, "bots")
  }),
)

t.test("invitations of who leaves are over, which is told where there are some", (t) =>
  withServer(t, mailingLinks, async (server) => {
    await server.as("cordelia").must.post("/invites", { invitee_emails: "rosa@far.example", stream_ids: [] })
    const readers = [await server.queue("iago"), await server.queue("othello")]
    await server.as("iago").must.delete(`/users/${server.idOf("cordelia")}`)
    const types = async (n: number) => pluck((await readers[n]?.rest()) ?? [], "type")
    t.ok((await types(0)).includes("invites_changed"), "administrators hear of it")
    t.notOk((await types(1)).includes("invites_changed"), "others do not")
    t.match(await server.as("iago").must.get("/invites"), { invites: [] })
    await server.as("iago").must.post(`/users/${server.idOf("cordelia")}/reactivate`)
    t.match(await server.as("cordelia").must.get("/invites"), { invites: [] }, "also when they are back")
    await readers[0]?.rest()
    await server.as("iago").must.delete(`/users/${server.idOf("shiva")}`)
    t.notOk((await types(0)).includes("invites_changed"), "who has invited nobody")
  }),
)

t.test("an administrator tells whom they deactivate, and erases nothing by that", async (t) => {
  await withServer(t, mailing, async (server) => {
    const path = `/users/${server.idOf("hamlet")}`
    const iago = server.as("iago")
    const table: ReadonlyArray<Refusal> = [
      {
        when: "an action",
        fields: { actions: { delete_direct_messages: true } },
        msg: /'delete_direct_messages' is not offered/,
      },
      { when: "no object", fields: { actions: [] }, msg: /actions is not/ },
      {
        when: "a long comment",
        fields: { deactivation_notification_comment: "x".repeat(2001) },
        msg: /deactivation_notification_comment is too long/,
      },
    ]
    await refuses(t, table, (fields) => iago.delete(path, fields))
    t.match(await server.as("hamlet").get("/users/me"), { status: 200 })
    await iago.must.delete(path, {
      deactivation_notification_comment: " Farewell!\n",
      actions: { delete_profile: false },
    })
    t.match(await mailsTo(server, "hamlet@test.example"), [{ subject: /is deactivated/, text: /says:\n\nFarewell!/ }])
    await iago.must.delete(path, { deactivation_notification_comment: "again" })
    t.equal((await mailsTo(server, "hamlet@test.example")).length, 1, "who has left already is told nothing")
    await iago.must.delete(`/users/${server.idOf("othello")}`)
    t.same(await mailsTo(server, "othello@test.example"), [], "without a comment there is no mail")
    await iago.must.delete(`/users/${server.idOf("shiva")}`, { deactivation_notification_comment: "" })
    t.match(
      await mailsTo(server, "shiva@test.example"),
      [{ text: /^Your account/ }],
      "an empty one is none, but mailed",
    )
  })
  await withServer(t, { config: { mode: "production" } }, async (server) => {
    const fields = { deactivation_notification_comment: "Farewell!" }
    const path = `/users/${server.idOf("hamlet")}`
    t.match(await server.as("iago").delete(path, fields), { status: 400, body: { msg: /cannot send mail/ } })
    t.match(await server.as("hamlet").get("/users/me"), { status: 200 })
  })
})
