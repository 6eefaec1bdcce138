/** GET /messages and GET /messages/{message_id}: anchors, pages, narrows, and which user reads which messages. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { pluck } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const newest = 10_000_000_000_000_000

const idsIn = (messages: unknown): ReadonlyArray<number> => pluck(messages, "id").map(Number)

/** The ids that a search finds; `fields` over a page wide enough for every test. */
const search = async (server: TestServer, name: Name, fields: Fields = {}): Promise<ReadonlyArray<number>> => {
  const page = { anchor: "newest", num_before: 1000, num_after: 0, ...fields }
  return idsIn((await server.as(name).must.get("/messages", page))["messages"])
}

const send = async (server: TestServer, name: Name, fields: Fields): Promise<number> =>
  Number((await server.as(name).must.post("/messages", { topic: "t", content: "c", ...fields }))["id"])

t.test("anchors and pages", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const ids: Array<number> = []
    const lobby = { subscriptions: [{ name: "lobby" }] }
    for (let each = 0; each < 9; each++) {
      ids.push(await server.as("hamlet").send("lobby", String(each)))
      // Rows between the messages, so that ids are not next to each other.
      if (each === 3) await server.as("cordelia").must.post("/users/me/subscriptions", lobby)
    }
    const at = (index: number) => ids[index] ?? -1
    const gap = at(3) + 1
    t.ok(gap < at(4), "an id that is no message")

    const found = (oldest: boolean, anchor: boolean, newest: boolean) => ({
      found_oldest: oldest,
      found_anchor: anchor,
      found_newest: newest,
    })
    const pages: ReadonlyArray<readonly [string, Fields, ReadonlyArray<number>, Fields]> = [
      [
        "around",
        { anchor: at(4), num_before: 2, num_after: 1 },
        [2, 3, 4, 5],
        { anchor: at(4), ...found(false, true, false) },
      ],
      ["before only", { anchor: at(4), num_before: 2, num_after: 0 }, [2, 3, 4], found(false, true, false)],
      ["after only", { anchor: at(4), num_before: 0, num_after: 2 }, [4, 5, 6], found(false, true, false)],
      ["the anchor alone", { anchor: at(4), num_before: 0, num_after: 0 }, [4], found(false, true, false)],
      [
        "to the very ends",
        { anchor: at(4), num_before: 4, num_after: 4 },
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
        found(false, true, false),
      ],
      [
        "beyond the ends",
        { anchor: at(4), num_before: 5, num_after: 5 },
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
        found(true, true, true),
      ],
      [
        "an anchor that is no message",
        { anchor: gap, num_before: 1, num_after: 1 },
        [3, 4],
        found(false, false, false),
      ],
      ["no message, before only", { anchor: gap, num_before: 2, num_after: 0 }, [2, 3], found(false, false, false)],
      [
        "no message, before to the end",
        { anchor: gap, num_before: 4, num_after: 0 },
        [0, 1, 2, 3],
        found(false, false, false),
      ],
      [
        "no message, before beyond the end",
        { anchor: gap, num_before: 5, num_after: 0 },
        [0, 1, 2, 3],
        found(true, false, false),
      ],
      ["no message, after only", { anchor: gap, num_before: 0, num_after: 2 }, [4, 5], found(false, false, false)],
      [
        "no message, after to the end",
        { anchor: gap, num_before: 0, num_after: 5 },
        [4, 5, 6, 7, 8],
        found(false, false, false),
      ],
      [
        "no message, after beyond the end",
        { anchor: gap, num_before: 0, num_after: 6 },
        [4, 5, 6, 7, 8],
        found(false, false, true),
      ],
      ["no message, nothing beside it", { anchor: gap, num_before: 0, num_after: 0 }, [], found(false, false, false)],
      ["zero", { anchor: 0, num_before: 3, num_after: 2 }, [0, 1], { anchor: 0, ...found(true, false, false) }],
      [
        "the oldest of all, excluded",
        { anchor: "oldest", num_before: 0, num_after: 9, include_anchor: false },
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
        { anchor: 0, ...found(true, false, false) },
      ],
      [
        "the newest of all, excluded",
        { anchor: "newest", num_before: 2, num_after: 0, include_anchor: false },
        [7, 8],
        { anchor: newest, ...found(false, false, true) },
      ],
      [
        "the first unread beside others",
        { anchor: "first_unread", num_before: 2, num_after: 1, narrow: [["is", "unread"]] },
        [],
        { anchor: newest, ...found(true, false, true) },
      ],
      [
        "without the anchor, before",
        { anchor: at(4), num_before: 2, num_after: 0, include_anchor: false },
        [2, 3],
        found(false, false, false),
      ],
      [
        "without the anchor, after",
        { anchor: at(4), num_before: 0, num_after: 2, include_anchor: false },
        [5, 6],
        found(false, false, false),
      ],
      [
        "without the anchor, nothing",
        { anchor: at(4), num_before: 0, num_after: 0, include_anchor: false },
        [],
        found(false, false, false),
      ],
      [
        "newest",
        { anchor: "newest", num_before: 2, num_after: 5 },
        [7, 8],
        { anchor: newest, ...found(false, false, true) },
      ],
      [
        "newest in digits",
        { anchor: String(newest), num_before: 2, num_after: 0 },
        [7, 8],
        { anchor: newest, ...found(false, false, true) },
      ],
      [
        "beyond the newest",
        { anchor: "9".repeat(40), num_before: 1, num_after: 0 },
        [8],
        { anchor: newest, ...found(false, false, true) },
      ],
      [
        "oldest",
        { anchor: "oldest", num_before: 5, num_after: 2 },
        [0, 1],
        { anchor: 0, ...found(true, false, false) },
      ],
      [
        "below the oldest",
        { anchor: -5, num_before: 0, num_after: 1 },
        [0],
        { anchor: 0, ...found(true, false, false) },
      ],
      [
        "first unread where all is read",
        { anchor: "first_unread", num_before: 1, num_after: 5 },
        [8],
        { anchor: newest, ...found(false, false, true) },
      ],
      [
        "the older way to say so",
        { use_first_unread_anchor: true, num_before: 1, num_after: 5 },
        [8],
        { anchor: newest },
      ],
      [
        "the most that may be asked for",
        { anchor: "newest", num_before: 5000, num_after: 0 },
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
        found(true, false, true),
      ],
    ]
    await server.as("hamlet").must.post("/mark_all_as_read")
    for (const [name, fields, expected, rest] of pages) {
      const body = await server.as("hamlet").must.get("/messages", fields)
      t.same(idsIn(body["messages"]), expected.map(at), name)
      t.match(body, { ...rest, history_limited: false }, name)
    }

    await t.test("the first unread message, in the midst of others", async (t) => {
      const flag = { op: "add", flag: "read", messages: JSON.stringify(ids.slice(0, 5)) }
      await server.as("cordelia").must.post("/messages/flags", flag)
      const unread = { anchor: "first_unread", num_before: 1, num_after: 2 }
      const body = await server.as("cordelia").must.get("/messages", unread)
      t.same(idsIn(body["messages"]), [at(4), at(5), at(6), at(7)], "of what they hold")
      t.match(body, { anchor: at(5), ...found(false, true, false), history_limited: false })
    })

    await t.test("paging up or down finds every message once", async (t) => {
      const back: Array<number> = []
      for (let anchor: number | string = "newest"; back.length < ids.length; anchor = back[0] ?? -1) {
        const page = await search(server, "hamlet", { anchor, num_before: 2, include_anchor: false })
        if (page.length === 0) break
        back.unshift(...page)
      }
      t.same(back, ids)
      const on: Array<number> = []
      for (let anchor: number | string = "oldest"; on.length < ids.length; anchor = on.at(-1) ?? -1) {
        const page = await search(server, "hamlet", { anchor, num_before: 0, num_after: 2, include_anchor: false })
        if (page.length === 0) break
        on.push(...page)
      }
      t.same(on, ids)
    })

    await t.test("messages by their ids", async (t) => {
      const body = await server
        .as("hamlet")
        .must.get("/messages", { message_ids: [at(5), at(1), gap, 4711, -1, at(5)] })
      t.same(idsIn(body["messages"]), [at(1), at(5)], "rising, each once, the unknown silently absent")
      t.match(body, { anchor: null, ...found(false, false, false), history_limited: false })
      t.same(
        await search(server, "othello", {
          anchor: undefined,
          num_before: undefined,
          num_after: undefined,
          message_ids: [],
        }),
        [],
      )
    })

    await t.test("invalid requests are refused", async (t) => {
      const page = { anchor: "newest", num_before: 1, num_after: 0 }
      const table: ReadonlyArray<Refusal> = [
        { when: "no anchor", fields: { ...page, anchor: undefined }, msg: "Missing 'anchor' argument." },
        { when: "a word for the anchor", fields: { ...page, anchor: "middle" }, msg: "Invalid anchor" },
        { when: "half a number for the anchor", fields: { ...page, anchor: "1.5" }, msg: "Invalid anchor" },
        { when: "an empty anchor", fields: { ...page, anchor: "" }, msg: "Invalid anchor" },
        {
          when: "no num_before",
          fields: { ...page, num_before: undefined },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'num_before' argument",
          also: { var_name: "num_before" },
        },
        {
          when: "no num_after",
          fields: { ...page, num_after: undefined },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'num_after' argument",
        },
        { when: "a negative num_before", fields: { ...page, num_before: -1 }, msg: "num_before is too small" },
        {
          when: "too many",
          fields: { ...page, num_before: 5000, num_after: 1 },
          msg: "Too many messages requested (maximum 5000).",
        },
        {
          when: "the anchor excluded from the middle",
          fields: { ...page, num_after: 1, include_anchor: false },
          msg: "The anchor can only be excluded at an end of the range",
        },
        {
          when: "ids beside an anchor",
          fields: { message_ids: [1], anchor: "newest", num_before: 1 },
          msg: "Unsupported parameter combination: num_before, anchor, message_ids",
          also: { parameters: "num_before, anchor, message_ids" },
        },
        {
          when: "ids beside include_anchor",
          fields: { message_ids: [1], include_anchor: true },
          msg: /^Unsupported parameter/,
        },
        {
          when: "ids beside the older way to ask for the first unread",
          fields: { message_ids: [1], use_first_unread_anchor: true },
          msg: "Unsupported parameter combination: use_first_unread_anchor, message_ids",
        },
        {
          when: "ids beside a number of nothing",
          fields: { message_ids: [1], num_after: 0 },
          msg: "Unsupported parameter combination: num_after, message_ids",
        },
        { when: "words for ids", fields: { message_ids: ["1"] }, msg: "message_ids[0] is not an integer" },
        {
          when: "a narrow that is no list",
          fields: { ...page, narrow: { operator: "stream" } },
          msg: "narrow is not a list",
        },
        {
          when: "a narrow that is no JSON",
          fields: { ...page, narrow: "stream:lobby" },
          msg: "narrow is not valid JSON",
        },
        { when: "a term of three", fields: { ...page, narrow: [["stream", "lobby", "x"]] }, msg: /string pair/ },
        {
          when: "a term without operand",
          fields: { ...page, narrow: [{ operator: "stream" }] },
          msg: "operand is missing",
        },
        {
          when: "a term without operator",
          fields: { ...page, narrow: [{ operand: "x" }] },
          msg: "operator is missing",
        },
        { when: "a number as term", fields: { ...page, narrow: [7] }, msg: "dict or list required" },
        {
          when: "a list as channel",
          fields: { ...page, narrow: [{ operator: "channel", operand: [1] }] },
          msg: "operand is not a string or integer",
        },
        {
          when: "an unknown operator",
          fields: { ...page, narrow: [["colour", "red"]] },
          code: "BAD_NARROW",
          msg: "Invalid narrow operator: unknown operator colour",
          also: { desc: "unknown operator colour" },
        },
        {
          when: "an unknown channel",
          fields: { ...page, narrow: [["stream", "ghost"]] },
          code: "BAD_NARROW",
          msg: /unknown channel ghost/,
        },
        {
          when: "an unknown sender",
          fields: { ...page, narrow: [["sender", "yorick@x"]] },
          code: "BAD_NARROW",
          msg: /unknown user yorick@x/,
        },
        {
          when: "an unknown person of a conversation",
          fields: { ...page, narrow: [{ operator: "dm", operand: [4711] }] },
          code: "BAD_NARROW",
          msg: /unknown user in \[4711\]/,
        },
        {
          when: "a channel message that is a direct one",
          fields: {
            ...page,
            narrow: [
              ["stream", "lobby"],
              ["is", "dm"],
            ],
          },
          code: "BAD_NARROW",
          msg: /No message can be both/,
        },
        {
          when: "a state that is none",
          fields: { ...page, narrow: [["is", "nice"]] },
          code: "BAD_NARROW",
          msg: /unknown 'is' operand nice/,
        },
      ]
      await refuses(t, table, (fields) => server.as("hamlet").get("/messages", fields))
    })
  }),
)

