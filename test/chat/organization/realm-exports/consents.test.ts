/** Whose private messages an export has: those that somebody may read who allows it, and no others. */

import t from "tap"
import { ended, exported, fetched, heldUp, jsonIn, listedIn, wanted } from "../../../kit/exports.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["cordelia", "othello"], isPrivate: true, historyShared: true },
  { name: "cellar", users: ["hamlet", "othello", "desdemona"], isPrivate: true, historyShared: true },
  { name: "vault", users: ["othello"], isPrivate: true, historyShared: false },
] as const

const allow = (server: TestServer, who: Name, value = true) =>
  server.as(who).must.patch("/settings", { allow_private_data_export: value })

const direct = async (server: TestServer, by: Name, to: ReadonlyArray<Name>, content: string) =>
  Number(
    (await server.as(by).must.post("/messages", { type: "direct", to: JSON.stringify(to.map(server.idOf)), content }))[
      "id"
    ],
  )

/** Every message of the organization, by what it says. Cordelia comes into the vault in the middle, and leaves the attic. */
const fill = async (server: TestServer) => {
  const [hamlet, cordelia, othello] = [server.as("hamlet"), server.as("cordelia"), server.as("othello")]
  const attic = [{ name: "attic" }]
  await cordelia.must.post("/users/me/subscriptions", { subscriptions: JSON.stringify(attic), invite_only: true })
  await cordelia.must.post("/users/me/subscriptions", {
    subscriptions: JSON.stringify(attic),
    principals: JSON.stringify([server.idOf("othello")]),
  })
  const said = {
    public: await hamlet.send("lobby", "said-public"),
    den: await othello.send("den", "said-den"),
    cellar: await hamlet.send("cellar", "said-cellar"),
    early: await othello.send("vault", "said-early"),
    attic: await othello.send("attic", "said-attic"),
    pair: await direct(server, "hamlet", ["cordelia"], "said-pair"),
    group: await direct(server, "othello", ["hamlet", "cordelia"], "said-group"),
    apart: await direct(server, "hamlet", ["othello"], "said-apart"),
    alone: await direct(server, "hamlet", ["hamlet"], "said-alone"),
  }
  await othello.must.post("/users/me/subscriptions", {
    subscriptions: JSON.stringify([{ name: "vault" }]),
    principals: JSON.stringify([server.idOf("cordelia")]),
  })
  await cordelia.must.delete("/users/me/subscriptions", { subscriptions: JSON.stringify(["attic"]) })
  return { ...said, late: await othello.send("vault", "said-late") }
}

const textsIn = (archive: Awaited<ReturnType<typeof exported>>): ReadonlyArray<string> => {
  const whole = [...archive.entries.values()].map(String).join("\n")
  return [...new Set(whole.match(/said-[a-z]+/g))].sort()
}

t.test("a full export has what somebody may read who allows it, and nothing else anywhere", (t) =>
  withServer(t, { channels }, async (server) => {
    const said = await fill(server)
    // One that is moved into the open keeps no trace of where it was.
    const moved = await server.as("hamlet").send("cellar", "said-moved", { topic: "secret topic" })
    const lobby = server.realm.realm.findChannelByName("lobby")?.id ?? 0
    await server.as("hamlet").must.patch(`/messages/${moved}`, { stream_id: lobby, topic: "open" })

    const open = ["said-moved", "said-public"]
    t.strictSame(textsIn(await exported(server, { export_type: 2 })), open, "nobody allows it")

    await allow(server, "cordelia")
    const full = await exported(server, { export_type: 2 })
    const ofCordelia = ["said-den", "said-group", "said-late", "said-moved", "said-pair", "said-public"]
    t.strictSame(textsIn(full), ofCordelia)
    const whole = [...full.entries.values()].map(String).join("\n")
    for (const hidden of ["cellar", "attic", "secret topic"]) t.notOk(whole.includes(hidden), hidden)
    t.strictSame(pluck(recordsIn(jsonIn(full, "channels/000001.json")["channels"]), "name"), ["lobby", "den", "vault"])
    const ids = [said.public, said.den, said.pair, said.group, said.late, moved]
    t.strictSame(
      pluck(
        listedIn(full, "messages").filter(({ content }) => String(content).startsWith("said-")),
        "id",
      ),
      ids.toSorted((a, b) => a - b),
    )
    t.strictSame(textsIn(await exported(server)), open, "a public one has none of it")

    await allow(server, "cordelia", false)
    await allow(server, "othello")
    server.clock.advance(8 * 24 * 3600_000)
    const ofOthello = ["said-apart", "said-attic", "said-cellar", "said-den", "said-early", "said-group", "said-late"]
    t.strictSame(textsIn(await exported(server, { export_type: 2 })), [...ofOthello, ...open])

    await allow(server, "othello", false)
    await allow(server, "shiva")
    t.strictSame(textsIn(await exported(server, { export_type: 2 })), open, "who allows it may read nothing else")
    const cellar = server.realm.realm.findChannelByName("cellar")?.id
    const readers = { new: { direct_members: [server.idOf("shiva")], direct_subgroups: [] } }
    await server.as("desdemona").must.patch(`/streams/${cellar}`, { can_subscribe_group: JSON.stringify(readers) })
    const byGroup = await exported(server, { export_type: 2 })
    t.strictSame(
      textsIn(byGroup),
      ["said-cellar", ...open],
      "what they may read by a group without being in the channel",
    )
  }),
)

