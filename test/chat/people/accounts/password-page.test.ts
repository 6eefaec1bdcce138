/** Another password by mail: asking for the link, choosing, and how links end. */
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { UserId } from "../../../../src/ids.ts"
import { inTurn } from "../../../kit/share.ts"
import { requirePasswordReset } from "../../../kit/test-commands.ts"
import { until } from "../../../kit/test-database.ts"
import { withServer } from "../../../kit/with-server.ts"
import {
  addPerson,
  askForPassword,
  linksTo,
  look,
  mailing,
  ownOrigin,
  quiet,
  resetPath,
  send,
  signIn,
} from "./accounts-scene.ts"

const rosa = "Rosa@test.example"
const chosen = { new_password: "another long one" }
const day = 24 * 3600_000

t.test("another password is asked for, mailed a link for, and chosen once", (t) =>
  withServer(t, mailing, async (server) => {
    const id = await addPerson(server, rosa, "Rosa")
    const page = await look(server, resetPath)
    t.equal(page.status, 200)
    t.match(page.body, /<form method="post">[\s\S]*name="email"/)
    const link = await askForPassword(server, "rosa@TEST.example")
    t.match(link, /^\/accounts\/password\/reset\/[\w-]{43}$/)
    const hashes = await server.rows("select link_hash from account_link")
    t.notOk(link.endsWith(String(hashes[0]?.["link_hash"])), "the database does not have the link itself")
    t.match(await look(server, link), { status: 200, body: /name="new_password"/ })
    const short = await send(server, link, { new_password: "short" })
    t.match(short, { status: 400, body: /password is too short/ })
    t.match(await send(server, link), { status: 400 })
    t.equal(await signIn(server, rosa, "a long password"), 200, "until then the old one holds")

    await server.run(requirePasswordReset(server.realmId, UserId(id)))
    await server.restart()
    t.match(await send(server, link, chosen), { status: 200, body: /Your password is changed/ }, "also after a restart")
    t.equal(await signIn(server, rosa, "a long password"), 401)
    t.equal(await signIn(server, rosa, chosen.new_password), 200, "one that had to be reset is")
    for (const again of [await look(server, link), await send(server, link, { new_password: "a third long one" })])
      t.match(again, { status: 404, body: /This link is not valid/ }, "a link works once")
    t.equal(await signIn(server, rosa, chosen.new_password), 200)
  }),
)

