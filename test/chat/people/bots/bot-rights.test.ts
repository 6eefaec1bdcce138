/** What a bot may is at most what its owner may: roles follow, and so does the loss of a private channel. */
import t from "tap"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import type { Fields } from "../../../kit/client.ts"
import { objectIn } from "../../../kit/client-sections.ts"
import { atRest, workOf } from "../../../kit/jobs.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refusal } from "../../../kit/rows.ts"
import { settles } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["cordelia", "hamlet"], isPrivate: true },
] as const

const makeBot = async (server: TestServer, by: Name, short_name: string) => {
  const made = await server.as(by).must.post("/bots", { full_name: short_name, short_name })
  return { id: Number(made["user_id"]), asBot: server.asEmail(`${short_name}-bot@${server.realm.realm.host}`) }
}
const roleOf = async (server: TestServer, id: number) =>
  objectIn((await server.as("iago").must.get(`/users/${id}`))["user"])["role"]
const setRole = (server: TestServer, by: Name, id: number, role: number) =>
  server.as(by).must.patch(`/users/${id}`, { role })
const above = refusal("A bot cannot have a higher role than its owner.")

t.test("a bot's role is never above its owner's", (t) =>
  withServer(t, { channels }, async (server) => {
    await t.test("who loses a role loses it in their bots, which cannot give it back", async (t) => {
      const { id, asBot } = await makeBot(server, "iago", "keeper")
      const lowest = await makeBot(server, "iago", "lowest")
      await server.as("iago").must.patch(`/bots/${id}`, { role: 200 })
      await server.as("iago").must.patch(`/bots/${lowest.id}`, { role: 600 })
      await asBot.must.patch(`/users/${server.idOf("hamlet")}`, { role: 300 })
      const watching = await server.queue("cordelia", { event_types: ["realm_user"] })
      await setRole(server, "desdemona", server.idOf("iago"), 400)
      const told = (user_id: number) => ({ type: "realm_user", op: "update", person: { user_id, role: 400 } })
      t.match(await watching.rest(), [told(server.idOf("iago")), told(id)])
      t.match(
        await asBot.patch(`/users/${server.idOf("iago")}`, { role: 200 }),
        refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL"),
      )
      t.equal(await roleOf(server, lowest.id), 600, "what is below them stays")
      await sameAfresh(t, server, "demoted")
      await setRole(server, "desdemona", server.idOf("iago"), 200)
      t.equal(await roleOf(server, id), 400, "bots do not rise with them")
    })

    await t.test("who is no administrator any more forgets the keys of bots with more rights", async (t) => {
      const [ruler, plain] = [await makeBot(server, "desdemona", "ruler"), await makeBot(server, "desdemona", "plain")]
      await server.as("desdemona").must.patch(`/bots/${ruler.id}`, { role: 200 })
      const keysKnown = async () => {
        const keys: Array<unknown> = []
        for (const { id } of [ruler, plain])
          keys.push((await server.as("desdemona").must.get(`/bots/${id}/api_key`))["api_key"])
        return keys
      }
      const before = await keysKnown()
      await setRole(server, "desdemona", server.idOf("iago"), 400)
      const after = await keysKnown()
      t.not(after[0], before[0])
      t.equal(after[1], before[1], "what may no more than they do has its key")
      await setRole(server, "desdemona", server.idOf("iago"), 200)
      await server.as("desdemona").must.delete(`/users/${server.idOf("iago")}`)
      t.not((await keysKnown())[0], after[0], "who leaves, too")
      await server.as("desdemona").must.post(`/users/${server.idOf("iago")}/reactivate`)
    })

    await t.test("a bot that is not active follows, too", async (t) => {
      const { id } = await makeBot(server, "shiva", "asleep")
      await server.as("shiva").must.delete(`/bots/${id}`)
      await setRole(server, "desdemona", server.idOf("shiva"), 600)
      await server.as("desdemona").must.post(`/users/${id}/reactivate`)
      t.equal(await roleOf(server, id), 600)
      t.match(await server.as("desdemona").patch(`/bots/${id}`, { role: 400 }), above)
      t.match(await server.as("desdemona").patch(`/users/${id}`, { role: 400 }), above, "by either endpoint")
      await sameAfresh(t, server, "a guest's bot")
      await setRole(server, "desdemona", server.idOf("shiva"), 300)
    })

    await t.test("a new owner gives their role, where it is lower", async (t) => {
      const { id } = await makeBot(server, "cordelia", "given")
      const toPolonius = { bot_owner_id: server.idOf("polonius") }
      t.match(await server.as("desdemona").patch(`/bots/${id}`, { ...toPolonius, role: 400 }), above)
      await server.as("cordelia").must.patch(`/bots/${id}`, toPolonius)
      t.equal(await roleOf(server, id), 600)
      await server.as("desdemona").must.patch(`/bots/${id}`, { bot_owner_id: server.idOf("desdemona"), role: 100 })
      t.equal(await roleOf(server, id), 100)
      await server.as("desdemona").must.delete(`/bots/${id}`)
      await setRole(server, "desdemona", server.idOf("iago"), 100)
      await server.as("iago").must.delete(`/users/${server.idOf("desdemona")}`)
      await server.as("iago").must.post(`/users/${server.idOf("desdemona")}/reactivate`)
    })
  }),
)

