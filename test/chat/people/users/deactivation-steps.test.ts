/**
 * What others hear of somebody who leaves many channels at once, and comes back: few events for all channels that they see,
 * of no channel that they do not.
 */
import t, { type Test } from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { positionOf, wireId } from "../../../../src/events/event.ts"
import { WireId } from "../../../../src/ids.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { kindsOfClients, Settling, type View, watch } from "../../../kit/settles.ts"
import { inTurn, some } from "../../../kit/share.ts"
import { type ChannelSetup, type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

/** Cordelia is in all of them but the last. */
const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["cordelia", "hamlet", "polonius"] },
  { name: "court", users: ["cordelia", "othello"] },
  { name: "square", users: ["cordelia"], isWebPublic: true },
  { name: "den", users: ["cordelia", "hamlet"], isPrivate: true },
  { name: "cellar", users: ["cordelia", "hamlet", "polonius"], isPrivate: true },
  { name: "crypt", users: ["cordelia"], isPrivate: true },
  { name: "attic", users: ["cordelia", "hamlet"], isPrivate: true, historyShared: true },
  { name: "ruin", users: ["cordelia", "hamlet"], isPrivate: true },
  { name: "elsewhere", users: ["hamlet", "othello", "polonius"] },
]

/** Whom a permission lets see the crypt, and by which groups of roles nobody of them does. */
const prepare = async (server: TestServer) => {
  const permission = { direct_members: [server.idOf("shiva")], direct_subgroups: [] }
  await server
    .as("iago")
    .must.patch(`/streams/${channelId(server, "crypt")}`, { can_administer_channel_group: { new: permission } })
  await server.as("iago").must.delete(`/streams/${channelId(server, "ruin")}`)
}

/** What each sees of the channels that Cordelia is in; the archived one is seen by clients that say so. */
const sights: Readonly<Partial<Record<Name, ReadonlyArray<string>>>> = {
  desdemona: ["lobby", "court", "square", "den", "cellar", "crypt", "attic", "ruin"],
  shiva: ["lobby", "court", "square", "crypt"],
  hamlet: ["lobby", "court", "square", "den", "cellar", "attic", "ruin"],
  othello: ["lobby", "court", "square"],
  polonius: ["lobby", "square", "cellar"],
}
const watching: ReadonlyArray<Name> = ["desdemona", "shiva", "hamlet", "othello", "polonius"]

const wanted = (archived_channels: boolean): Fields => ({
  event_types: ["subscription"],
  client_capabilities: { archived_channels },
})

const register = async (server: TestServer) => {
  const found = []
  for (const name of watching)
    for (const archived of [true, false])
      found.push({ name, archived, reader: await server.queue(name, wanted(archived)) })
  return found
}

/** Events of one row as if they were one; each channel is in one of them. */
const joined = (events: ReadonlyArray<Fields>) => {
  const [first, ...rest] = events.map(({ id: _id, stream_ids: _ids, ...event }) => JSON.stringify(event))
  const ids = events.flatMap(({ stream_ids }) => (Array.isArray(stream_ids) ? stream_ids.map(Number) : [NaN]))
  const same = rest.every((each) => each === first) && new Set(ids).size === ids.length && events.length <= 3
  return { ...JSON.parse(first ?? "{}"), stream_ids: same ? ids.sort((a, b) => a - b) : "of several rows" }
}

const rowsOf = (events: ReadonlyArray<Fields>) => {
  const rows = new Map<number, Array<Fields>>()
  for (const event of events) {
    const position = positionOf(WireId(Number(event["id"])))
    rows.set(position, [...(rows.get(position) ?? []), event])
  }
  return [...rows.values()].map(joined)
}

const expectedFor = (server: TestServer, op: string, name: Name, archived: boolean) => ({
  type: "subscription",
  op,
  stream_ids: (sights[name] ?? [])
    .filter((channel) => archived || channel !== "ruin")
    .map((channel) => channelId(server, channel))
    .sort((a, b) => a - b),
  user_ids: [server.idOf("cordelia")],
})

const remove = (server: TestServer) => server.as("iago").must.delete(`/users/${server.idOf("cordelia")}`)
const takeBack = (server: TestServer) => server.as("iago").must.post(`/users/${server.idOf("cordelia")}/reactivate`)

