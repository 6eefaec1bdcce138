/**
 * Pairs of commands of which only one can succeed, sent at once over separate connections, in both orders. The answers,
 * the events that every client gets and a new register must agree on which command took effect first.
 */
import t, { type Test } from "tap"
import type { Answer } from "../kit/client.ts"
import { some } from "../kit/share.ts"
import { type Name, type TestServer, withServer } from "../kit/with-server.ts"
import { channelSettings, groupSettings } from "./model-realm/state.ts"
import { modern, type Watch, watch } from "./model-realm/watch.ts"

/** The second command is sent first in every other round. A quick run plays every third. */
const rounds = [0, 1, 2, 3]
const roundsOf = (what: string): ReadonlyArray<number> => some(rounds, 3, what)
const watching: ReadonlyArray<Name> = ["desdemona", "iago", "hamlet", "cordelia"]

const keys = ["name", "description", "is_archived", "invite_only", ...channelSettings]
const groupKeys = ["name", "description", "deactivated", ...groupSettings]
const byNumber = (a: number, b: number) => a - b

/** A client's state as plain data, without the fields that no event keeps up to date. */
const plain = ({ client }: Watch) => ({
  channels: [...client.channels]
    .sort(([a], [b]) => a - b)
    .map(([id, { record, subscribers }]) => [
      id,
      keys.map((key) => record[key]),
      [...subscribers].sort(byNumber),
      client.subscribed.has(id),
    ]),
  groups: [...client.groups]
    .sort(([a], [b]) => a - b)
    .map(([id, { record, members, subgroups }]) => [
      id,
      groupKeys.map((key) => record[key]),
      [...members].sort(byNumber),
      [...subgroups].sort(byNumber),
    ]),
})

interface Scene {
  readonly server: TestServer
  readonly watches: ReadonlyArray<Watch>
  /** Sends both requests at once, the second one first in every other round; answers both answers. */
  readonly race: (
    round: number,
    first: () => Promise<Answer>,
    second: () => Promise<Answer>,
  ) => Promise<readonly [Answer, Answer]>
  /** Reads all queues: each client's state must equal a new register; an event must be the same for all clients. */
  readonly agree: (t: Test, what: string) => Promise<void>
}

const arrange = async (server: TestServer): Promise<Scene> => {
  const userOf = (name: Name) => ({ id: server.idOf(name), name, role: 400, isActive: true, isBot: false, owner: null })
  const watches = await Promise.all(watching.map((name) => watch(server, userOf(name), modern)))
  /** The text of each event, by its id, as the first client got it. */
  const heard = new Map<number, string>()
  const compared = new Map<Watch, number>()
  return {
    server,
    watches,
    race: async (round, first, second) => {
      if (round % 2 === 0) return Promise.all([first(), second()])
      const [b, a] = await Promise.all([second(), first()])
      return [a, b]
    },
    agree: async (t, what) => {
      for (const each of watches) {
        await each.read(server)
        t.same(each.client.complaints, [], `${what}: ${each.label} gets no impossible event`)
        const fresh = await watch(server, each.user, modern)
        t.same(plain(each), plain(fresh), `${what}: ${each.label} has the state of a new register`)
        for (const { id, ...event } of each.events.slice(compared.get(each) ?? 0)) {
          if (event.type !== "stream" && event.type !== "user_group") continue
          const text = JSON.stringify(event)
          if ((heard.get(id) ?? text) !== text) t.fail(`${what}: event ${id} is not the same for all clients: ${text}`)
          heard.set(id, text)
        }
        compared.set(each, each.events.length)
      }
    },
  }
}

const won = (answers: readonly [Answer, Answer]) => answers.map(({ status }) => status === 200)
const exactlyOne = (t: Test, answers: readonly [Answer, Answer], code: string, status: number, what: string) => {
  t.equal(won(answers).filter((each) => each).length, 1, `${what}: exactly one of the two succeeds`)
  const lost = answers.find((each) => each.status !== 200)
  t.match(lost, { status, body: { code } }, `${what}: the refusal says why`)
}

const createChannel = async (server: TestServer, name: string, fields: object = {}): Promise<number> =>
  Number((await server.as("desdemona").must.post("/channels/create", { name, subscribers: [], ...fields }))["id"])
const createGroup = async (server: TestServer, name: string): Promise<number> =>
  Number(
    (await server.as("desdemona").must.post("/user_groups/create", { name, description: "", members: [] }))["group_id"],
  )
const channelNamed = (server: TestServer, id: number) =>
  server
    .as("desdemona")
    .must.get(`/streams/${id}`)
    .then(({ stream }) => stream)

