/**
 * Changes of organizations and users that no endpoint makes yet, made by the commands of the server: what owners,
 * members and guests are told, which connections end, and that the projection equals one loaded afresh (I12).
 */
import t, { type Test } from "tap"
import { gravatarUrl } from "../../../../src/chat/ground/faces/face-urls.ts"
import { roles, systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { loadRealm } from "../../../../src/chat/ground/realm/loading/load-store.ts"
import { Realms } from "../../../../src/chat/ground/realm/realms.ts"
import { defaultUserSettings, wireUserSettings } from "../../../../src/chat/ground/realm/user-settings.ts"
import { apiKeyKind } from "../../../../src/chat/ground/sign-in/api-key.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { toServers } from "../../../../src/events/audience.ts"
import { change } from "../../../../src/events/command.ts"
import { UserId } from "../../../../src/ids.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { catalog } from "../../../kit/catalog.ts"
import { describeRealm } from "../../../kit/projection.ts"
import type { ReadEvent, Reader } from "../../../kit/reader.ts"
import { frameOf } from "../../../kit/sockets.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, names, type TestServer, withServer } from "../../../kit/with-server.ts"

const lobby = { name: "lobby", users: ["desdemona", "hamlet", "polonius"] } as const
const readers: ReadonlyArray<Name> = ["desdemona", "hamlet", "polonius"]

/** Without what only says when it came. */
const plainly = (events: ReadonlyArray<ReadEvent>) =>
  events.filter(({ type }) => type !== "heartbeat").map(({ id: _id, ...event }) => event)

/** The same after the server has started anew. */
const survives = async (t: Test, server: TestServer) => {
  const moved = describeRealm(server.realm.realm)
  await server.restart()
  t.same(describeRealm(server.realm.realm), moved, "after a restart")
}

const update = (property: string, value: unknown) => ({ type: "realm", op: "update", property, value })
const together = (data: object) => ({ type: "realm", op: "update_dict", property: "default", data })

t.test("settings of the organization", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const queues = await Promise.all(readers.map((name) => server.queue(name)))
    const change = async (changes: Parameters<typeof server.actions.changeRealm>[0], ...events: Array<object>) => {
      await server.actions.changeRealm(changes)
      const what = JSON.stringify(changes)
      for (const queue of queues) t.same(plainly(await queue.rest()), events, what)
      t.match(server.realm.realm.settings, changes)
      await sameAfresh(t, server, what)
    }
    const before = server.realm.realm.settings
    await change({ enable_spectator_access: true }, update("enable_spectator_access", true))
    t.not(server.realm.realm.settings, before, "whoever holds the settings sees that they are others")
    await change({ enable_spectator_access: true })
    await change(
      { password_auth_enabled: false },
      together({ authentication_methods: { Email: { enabled: false, available: true } } }),
    )
    const members = (["hamlet", "cordelia", "othello"] as const).map(server.idOf)
    await change({ waiting_period_days: 3 }, update("waiting_period_threshold", 3), {
      type: "user_group",
      op: "remove_members",
      group_id: systemGroups["role:fullmembers"],
      user_ids: members,
    })
    await change(
      { topics_policy: "disable_empty_topic" },
      together({ topics_policy: "disable_empty_topic", mandatory_topics: true }),
    )
    const holders = { direct_members: [UserId(4)], direct_subgroups: [systemGroups["role:administrators"]] }
    await change({ can_create_public_channel_group: holders }, together({ can_create_public_channel_group: holders }))
    await change({ can_create_public_channel_group: holders })
    await change(
      { name: "Elsinore", description: "*cold*" },
      update("name", "Elsinore"),
      together({ description: "*cold*", rendered_description: "<p><em>cold</em></p>" }),
    )
    t.equal((await server.as("hamlet").post("/messages", { type: "channel", to: "lobby", content: "x" })).status, 400)
    for (const impossible of [
      { name: JSON.parse("7") },
      { waiting_period_days: Number.NaN },
      { waiting_period_days: Infinity },
    ])
      await t.rejects(server.actions.changeRealm(impossible))
    await survives(t, server)
  }),
)

