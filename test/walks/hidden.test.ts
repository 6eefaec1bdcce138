/**
 * Hidden things are answered like what does not exist, by every route that names things (hidden/questions.ts): the same
 * status, headers and bytes but for the name that was asked for, and the same events. A new route needs a line there or in
 * the rows of its feature (kit/walk-rows.ts), and so does a new parameter that names something. A quick run asks each question
 * about some of the things.
 */
import t, { type Test } from "tap"
import { endpoints as routes } from "../../src/chat/features.ts"
import { absentMailServer } from "../kit/absent-mail-server.ts"
import type { Fields } from "../kit/client.ts"
import { pluck, recordsIn } from "../kit/records.ts"
import { basic } from "../kit/rows.ts"
import { plainPicture } from "../kit/some-pictures.ts"
import { uploaded } from "../kit/uploads.ts"
import type { RoomQuestions, WalkRows } from "../kit/walk-rows.ts"
import { joined, rowsOfRooms } from "../kit/walk-rows-of-features.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"
import { type Asked, askedWith, makeComparison, type Pair, type Question, type Who } from "./hidden/asking.ts"
import { type Beside, everybodySees, get, type Kind, kinds, patch, post, remove } from "./hidden/parts.ts"
import { besideRoutes, questionsOf } from "./hidden/questions.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "court", users: ["hamlet", "cordelia"] },
  { name: "crypt", users: ["cordelia", "othello", "desdemona"], isPrivate: true },
  { name: "tombs", users: ["cordelia"], isPrivate: true },
  { name: "vault", users: ["cordelia", "desdemona"], isPrivate: true, historyShared: false },
  { name: "square", users: ["cordelia"], isWebPublic: true },
] as const

/** How Hamlet came to be out of private channels whose messages he had; each with the name of the channel. */
const waysOut: Readonly<Record<string, string>> = {
  left: "cellar",
  "left, with a protected history": "attic",
  "removed from": "tower",
  "removed from, with a protected history": "turret",
  "made private": "garden",
  "made private, with a protected history": "orchard",
  "read by a group": "chapel",
}
const channelsOut = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "vault", users: ["hamlet", "cordelia"], isPrivate: true },
  { name: "cellar", users: ["hamlet", "cordelia", "iago"], isPrivate: true, historyShared: true },
  { name: "attic", users: ["hamlet", "cordelia", "iago"], isPrivate: true },
  { name: "tower", users: ["hamlet", "cordelia"], isPrivate: true, historyShared: true },
  { name: "turret", users: ["hamlet", "cordelia"], isPrivate: true },
  { name: "garden", users: ["hamlet", "cordelia", "desdemona"] },
  { name: "orchard", users: ["hamlet", "cordelia", "desdemona"] },
  { name: "chapel", users: ["cordelia", "desdemona"], isPrivate: true, historyShared: true },
] as const

/** The clock stands still, and so would their counts. */
const limits = {
  userRequestsPerMinute: 1_000_000,
  pollsPerMinute: 1_000_000,
  addressRequestsPerMinute: 1_000_000,
  pageRequestsPerMinute: 1_000_000,
}

const channelId = (server: TestServer, name: string): number => Number(server.realm.realm.findChannelByName(name)?.id)

/** A message, and after it a position at which there is none. */
const followed = async (server: TestServer, send: () => Promise<unknown>): Promise<number> => {
  const id = Number(await send())
  await server.as("cordelia").must.post(`/messages/${id}/reactions`, { emoji_name: "octopus" })
  return id
}