const renames = async (t: Test, { server, race, agree }: Scene) => {
  const [a, b] = [await createChannel(server, "a"), await createChannel(server, "b")]
  for (const n of roundsOf("renames")) {
    const rename = (by: Name, id: number, new_name: string) => server.as(by).patch(`/streams/${id}`, { new_name })
    const answers = await race(
      n,
      () => rename("iago", a, `wanted ${n}`),
      () => rename("desdemona", b, `WANTED ${n}`),
    )
    exactlyOne(t, answers, "CHANNEL_ALREADY_EXISTS", 409, `round ${n}`)
    const [isFirst] = won(answers)
    t.match(await channelNamed(server, isFirst === true ? a : b), { name: new RegExp(`wanted ${n}`, "i") })
    await agree(t, `round ${n}`)
  }
}

const creations = async (t: Test, { server, race, agree }: Scene) => {
  for (const n of roundsOf("creations")) {
    const create = (by: Name, name: string) => server.as(by).post("/channels/create", { name, subscribers: [] })
    const answers = await race(
      n,
      () => create("hamlet", `new ${n}`),
      () => create("cordelia", `NEW ${n}`),
    )
    exactlyOne(t, answers, "CHANNEL_ALREADY_EXISTS", 409, `round ${n}`)
    const subscribe = (by: Name) =>
      server.as(by).post("/users/me/subscriptions", { subscriptions: [{ name: `shared ${n}` }] })
    const both = await race(
      n,
      () => subscribe("hamlet"),
      () => subscribe("cordelia"),
    )
    t.same(won(both), [true, true], `round ${n}: both are subscribed to the channel that the first one makes`)
    const { subscribers } = await server
      .as("hamlet")
      .must.get(`/streams/${server.realm.realm.findChannelByName(`shared ${n}`)?.id}/members`)
    t.same(subscribers, [server.idOf("hamlet"), server.idOf("cordelia")].sort(byNumber))
    await agree(t, `round ${n}`)
  }
}

const archiving = async (t: Test, { server, race, agree, watches }: Scene) => {
  for (const n of roundsOf("archiving")) {
    const name = `closing ${n}`
    const id = await createChannel(server, name)
    const [subscribed, archived] = await race(
      n,
      () => server.as("hamlet").post("/users/me/subscriptions", { subscriptions: [{ name }] }),
      () => server.as("iago").delete(`/streams/${id}`),
    )
    t.equal(archived.status, 200)
    const isIn = subscribed.status === 200
    if (!isIn) t.match(subscribed, { status: 400, body: { code: "BAD_REQUEST" } })
    const { subscribers } = await server.as("hamlet").must.get(`/streams/${id}/members`)
    t.same(subscribers, isIn ? [server.idOf("hamlet")] : [], `round ${n}`)
    await agree(t, `round ${n}`)
    for (const { events, label } of watches) {
      const added = events.findIndex((event) => event["op"] === "peer_add" && `${event["stream_ids"]}` === `${id}`)
      const closed = events.findIndex((event) => event["property"] === "is_archived" && event["stream_id"] === id)
      t.ok(closed >= 0 && added < closed, `round ${n}: ${label} hears of no subscriber after the channel's end`)
    }
  }
}

const cycles = async (t: Test, { server, race, agree }: Scene) => {
  for (const n of roundsOf("cycles")) {
    const [a, middle, b] = [
      await createGroup(server, `a ${n}`),
      await createGroup(server, `middle ${n}`),
      await createGroup(server, `b ${n}`),
    ]
    const put = (group: number, subgroup: number) =>
      server.as("desdemona").post(`/user_groups/${group}/subgroups`, { add: [subgroup] })
    t.equal((await put(a, middle)).status, 200)
    const answers = await race(
      n,
      () => put(middle, b),
      () => put(b, a),
    )
    exactlyOne(t, answers, "BAD_REQUEST", 400, `round ${n}`)
    await agree(t, `round ${n}`)
  }
}

const removals = async (t: Test, { server, race, agree, watches }: Scene) => {
  const hamlet = server.idOf("hamlet")
  const subscribers = [hamlet, server.idOf("cordelia"), server.idOf("desdemona")]
  const id = await createChannel(server, "inner", { invite_only: true, subscribers })
  for (const n of roundsOf("removals")) {
    const content = `round ${n}`
    const [sent, taken] = await race(
      n,
      () => server.as("hamlet").post("/messages", { type: "channel", to: id, topic: "t", content }),
      () => server.as("iago").delete("/users/me/subscriptions", { subscriptions: ["inner"], principals: [hamlet] }),
    )
    t.equal(taken.status, 200)
    await agree(t, `round ${n}`)
    for (const { events, label, user } of watches.filter(({ user }) => user.name !== "iago")) {
      const removal = user.id === hamlet ? "remove" : "peer_remove"
      const left = events.findLastIndex(({ type, op }) => type === "subscription" && op === removal)
      const came = events.findLastIndex((event) => JSON.stringify(event["message"] ?? "").includes(content))
      t.equal(came >= 0, sent.status === 200, `round ${n}: ${label} gets the message if it was sent`)
      t.ok(left >= 0 && came < left, `round ${n}: ${label} gets the message before the event that hamlet was removed`)
    }
    await server.as("cordelia").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "inner" }],
      principals: [hamlet],
    })
  }
}

