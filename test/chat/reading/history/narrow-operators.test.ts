/** The operators of narrows that look further than a message's channel, topic and sender, in the database. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { pluck } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type Name, withServer } from "../../../kit/with-server.ts"

t.test("operators", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia"] },
        { name: "muted", users: ["hamlet", "cordelia"] },
        { name: "leads", users: ["cordelia"], isPrivate: true },
        { name: "square", users: ["cordelia"], isWebPublic: true },
      ],
    },
    async (server) => {
      const [hamlet, cordelia, iago] = [server.idOf("hamlet"), server.idOf("cordelia"), server.idOf("iago")]
      const send = async (name: Name, fields: Fields): Promise<number> =>
        Number((await server.as(name).must.post("/messages", { topic: "t", content: "c", ...fields }))["id"])
      const idOf = (name: string) => server.realm.realm.findChannelByName(name)?.id ?? -1
      const inLobby = { type: "channel", to: "lobby" }
      const link = await send("hamlet", { ...inLobby, content: "https://parley.example" })
      const image = await send("hamlet", { ...inLobby, content: "https://parley.example/a.png", topic: "✔ done" })
      const file = await send("hamlet", { ...inLobby, content: "[a](/user_uploads/1/ab/x/a.txt)", topic: "followed" })
      const plain = await send("hamlet", { ...inLobby, topic: "hushed" })
      const inMuted = await send("cordelia", { type: "channel", to: "muted" })
      const unmuted = await send("cordelia", { type: "channel", to: "muted", topic: "loud" })
      const inLeads = await send("cordelia", { type: "channel", to: "leads" })
      const square = await send("cordelia", { type: "channel", to: "square" })
      const own = await send("hamlet", { type: "direct", to: [hamlet] })
      const pair = await send("cordelia", { type: "direct", to: [hamlet] })
      const withIago = await send("iago", { type: "direct", to: [hamlet] })
      const group = await send("hamlet", { type: "direct", to: [cordelia, iago] })
      const others = await send("iago", { type: "direct", to: [cordelia] })
      const all = [link, image, file, plain, inMuted, unmuted, own, pair, withIago, group]
      const direct = [own, pair, withIago, group]
      await server.as("hamlet").must.post("/users/me/subscriptions/properties", {
        subscription_data: [{ stream_id: idOf("muted"), property: "is_muted", value: true }],
      })
      for (const [channel, topic, policy] of [
        ["lobby", "followed", 3],
        ["lobby", "hushed", 1],
        ["muted", "loud", 2],
      ] as const)
        await server.rows(
          `insert into user_topic (realm_id, user_id, channel_id, topic, topic_folded, policy, updated_at)
           values (1, $1, $2, $3, $3, $4, 0)`,
          [hamlet, idOf(channel), topic, policy],
        )

      const term = (operator: string, operand: unknown, negated = false) => ({ operator, operand, negated })
      const without = (...some: ReadonlyArray<number>) => all.filter((id) => !some.includes(id))
      const cases: ReadonlyArray<readonly [narrow: ReadonlyArray<unknown>, ids: ReadonlyArray<number>]> = [
        [[["has", "link"]], [link, image, file]],
        [[term("has", "link", true)], without(link, image, file)],
        [[["has", "image"]], [image]],
        [[["has", "attachment"]], [file]],
        [
          [["has", "link"], term("has", "image", true), ["channel", "lobby"]],
          [link, file],
        ],
        [
          [
            ["has", "link"],
            ["topic", "followed"],
          ],
          [file],
        ],
        [
          [
            ["has", "link"],
            ["is", "dm"],
          ],
          [],
        ],
        [[["is", "resolved"]], [image]],
        [[term("is", "resolved", true)], without(image)],
        [[["is", "followed"]], [file]],
        [[term("is", "followed", true)], without(file)],
        [
          [
            ["is", "followed"],
            ["channel", "muted"],
          ],
          [],
        ],
        [[["is", "muted"]], [plain, inMuted]],
        [[term("is", "muted", true)], without(plain, inMuted)],
        [[["in", "home"]], without(plain, inMuted)],
        [[term("in", "home", true)], [plain, inMuted]],
        [
          [
            ["in", "home"],
            ["channel", "muted"],
          ],
          [unmuted],
        ],
        [
          [
            ["is", "muted"],
            ["in", "home"],
          ],
          [],
        ],
        [[["dm-including", "cordelia@test.example"]], [pair, group]],
        [[term("dm-including", cordelia)], [pair, group]],
        [[term("dm-including", hamlet)], direct],
        [[term("dm-including", cordelia), term("dm-including", iago)], [group]],
        [[term("dm-including", cordelia, true)], without(pair, group)],
        [[term("dm-including", cordelia), ["sender", "hamlet@test.example"]], [group]],
        [[term("dm-including", cordelia), term("dm", [iago])], []],
        [[term("group-pm-with", cordelia)], [group]],
        [[["group_pm_with", "hamlet@test.example"]], [group]],
        [[term("group-pm-with", cordelia, true)], without(group)],
        [[term("with", plain)], [plain]],
        [
          [
            ["with", String(link)],
            ["channel", "muted"],
            ["topic", "elsewhere"],
          ],
          [link],
        ],
        [[term("with", pair), ["channel", "lobby"]], [pair]],
        [[term("with", group), term("has", "link", true)], [group]],
        [[term("with", square)], [square]],
        [
          [term("with", inLeads), ["channel", "lobby"]],
          [link, image, file, plain],
        ],
        [[term("with", others), term("dm", [iago])], [withIago]],
        [[term("with", 999_999), ["topic", "hushed"]], [plain]],
      ]
      const found = async (narrow: unknown, fields: Fields = {}) => {
        const page = { anchor: "newest", num_before: 100, num_after: 0, ...fields }
        return pluck((await server.as("hamlet").must.get("/messages", { ...page, narrow }))["messages"], "id").map(
          Number,
        )
      }
      const byIds = { anchor: undefined, num_before: undefined, num_after: undefined, message_ids: [...all, others] }
      for (const [narrow, expected] of cases) {
        const what = JSON.stringify(narrow)
        t.same(await found(narrow), expected, what)
        if (!expected.includes(square)) t.same(await found(narrow, byIds), expected, `${what}, by ids`)
      }

      const refusals: ReadonlyArray<Refusal> = [
        ["a negated with", [term("with", plain, true)], "Invalid 'with' operator"],
        ["two of them", [term("with", plain), term("with", link)], "Invalid 'with' operator"],
        ["no id", [["with", "x"]], "Invalid 'with' operator"],
        ["a message of a channel that is not theirs", [term("with", inLeads)], "Invalid 'with' operator"],
        ["a message that is not there", [term("with", 999_999), ["is", "unread"]], "Invalid 'with' operator"],
        ["somebody unknown", [["dm-including", "yorick@x"]], "unknown user yorick@x"],
        [
          "a channel and somebody's messages",
          [["channel", "lobby"], term("dm-including", iago)],
          "No message can be both a channel message and direct message",
        ],
      ].map(([when, narrow, desc]) => ({
        when: String(when),
        fields: { anchor: "newest", num_before: 1, num_after: 0, narrow },
        code: "BAD_NARROW",
        msg: `Invalid narrow operator: ${desc}`,
        also: { desc },
      }))
      await refuses(t, refusals, (fields) => server.as("hamlet").get("/messages", fields))

      const firstUnread = async (...narrow: ReadonlyArray<unknown>) => {
        const page = { anchor: "first_unread", num_before: 0, num_after: 1, narrow }
        return (await server.as("hamlet").must.get("/messages", page))["anchor"]
      }
      t.equal(await firstUnread(), link, "what is muted is passed over")
      await server.as("hamlet").must.post("/messages/flags", { messages: [link, image, file], op: "add", flag: "read" })
      t.equal(await firstUnread(), unmuted, "muted topics too")
      const none = 10_000_000_000_000_000
      t.equal(await firstUnread(["channel", "lobby"]), none, "also in a channel that is not muted")
      t.equal(
        await firstUnread(["channel", "lobby"], ["topic", "hushed"]),
        plain,
        "but not where the topic is asked for",
      )
      t.equal(await firstUnread(["channel", "muted"]), inMuted, "nor in a muted channel that is asked for")
      t.equal(await firstUnread(["is", "muted"]), plain, "nor in all that is muted")
      t.equal(await firstUnread(term("in", "home", true)), plain, "under its other name")
      t.equal(await firstUnread(["in", "home"]), unmuted)
    },
  ),
)