t.test(
  "one row tells of all channels, each receiver of those that they see: live, late and after a restart",
  inTurn(2, "one row for all channels"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await prepare(server)
      const live = await register(server)
      const away = await register(server)
      const before = server.realm.feed.position
      await remove(server)
      const rows = await server.rows(
        "select payload ->> 'op' as op from log where position > $1 and type = 'subscription'",
        [before],
      )
      t.same(rows, [{ op: "peer_remove" }], "whoever is in a thousand channels leaves them by one row")
      const hear = async (op: string, all: typeof live) => {
        for (const { name, archived, reader } of all) {
          const what = `${name}${archived ? ", archived ones too" : ""}`
          t.same(rowsOf(await reader.rest()), [expectedFor(server, op, name, archived)], what)
        }
      }
      await hear("peer_remove", live)
      await takeBack(server)
      await hear("peer_add", live)
      await sameAfresh(t, server, "back")
      await server.restart()
      for (const { name, archived, reader } of away) {
        t.same(
          rowsOf(await server.resume(name, reader).rest()),
          ["peer_remove", "peer_add"].map((op) => expectedFor(server, op, name, archived)),
          `${name}, after a restart`,
        )
      }
    }),
)

t.test("who has never seen a channel, or sees it no more, is not told of its id", (t) =>
  withServer(t, { channels }, async (server) => {
    await prepare(server)
    // Hamlet is out of one, and Othello has come into another.
    await server.as("iago").must.delete("/users/me/subscriptions", {
      subscriptions: ["attic"],
      principals: [server.idOf("hamlet")],
    })
    await server.as("cordelia").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "den" }],
      principals: [server.idOf("othello")],
    })
    const [hamlet, othello] = [await server.queue("hamlet", wanted(true)), await server.queue("othello", wanted(true))]
    await remove(server)
    const ids = (...names: ReadonlyArray<string>) => names.map((name) => channelId(server, name)).sort((a, b) => a - b)
    t.match(await hamlet.rest(), [
      { stream_ids: ids("lobby", "court", "square") },
      { stream_ids: ids("den", "cellar", "ruin") },
    ])
    t.match(await othello.rest(), [{ stream_ids: ids("lobby", "court", "square") }, { stream_ids: ids("den") }])
  }),
)

t.test(
  "a client that has read a part of the row gets the rest of it, with the same ids: live, late, after a restart",
  (t) =>
    withServer(t, { channels }, async (server) => {
      await prepare(server)
      const shiva = await server.queue("shiva", wanted(true))
      const hamlet = await server.queue("hamlet", wanted(true))
      await remove(server)
      const position = server.realm.feed.position
      const cases = [
        { name: "shiva", reader: shiva, which: [0, 1] },
        { name: "hamlet", reader: hamlet, which: [0, 2] },
      ] as const
      for (const { name, reader, which } of cases) {
        const whole = await reader.rest()
        const ids = whole.map(({ id }) => id)
        const of = positionOf(WireId(ids[0] ?? 0))
        t.ok(of <= position)
        t.same(
          ids,
          which.map((n) => wireId(of, n)),
          `${name}: by their role, by a permission, and as a subscriber`,
        )
        reader.rewind(wireId(of, 0))
        t.same(await reader.rest(), whole.slice(1), `${name}: the rest`)
      }
      await server.restart()
      for (const { name, reader } of cases) {
        const resumed = server.resume(name, reader)
        const last = resumed.lastId
        resumed.rewind(wireId(positionOf(WireId(last)), 0))
        t.same(
          (await resumed.rest()).map(({ id }) => id),
          [last],
          `${name}: after a restart`,
        )
      }
    }),
)