const updates = async (t: Test, { server, race, agree }: Scene) => {
  /** A permission's value: a different set of people for each number. */
  const people = (number: number) => ({
    direct_members: (["hamlet", "cordelia", "othello", "polonius", "shiva", "iago"] as const)
      .filter((_, bit) => (number >> bit) % 2 === 1)
      .map(server.idOf)
      .sort(byNumber),
    direct_subgroups: [],
  })
  const channel = await createChannel(server, "contested", { can_subscribe_group: people(1) })
  const group = await createGroup(server, "contested")
  await server.as("desdemona").must.patch(`/user_groups/${group}`, { can_manage_group: { new: people(1) } })
  let [ofChannel, ofGroup] = [people(1), people(1)]
  for (const n of roundsOf("updates")) {
    const values = [people(2 * n + 2), people(2 * n + 3)] as const
    const onChannel = (by: Name, value: unknown) =>
      server.as(by).patch(`/streams/${channel}`, { can_subscribe_group: { new: value, old: ofChannel } })
    const first = await race(
      n,
      () => onChannel("iago", values[0]),
      () => onChannel("desdemona", values[1]),
    )
    exactlyOne(t, first, "EXPECTATION_MISMATCH", 400, `channel, round ${n}`)
    ofChannel = values[first[0].status === 200 ? 0 : 1]
    t.match(await channelNamed(server, channel), { can_subscribe_group: ofChannel })
    const onGroup = (value: unknown) =>
      server.as("desdemona").patch(`/user_groups/${group}`, { can_manage_group: { new: value, old: ofGroup } })
    const second = await race(
      n,
      () => onGroup(values[0]),
      () => onGroup(values[1]),
    )
    exactlyOne(t, second, "EXPECTATION_MISMATCH", 400, `group, round ${n}`)
    ofGroup = values[second[0].status === 200 ? 0 : 1]
    await agree(t, `round ${n}`)
  }
}

const deactivations = async (t: Test, { server, race, agree }: Scene) => {
  const channel = await createChannel(server, "given")
  for (const n of roundsOf("deactivations")) {
    const [group, outer] = [await createGroup(server, `leaving ${n}`), await createGroup(server, `outer ${n}`)]
    const [given, ended] = await race(
      n,
      () => server.as("iago").patch(`/streams/${channel}`, { can_subscribe_group: { new: group } }),
      () => server.as("desdemona").post(`/user_groups/${group}/deactivate`),
    )
    t.equal(won([given, ended]).filter((each) => each).length, 1, `round ${n}: exactly one of the two succeeds`)
    if (ended.status !== 200) t.match(ended.body, { code: "CANNOT_DEACTIVATE_GROUP_IN_USE" })
    await server.as("iago").must.patch(`/streams/${channel}`, { can_subscribe_group: { new: 8 } })
    const [put, over] = await race(
      n,
      () => server.as("desdemona").post(`/user_groups/${group}/subgroups`, { add: [outer] }),
      () => server.as("desdemona").post(`/user_groups/${outer}/deactivate`),
    )
    // The group may be deactivated by now; then adding a subgroup is refused.
    t.equal(won([put, over]).filter((each) => each).length, 1, `round ${n}: one of the two on the subgroup succeeds`)
    await agree(t, `round ${n}`)
  }
}

t.test("two commands at once, of which only one can succeed", (t) =>
  withServer(t, {}, async (server) => {
    const scene = await arrange(server)
    await t.test("two channels are renamed to the same name", (t) => renames(t, scene))
    await t.test("two channels are created with the same name", (t) => creations(t, scene))
    await t.test("a user subscribes to a channel while it is archived", (t) => archiving(t, scene))
    await t.test("two requests that together would make a cycle of groups", (t) => cycles(t, scene))
    await t.test("a user sends to a private channel while they are unsubscribed from it", (t) => removals(t, scene))
    await t.test("two updates of a permission that state the same old value", (t) => updates(t, scene))
    await t.test("a group is deactivated while it is given a permission, or while it is added as a subgroup", (t) =>
      deactivations(t, scene),
    )
  }),
)