t.test(
  "who does not allow it any more when it ends is not in it",
  inTurn(2, "who does not allow it any more when it ends is not in it"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await fill(server)
      await allow(server, "cordelia")
      await allow(server, "hamlet")
      const { begun, release } = heldUp(server)
      const id = await wanted(server, { export_type: 2 })
      await begun
      await allow(server, "cordelia", false)
      release()
      const { export_url } = await ended(server, id, 10_000)
      const ofHamlet = ["said-alone", "said-apart", "said-cellar", "said-group", "said-pair", "said-public"]
      t.strictSame(textsIn(await fetched(export_url)), ofHamlet)
    }),
)

t.test("nobody keeps an export from being made by closing channels again and again", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.as("othello").send("lobby", "said-public")
    const hamlet = server.as("hamlet")
    const names = ["one", "two", "three", "four", "five", "six"]
    const empty = { name: "empty", ids: 0 }
    for (const name of [...names, empty.name]) {
      await hamlet.must.post("/users/me/subscriptions", { subscriptions: JSON.stringify([{ name }]) })
      if (name !== empty.name) await hamlet.send(name, `said-${name}`)
    }
    const close = (name: string, is_private = true) =>
      hamlet.must.patch(`/streams/${server.realm.realm.findChannelByName(name)?.id}`, { is_private })
    // In each attempt another one of theirs, and one of which nothing is taken.
    let attempts = 0
    server.faults.slow("octet_length(m.content)", async () => {
      const name = names[attempts]
      attempts += 1
      if (name === undefined) return
      await close(name)
      await close(empty.name, attempts % 2 === 1)
    })
    const { export_url, failed_timestamp } = await ended(server, await wanted(server), 10_000)
    t.equal(failed_timestamp, null)
    t.strictSame(textsIn(await fetched(export_url)), ["said-public"], "the third is made without all that are theirs")
    t.equal(attempts, 3)
    server.faults.flow()
    t.strictSame(
      textsIn(await exported(server)),
      ["said-five", "said-four", "said-public", "said-six"],
      "the next one has those that are open",
    )
  }),
)

t.test(
  "administrators see who allows it, and hear of changes",
  inTurn(2, "administrators see who allows it, and hear of changes"),
  (t) =>
    withServer(t, {}, async (server) => {
      const [admin, member, own] = [
        await server.queue("iago"),
        await server.queue("hamlet"),
        await server.queue("cordelia"),
      ]
      await allow(server, "cordelia")
      await allow(server, "cordelia")
      await server.as("iago").must.patch("/settings", { email_address_visibility: 4 })
      const user_id = server.idOf("cordelia")
      const consents = async () =>
        recordsIn((await server.as("iago").must.get("/export/realm/consents"))["export_consents"])
      t.equal((await consents()).length, 7)
      t.strictSame(
        (await consents()).filter(
          ({ consented, email_address_visibility }) => consented || email_address_visibility !== 1,
        ),
        [
          { user_id: server.idOf("iago"), consented: false, email_address_visibility: 4 },
          { user_id, consented: true, email_address_visibility: 1 },
        ],
      )
      await allow(server, "cordelia", false)
      await allow(server, "cordelia")
      await server.as("iago").must.delete(`/users/${user_id}`)
      t.equal((await consents()).length, 6, "those who have left are not listed")
      await server.as("iago").must.post(`/users/${user_id}/reactivate`)
      const heard = async (queue: typeof admin) =>
        (await queue.rest())
          .filter(({ type }) => type === "realm_export_consent")
          .map((event) => [event["user_id"], event["consented"]])
      t.strictSame(await heard(admin), [
        [user_id, true],
        [user_id, false],
        [user_id, true],
        [user_id, true],
      ])
      t.strictSame(await heard(member), [])
      t.strictSame(
        (await own.poll(false).catch(() => [])).filter(({ type }) => type === "realm_export_consent"),
        [],
      )
    }),
)

t.test(
  "nobody allows it for somebody else: neither a default of administrators nor one that is stored",
  inTurn(2, "nobody allows it for somebody else: neither a default of administrators nor one that is stored"),
  (t) =>
    withServer(t, {}, async (server) => {
      const comes = async (name: string) => {
        const email = `${name}@test.example`
        await server.as("iago").must.post("/users", { email, full_name: name, password: "a long password" })
      }
      const consents = async () =>
        pluck(recordsIn((await server.as("iago").must.get("/export/realm/consents"))["export_consents"]), "consented")
      const queue = await server.queue("iago")
      await server.as("iago").must.patch("/realm/user_settings_defaults", { allow_private_data_export: true })
      await comes("one")
      const stored = { user_defaults: { allow_private_data_export: true, color_scheme: 2 } }
      await server.rows("update realm set settings = settings || $1::text::jsonb", [JSON.stringify(stored)])
      await server.restart()
      await comes("two")
      const { state } = await server.queue("iago")
      t.match(state["realm_user_settings_defaults"], { allow_private_data_export: false, color_scheme: 2 })
      t.strictSame(await consents(), Array(9).fill(false))
      const told = (await server.resume("iago", queue).rest()).map(({ type }) => type)
      t.notOk(told.includes("realm_export_consent"))
      t.notOk(told.includes("realm_user_settings_defaults"))
    }),
)
