/** Reactions: who may react, which emoji, what everybody hears, and what messages show. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "den", users: ["hamlet", "cordelia", "desdemona"], isPrivate: true },
] as const

const pathOf = (message: number) => `/messages/${message}/reactions`
const react = (server: TestServer, by: Name, message: number, emoji: Fields | string) =>
  server.as(by).must.post(pathOf(message), typeof emoji === "string" ? { emoji_name: emoji } : emoji)
const takeBack = (server: TestServer, by: Name, message: number, emoji: Fields) =>
  server.as(by).must.delete(pathOf(message), emoji)
const reactionsOf = async (server: TestServer, by: Name, message: number): Promise<unknown> =>
  recordsIn([(await server.as(by).must.get(`/messages/${message}`))["message"]])[0]?.["reactions"]

const octopus = { emoji_name: "octopus", emoji_code: "1f419", reaction_type: "unicode_emoji" }
const thumb = { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" }
const zulip = { emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji" }

t.test("reactions", (t) =>
  withServer(t, { channels }, async (server) => {
    await t.test(
      "a reaction is put under a message and taken back, and everybody who holds the message hears of it",
      async (t) => {
        const id = await server.as("hamlet").send("lobby", "to be")
        const queue = await server.queue("hamlet")
        await react(server, "cordelia", id, "octopus")
        await react(server, "polonius", id, thumb)
        await react(server, "hamlet", id, { ...octopus, reaction_type: "unicode_emoji" })
        await react(server, "hamlet", id, {
          emoji_name: "zulip",
          emoji_code: "zulip",
          reaction_type: "service_extra_emoji",
        })
        const by = (name: Name, emoji: Fields) => ({ ...emoji, user_id: server.idOf(name) })
        const shown = [by("cordelia", octopus), by("hamlet", octopus), by("polonius", thumb), by("hamlet", zulip)]
        t.same(await reactionsOf(server, "hamlet", id), shown, "those with the same emoji stand together")
        await takeBack(server, "cordelia", id, { emoji_name: "octopus" })
        await takeBack(server, "hamlet", id, { emoji_code: "zulip", reaction_type: "zulip_extra_emoji" })
        t.same(await reactionsOf(server, "polonius", id), [by("hamlet", octopus), by("polonius", thumb)])
        const event = (op: string, name: Name, emoji: Fields) => ({
          type: "reaction",
          op,
          message_id: id,
          ...by(name, emoji),
          user: { user_id: server.idOf(name), email: server.as(name).account.email, full_name: String },
        })
        t.match(await queue.rest(), [
          event("add", "cordelia", octopus),
          event("add", "polonius", thumb),
          event("add", "hamlet", octopus),
          event("add", "hamlet", zulip),
          event("remove", "cordelia", octopus),
          event("remove", "hamlet", zulip),
        ])
      },
    )

    await t.test("the emoji is what its first user called it, whatever the next ones call it", async (t) => {
      const id = await server.as("hamlet").send("lobby", "to be")
      const queue = await server.queue("hamlet")
      await react(server, "cordelia", id, "thumbs_up")
      await react(server, "hamlet", id, "+1")
      await react(server, "polonius", id, { ...thumb, emoji_name: "no such name" })
      const stored = { ...thumb, emoji_name: "thumbs_up" }
      t.match(await reactionsOf(server, "hamlet", id), [stored, stored, stored])
      t.match(await queue.rest(), [stored, stored, stored])
      const twice = await server.as("hamlet").post(pathOf(id), { emoji_name: "like" })
      t.match(twice.body, { code: "REACTION_ALREADY_EXISTS", msg: "Reaction already exists." })
      await takeBack(server, "hamlet", id, { emoji_name: "like" })
      t.match(await reactionsOf(server, "hamlet", id), [stored, stored])
      const again = await server.as("hamlet").delete(pathOf(id), { emoji_name: "+1" })
      t.match(again.body, { code: "REACTION_DOES_NOT_EXIST", msg: "Reaction doesn't exist." })
    })

    await t.test("the narrow has:reaction finds messages with reactions, or those without", async (t) => {
      const [, liked, undone] = [
        await server.as("hamlet").send("lobby", "bare", { topic: "hearts" }),
        await server.as("hamlet").send("lobby", "liked", { topic: "hearts" }),
        await server.as("hamlet").send("lobby", "undone", { topic: "hearts" }),
      ]
      for (const id of [liked, undone]) await react(server, "polonius", id, "heart")
      await takeBack(server, "polonius", undone, { emoji_name: "heart" })
      const found = async (negated: boolean) => {
        const narrow = [
          { operator: "channel", operand: "lobby" },
          { operator: "topic", operand: "hearts" },
          { operator: "has", operand: "reaction", negated },
        ]
        const page = { anchor: "newest", num_before: 10, num_after: 0, narrow }
        return pluck((await server.as("hamlet").must.get("/messages", page))["messages"], "content")
      }
      t.same(await found(false), ["<p>liked</p>"])
      t.same(await found(true), ["<p>bare</p>", "<p>undone</p>"])
    })

    await t.test("refusals", async (t) => {
      const id = await server.as("hamlet").send("lobby", "to be")
      const adding: ReadonlyArray<Refusal> = [
        { when: "no name", fields: {}, code: "REQUEST_VARIABLE_MISSING", msg: "Missing 'emoji_name' argument" },
        { when: "only a code", fields: { emoji_code: "1f419" }, code: "REQUEST_VARIABLE_MISSING", msg: /emoji_name/ },
        { when: "unknown name", fields: { emoji_name: "x y" }, msg: "Emoji 'x y' does not exist" },
        {
          when: "unknown name with a code",
          fields: { emoji_name: "no_such", emoji_code: "1f419" },
          msg: "Emoji 'no_such' does not exist",
        },
        { when: "code without emoji", fields: { ...octopus, emoji_code: "1" }, msg: "Invalid emoji code." },
        { when: "code in capitals", fields: { ...octopus, emoji_code: "1F419" }, msg: "Invalid emoji code." },
        { when: "another one's name", fields: { ...octopus, emoji_name: "smile" }, msg: "Invalid emoji name." },
        { when: "unknown type", fields: { ...octopus, reaction_type: "picture" }, msg: "Invalid emoji type." },
        { when: "unknown own emoji", fields: { ...zulip, emoji_code: "x" }, msg: "Invalid emoji code." },
        { when: "own emoji by another name", fields: { ...zulip, emoji_name: "x" }, msg: "Invalid emoji name." },
        {
          when: "unknown custom emoji",
          fields: { ...octopus, reaction_type: "realm_emoji" },
          msg: "Invalid custom emoji.",
        },
        { when: "no characters", fields: { emoji_name: "" }, msg: "emoji_name cannot be blank" },
        {
          when: "too long",
          fields: { emoji_name: "x".repeat(101) },
          msg: "emoji_name is too long (limit: 100 characters)",
        },
      ]
      const queue = await server.queue("hamlet")
      await refuses(t, adding, (fields) => server.as("cordelia").post(pathOf(id), fields))
      const missing = { code: "REACTION_DOES_NOT_EXIST", msg: "Reaction doesn't exist." }
      const removing: ReadonlyArray<Refusal> = [
        { when: "neither name nor code", fields: {}, msg: /emoji_name, emoji_code/ },
        { when: "none there", fields: { emoji_name: "octopus" }, ...missing },
        { when: "none there, by its code", fields: { emoji_code: "1f419" }, ...missing },
        { when: "unknown type", fields: { emoji_code: "1f419", reaction_type: "x" }, msg: "Invalid emoji type." },
      ]
      await refuses(t, removing, (fields) => server.as("cordelia").delete(pathOf(id), fields))
      t.same(await reactionsOf(server, "hamlet", id), [])
      t.same(await queue.rest(), [])
    })

    await t.test("reactions of many at once: each counts once", async (t) => {
      const id = await server.as("hamlet").send("lobby", "to be")
      const answers = await Promise.all(
        (["hamlet", "cordelia", "polonius"] as const).flatMap((name) =>
          Array.from({ length: 4 }, () => server.as(name).post(pathOf(id), { emoji_name: "octopus" })),
        ),
      )
      t.equal(answers.filter(({ status }) => status === 200).length, 3)
      t.equal(answers.filter(({ body }) => body["code"] === "REACTION_ALREADY_EXISTS").length, 9)
      t.equal(recordsIn(await reactionsOf(server, "hamlet", id)).length, 3)
    })

    await t.test("a message bears a bounded number of reactions", async (t) => {
      const id = await server.as("hamlet").send("lobby", "to be")
      const own = [
        "octopus",
        "smile",
        "heart",
        "tada",
        "+1",
        "-1",
        "joy",
        "fire",
        "eyes",
        "wave",
        "clap",
        "pray",
        "100",
      ]
      const more = ["thinking", "rocket", "check", "dog", "cat", "tulip", "beach", "bug"]
      for (const name of [...own, ...more].slice(0, 20)) await react(server, "hamlet", id, name)
      const full = { status: 400, body: { code: "BAD_REQUEST", msg: "This message cannot have more reactions." } }
      t.match(await server.as("hamlet").post(pathOf(id), { emoji_name: "bug" }), full, "20 of one user")
      await react(server, "cordelia", id, "bug")
      t.match(await server.as("hamlet").post(pathOf(id), { emoji_name: "bug" }), full, "nor one that is there")
      const crowd = Array.from({ length: 5000 - 21 }, (_, n) => 1000 + n)
      await server.rows(
        "update reaction set users = users || $2::text::integer[] where message_id = $1 and emoji_code = '1f419'",
        [id, `{${crowd.join(",")}}`],
      )
      t.match(await server.as("cordelia").post(pathOf(id), { emoji_name: "octopus" }), full, "5000 in all")
      const shown = await reactionsOf(server, "cordelia", id)
      t.equal(recordsIn(shown).length, 5000)
    })

    await t.test("whoever may read a message may react to it; for others it does not exist", async (t) => {
      const refused = { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid message(s)" } }
      const open = await server.as("hamlet").send("lobby", "for all")
      const secret = await server.as("hamlet").send("den", "for two")
      const direct = Number(
        (
          await server
            .as("hamlet")
            .must.post("/messages", { type: "direct", to: ["cordelia@test.example"], content: "c" })
        )["id"],
      )
      for (const message of [secret, direct, direct + 1, 0, 1]) {
        t.match(await server.as("othello").post(pathOf(message), { emoji_name: "octopus" }), refused, `add ${message}`)
        t.match(
          await server.as("othello").delete(pathOf(message), { emoji_name: "octopus" }),
          refused,
          `remove ${message}`,
        )
      }
      await react(server, "cordelia", direct, "octopus")
      await react(server, "cordelia", secret, "octopus")
      const hears = await server.queue("othello")
      const outside = await server.queue("iago")
      await react(server, "othello", open, "octopus")
      await react(server, "hamlet", open, "+1")
      t.match(
        await hears.rest(),
        [{ emoji_name: "octopus" }, { emoji_name: "+1" }],
        "whoever reacts to a message of a public channel holds it from then on",
      )
      t.same(await outside.rest(), [], "who neither subscribed nor reacted hears nothing")
      t.match(
        await server.rows("select user_id, historical, unread_since from personal_message where message_id = $1", [
          open,
        ]),
        [{ user_id: server.idOf("othello"), historical: true, unread_since: null }],
      )
      // A message that was sent while somebody was away: of a channel with protected history they never see it.
      await server
        .as("desdemona")
        .must.patch(`/streams/${channelId(server, "den")}`, { history_public_to_subscribers: false })
      await server.as("cordelia").must.delete("/users/me/subscriptions", { subscriptions: ["den"] })
      const missed = await server.as("hamlet").send("den", "while away")
      await server.as("hamlet").must.post("/users/me/subscriptions", {
        subscriptions: [{ name: "den" }],
        principals: [server.idOf("cordelia")],
      })
      const queue = await server.queue("cordelia")
      t.match(await server.as("cordelia").post(pathOf(missed), { emoji_name: "octopus" }), refused)
      await react(server, "hamlet", missed, "octopus")
      t.same(await queue.rest(), [], "nor hears of it")
      await react(server, "hamlet", secret, "+1")
      t.match(await queue.rest(), [{ message_id: secret, emoji_name: "+1" }], "an older one they hold")
    })

    await t.test("who left a public channel hears of the messages that they still hold", async (t) => {
      const before = await server.as("hamlet").send("lobby", "before")
      await server.as("cordelia").must.delete("/users/me/subscriptions", { subscriptions: ["lobby"] })
      const after = await server.as("hamlet").send("lobby", "after")
      const queue = await server.queue("cordelia")
      await react(server, "hamlet", before, "octopus")
      await react(server, "hamlet", after, "octopus")
      t.match(await queue.rest(), [{ type: "reaction", message_id: before }])
      await react(server, "cordelia", before, "octopus")
      await server.restart()
      t.match(
        await server.resume("cordelia", queue).rest(),
        [{ type: "reaction", message_id: before, user_id: server.idOf("cordelia") }],
        "from the log",
      )
    })
  }),
)

// Of a private one they would hear nothing: history/present-access.test.ts.
t.test(
  "a page of messages with many reactions is cut where an answer is as long as it may be",
  inTurn(2, "pages with many reactions"),
  (t) =>
    withServer(t, { channels, limits: { answerBytes: 5500 } }, async (server) => {
      const ids: Array<number> = []
      for (let n = 0; n < 4; n++) ids.push(await server.as("hamlet").send("lobby", `${n}`))
      const page = { anchor: "newest", num_before: 4, num_after: 0 }
      const idsIn = async () =>
        recordsIn((await server.as("hamlet").must.get("/messages", page))["messages"]).map(({ id }) => id)
      t.same(await idsIn(), ids)
      for (const name of ["octopus", "smile", "heart", "tada", "+1", "-1", "joy", "fire", "eyes", "wave"])
        for (const who of ["hamlet", "cordelia", "polonius"] as const) await react(server, who, ids[2] ?? 0, name)
      t.same(await idsIn(), ids.slice(2), "the third has 30 reactions of 120 bytes")
      for (const name of ["octopus", "smile", "heart", "tada", "+1", "-1", "joy", "fire", "eyes", "wave"])
        for (const who of ["hamlet", "cordelia", "polonius"] as const)
          await takeBack(server, who, ids[2] ?? 0, { emoji_name: name })
      t.same(await idsIn(), ids, "as before, when they are taken back")
    }),
)