/** The answer of a poll that is being held when `act` runs. */
const heldOver = async (server: TestServer, queue: Reader, act: () => Promise<unknown>) => {
  const answer = queue.person.get("/events", { queue_id: queue.queueId, last_event_id: queue.lastId })
  const isHeld = () => server.realm.queues.connected().some(({ spec }) => spec.id === queue.queueId)
  await until("the poll is held", 20_000, isHeld)
  await act()
  return answer
}

t.test("deactivating an organization is told to everybody, and ends every connection", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const [owner, member, guest] = await Promise.all(readers.map((name) => server.queue(name)))
    const deaf = await server.queue("cordelia", { event_types: ["message"] })
    if (owner === undefined || member === undefined || guest === undefined) throw new Error("three are read")
    const socket = await owner.open()
    const poll = (queue: Reader) =>
      queue.person.get("/events", { queue_id: queue.queueId, last_event_id: queue.lastId })
    const answers = [member, guest, deaf].map(poll)
    await until("all are connected", 20_000, () => server.realm.queues.connected().length === 4)
    await server.actions.deactivateRealm()
    await server.actions.deactivateRealm()
    const said = { type: "realm", op: "deactivated", realm_id: 1 }
    t.match(await frameOf(socket), [said])
    t.match(await socket.closed, { code: 4002 })
    const [told, toldGuest, untold] = await Promise.all(answers)
    t.match(told?.body, { result: "success", events: [said] })
    t.match(toldGuest?.body, { result: "success", events: [said] })
    t.match(untold, { status: 401, body: { code: "UNAUTHORIZED", msg: "This organization has been deactivated" } })
    t.equal(server.realm.queues.connected().length, 0)
    t.ok(server.realm.realm.isDeactivated)
    await sameAfresh(t, server, "deactivated")
    await survives(t, server)

    await server.actions.reactivateRealm()
    await server.actions.reactivateRealm()
    t.notOk(server.realm.realm.isDeactivated)
    await sameAfresh(t, server, "reactivated")
    const back = server.resume("hamlet", member)
    t.same(plainly(await back.rest()), [said], "queues outlive it, and are told nothing of the return")
    await server.as("hamlet").send("lobby", "back")
    t.match(await back.rest(), [{ type: "message" }])
    await survives(t, server)
  }),
)

t.test("a password that must be reset", (t) =>
  withServer(t, {}, async (server) => {
    const queues = await Promise.all(readers.map((name) => server.queue(name)))
    const hamlet = () => server.realm.realm.users.get(server.idOf("hamlet"))
    const before = hamlet()
    await server.actions.requirePasswordReset("hamlet")
    await server.actions.requirePasswordReset("hamlet")
    t.equal(hamlet()?.must_reset_password, true)
    t.not(hamlet(), before, "a new record")
    for (const queue of queues) t.same(plainly(await queue.rest()), [], "nobody is told")
    t.equal((await server.as("hamlet").get("/users/me")).status, 200, "the key still signs in")
    await sameAfresh(t, server, "a reset is required")
    await survives(t, server)
  }),
)