const stage = async (server: TestServer) => {
  const cordelia = server.as("cordelia")
  const sent = (channel: string, topic = "t") =>
    followed(server, () => cordelia.send(channel, `said in ${channel}`, { topic }))
  const picture = await plainPicture(900, 600).png().toBuffer()
  const file = await uploaded(server, "cordelia", { name: "crown.png", type: "image/png", bytes: picture })
  const signed = { headers: { Authorization: basic(cordelia.account) } }
  // Its thumbnail is there before messages show it, so that none of them changes later.
  await fetch(`${server.origin}${file.replace("uploads/", "uploads/thumbnail/")}/840x560.webp`, signed)
  const alone = await uploaded(server, "othello")
  const old = await sent("vault", "oldplans")
  await cordelia.must.post("/users/me/subscriptions", {
    subscriptions: [{ name: "vault" }],
    principals: [server.idOf("hamlet"), server.idOf("polonius")],
  })
  const own = new Map<Who, number>()
  for (const name of ["hamlet", "polonius"] as const) own.set(name, await server.as(name).send("lobby", "my own"))
  const inLobby = await sent("lobby")
  const inCourt = await sent("court")
  const inCrypt = await followed(server, () => cordelia.send("crypt", `buried [a](${file})`))
  const direct = await followed(server, async () => {
    const content = `whispered [a](${file})`
    return (await cordelia.must.post("/messages", { type: "direct", to: ["othello@test.example"], content }))["id"]
  })
  const moved = await sent("lobby")
  await server.as("desdemona").must.patch("/realm", { message_content_delete_limit_seconds: "unlimited" })
  await cordelia.must.post("/users/me/subscriptions", {
    subscriptions: [{ name: "lobby" }],
    principals: ["desdemona@test.example"],
  })
  await server
    .as("desdemona")
    .must.patch(`/messages/${moved}`, { stream_id: channelId(server, "crypt"), send_notification_to_new_thread: false })
  const deleted = await sent("lobby")
  await cordelia.must.delete(`/messages/${deleted}`)
  const deletedFile = await uploaded(server, "cordelia")
  const attachments = recordsIn((await cordelia.must.get("/attachments"))["attachments"])
  const [first, last] = [String(attachments[0]?.["id"]), String(attachments.at(-1)?.["id"])]
  await cordelia.must.delete(`/attachments/${last}`)
  const ofRooms: Array<readonly [WalkRows["hidden"], ReadonlyArray<Pair>]> = []
  for (const { hidden } of rowsOfRooms) ofRooms.push([hidden, (await hidden.things?.(server)) ?? []])
  const drafts = [{ type: "", to: [], topic: "", content: "c" }]
  const draft = String((await cordelia.must.post("/drafts", { drafts }))["ids"])
  const later = { scheduled_delivery_timestamp: 4102444800 }
  const words = { ...later, type: "channel", to: channelId(server, "lobby"), topic: "t", content: "c" }
  const scheduled = String((await cordelia.must.post("/scheduled_messages", words))["scheduled_message_id"])
  const reminder = String((await cordelia.must.post("/reminders", { ...later, message_id: inLobby }))["reminder_id"])
  // By mail and as a link.
  await cordelia.must.post("/invites", { invitee_emails: "new@far.example", stream_ids: [] })
  await server.as("desdemona").must.post("/invites/multiuse")
  const invitations = pluck((await server.as("desdemona").must.get("/invites"))["invites"], "id").map(String)
  await server.as("desdemona").must.post("/invites/multiuse", { invite_as: 100 })
  const toOwner = String(recordsIn((await server.as("desdemona").must.get("/invites"))["invites"]).at(-1)?.["id"])
  await server.as("desdemona").must.delete(`/streams/${channelId(server, "tombs")}`)
  await server.as("desdemona").must.patch("/realm", { moderation_request_channel_id: channelId(server, "crypt") })
  await server.actions.changeUserSetting("othello", "email_address_visibility", 4)
  await server.actions.changeUserSetting("shiva", "email_address_visibility", 3)
  await server.as("iago").must.delete(`/users/${server.idOf("shiva")}`)
  const readers = [await server.queue("cordelia"), await server.queue("hamlet"), await server.queue("polonius")]
  const queue = String(readers[0]?.queueId)

  const all: ReadonlyArray<Who> = ["hamlet", "polonius", null]
  const messages: Readonly<Record<string, readonly [number, ReadonlyArray<Who>]>> = {
    "of a private channel": [inCrypt, all],
    "of a conversation": [direct, ["hamlet", null]],
    "from before they came": [old, all],
    "moved away": [moved, ["hamlet", null]],
    deleted: [deleted, ["hamlet"]],
    "of a public channel": [inCourt, ["polonius", null]],
    "of a channel that is not web-public": [inLobby, [null]],
  }
  const pairs: Record<Kind, ReadonlyArray<Pair>> = {
    channel: [],
    channelName: [],
    message: Object.entries(messages).flatMap(([what, [id, who]]) =>
      who.flatMap((each) => [
        { who: each, what, hidden: `${id}`, never: `${id + 1}` },
        ...(id === inCrypt ? [{ who: each, what, hidden: `${id}`, never: "9".repeat(`${id}`.length) }] : []),
      ]),
    ),
    near: Object.entries(messages).flatMap(([what, [id, who]]) =>
      who.map((each) => ({ who: each, what, hidden: `${id}`, never: `${id + 1}` })),
    ),
    address: (["hamlet", "polonius", "iago", null] as const).flatMap((who) => [
      { who, hidden: "othello@test.example", never: "nothing@test.example" },
      { who, hidden: "OthellO@test.example", never: "NothinG@test.example" },
      ...(who === "iago" ? [] : [{ who, hidden: "shiva@test.example", never: "shrew@test.example" }]),
    ]),
    file: [],
    attachment: (["hamlet", "polonius", null] as const).flatMap((who) => [
      { who, hidden: first, never: "9".repeat(first.length) },
      { who, hidden: last, never: "9".repeat(last.length), what: "deleted" },
    ]),
    invitation: [
      ...all.flatMap((who) =>
        [...invitations, toOwner].map((hidden) => ({ who, hidden, never: "9".repeat(hidden.length) })),
      ),
      { who: "iago", what: "a link to become an owner", hidden: toOwner, never: "9".repeat(toOwner.length) },
    ],
    draft: all.map((who) => ({ who, hidden: draft, never: "9".repeat(draft.length) })),
    scheduled: all.map((who) => ({ who, hidden: scheduled, never: "9".repeat(scheduled.length) })),
    reminder: all.map((who) => ({ who, hidden: reminder, never: "9".repeat(reminder.length) })),
    // No queue is asked for as a visitor: a WebSocket without a signature is opened before it says who asks.
    queue: (["hamlet", "polonius"] as const).map((who) => ({
      who,
      hidden: queue,
      never: queue.replace(/[0-9a-f-]{36}$/, "00000000-0000-4000-8000-000000000000"),
    })),
    topic: (["hamlet", "polonius", null] as const).map((who) => ({ who, hidden: "oldplans", never: "oddplans" })),
  }
  const hiddenChannels: ReadonlyArray<readonly [string, ReadonlyArray<Who>]> = [
    ["crypt", all],
    ["tombs", all],
    ["court", ["polonius", null]],
    ["lobby", [null]],
    ["vault", [null]],
  ]
  pairs.channel = hiddenChannels.flatMap(([what, who]) =>
    who.map((each) => ({ who: each, what, hidden: `${channelId(server, what)}`, never: "9" })),
  )
  pairs.channelName = hiddenChannels.flatMap(([what, who]) =>
    who.map((each) => ({ who: each, what, hidden: what, never: "never" })),
  )
  const files = { linked: file, "linked by nothing": alone, deleted: deletedFile }
  pairs.file = Object.entries(files).flatMap(([what, address]) => {
    const hidden = address.replace("/user_uploads/", "")
    const never = hidden.replace(
      /[0-9a-f]{32}/,
      (token) => token.slice(0, 2) + token.slice(2).split("").reverse().join(""),
    )
    return all.map((who) => ({ who, what, hidden, never }))
  })
  return { pairs, ofRooms, readers, own }
}