t.test(
  "permissions that name them: who sees the channel is told, by events with ids of their own",
  inTurn(2, "permissions that name them: who sees the channel is told, by events with ids of their own"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const make = (name: string, who: ReadonlyArray<Name>, fields: Fields) =>
        server.as("cordelia").must.post("/channels/create", { name, subscribers: who.map(server.idOf), ...fields })
      const only = { direct_members: [server.idOf("cordelia")], direct_subgroups: [] }
      await make("own", ["cordelia"], { invite_only: true })
      await make("shared", ["cordelia", "hamlet"], { invite_only: true, can_send_message_group: only })
      await make("open", ["cordelia"], {})
      const asked = { event_types: ["stream"], client_capabilities: { archived_channels: true } }
      const names = ["desdemona", "hamlet", "othello", "polonius"] as const
      const live = await Promise.all(names.map((name) => server.queue(name, asked)))
      const away = await Promise.all(names.map((name) => server.queue(name, asked)))
      const nobody = systemGroups["role:nobody"]
      const told = (channel: string, property: string, value: unknown) => ({
        type: "stream",
        op: "update",
        stream_id: channelId(server, channel),
        name: channel,
        property,
        value,
      })
      const shown = (name: (typeof names)[number], value: unknown) => {
        const administers = (channel: string) => told(channel, "can_administer_channel_group", value)
        const sees: Readonly<Record<string, ReadonlyArray<string>>> = {
          desdemona: ["own", "shared", "open"],
          hamlet: ["shared", "open"],
          othello: ["open"],
        }
        const seen = sees[name] ?? []
        const posts = [
          told("shared", "can_send_message_group", value),
          told("shared", "stream_post_policy", 1),
          told("shared", "is_announcement_only", false),
        ]
        return { administers: seen.map(administers), posts: seen.includes("shared") ? posts : [] }
      }
      await remove(server)
      await takeBack(server)
      const check = async (name: (typeof names)[number], events: ReadonlyArray<Fields>) => {
        const wanted = [nobody, only].flatMap((value) => {
          const { administers, posts } = shown(name, value)
          return [...administers, ...posts]
        })
        const plain = events.map(({ id: _, ...event }) => JSON.stringify(event))
        t.same([...plain].sort(), wanted.map((each) => JSON.stringify(each)).sort(), name)
        const ids = events.map(({ id }) => Number(id))
        t.same(
          ids,
          [...new Set(ids)].sort((a, b) => a - b),
          `${name}: I3`,
        )
        return ids
      }
      const ids: Array<ReadonlyArray<number>> = []
      for (const [n, name] of names.entries()) ids.push(await check(name, (await live[n]?.rest()) ?? []))
      await server.restart()
      for (const [n, name] of names.entries()) {
        const reader = away[n]
        if (reader === undefined) continue
        t.same(
          await check(name, await server.resume(name, reader).rest()),
          ids[n],
          `${name}: the same ids for the same events`,
        )
      }
      t.ok(
        ids[0]?.some((id) => !ids[1]?.includes(id)),
        "what one does not see has an id, too",
      )
      await sameAfresh(t, server, "named")
    }),
)

const viewsOf = (server: TestServer): ReadonlyArray<View> =>
  watching.flatMap((name) =>
    kindsOfClients.map(([label, fields]) => ({
      label: `${name} as ${label}`,
      person: server.as(name),
      port: server.port,
      user: server.idOf(name),
      fields,
    })),
  )

const limit = (server: TestServer) =>
  server.as("iago").must.patch("/realm", { can_access_all_users_group: { new: systemGroups["role:members"] } })

t.test(
  "I13: subscribers and their number agree after who leaves and comes back, for limited guests too",
  inTurn(2, "I13: subscribers and their number agree after who leaves and comes back, for limited guests too"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await prepare(server)
      const settling = new Settling(t, viewsOf(server))
      await settling.after("left", () => remove(server))
      await settling.after("back", () => takeBack(server))
      await limit(server)
      const limited = new Settling(t, viewsOf(server))
      await limited.after("left, with limited guests", () => remove(server))
      await limited.after("back, with limited guests", () => takeBack(server))
      t.ok(limited.seen.has("subscription/peer_remove") && limited.seen.has("subscription/peer_add"))
    }),
)

/** Clients register while `act` goes on: whatever they get of it in the state or as events, they agree with each other. */
const settlesAmid = async (t: Test, server: TestServer, what: string, act: () => Promise<unknown>) => {
  const views = viewsOf(server)
  const [first, last] = [views.slice(0, views.length / 2), views.slice(views.length / 2)]
  const early = Promise.all(first.map(watch))
  const acting = act()
  const amid = [...(await early), ...(await Promise.all(last.map(watch)))]
  await acting
  for (const each of amid) await each.settle()
  const after = await Promise.all(views.map(watch))
  const newest = Math.max(...amid.map(({ state }) => state.newestChannel))
  for (const [n, { view, state }] of amid.entries()) {
    const either = new Set([...state.shown].filter((id) => id <= newest))
    t.same(state.plain(either), after[n]?.state.plain(either), `${what}: ${view.label}`)
  }
}

t.test(
  "I13: clients that register in between agree, too",
  inTurn(2, "I13: clients that register in between agree, too"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await prepare(server)
      for (const round of some([0, 1, 2], 3, "leaving amid others")) {
        await settlesAmid(t, server, `left, round ${round}`, () => remove(server))
        await settlesAmid(t, server, `back, round ${round}`, () => takeBack(server))
      }
      const { subscriptions } = await server
        .as("hamlet")
        .must.get("/users/me/subscriptions", { include_subscribers: true })
      const den = recordsIn(subscriptions).find(({ name }) => name === "den")
      t.match(den, { subscriber_count: 2, subscribers: [server.idOf("hamlet"), server.idOf("cordelia")] })
    }),
)
