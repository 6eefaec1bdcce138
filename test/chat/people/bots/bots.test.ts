/** Bots: making, changing and deactivating them, who may, who is told, and their keys. */
import t from "tap"
import { roles, systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { mostBots } from "../../../../src/chat/people/users/bot-owner.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { objectIn } from "../../../kit/client-sections.ts"
import { getPicture, postImages } from "../../../kit/images.ts"
import { Reader } from "../../../kit/reader.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { basic, refusal } from "../../../kit/rows.ts"
import { settles } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { plainPicture } from "../../../kit/some-pictures.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["cordelia"], isPrivate: true },
] as const

const makeBot = async (server: TestServer, by: Name, fields: Fields = {}) => {
  const made = await server.as(by).must.post("/bots", { full_name: "Echo", short_name: "echo", ...fields })
  return { id: Number(made["user_id"]), key: String(made["api_key"]), made }
}
const userOf = async (server: TestServer, id: number) =>
  objectIn((await server.as("iago").must.get(`/users/${id}`))["user"])
const botsSeenBy = async (server: TestServer, who: Name) =>
  recordsIn((await server.queue(who, { fetch_event_types: ["realm_bot"] })).state["realm_bots"])
const service = { bot_type: 3, payload_url: "https://bots.example.com/echo" }