/** The questions of all features, wherever they stand. */
const tableOf = (beside: Beside): Readonly<Record<string, RoomQuestions | string>> =>
  joined<RoomQuestions | string>([questionsOf(beside), ...rowsOfRooms.map(({ hidden }) => hidden.questions(beside))])

t.test("what may not be seen is answered like what does not exist", (t) =>
  withServer(t, { channels, limits, config: { mail: absentMailServer } }, async (server) => {
    const { pairs, ofRooms, readers, own } = await stage(server)
    const besideOf = ({ who }: Pair): Beside => ({
      lobby: channelId(server, "lobby"),
      vault: channelId(server, "vault"),
      own: own.get(who) ?? own.get("hamlet") ?? 0,
      user: server.idOf("iago"),
    })
    const { compare, nothingLeft } = makeComparison(server, readers)
    t.match(await server.as("hamlet").must.get(`/users/user${server.idOf("othello")}@test.example`), {
      user: { user_id: server.idOf("othello") },
    })
    for (const kind of kinds) {
      await t.test(`${kind}s`, async (t: Test) => {
        for (const pair of pairs[kind]) {
          const asked = (questions: ReadonlyArray<Question> = [], route = "") =>
            askedWith(pair, pairs[kind], questions, `${kind} ${route}`)
          for (const [route, questions] of Object.entries(tableOf(besideOf(pair))))
            if (typeof questions !== "string")
              await compare(t, asked(questions[kind], route), { ...pair, what: `${route}: ${pair.what ?? kind}` })
          await compare(t, asked(besideRoutes[kind]), pair)
        }
        await nothingLeft(t)
      })
    }
    await t.test("things of rooms", async (t: Test) => {
      for (const [{ questions: questionsFor }, pairsOfRoom] of ofRooms)
        for (const pair of pairsOfRoom)
          for (const [route, questions] of Object.entries(questionsFor(besideOf(pair)))) {
            if (typeof questions === "string") continue
            await compare(t, askedWith(pair, pairsOfRoom, questions.thing ?? [], route), { ...pair, what: route })
          }
      await nothingLeft(t)
    })
  }),
)