t.test("bots that older programs left above their owners are lowered at the start", (t) =>
  withServer(t, { channels }, async (server) => {
    const fields = { fullName: "Older", email: "older-bot@test.example", role: 200, passwordHash: null } as const
    const id = await server.run(
      setUpUser(server.realmId, { ...fields, isBot: true, botOwnerId: server.idOf("hamlet") }),
    )
    t.equal(await roleOf(server, id), 200)
    await server.restart()
    await atRest(workOf(server), { name: "bots above their owners" })
    t.equal(await roleOf(server, id), 400)
    await sameAfresh(t, server, "lowered")
  }),
)

t.test("who is taken out of a private channel loses their bots in it", (t) =>
  withServer(t, { channels }, async (server) => {
    const { id, asBot } = await makeBot(server, "hamlet", "ear")
    const principals = [id]
    const join = (name: string) =>
      server.as("cordelia").must.post("/users/me/subscriptions", { subscriptions: [{ name }], principals })
    for (const name of ["lobby", "den"]) await join(name)
    const subscribed = async () =>
      recordsIn((await asBot.must.get("/users/me/subscriptions"))["subscriptions"]).map(({ name }) => name)
    await server.as("hamlet").must.delete("/users/me/subscriptions", { subscriptions: ["den"] })
    t.same(await subscribed(), ["lobby", "den"], "who leaves by themselves does not take them along")
    await server.as("cordelia").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "den" }],
      principals: [server.idOf("hamlet")],
    })
    const out: Fields = { subscriptions: ["lobby", "den"], principals: [server.idOf("hamlet")] }
    t.match(await server.as("iago").must.delete("/users/me/subscriptions", out), { removed: ["lobby", "den"] })
    t.same(await subscribed(), ["lobby"], "what is open to all stays")
    const sent = await server.as("cordelia").send("den", "without ears")
    await join("den")
    await server.as("hamlet").must.delete(`/bots/${id}`)
    await server.as("hamlet").must.post(`/users/${id}/reactivate`)
    t.same(await subscribed(), ["lobby"], "nor does it come back there asleep, where its owner is out of it")
    t.match(await asBot.get(`/messages/${sent}`), refusal("Invalid message(s)"))
    await sameAfresh(t, server, "taken out")
  }),
)

t.test("I13: bots that follow their owners settle", (t) =>
  withServer(t, { channels }, async (server) => {
    const { id } = await makeBot(server, "iago", "follower")
    const other = await makeBot(server, "desdemona", "ruler")
    await settles(t, viewsOf(server), "bots follow", async () => {
      await server.as("iago").must.patch(`/bots/${id}`, { role: 200 })
      await server.as("desdemona").must.patch(`/bots/${other.id}`, { role: 100 })
      await setRole(server, "desdemona", server.idOf("iago"), 600)
      await setRole(server, "desdemona", server.idOf("iago"), 100)
      await setRole(server, "iago", server.idOf("desdemona"), 200)
      await server.as("desdemona").must.patch(`/bots/${other.id}`, { bot_owner_id: server.idOf("polonius") })
    })
  }),
)