t.test("all addresses are answered the same, and only people who can sign in are mailed", (t) =>
  withServer(t, mailing, async (server) => {
    const gone = await addPerson(server, "gone@test.example")
    await server.as("iago").must.delete(`/users/${gone}`)
    const bot = { fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
    await server.run(setUpUser(server.realmId, { ...bot, email: "bot@test.example" }))
    const bare = { fullName: "Bare", role: roles.member, isBot: false, passwordHash: null }
    await server.run(setUpUser(server.realmId, { ...bare, email: "bare@test.example" }))
    const known = await send(server, resetPath, { email: "hamlet@test.example" })
    for (const email of ["gone@test.example", "bot@test.example", "nobody@far.example", "user3@test.example"]) {
      const { status, body } = await send(server, resetPath, { email })
      t.same([status, body], [known.status, known.body], email)
      await quiet(server)
      t.same(await linksTo(server, email), [], email)
    }
    t.equal((await linksTo(server, "hamlet@test.example")).length, 1)
    t.match(await send(server, resetPath, { email: "no address" }), { status: 400, body: /Enter a valid email/ })
    const link = await askForPassword(server, "bare@test.example")
    t.equal(await signIn(server, "bare@test.example", chosen.new_password), 401)
    t.equal((await send(server, link, chosen)).status, 200)
    t.equal(await signIn(server, "bare@test.example", chosen.new_password), 200, "who had none has one")
  }),
)

t.test(
  "a link ends by time, by any other password, with its address, and with the account",
  inTurn(2, "ended password links"),
  (t) =>
    withServer(t, mailing, async (server) => {
      const { clock } = server
      const ends: ReadonlyArray<readonly [string, (id: number) => Promise<unknown>]> = [
        ["time", async () => clock.advance(day)],
        [
          "a change of settings",
          () =>
            server
              .asEmail("p1@test.example")
              .must.patch("/settings", { old_password: "a long password", new_password: "a second password" }),
        ],
        ["another address", (id) => server.as("iago").must.patch(`/users/${id}`, { new_email: "else@test.example" })],
        ["the end of the account", (id) => server.as("iago").must.delete(`/users/${id}`)],
        [
          "also when they are back",
          async (id) => {
            await server.as("iago").must.delete(`/users/${id}`)
            await server.as("iago").must.post(`/users/${id}/reactivate`)
          },
        ],
        ["the organization's rules", () => server.actions.changeRealm({ password_auth_enabled: false })],
      ]
      for (const [n, [what, end]] of ends.entries()) {
        const email = `p${n}@test.example`
        const id = await addPerson(server, email)
        const link = await askForPassword(server, email)
        t.equal((await look(server, link)).status, 200, what)
        await end(id)
        t.equal((await look(server, link)).status, 404, what)
        t.equal((await send(server, link, chosen)).status, 404, what)
        t.equal(await signIn(server, email, chosen.new_password), 401, what)
      }
      t.match(await look(server, resetPath), { status: 404, body: /no passwords here/ })
      t.match(await send(server, resetPath, { email: "hamlet@test.example" }), { status: 404 })
      await server.actions.changeRealm({ password_auth_enabled: true })
      clock.advance(2 * day)
      await until(
        "they are forgotten",
        10_000,
        async () => (await server.rows("select 1 from account_link")).length === 0,
      )
    }),
)

t.test("several links work until one is used; two at once choose once", (t) =>
  withServer(t, mailing, async (server) => {
    await addPerson(server, rosa)
    const first = await askForPassword(server, rosa)
    const second = await askForPassword(server, rosa)
    t.not(first, second)
    t.equal((await look(server, first)).status, 200, "whoever asks in her name voids nothing that she has")
    const passwords = ["the first of two", "the second of two"] as const
    const both = await Promise.all([
      send(server, first, { new_password: passwords[0] }),
      send(server, second, { new_password: passwords[1] }),
    ])
    t.same(both.map(({ status }) => status).sort(), [200, 404], "one of them wins")
    const winner = passwords[both.findIndex(({ status }) => status === 200)] ?? ""
    t.equal(await signIn(server, rosa, winner), 200)
    t.equal(await signIn(server, rosa, passwords.find((each) => each !== winner) ?? ""), 401)
  }),
)

t.test("limits, forged origins, and a server without mail", async (t) => {
  const limits = { signInFailures: 3, signInFailuresPerAddress: 8, signInFailureMinutes: 30 }
  await withServer(t, { config: { ...mailing.config, rateLimit: true }, limits }, async (server) => {
    await addPerson(server, rosa)
    for (const email of [rosa, "nobody@test.example"]) {
      for (let n = 0; n < 3; n++) t.equal((await send(server, resetPath, { email })).status, 200)
      t.match(await send(server, resetPath, { email }), { status: 429, body: /Too many attempts/ }, email)
    }
    t.equal(await signIn(server, rosa, "a long password"), 200, "asking does not keep her from signing in")
    const others = [1, 2, 3].map((n) => send(server, resetPath, { email: `n${n}@test.example` }))
    t.ok(
      (await Promise.all(others)).some(({ status }) => status === 429),
      "nor can one address ask for many accounts",
    )
  })
  await withServer(t, mailing, async (server) => {
    await addPerson(server, rosa)
    for (let n = 0; n < 7; n++) await send(server, resetPath, { email: rosa })
    await quiet(server)
    const links = await linksTo(server, rosa)
    t.equal(links.length, 3, "an address is mailed so many in a day")
    const forged = { Origin: "https://evil.example" }
    const link = links[0] ?? ""
    for (const path of [resetPath, link])
      t.match(await send(server, path, { email: rosa, ...chosen }, forged), { status: 403 }, "a page of somebody else")
    t.equal(await signIn(server, rosa, chosen.new_password), 401)
    t.equal((await send(server, link, chosen, { Origin: ownOrigin })).status, 200, "the page's own")
  })
  await withServer(t, { config: { mode: "production" } }, async (server) => {
    const refused = await send(server, resetPath, { email: "hamlet@test.example" })
    t.match(refused, { status: 400, body: /cannot send mail/ })
    const unknown = await send(server, resetPath, { email: "nobody@test.example" })
    t.equal(unknown.status, refused.status)
  })
})