/** Hamlet has, stars and reacts to a message of each channel, then he loses it. Answers the messages by the ways. */
const loseAll = async (server: TestServer, linked: string): Promise<ReadonlyArray<readonly [string, number]>> => {
  const [cordelia, hamlet, desdemona] = [server.as("cordelia"), server.as("hamlet"), server.as("desdemona")]
  const only = (...names: ReadonlyArray<"hamlet" | "cordelia">) => ({
    can_subscribe_group: { new: { direct_members: names.map(server.idOf), direct_subgroups: [] } },
  })
  const change = (name: string, fields: Fields) => desdemona.must.patch(`/streams/${channelId(server, name)}`, fields)
  await change("chapel", only("hamlet", "cordelia"))
  const lost: Array<readonly [string, number]> = []
  for (const [way, name] of Object.entries(waysOut)) {
    const id = await followed(server, async () => {
      const sent = await cordelia.send(name, `for @**hamlet**: [a](${linked})`, { topic: "t" })
      await hamlet.must.post(`/messages/${sent}/reactions`, { emoji_name: "eyes" })
      for (const flag of ["starred", "collapsed"])
        await hamlet.must.post("/messages/flags", { messages: [sent], op: "add", flag })
      return sent
    })
    lost.push([way, id])
  }
  await hamlet.must.delete("/users/me/subscriptions", { subscriptions: ["cellar", "attic", "garden", "orchard"] })
  await server.as("iago").must.delete("/users/me/subscriptions", { subscriptions: ["cellar", "attic"] })
  const principals = [server.idOf("hamlet")]
  await desdemona.must.delete("/users/me/subscriptions", { subscriptions: ["tower", "turret"], principals })
  await change("garden", { is_private: true })
  await change("orchard", { is_private: true, history_public_to_subscribers: false })
  await change("chapel", only("cordelia"))
  return lost
}