t.test("a user's own settings", (t) =>
  withServer(t, {}, async (server) => {
    const queues = new Map<Name, Reader>()
    for (const name of readers) queues.set(name, await server.queue(name))
    const told = async (name: Name) => plainly((await queues.get(name)?.rest()) ?? [])
    const event = (property: string, value: unknown) => ({ type: "user_settings", op: "update", property, value })
    const record = () => server.realm.realm.users.get(server.idOf("hamlet"))

    t.equal(record()?.settings, defaultUserSettings, "one object for all who changed nothing")
    await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", false)
    await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", false)
    await server.actions.changeUserSetting("hamlet", "default_language", "en-GB")
    // The older form, for clients that do not know the newer one.
    const older = {
      type: "update_display_settings",
      setting_name: "default_language",
      setting: "en-GB",
      user: "hamlet@test.example",
      language_name: "en-GB",
    }
    t.same(await told("hamlet"), [
      event("send_stream_typing_notifications", false),
      { ...event("default_language", "en-GB"), language_name: "en-GB" },
      older,
    ])
    t.same(await told("desdemona"), [])
    t.same(await told("polonius"), [])
    t.match(record()?.settings, { send_stream_typing_notifications: false, default_language: "en-GB" })
    await sameAfresh(t, server, "settings")
    t.match(await server.rows("select settings::text as text from account where id = $1", [server.idOf("hamlet")]), [
      { text: '{"default_language": "en-GB", "send_stream_typing_notifications": false}' },
    ])
    await t.rejects(server.actions.changeUserSetting("hamlet", "web_font_size_px", Number.NaN))
    await survives(t, server)
    await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", true)
    await server.actions.changeUserSetting("hamlet", "default_language", "en")
    t.equal(record()?.settings, defaultUserSettings)
    await sameAfresh(t, server, "the defaults again")
    t.match(wireUserSettings(defaultUserSettings, "Europe/Rome"), { timezone: "Europe/Rome", color_scheme: 1 })
  }),
)

t.test("another address visibility is told to those who gain or lose sight of the address", (t) =>
  withServer(t, { config: { gravatar: true } }, async (server) => {
    const id = server.idOf("hamlet")
    const real = "hamlet@test.example"
    const placeholder = `user${id}@test.example`
    /** Whoever sees it by each value, Hamlet aside. */
    const visibility: Readonly<Record<number, ReadonlyArray<Name>>> = {
      1: names,
      2: names.filter((name) => name !== "polonius"),
      3: ["desdemona", "iago"],
      4: [],
      5: ["desdemona", "iago", "shiva"],
    }
    const queues = new Map<Name, Reader>()
    for (const name of names) queues.set(name, await server.queue(name))
    const person = (change: object) => ({ type: "realm_user", op: "update", person: { user_id: id, ...change } })
    let before: 1 | 2 | 3 | 4 | 5 = 1
    for (const value of [2, 5, 3, 4, 2, 1, 4, 1, 3] as const) {
      await server.actions.changeUserSetting("hamlet", "email_address_visibility", value)
      for (const [name, queue] of queues) {
        const events = plainly(await queue.rest())
        const own = { type: "user_settings", op: "update", property: "email_address_visibility", value }
        const picture = (address: string) => {
          const url = gravatarUrl(address, 1)
          return { avatar_source: "G", avatar_url: url, avatar_url_medium: `${url}&s=500`, avatar_version: 1 }
        }
        const all =
          (before === 1) === (value === 1)
            ? []
            : value === 1
              ? [person({ new_email: real }), person(picture(real))]
              : [person({ new_email: placeholder }), person(picture(placeholder))]
        const [saw, sees] = [visibility[before]?.includes(name), visibility[value]?.includes(name)]
        const mine = name === "hamlet" || saw === sees ? [] : [person({ delivery_email: sees ? real : null })]
        const wanted = [...(name === "hamlet" ? [own] : []), ...all, ...mine]
        t.equal(events.length, wanted.length, `${name}, ${before} to ${value}`)
        t.match(events, wanted, `${name}, ${before} to ${value}`)
      }
      await sameAfresh(t, server, `${before} to ${value}`)
      t.equal(server.realm.realm.findUserByEmail(real)?.id, id, "signing in goes by the real address")
      before = value
    }
    await survives(t, server)
  }),
)