t.test("an answer has so many bytes, and says where it ended", (t) =>
  withServer(
    t,
    { channels: [{ name: "lobby", users: ["hamlet"] }], limits: { answerBytes: 64 * 1024 } },
    async (server) => {
      const ids: Array<number> = []
      for (let each = 0; each < 20; each++) ids.push(await server.as("hamlet").send("lobby", "x".repeat(9_999)))
      const get = (fields: Fields) =>
        server.as("hamlet").must.get("/messages", { num_before: 0, num_after: 0, ...fields })
      const at = (index: number) => ids[index] ?? -1

      const back: Array<number> = []
      for (let anchor: number | string = "newest", pages = 1; ; pages++) {
        const answer = await get({ anchor, num_before: 5000, include_anchor: false })
        const page = idsIn(answer["messages"])
        back.unshift(...page)
        if (answer["found_oldest"] === true) {
          t.ok(pages >= 4, `${pages} pages`)
          break
        }
        t.ok(page.length > 0 && page.length <= 6, "those next to the anchor come first")
        anchor = page[0] ?? -1
      }
      t.same(back, ids, "whoever asks on gets all of them once")

      const ahead = await get({ anchor: "oldest", num_after: 5000 })
      t.same(idsIn(ahead["messages"]), ids.slice(0, 6))
      t.match(ahead, { found_oldest: true, found_newest: false })
      const around = await get({ anchor: at(10), num_before: 100, num_after: 100 })
      t.same(idsIn(around["messages"]), ids.slice(7, 13), "alike on both sides")
      t.match(around, { found_oldest: false, found_newest: false, found_anchor: true })
      const end = await get({ anchor: at(18), num_before: 100, num_after: 100 })
      t.match(end, { found_oldest: false, found_newest: true, found_anchor: true })
      t.equal(idsIn(end["messages"]).at(-1), at(19))

      const few = await get({ num_before: undefined, num_after: undefined, message_ids: ids.slice(0, 5) })
      t.same(idsIn(few["messages"]), ids.slice(0, 5))
      const many = { message_ids: JSON.stringify(ids) }
      t.match(await server.as("hamlet").get("/messages", many), {
        status: 400,
        body: { msg: "These messages have more than 65536 bytes: ask for fewer of them" },
      })
      await server.as("hamlet").send("lobby", "y".repeat(10_000))
      const typed = await get({ anchor: "newest", num_before: 1, apply_markdown: false })
      t.equal(pluck(typed["messages"], "content").join().length, 10_000)
    },
  ),
)