t.test("bots, and what they may", (t) =>
  withServer(t, { channels }, async (server) => {
    await t.test("a bot is made, signs in by its key, and is told of to its owner and administrators", async (t) => {
      const types = { event_types: ["realm_user", "realm_bot"], fetch_event_types: ["realm_bot"] }
      const [owner, admin, other] = [
        await server.queue("hamlet", types),
        await server.queue("iago", types),
        await server.queue("cordelia", types),
      ]
      const { id, key, made } = await makeBot(server, "hamlet", { default_sending_stream: "lobby" })
      const settings = {
        default_sending_stream: "lobby",
        default_events_register_stream: null,
        default_all_public_streams: false,
      }
      t.match(made, { api_key: /^[A-Za-z0-9]{32}$/, avatar_url: /^\/user_avatars\//, ...settings })
      const email = `echo-bot@${server.realm.realm.host}`
      const record = {
        user_id: id,
        email,
        full_name: "Echo",
        is_bot: true,
        bot_type: 1,
        bot_owner_id: server.idOf("hamlet"),
      }
      t.match(await userOf(server, id), { ...record, role: 400, is_active: true })
      const person = { type: "realm_user", op: "add", person: record }
      const added = { type: "realm_bot", op: "add", bot: { user_id: id, ...settings, services: [] } }
      t.match(await owner.rest(), [person, added])
      t.match(await admin.rest(), [person, added])
      t.match(await other.rest(), [person])
      t.match(await server.asEmail(email).must.get("/users/me"), { user_id: id, is_bot: true, bot_type: 1 })
      t.match(await server.as("hamlet").must.get("/bots"), {
        bots: [{ username: email, user_id: id, api_key: key, owner_id: server.idOf("hamlet"), ...settings }],
      })
      t.same((await server.as("iago").must.get("/bots"))["bots"], [], "of others an administrator has them by register")
      t.match(await botsSeenBy(server, "iago"), [{ user_id: id, api_key: key, ...settings }])
      t.same(await botsSeenBy(server, "cordelia"), [])
      await sameAfresh(t, server, "with a bot")
      await server.restart()
      t.match(await botsSeenBy(server, "hamlet"), [{ user_id: id, api_key: key, ...settings }], "after a restart")
    })

    await t.test("bots that are refused", async (t) => {
      await makeBot(server, "hamlet", { short_name: "taken" })
      const before = (await botsSeenBy(server, "iago")).length
      const bot = { full_name: "Other", short_name: "other" }
      const rows: ReadonlyArray<readonly [Fields, ReturnType<typeof refusal>]> = [
        [{ full_name: "Other" }, refusal("Missing 'short_name' argument", "REQUEST_VARIABLE_MISSING")],
        [{ ...bot, short_name: "taken" }, refusal("Username already in use")],
        [{ ...bot, short_name: "TAKEN" }, refusal("Username already in use")],
        [{ ...bot, short_name: "a b" }, refusal("Bad name or username")],
        [{ ...bot, short_name: "" }, refusal("Bad name or username")],
        [{ ...bot, short_name: "x".repeat(300) }, refusal("Bad name or username")],
        [{ ...bot, full_name: " " }, refusal("Name too short!")],
        [{ ...bot, bot_type: 4 }, refusal("Embedded bots are not enabled.")],
        [{ ...bot, bot_type: 5 }, refusal("Invalid bot type")],
        [{ ...bot, bot_type: 3 }, refusal("Missing 'payload_url' argument")],
        [{ ...bot, bot_type: 3, payload_url: "ftp://x.example" }, refusal("payload_url is not a URL")],
        [{ ...bot, bot_type: 3, payload_url: "https://u:p@x.example" }, refusal("payload_url is not a URL")],
        [{ ...bot, ...service, interface_type: 3 }, refusal("Invalid interface type")],
        [
          { ...bot, payload_url: "https://x.example" },
          refusal("Only outgoing webhooks have an address that is called."),
        ],
        [{ ...bot, default_sending_stream: "nowhere" }, refusal("Invalid channel name 'nowhere'")],
        [{ ...bot, default_sending_stream: "den" }, refusal("Invalid channel name 'den'")],
        [{ ...bot, config_data: { a: 1 } }, refusal('config_data["a"] is not a string')],
      ]
      for (const [fields, want] of rows)
        t.match(await server.as("hamlet").post("/bots", fields), want, JSON.stringify(fields))
      t.match(await server.as("polonius").post("/bots", bot), refusal("Insufficient permission"), "a guest")
      const taken = server.asEmail(`taken-bot@${server.realm.realm.host}`)
      t.match(await taken.post("/bots", bot), refusal("This endpoint does not accept bot requests."))
      t.equal((await botsSeenBy(server, "iago")).length, before)
    })

    await t.test("an incoming webhook only sends", async (t) => {
      const { id } = await makeBot(server, "hamlet", { short_name: "hook", bot_type: 2 })
      const bot = server.asEmail(`hook-bot@${server.realm.realm.host}`)
      t.match(await bot.post("/messages", { type: "stream", to: "lobby", topic: "t", content: "c" }), { status: 200 })
      const refused = refusal("This API is not available to incoming webhook bots.", "UNAUTHORIZED", 401)
      for (const path of ["/messages", "/users/me", "/streams", "/bot_storage", "/bots"])
        t.match(await bot.get(path), refused, path)
      for (const path of ["/register", "/bots", `/bots/${id}/api_key/regenerate`])
        t.match(await bot.post(path), refused, path)
      t.match(await bot.delete(`/bots/${id}`), refused)
    })

    await t.test("the key of a bot that is an owner is for owners", async (t) => {
      const { id } = await makeBot(server, "desdemona", { short_name: "owner" })
      const whoHas = async () => {
        const names = ["desdemona", "iago", "hamlet", "shiva"] as const
        const states = await Promise.all(
          names.map((name) => server.as(name).must.post("/register", { fetch_event_types: ["realm_bot"] })),
        )
        return names.filter((_, at) => recordsIn(states[at]?.["realm_bots"]).some(({ user_id }) => user_id === id))
      }
      t.same(await whoHas(), ["desdemona", "iago"])
      await server.as("desdemona").must.patch(`/bots/${id}`, { role: 100 })
      t.same(await whoHas(), ["desdemona"])
      t.equal((await server.as("iago").get(`/bots/${id}/api_key`)).status, 400)
    })

    await t.test("a bot's queues begin as its settings say", async (t) => {
      await server.as("iago").must.post("/channels/create", { name: "yard", subscribers: "[]" })
      const { id } = await makeBot(server, "hamlet", { short_name: "heard" })
      const echo = `heard-bot@${server.realm.realm.host}`
      const open = async (fields: Fields = {}) => {
        const bot = server.asEmail(echo)
        return new Reader(bot, server.port, await bot.must.post("/register", { event_types: ["message"], ...fields }))
      }
      const heard = async (queue: Awaited<ReturnType<typeof open>>) => {
        for (const channel of ["lobby", "yard"]) await server.as("iago").send(channel, "c")
        return pluck(
          (await queue.rest()).map(({ message }) => message),
          "display_recipient",
        )
      }
      const set = (fields: Fields) => server.as("hamlet").must.patch(`/bots/${id}`, fields)
      t.same(await heard(await open()), [], "it is in no channel")
      await set({ default_events_register_stream: "lobby" })
      t.same(await heard(await open()), ["lobby"])
      t.same(
        await heard(await open({ narrow: [["channel", "yard"]] })),
        ["yard"],
        "who narrows is not narrowed further",
      )
      await server.as("iago").must.patch(`/streams/${channelId(server, "lobby")}`, { new_name: "hall" })
      const renamed = await open()
      await server.as("iago").send("hall", "c")
      t.match(await renamed.rest(), [{ message: { display_recipient: "hall" } }], "by its name of now")
      await server.as("iago").must.patch(`/streams/${channelId(server, "hall")}`, { new_name: "lobby" })
      await set({ default_events_register_stream: "", default_all_public_streams: true })
      t.same(await heard(await open()), ["lobby", "yard"])
      t.same(await heard(await open({ all_public_streams: false })), [], "who says so gets them not")
      await server.as("iago").must.patch(`/bots/${id}`, { role: roles.guest })
      t.same(await heard(await open()), [], "guests have no such queues")
      t.match(
        await server.asEmail(echo).post("/register", { all_public_streams: true }),
        refusal("User not authorized for this query"),
      )
    })

    await t.test("an outgoing webhook without an address can be renamed, and given one", async (t) => {
      const old = { fullName: "Old", isBot: true, botType: 3, role: roles.member, passwordHash: null } as const
      const id = await server.run(setUpUser(server.realmId, { ...old, email: "old-bot@test.example" }))
      await server.restart()
      const { patch } = server.as("iago")
      t.match(await patch(`/bots/${id}`, { full_name: "Older" }), { status: 200 })
      t.match(await patch(`/bots/${id}`, { service_interface: 2 }), refusal("Missing 'payload_url' argument"))
      t.match(await patch(`/bots/${id}`, { service_payload_url: service.payload_url }), { status: 200 })
    })

    await t.test("pictures of bots", async (t) => {
      const picture = await plainPicture(200, 200).png().toBuffer()
      const uploaded = /^\/user_avatars\/1\/avatars\/[0-9a-f]{32}\.png\?version=\d+$/
      const path = "/bots?full_name=Echo&short_name=painted"
      t.match(
        await postImages(server, "hamlet", path, picture, picture),
        refusal("You may only upload one file at a time"),
      )
      t.match(await postImages(server, "polonius", path, picture), refusal("Insufficient permission"))
      const { status, body } = await postImages(server, "hamlet", path, picture)
      t.equal(status, 200)
      t.match(body["avatar_url"], uploaded)
      t.equal((await getPicture(server, body["avatar_url"])).status, 200)
      const { user_id } = body
      t.match(await userOf(server, Number(user_id)), { avatar_url: body["avatar_url"] })
      const form = new FormData()
      form.set("picture", new Blob([new Uint8Array(picture)]), "a.png")
      const answer = await fetch(`${server.origin}/api/v1/bots/${user_id}`, {
        method: "PATCH",
        headers: { Authorization: basic(server.as("hamlet").account) },
        body: form,
      })
      const [changed = {}] = recordsIn([await answer.json()])
      t.match(changed, { result: "success", avatar_url: uploaded })
      t.not(changed["avatar_url"], body["avatar_url"])
      await sameAfresh(t, server, "with a picture")
    })

    await t.test("who may make which bots is said by two permissions", async (t) => {
      await server.as("desdemona").must.patch("/realm", {
        can_create_bots_group: { new: systemGroups["role:administrators"] },
      })
      const bot = { full_name: "Other", short_name: "other" }
      const refused = refusal("Insufficient permission")
      t.match(await server.as("hamlet").post("/bots", bot), refused)
      t.match(await server.as("hamlet").post("/bots", { ...bot, bot_type: 2 }), { status: 200 })
      t.match(await server.as("iago").post("/bots", { ...bot, short_name: "another" }), { status: 200 })
      await server.as("desdemona").must.patch("/realm", {
        can_create_write_only_bots_group: { new: systemGroups["role:nobody"] },
      })
      t.match(await server.as("hamlet").post("/bots", { ...bot, short_name: "third", bot_type: 2 }), refused)
    })
  }),
)

t.test("a bot has an owner", (t) =>
  withServer(t, { channels }, async (server) => {
    await t.test("who may change a bot, its owner, and what is told", async (t) => {
      const { id, key } = await makeBot(server, "cordelia", { ...service, default_sending_stream: "den" })
      const path = `/bots/${id}`
      const owned = {
        bot_owner: "cordelia@test.example",
        service_payload_url: service.payload_url,
        service_interface: 1,
      }
      const renamed = await server.as("cordelia").must.patch(path, { full_name: "Parrot", config_data: { a: "b" } })
      t.match(renamed, { full_name: "Parrot", config_data: { a: "b" }, default_sending_stream: "den", ...owned })
      const refused = refusal("Insufficient permission")
      for (const who of ["hamlet", "polonius"] as const) {
        t.match(await server.as(who).patch(path, { full_name: "X" }), refused, who)
        t.match(await server.as(who).delete(path), refused, who)
        t.match(await server.as(who).get(`${path}/api_key`), refused, who)
        t.match(await server.as(who).post(`${path}/api_key/regenerate`), refused, who)
      }
      for (const unknown of [4711, server.idOf("hamlet")])
        t.match(await server.as("iago").patch(`/bots/${unknown}`, { full_name: "X" }), refusal("No such bot"))
      const roleRefused = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")
      t.match(await server.as("cordelia").patch(path, { role: 300 }), roleRefused)
      t.match(
        await server.as("iago").patch(path, { role: 300 }),
        refusal("A bot cannot have a higher role than its owner."),
      )
      await server.as("iago").must.patch(path, { role: 600 })
      t.match(await userOf(server, id), { role: 600 })
      await server.as("iago").must.patch(path, { role: 400 })
      t.match(
        await server.as("iago").patch(path, { role: 100 }),
        refusal("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL"),
      )
      for (const [owner, why] of [
        [4711, "no such user"],
        [id, "bots can't own other bots"],
      ] as const)
        t.match(await server.as("iago").patch(path, { bot_owner_id: owner }), refusal(`Failed to change owner, ${why}`))
      await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
      t.match(
        await server.as("iago").patch(path, { bot_owner_id: server.idOf("othello") }),
        refusal("Failed to change owner, user is deactivated"),
      )

      const types = { event_types: ["realm_user", "realm_bot"], fetch_event_types: ["realm_bot"] }
      const [before, after, admin, other] = [
        await server.queue("cordelia", types),
        await server.queue("hamlet", types),
        await server.queue("iago", types),
        await server.queue("shiva", types),
      ]
      const given = await server.as("cordelia").must.patch(path, { bot_owner_id: server.idOf("hamlet") })
      t.match(given, { default_sending_stream: null }, "the new owner may not read it")
      const person = { user_id: id, bot_owner_id: server.idOf("hamlet") }
      const owner = { type: "realm_user", op: "update", person }
      const update = { type: "realm_bot", op: "update", bot: { user_id: id, default_sending_stream: null } }
      const [{ services: earlier } = {}] = recordsIn(before.state["realm_bots"])
      const called = { base_url: service.payload_url, interface: 1, token: /^[0-9a-f]{32}$/ }
      t.match(await before.rest(), [owner, { type: "realm_bot", op: "delete", bot: { user_id: id } }])
      const told = await after.rest()
      t.match(told, [owner, { type: "realm_bot", op: "add", bot: { user_id: id, services: [called] } }, update])
      t.notSame(recordsIn(earlier)[0]?.["token"], undefined)
      t.notMatch(told, [{}, { bot: { services: earlier } }], "a token of its own")
      t.match(await admin.rest(), [owner, update])
      t.match(await other.rest(), [owner])
      t.match(await server.as("cordelia").get(`${path}/api_key`), refused, "it is hers no more")
      const { api_key: own } = await server.as("hamlet").must.get(`${path}/api_key`)
      t.not(own, key, "the one before knows hers")
      const { api_key: renewed } = await server.as("hamlet").must.post(`${path}/api_key/regenerate`)
      t.not(renewed, own)
      const email = `echo-bot@${server.realm.realm.host}`
      const asBot = (secret: unknown) =>
        fetch(`${server.origin}/api/v1/users/me`, { headers: { Authorization: basic({ email, key: String(secret) }) } })
      t.equal((await asBot(key)).status, 401)
      t.equal((await asBot(own)).status, 401)
      t.equal((await asBot(renewed)).status, 200)
      await sameAfresh(t, server, "with another owner")
      await server.restart()
      t.match(await botsSeenBy(server, "hamlet"), [{ user_id: id, api_key: renewed, services: [called] }])
    })

    await t.test("bots leave with their owner, and belong to whoever takes them back", async (t) => {
      const { id, key } = await makeBot(server, "shiva", { short_name: "left" })
      await server.as("shiva").must.delete(`/bots/${id}`)
      t.match(await userOf(server, id), { is_active: false })
      t.same((await server.as("shiva").must.get("/bots"))["bots"], [])
      t.match(await botsSeenBy(server, "shiva"), [{ user_id: id, is_active: false }])
      await server.as("shiva").must.delete(`/bots/${id}`)
      await server.as("shiva").must.post(`/users/${id}/reactivate`)
      t.match(await userOf(server, id), { is_active: true, bot_owner_id: server.idOf("shiva") })
      await server.as("iago").must.delete(`/users/${server.idOf("shiva")}`)
      t.match(await userOf(server, id), { is_active: false })
      await server.as("iago").must.post(`/users/${server.idOf("shiva")}/reactivate`)
      t.match(await userOf(server, id), { is_active: false }, "not with them")
      await server.as("iago").must.delete(`/users/${server.idOf("shiva")}`)
      await server.as("iago").must.post(`/users/${id}/reactivate`)
      t.match(await userOf(server, id), { is_active: true, bot_owner_id: server.idOf("iago") })
      const { bots } = await server.as("iago").must.get("/bots")
      t.same(pluck(bots, "user_id"), [id])
      t.not(pluck(bots, "api_key")[0], key, "who is gone knows the old key")
      await sameAfresh(t, server, "adopted")
    })
  }),
)

t.test("an account owns so many active bots, however it comes by them", inTurn(2, "bounded bots"), (t) =>
  withServer(t, {}, async (server) => {
    const full = refusal("An account owns at most 100 active bots: deactivate some first.")
    const hamlet = server.as("hamlet")
    const bot = (n: number) => ({ full_name: `Bot ${n}`, short_name: `bot${n}` })
    const own = async (n: number) => {
      const { full_name: fullName, short_name } = bot(n)
      const fields = { fullName, email: `${short_name}-bot@test.example`, role: roles.member, passwordHash: null }
      const botOwnerId = server.idOf("hamlet")
      return server.run(setUpUser(server.realmId, { ...fields, isBot: true, botOwnerId }))
    }
    const ids: Array<number> = []
    for (let n = 1; n <= mostBots - 1; n++) ids.push(await own(n))
    const { user_id: last } = await hamlet.must.post("/bots", bot(100))
    t.match(await hamlet.post("/bots", bot(101)), full)
    t.match(await server.as("iago").post("/bots", bot(101)), { status: 200 }, "others make some")
    const { bots } = await server.as("iago").must.get("/bots")
    const [given = 0] = pluck(bots, "user_id")
    const toHamlet = { bot_owner_id: server.idOf("hamlet") }
    t.match(await server.as("iago").patch(`/bots/${String(given)}`, toHamlet), full, "given")
    await hamlet.must.delete(`/bots/${String(last)}`)
    t.match(await server.as("iago").patch(`/bots/${String(given)}`, toHamlet), { status: 200 })
    t.match(await hamlet.post(`/users/${String(last)}/reactivate`), full, "taken back")
    t.match(await server.as("iago").post(`/users/${String(last)}/reactivate`), full, "by whomever")
    await server.restart()
    t.match(await server.as("hamlet").post("/bots", bot(102)), full, "after a restart")
    await server.as("hamlet").must.delete(`/bots/${ids[0] ?? 0}`)
    t.match(await server.as("hamlet").post(`/users/${String(last)}/reactivate`), { status: 200 })
    await sameAfresh(t, server, "with many bots")
  }),
)

t.test("I13: bots settle", (t) =>
  withServer(t, { channels }, async (server) => {
    const seen = await settles(t, viewsOf(server), "bots", async () => {
      const { id } = await makeBot(server, "hamlet", { default_events_register_stream: "lobby" })
      const called = await makeBot(server, "hamlet", { ...service, short_name: "called" })
      const patch = (by: Name, bot: number, fields: Fields) => server.as(by).must.patch(`/bots/${bot}`, fields)
      await patch("hamlet", id, { full_name: "Parrot", default_all_public_streams: true })
      await patch("hamlet", called.id, { service_interface: 2, service_payload_url: '"https://other.example.com"' })
      await patch("hamlet", id, { bot_owner_id: server.idOf("iago") })
      await patch("iago", id, { bot_owner_id: server.idOf("polonius"), default_events_register_stream: "" })
      await patch("desdemona", called.id, { bot_owner_id: server.idOf("desdemona"), role: 300 })
      await patch("desdemona", called.id, { role: 100 })
      await patch("desdemona", called.id, { full_name: "An owner" })
      await patch("desdemona", called.id, { bot_owner_id: server.idOf("hamlet") })
      await server.as("polonius").must.delete(`/bots/${id}`)
      await server.as("iago").must.post(`/users/${id}/reactivate`)
      await server.as("hamlet").must.post(`/bots/${called.id}/api_key/regenerate`)
    })
    for (const kind of ["add", "update", "delete"]) t.ok(seen.has(`realm_bot/${kind}`), kind)
  }),
)