t.test("changed roles, deactivation and reactivation change records and spans", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const { realm } = server.realm
    const hamlet = server.idOf("hamlet")
    const owner = server.as("desdemona")
    const queue = await server.queue("polonius", { event_types: ["realm_user"] })
    const person = (change: object) => ({ type: "realm_user", op: "update", person: { user_id: hamlet, ...change } })
    const before = realm.users.get(hamlet)
    await owner.must.patch(`/users/${hamlet}`, { role: roles.moderator })
    t.not(realm.users.get(hamlet), before, "a new record")
    t.same([realm.users.get(hamlet)?.role, realm.roles.last(hamlet)?.role], [300, 300])
    await sameAfresh(t, server, "another role")
    await owner.must.delete(`/users/${hamlet}`)
    await sameAfresh(t, server, "gone")
    await owner.must.patch(`/users/${hamlet}`, { role: roles.guest })
    t.notOk(realm.isActive(hamlet), "a new role makes nobody active")
    await sameAfresh(t, server, "another role for who is gone")
    await owner.must.post(`/users/${hamlet}/reactivate`)
    t.ok(realm.isActive(hamlet))
    t.equal(realm.roles.last(hamlet)?.role, roles.guest)
    t.same(
      [...realm.channelsEver(hamlet)].map((channel) => realm.subscriptions.isSubscribed(channel, hamlet)),
      [true],
    )
    await sameAfresh(t, server, "back")
    t.same(plainly(await queue.rest()), [
      person({ role: 300 }),
      person({ is_active: false }),
      person({ role: 600 }),
      person({ is_active: true }),
    ])
    await survives(t, server)
  }),
)

t.test("a new bot's settings are told to its owner and the administrators", (t) =>
  withServer(t, {}, async (server) => {
    const [owner, member] = [await server.queue("desdemona"), await server.queue("hamlet")]
    const bot = { email: "hook@test.example", fullName: "Hook", role: roles.member, isBot: true, botType: 2 } as const
    const id = await server.run(setUpUser(server.realmId, { ...bot, passwordHash: null }))
    const settings = {
      user_id: id,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
      services: [],
    }
    const [told, untold] = [plainly(await owner.rest()), plainly(await member.rest())]
    t.match(told[0], { type: "realm_user", op: "add", person: { user_id: id, bot_type: 2 } })
    t.same(
      told.filter(({ type }) => type === "realm_bot"),
      [{ type: "realm_bot", op: "add", bot: settings }],
    )
    t.match(untold[0], { type: "realm_user", op: "add" })
    t.notOk(untold.some(({ type }) => type === "realm_bot"))
    t.same(
      untold.filter(({ type }) => type === "user_group"),
      [3, 4].map((group_id) => ({ type: "user_group", op: "add_members", group_id, user_ids: [id] })),
    )
    await sameAfresh(t, server, "a bot")
    await survives(t, server)
  }),
)

t.test("a new API key ends the connections that were opened with the old one", (t) =>
  withServer(t, {}, async (server) => {
    const id = server.idOf("hamlet")
    const queue = await server.queue("hamlet")
    const realms = await server.run(Realms)
    const record = server.realm.realm.users.get(id)
    const row = apiKeyKind.change({ user_id: id, key_version: 2 }, toServers)
    const renew = () => server.run(realms.submit(server.realmId, { judge: () => change([row]) }))
    const answer = await heldOver(server, queue, renew)
    t.match(answer, { status: 401, body: { code: "UNAUTHORIZED", msg: "Invalid API key" } })
    t.match(server.realm.realm.users.get(id), { key_version: 2 })
    t.not(server.realm.realm.users.get(id), record, "a new record")
    t.not(server.as("hamlet").account.key, queue.person.account.key)
    t.equal((await queue.person.get("/users/me")).status, 401)
    const back = server.resume("hamlet", queue)
    t.same(plainly(await back.rest()), [], "the queue stays, for the new key")
  }),
)

t.test("a user whose address changes is found by the new one only", (t) =>
  withServer(t, {}, async (server) => {
    const realm = await server.run(
      loadRealm(server.database, server.realmId, { moves: catalog.kinds, parts: catalog.parts }),
    )
    const hamlet = realm?.users.get(server.idOf("hamlet"))
    if (realm === null || hamlet === undefined) throw new Error("there is no such user")
    realm.setUser({ ...hamlet, email: "Prince@test.example" })
    t.equal(realm.findUserByEmail("hamlet@test.example"), undefined)
    t.equal(realm.findUserByEmail("prince@TEST.example")?.id, hamlet.id)
    t.equal(realm.users.get(hamlet.id)?.email, "Prince@test.example")
  }),
)