t.test("narrows", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia"] },
        { name: "École", users: ["hamlet", "cordelia"] },
        { name: "leads", users: ["hamlet"], isPrivate: true },
        { name: "square", users: [], isWebPublic: true },
      ],
    },
    async (server) => {
      const { hamlet, cordelia, iago } = {
        hamlet: server.idOf("hamlet"),
        cordelia: server.idOf("cordelia"),
        iago: server.idOf("iago"),
      }
      const lobby = await send(server, "hamlet", { type: "channel", to: "lobby" })
      const accents = await send(server, "cordelia", { type: "channel", to: "École", topic: "Été" })
      const empty = await send(server, "hamlet", { type: "channel", to: "lobby", topic: "" })
      const leads = await send(server, "hamlet", { type: "channel", to: "leads" })
      const square = await send(server, "iago", { type: "channel", to: "square" })
      const own = await send(server, "hamlet", { type: "direct", to: [hamlet] })
      const pair = await send(server, "cordelia", { type: "direct", to: [hamlet] })
      const group = await send(server, "hamlet", { type: "direct", to: [cordelia, iago] })
      const all = [lobby, accents, empty, leads, own, pair, group]
      const lobbyId = server.realm.realm.findChannelByName("lobby")?.id
      const cases: ReadonlyArray<readonly [unknown, ReadonlyArray<number>]> = [
        [undefined, all],
        [[], all],
        [[["stream", "LOBBY"]], [lobby, empty]],
        [[{ operator: "channel", operand: lobbyId }], [lobby, empty]],
        [[["channel", "école"]], [accents]],
        [
          [
            ["channel", "École"],
            ["topic", "été"],
          ],
          [accents],
        ],
        [[["topic", ""]], [empty]],
        [[["topic", "general chat"]], [empty]],
        [[{ operator: "topic", operand: "t", negated: true }], [accents, empty, own, pair, group]],
        [[{ operator: "stream", operand: "lobby", negated: true }], [accents, leads, own, pair, group]],
        [[["channels", "public"]], [lobby, accents, empty, square]],
        [[["streams", "web-public"]], [square]],
        [[["sender", "cordelia@test.example"]], [accents, pair]],
        [[{ operator: "sender", operand: cordelia, negated: true }], [lobby, empty, leads, own, group]],
        [[["is", "dm"]], [own, pair, group]],
        [[["is", "private"]], [own, pair, group]],
        [[{ operator: "dm", operand: [cordelia] }], [pair]],
        [[{ operator: "pm-with", operand: [hamlet, cordelia] }], [pair]],
        [[["pm-with", "cordelia@test.example"]], [pair]],
        [[["dm", "iago@test.example, cordelia@test.example"]], [group]],
        [[{ operator: "dm", operand: [hamlet] }], [own]],
        [[{ operator: "dm", operand: [] }], []],
        [[{ operator: "dm", operand: [cordelia], negated: true }], [lobby, accents, empty, leads, own, group]],
        [[{ operator: "id", operand: pair }], [pair]],
        [[["id", String(pair)]], [pair]],
        [[["in", "all"]], all],
        [[["near", String(pair)]], all],
        [[{ operator: "stream", operand: "lobby", colour: "red" }], [lobby, empty]],
        [[["stream", "square"]], [square]],
      ]
      for (const [narrow, expected] of cases)
        t.same(await search(server, "hamlet", { narrow }), expected, JSON.stringify(narrow) ?? "no narrow")

      const { messages } = await server
        .as("hamlet")
        .must.get("/messages", { anchor: "newest", num_before: 9, num_after: 0, narrow: [["channels", "public"]] })
      t.match(messages, [{}, {}, {}, { id: square, flags: ["read", "historical"] }], "not received, but public")
      const byIds = { anchor: undefined, num_before: undefined, num_after: undefined }
      const some = { ...byIds, message_ids: [lobby, leads, pair], narrow: [["stream", "lobby"]] }
      t.same(await search(server, "hamlet", some), [lobby], "ids that match the narrow")

      const drawn = `/user_avatars/1/drawn/${server.idOf("hamlet")}.png?version=1`
      const shown = async (fields: Fields) => {
        const page = { anchor: empty, num_before: 0, num_after: 0, ...fields }
        return (await server.as("hamlet").must.get("/messages", page))["messages"]
      }
      t.match(await shown({}), [{ subject: "general chat", content: "<p>c</p>", avatar_url: drawn }])
      t.match(await shown({ allow_empty_topic_name: true, apply_markdown: false, client_gravatar: false }), [
        { subject: "", content: "c", content_type: "text/x-markdown", avatar_url: drawn },
      ])
    },
  ),
)