t.test("what somebody had in a private channel that they are out of is answered like what does not exist", (t) =>
  withServer(t, { channels: channelsOut, limits, config: { mail: absentMailServer } }, async (server) => {
    // Smaller ids may stand for the length of a short answer in a header.
    let own = 0
    while (own < 300) own = await server.as("hamlet").send("lobby", "my own")
    const linked = await uploaded(server, "cordelia")
    const lost = await loseAll(server, linked)
    const readers = [await server.queue("cordelia"), await server.queue("hamlet"), await server.queue("iago")]
    const { compare, nothingLeft } = makeComparison(server, readers)
    const beside: Beside = { lobby: 1, vault: 2, own, user: server.idOf("iago") }
    const ask = async (t: Test, kind: Kind, pair: Pair, pairs: ReadonlyArray<Pair>) => {
      for (const [route, questions] of Object.entries(tableOf(beside)))
        if (typeof questions !== "string")
          await compare(t, askedWith(pair, pairs, questions[kind] ?? [], `${kind} ${route}, lost`), {
            ...pair,
            what: route,
          })
    }
    const pairs: ReadonlyArray<Pair> = lost.flatMap(([what, id]) =>
      (what.startsWith("left") ? (["hamlet", "iago"] as const) : (["hamlet"] as const)).map(
        (who): Pair => ({ who, what, hidden: `${id}`, never: `${id + 1}` }),
      ),
    )
    for (const [way] of lost)
      await t.test(way, async (t: Test) => {
        for (const pair of pairs.filter(({ what }) => what === way))
          for (const kind of ["message", "near"] as const) await ask(t, kind, pair, pairs)
        await nothingLeft(t)
      })
    await t.test("their file", async (t: Test) => {
      const hidden = linked.replace("/user_uploads/", "")
      const never = hidden.replace(/[0-9a-f]{32}/, (token) => [...token].reverse().join(""))
      const pair: Pair = { who: "hamlet", hidden, never }
      await ask(t, "file", pair, [pair])
      await compare(t, besideRoutes.file ?? [], pair)
      await nothingLeft(t)
    })
  }),
)

const newest = { anchor: "newest", num_before: 5, num_after: 5 }
const inNarrow = (...terms: ReadonlyArray<readonly [string, unknown]>): Asked =>
  get("/messages", { ...newest, narrow: terms.map(([operator, operand]) => ({ operator, operand })) })

/** What names a person by their id, by route. */
const aboutPeople: Readonly<Record<string, ReadonlyArray<Question>>> = {
  "GET /users": [(id) => get("/users", { user_ids: [Number(id)] })],
  "GET /users/{user_id:int}": [(id) => get(`/users/${id}`)],
  "GET /users/{email}": [(id) => get(`/users/user${id}@test.example`)],
  "PATCH /users/{user_id:int}": [(id) => patch(`/users/${id}`, { role: 400 })],
  "PATCH /users/{email}": [(id) => patch(`/users/user${id}@test.example`, { full_name: "N" })],
  "GET /users/{user_id_or_email}/presence": [
    (id) => get(`/users/${id}/presence`),
    (id) => get(`/users/user${id}@test.example/presence`),
  ],
  "DELETE /users/{user_id:int}": [(id) => remove(`/users/${id}`)],
  "POST /users/{user_id:int}/reactivate": [(id) => post(`/users/${id}/reactivate`)],
  "GET /users/{user_id:int}/status": [(id) => get(`/users/${id}/status`)],
  "POST /users/{user_id:int}/status": [(id) => post(`/users/${id}/status`, { status_text: "x" })],
  "GET /users/{user_id:int}/channels": [(id) => get(`/users/${id}/channels`)],
  "GET /users/{user_id:int}/subscriptions/{stream_id:int}": [(id) => get(`/users/${id}/subscriptions/1`)],
  "GET /user_groups/{user_group_id:int}/members/{user_id:int}": [(id) => get(`/user_groups/3/members/${id}`)],
  "POST /users/me/muted_users/{muted_user_id:int}": [(id) => post(`/users/me/muted_users/${id}`)],
  "DELETE /users/me/muted_users/{muted_user_id:int}": [(id) => remove(`/users/me/muted_users/${id}`)],
  "POST /users/me/subscriptions": [
    (id) => post("/users/me/subscriptions", { subscriptions: [{ name: "lobby" }], principals: [Number(id)] }),
  ],
  "DELETE /users/me/subscriptions": [
    (id) => remove("/users/me/subscriptions", { subscriptions: ["lobby"], principals: [Number(id)] }),
  ],
  "POST /messages": [(id) => post("/messages", { type: "direct", to: [Number(id)], content: "x" })],
  "POST /messages/render": [(id) => post("/messages/render", { content: `@**|${id}** @_**a|${id}**` })],
  "GET /messages": [
    (id) => inNarrow(["sender", Number(id)]),
    (id) => inNarrow(["dm", [Number(id)]]),
    (id) => inNarrow(["dm-including", Number(id)]),
    (id) => inNarrow(["group-pm-with", Number(id)]),
  ],
  "POST /typing": [(id) => post("/typing", { op: "start", to: [Number(id)] })],
  "POST /drafts": [
    (id) => post("/drafts", { drafts: [{ type: "private", to: [Number(id)], topic: "", content: "x" }] }),
  ],
  "POST /scheduled_messages": [
    (id) =>
      post("/scheduled_messages", {
        type: "direct",
        to: [Number(id)],
        content: "x",
        scheduled_delivery_timestamp: 4102444800,
      }),
  ],
}