t.test("which user reads which messages", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia"] },
        { name: "square", users: ["hamlet"], isWebPublic: true },
        { name: "club", users: ["hamlet"], isPrivate: true, historyShared: false },
        { name: "den", users: ["hamlet"], isPrivate: true, historyShared: true },
      ],
    },
    async (server) => {
      const join = (name: Name, channel: string) =>
        server.as("hamlet").must.post("/users/me/subscriptions", {
          subscriptions: [{ name: channel }],
          principals: [server.idOf(name)],
          send_new_subscription_messages: false,
        })
      const leave = (name: Name, channel: string) =>
        server.as(name).must.delete("/users/me/subscriptions", { subscriptions: [channel] })
      const post = (to: string, content: string) => send(server, "hamlet", { type: "channel", to, content })
      /** Three messages of each channel: before cordelia was in it, while she was, and after she had left. */
      const sent = new Map<string, readonly [number, number, number]>()
      await leave("cordelia", "lobby")
      for (const channel of ["lobby", "square", "club", "den"]) {
        const before = await post(channel, "before")
        await join("cordelia", channel)
        const within = await post(channel, "within")
        await leave("cordelia", channel)
        sent.set(channel, [before, within, await post(channel, "after")])
      }
      const pair = await send(server, "hamlet", { type: "direct", to: [server.idOf("cordelia")] })
      const of = (channel: string) => sent.get(channel) ?? [0, 0, 0]
      const all = [...sent.values()].flat()
      const [, inLobby] = of("lobby")
      const [, inSquare] = of("square")
      const [, inClub] = of("club")
      const [, inDen] = of("den")

      const readable = async (name: Name): Promise<ReadonlyArray<number>> => {
        const found: Array<number> = []
        for (const id of [...all, pair])
          if ((await server.as(name).get(`/messages/${id}`)).status === 200) found.push(id)
        const byIds = { anchor: undefined, num_before: undefined, num_after: undefined, message_ids: [...all, pair] }
        t.same(await search(server, name, byIds), found, `${name}: by id and one by one are the same`)
        return found
      }
      const narrowed = async (name: Name, channel: string) => {
        const page = { anchor: "newest", num_before: 100, num_after: 0, narrow: [["stream", channel]] }
        const answer = await server.as(name).get("/messages", page)
        return answer.status === 200 ? idsIn(answer.body["messages"]) : answer.body["code"]
      }

      // Of a private channel that she is out of she has nothing, whatever she received there.
      await t.test("after unsubscribing: received messages, and public history", async (t) => {
        t.same(await search(server, "cordelia"), [inLobby, inSquare, pair])
        t.same(await readable("cordelia"), [...of("lobby"), ...of("square"), pair])
        t.same(await narrowed("cordelia", "lobby"), of("lobby"))
        t.same(await narrowed("cordelia", "club"), "BAD_NARROW", "private, with a protected history")
        t.same(await narrowed("cordelia", "den"), "BAD_NARROW", "shared history is for subscribers")
      })
      await t.test(
        "after subscribing again: all of a shared history, of a protected one only received messages",
        async (t) => {
          for (const channel of ["lobby", "club", "den"]) await join("cordelia", channel)
          t.same(await narrowed("cordelia", "lobby"), of("lobby"))
          t.same(await narrowed("cordelia", "club"), [inClub])
          t.same(await narrowed("cordelia", "den"), of("den"))
          t.same(await search(server, "cordelia"), [inLobby, inSquare, inClub, inDen, pair], "received is received")
          const { message } = await server.as("cordelia").must.get(`/messages/${of("den")[0]}`)
          t.match(message, { flags: ["read", "historical"] })
        },
      )
      await t.test("whoever comes and goes often reads what they received each time", async (t) => {
        const received = [inClub]
        for (let time = 0; time < 10; time++) {
          received.push(await post("club", "within again"))
          await leave("cordelia", "club")
          await post("club", "meanwhile")
          await join("cordelia", "club")
        }
        t.same(await narrowed("cordelia", "club"), received)
        const { found_oldest, messages } = (
          await server.as("cordelia").get("/messages", {
            anchor: received[4],
            num_before: 3,
            num_after: 3,
            narrow: [["stream", "club"]],
          })
        ).body
        t.same(idsIn(messages), received.slice(1, 8))
        t.equal(found_oldest, false)
      })
      await t.test("a user who was never subscribed", async (t) => {
        t.same(await search(server, "othello"), [])
        t.same(await readable("othello"), [...of("lobby"), ...of("square")])
        t.same(await narrowed("othello", "lobby"), of("lobby"))
        t.equal(await narrowed("othello", "club"), "BAD_NARROW")
      })
      await t.test("an administrator sees private channels but cannot read them", async (t) => {
        t.same(await readable("iago"), [...of("lobby"), ...of("square")])
        t.same(await narrowed("iago", "club"), [])
        t.same(await narrowed("iago", "den"), [])
      })
      await t.test("a guest reads web-public channels", async (t) => {
        t.same(await readable("polonius"), of("square"))
        t.same(await narrowed("polonius", "square"), of("square"))
        t.equal(await narrowed("polonius", "lobby"), "BAD_NARROW")
        t.same(await search(server, "polonius", { narrow: [["channels", "public"]] }), of("square"))
      })
      await t.test("only participants read a direct message", async (t) => {
        t.equal((await server.as("hamlet").get(`/messages/${pair}`)).status, 200)
        for (const name of ["iago", "desdemona", "othello"] as const)
          t.match(await server.as(name).get(`/messages/${pair}`), {
            status: 400,
            body: { code: "BAD_REQUEST", msg: "Invalid message(s)" },
          })
      })
      await t.test("I7: a sender can read a message as soon as the send is answered", async (t) => {
        for (let each = 0; each < 20; each++) {
          const id = await post("lobby", String(each))
          t.same(await search(server, "hamlet", { num_before: 1 }), [id])
        }
      })
    },
  ),
)

t.test("one message", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const hamlet = server.as("hamlet")
    const id = await hamlet.send("lobby", "a <b>\n", { topic: "", read_by_sender: true })
    const get = (fields: Fields = {}) => hamlet.must.get(`/messages/${id}`, fields)
    t.match(await get(), {
      raw_content: "a <b>",
      message: { id, content: "<p>a &lt;b&gt;</p>", subject: "general chat", flags: ["read"] },
    })
    t.match(await get({ apply_markdown: false }), { message: { content: "a <b>", content_type: "text/x-markdown" } })
    t.match(await get({ allow_empty_topic_name: true }), { message: { subject: "" } })
    for (const bad of [0, id + 1, 999_999_999_999_999])
      t.match(await hamlet.get(`/messages/${bad}`), { status: 400, body: { msg: "Invalid message(s)" } }, String(bad))
    for (const bad of ["-1", "1.5", "x", "9".repeat(30)])
      t.match(await hamlet.get(`/messages/${bad}`), { status: 404, body: { code: "NOT_FOUND" } }, bad)
  }),
)