/** The same by the placeholder of an address. */
const byAddress: ReadonlyArray<Question> = [
  (email) => get(`/users/${email}`),
  (email) => post("/messages", { type: "direct", to: [email], content: "x" }),
  (email) => inNarrow(["sender", email]),
  (email) => inNarrow(["dm", email]),
]

/** Parameters that name people. Others that do so are of routes that refuse guests before they look at them. */
const namingPeople = /^(?:user_id|muted_user_id|user_ids|email|principals)$/
const notAboutOthers: ReadonlySet<string> = new Set(["POST /users", "PATCH /settings"])

t.test("people of whom a limited guest does not know are answered like nobody", (t) =>
  withServer(t, { channels, limits }, async (server) => {
    await server.as("iago").must.patch("/realm", { can_access_all_users_group: { new: 3 } })
    const { compare, nothingLeft } = makeComparison(server, [
      await server.queue("cordelia"),
      await server.queue("polonius"),
    ])
    for (const name of ["iago", "othello"] as const) {
      const hidden = `user${server.idOf(name)}@test.example`
      await compare(t, byAddress, { who: "polonius", hidden, never: "user9@test.example" })
      for (const [route, questions] of Object.entries(aboutPeople))
        await compare(t, questions, { who: "polonius", hidden: `${server.idOf(name)}`, never: "9", what: route })
    }
    await nothingLeft(t)
    for (const { method, path, params } of routes) {
      const names = Object.values(params).some(({ name }) => namingPeople.test(name))
      if (names && !notAboutOthers.has(`${method} ${path}`)) t.ok(aboutPeople[`${method} ${path}`], `${method} ${path}`)
    }
  }),
)

/** Parameters that may name what is hidden: every id, and what names things otherwise. */
const naming =
  /(?:^|_)ids?(?:_|$)|^(?:stream|stream_names|messages|anchor|narrow|to|subscriptions|delete|email|username|topic_name|drafts|token)$/

const ofOneQueue = "a send tells it to its sender's queues only"

/** Why nothing is asked by some of them. */
const harmless: Readonly<Record<string, string>> = {
  "POST /messages: queue_id": ofOneQueue,
  "POST /messages: local_id": ofOneQueue,
  "POST /typing: to": "people are named by their ids, which everybody sees",
  "POST /users/me/subscriptions: folder_id": everybodySees,
  "POST /invites: group_ids": everybodySees,
  "POST /invites/multiuse: group_ids": everybodySees,
}

t.test("each route has its questions, and so has each of its parameters that names something", async (t) => {
  const table = tableOf({ lobby: 1, own: 1, vault: 1, user: 1 })
  const known = routes.map(({ method, path }) => `${method} ${path}`)
  t.strictSame(Object.keys(table).toSorted(), known.toSorted())
  const asked = ({ thing = [], ...questions }: RoomQuestions) =>
    [...thing, ...kinds.flatMap((kind) => questions[kind] ?? [])].map((question) => question("5"))
  const unasked: Array<string> = []
  for (const { method, path, params } of routes) {
    const questions = table[`${method} ${path}`] ?? ""
    // A text says of the whole route why there are none.
    if (typeof questions === "string") continue
    for (const { name } of Object.values(params).filter((each) => naming.test(each.name))) {
      const isAsked =
        path.includes(`{${name}`) || asked(questions).some(({ fields = {} }) => Object.hasOwn(fields, name))
      if (!isAsked) unasked.push(`${method} ${path}: ${name}`)
    }
  }
  t.strictSame(unasked.toSorted(), Object.keys(harmless).toSorted(), "each has a question or a reason")
})
