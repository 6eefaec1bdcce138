/** Organizations that people make by themselves: asking on the page, the mailed link, what is refused, and how it goes on when it was cut off. */

import * as Effect from "effect/Effect"
import t from "tap"
import { ServerCommands } from "../../../../src/chat/server/commands/server-commands.ts"
import { createRealm } from "../../../../src/chat/server/setup/realm-create.ts"
import { signUpPrefix } from "../../../../src/chat/server/sign-up/sign-up-request-page.ts"
import { mailsPerAddress } from "../../../../src/chat/server/sign-up/sign-up-throttle.ts"
import { Database } from "../../../../src/db/database.ts"
import { absentMailServer } from "../../../kit/absent-mail-server.ts"
import { type Fields, request } from "../../../kit/client.ts"
import { ask } from "../../../kit/raw-http.ts"
import { inTurn } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type ServerSetup, type TestServer, withServer } from "../../../kit/with-server.ts"
import { look, mailsTo, send } from "../../people/accounts/accounts-scene.ts"

const domain = "chat.example.org"
/** Where these pages are asked for is the server's address (raw-http.ts). */
const open: ServerSetup = {
  config: { mail: absentMailServer, signUpDomain: domain, externalUrl: "http://chat.example.org:9991" },
}

const wish = { organization: "Acme & Sons", subdomain: "acme", email: "Ann@far.example" }
const owner = { organization: "Acme & Sons", subdomain: "acme", full_name: "Ann Owner", password: "a long password" }

const linkTo = async (server: TestServer, address: string): Promise<string> =>
  /https?:\/\/chat\.example\.org:9991(\/new\/\S+)/.exec((await mailsTo(server, address)).at(-1)?.text ?? "")?.[1] ?? ""

const askFor = async (server: TestServer, fields: Fields = wish): Promise<string> => {
  const { status } = await send(server, signUpPrefix, fields)
  if (status !== 200) throw new Error(`asking was answered ${status}`)
  return linkTo(server, String(fields["email"]))
}

const hosts = async (server: TestServer) =>
  (await server.rows("select host from realm order by id")).map((row) => row["host"])

const at = (server: TestServer, host: string, method: string, path: string, fields: Fields = {}) =>
  request(server.origin, method, path, fields, { headers: { Host: host } })

t.test("an organization is asked for, mailed a link for, and made once, with its owner", (t) =>
  withServer(t, open, async (server) => {
    const page = await look(server, signUpPrefix)
    t.match(page, { status: 200, body: /name="organization"[\s\S]*before \.chat\.example\.org[\s\S]*name="email"/ })
    const link = await askFor(server)
    t.match(link, /^\/new\/[\w-]{43}$/)
    const [mail] = await mailsTo(server, wish.email)
    t.match(mail, { subject: /make an organization/, text: /acme\.chat\.example\.org/ })
    t.notMatch(mail?.text, /Sons/, "nothing that a stranger wrote is mailed")
    const [kept] = await server.rows("select * from sign_up")
    t.notOk(
      JSON.stringify(kept).includes(link.slice(signUpPrefix.length)),
      "the database does not have the link itself",
    )

    t.match(await look(server, link), { status: 200, body: /value="Acme &amp; Sons"[\s\S]*Ann@far\.example/ })
    t.same(await hosts(server), ["test.example"], "before its form is sent nothing exists")
    await server.restart()
    for (const [faulty, why] of [
      [{ password: "short" }, /password is too short/],
      [{ full_name: "" }, /Name too short/],
      [{ organization: " " }, /cannot be blank/],
      [{ subdomain: "www" }, /taken, or reserved/],
    ] as const)
      t.match(await send(server, link, { ...owner, ...faulty }), { status: 400, body: why })
    t.same(await hosts(server), ["test.example"], "what is refused makes nothing")

    const made = await send(server, link, owner)
    t.match(made, { status: 200, body: /Acme &amp; Sons is made[\s\S]*http:\/\/acme\.chat\.example\.org:9991/ })
    t.notMatch(made.body, /a long password/)
    t.same(await hosts(server), ["test.example", "acme.chat.example.org"])
    for (const again of [await look(server, link), await send(server, link, { ...owner, subdomain: "acme2" })])
      t.match(again, { status: 404, body: /This link is not valid/ }, "a link works once")
    const host = { Host: "acme.chat.example.org:9991" }
    t.match(
      await ask(server.port, { path: signUpPrefix, headers: host }),
      { status: 404 },
      "others make theirs elsewhere",
    )
    t.match(await look(server, signUpPrefix), { status: 200 })
    const settings = await at(server, "acme.chat.example.org", "GET", "/server_settings")
    t.match(settings.body, { realm_name: "Acme & Sons", realm_url: "http://acme.chat.example.org:9991" })
    const key = await at(server, "acme.chat.example.org", "POST", "/fetch_api_key", {
      username: "ann@far.example",
      password: owner.password,
    })
    t.match(key, { status: 200, body: { email: "Ann@far.example" } })
    const self = await request(
      server.origin,
      "GET",
      "/users/me",
      {},
      {
        headers: { Host: "acme.chat.example.org" },
        account: { email: "Ann@far.example", key: String(key.body["api_key"]) },
      },
    )
    t.match(self.body, { full_name: "Ann Owner", is_owner: true })
  }),
)

t.test(
  "without the setting there is no page, like any that there never was",
  inTurn(2, "without the setting there is no page, like any that there never was"),
  (t) =>
    withServer(t, { config: { mail: absentMailServer } }, async (server) => {
      const nothing = await look(server, "/news/")
      t.equal(nothing.status, 404)
      for (const path of [signUpPrefix, `${signUpPrefix}abc`]) {
        t.same((await look(server, path)).body, nothing.body)
        t.match(await send(server, path, wish), { status: 404, body: nothing.body })
      }
      t.same(await server.rows("select 1 from sign_up"), [])
    }),
)

t.test(
  "what is refused: names that are taken, reserved or none, addresses that are none, forms of other pages",
  inTurn(2, "what is refused: names that are taken, reserved or none, addresses that are none, forms of other pages"),
  (t) =>
    withServer(t, open, async (server) => {
      const labels = ["ab", "a".repeat(41), "-acme", "acme-", "a.b", "a_b", "ümlaut", ""]
      for (const subdomain of labels)
        t.match(
          await send(server, signUpPrefix, { ...wish, subdomain }),
          { status: 400, body: /3 to 40 letters/ },
          subdomain,
        )
      for (const subdomain of ["www", "MAIL", "xn--acm-hoa"])
        t.match(await send(server, signUpPrefix, { ...wish, subdomain }), { status: 400, body: /reserved/ }, subdomain)
      for (const email of ["", "none", "a@b@c", "a@b c", "a@-"])
        t.match(await send(server, signUpPrefix, { ...wish, email }), { status: 400, body: /valid email/ }, email)
      t.match(await send(server, signUpPrefix, { ...wish, organization: "" }), { status: 400, body: /blank/ })
      t.match(await send(server, signUpPrefix, { ...wish, organization: "x".repeat(41) }), { status: 400 })
      t.match(await send(server, signUpPrefix), { status: 400 })
      const foreign = await send(server, signUpPrefix, wish, { Origin: "https://evil.example" })
      t.match(foreign, { status: 403 })
      t.same(await server.rows("select 1 from sign_up"), [], "nothing of that was noted")
      t.same(await server.rows("select 1 from outbox where kind = 'mail'"), [], "or mailed")

      const own = await send(server, signUpPrefix, { ...wish, email: "hamlet@test.example" })
      const other = await send(server, signUpPrefix, { ...wish, subdomain: "acme-3" })
      t.same([own.status, own.body], [other.status, other.body], "whose address is known here is not told")
      t.match(await look(server, `${signUpPrefix}${"a".repeat(43)}`), { status: 404, body: /not valid/ })
      const link = await linkTo(server, wish.email)
      t.match(await send(server, link, owner, { Origin: "https://evil.example" }), { status: 403 })
      t.same(await hosts(server), ["test.example"])
    }),
)

t.test(
  "two want the same name: who confirms first has it, the other chooses another",
  inTurn(2, "two want the same name: who confirms first has it, the other chooses another"),
  (t) =>
    withServer(t, open, async (server) => {
      const first = await askFor(server)
      const second = await askFor(server, { ...wish, email: "bob@far.example" })
      const both = await Promise.all([send(server, first, owner), send(server, second, owner)])
      t.same(both.map(({ status }) => status).sort(), [200, 400])
      const late = both[0].status === 200 ? second : first
      t.match(await send(server, late, owner), { status: 400, body: /taken/ })
      t.match(await send(server, signUpPrefix, wish), { status: 400, body: /taken/ }, "nor can it be asked for")
      t.match(await send(server, late, { ...owner, subdomain: "Acme-2" }), { status: 200 })
      t.same(await hosts(server), ["test.example", "acme.chat.example.org", "acme-2.chat.example.org"])
      const twice = await askFor(server, { ...wish, subdomain: "third" })
      const race = await Promise.all([
        send(server, twice, { ...owner, subdomain: "third" }),
        send(server, twice, { ...owner, subdomain: "fourth" }),
      ])
      t.same(race.map(({ status }) => status).sort(), [200, 404], "one link makes one")
      t.equal((await hosts(server)).length, 4)
    }),
)

t.test(
  "one that was cut off goes on by its own link only",
  inTurn(2, "one that was cut off goes on by its own link only"),
  (t) =>
    withServer(t, open, async (server) => {
      const link = await askFor(server)
      const other = await askFor(server, { ...wish, email: "bob@far.example" })
      await server.rows("update sign_up set is_begun = true where email = 'Ann@far.example'")
      const settings = { name: wish.organization, unfinished: true }
      await server.run(
        Effect.flatMap(Database, (database) =>
          createRealm(database, { id: 2, host: "acme.chat.example.org", settings }, null),
        ),
      )
      await server.restart()
      t.match(await send(server, other, owner), { status: 400, body: /taken/ })
      const page = await look(server, link)
      t.match(page, { status: 200, body: /Its address: <strong>acme\.chat\.example\.org/ })
      t.notMatch(page.body, /name="subdomain"/)
      t.match(await send(server, link, { ...owner, subdomain: "else" }), {
        status: 200,
        body: /acme\.chat\.example\.org/,
      })
      t.same(await hosts(server), ["test.example", "acme.chat.example.org"])
      const { text } = await server.run(Effect.flatMap(ServerCommands, (all) => all.perform({ do: "org list" })))
      t.match(text, /acme\.chat\.example\.org {2}Acme & Sons {2}\(1 person\)/)
    }),
)

t.test(
  "one whose last step was cut off is there for its own link, as it was made",
  inTurn(2, "one whose last step was cut off is there for its own link, as it was made"),
  (t) =>
    withServer(t, open, async (server) => {
      const link = await askFor(server)
      const other = await askFor(server, { ...wish, email: "bob@far.example" })
      t.match(await send(server, link, owner), { status: 200 })
      await server.rows("update sign_up set ended_at = null where email = 'Ann@far.example'")
      await server.restart()
      t.match(await look(server, link), { status: 200, body: /acme\.chat\.example\.org/ })
      const again = { ...owner, password: "another long password" }
      t.match(await send(server, link, again), {
        status: 200,
        body: /Acme &amp; Sons is made[\s\S]*that you have chosen when you sent the form first/,
      })
      t.same(await hosts(server), ["test.example", "acme.chat.example.org"], "nothing was made twice")
      t.match(await send(server, link, again), { status: 404 }, "now it is over")
      t.match(await send(server, other, owner), { status: 400, body: /taken/ }, "for others the name is taken")
      const signIn = (password: string) =>
        at(server, "acme.chat.example.org", "POST", "/fetch_api_key", { username: "Ann@far.example", password })
      t.match(await signIn(owner.password), { status: 200 })
      t.match(await signIn(again.password), { status: 401 })
    }),
)

t.test(
  "one that somebody else has made meanwhile, and a link that had begun it, is not that link's",
  inTurn(2, "one that somebody else has made meanwhile, and a link that had begun it, is not that link's"),
  (t) =>
    withServer(t, open, async (server) => {
      const link = await askFor(server)
      const other = await askFor(server, { ...wish, email: "bob@far.example" })
      t.match(await send(server, other, owner), { status: 200 })
      await server.rows("update sign_up set is_begun = true where email = 'Ann@far.example'")
      t.match(await send(server, link, owner), { status: 400, body: /already/ })
    }),
)

t.test("nothing is hashed for a name that is taken", inTurn(2, "nothing is hashed for a name that is taken"), (t) =>
  // No hash can be made at this cost: it is no power of two.
  withServer(t, { ...open, config: { ...open.config, passwordCost: 15 } }, async (server) => {
    const link = await askFor(server)
    const settings = { name: "Another", unfinished: true }
    await server.run(
      Effect.flatMap(Database, (database) =>
        createRealm(database, { id: 2, host: "acme.chat.example.org", settings }, null),
      ),
    )
    t.match(await send(server, link, owner), { status: 400, body: /taken/ })
  }),
)

t.test(
  "one network address cannot use up what all may ask for in a day",
  inTurn(2, "one network address cannot use up what all may ask for in a day"),
  (t) =>
    withServer(
      t,
      {
        ...open,
        config: { ...open.config, rateLimit: true, trustedProxies: ["127.0.0.1"] },
        limits: { organizationsPerDay: 20 },
      },
      async (server) => {
        const from = (address: string, email: string) =>
          send(server, signUpPrefix, { ...wish, email }, { "X-Forwarded-For": address })
        for (let n = 0; n < mailsPerAddress(20); n++)
          t.equal((await from("192.0.2.1", `a${n}@far.example`)).status, 200, `${n}`)
        t.match(await from("192.0.2.1", "late@far.example"), { status: 429, body: /asked for from here/ })
        t.same(await mailsTo(server, "late@far.example"), [])
        t.equal((await from("192.0.2.2", "b@far.example")).status, 200, "others may")
        server.clock.advance(24 * 3600_000 + 1000)
        t.equal((await from("192.0.2.1", "late@far.example")).status, 200, "and they may the day after")
      },
    ),
)

t.test(
  "the share of one address is some of what there is, and less than all",
  inTurn(2, "the share of one address is some of what there is, and less than all"),
  async (t) => {
    for (const [inAll, share] of [
      [1, 1],
      [4, 1],
      [20, 5],
      [100, 25],
    ] as const)
      t.equal(mailsPerAddress(inAll), share)
  },
)

t.test(
  "links are counted for an address, for the server and from a network address, and end by time",
  inTurn(2, "links are counted for an address, for the server and from a network address, and end by time"),
  (t) =>
    withServer(
      t,
      { ...open, config: { ...open.config, rateLimit: true }, limits: { organizationsPerDay: 40 } },
      async (server) => {
        await server.rows(
          `insert into sign_up (link_hash, email, email_folded, name, label, made_at, expires_at)
         select 'of others ' || n, 'x', 'x' || n, 'x', 'x', made.at, made.at + 86400000
           from generate_series(1, $1) as n, (select $2::bigint as at) as made`,
          [40 - 5, server.clock.now()],
        )
        for (let n = 0; n < 4; n++)
          t.equal((await send(server, signUpPrefix, wish)).status, 200, "the answer is the same")
        t.equal((await mailsTo(server, wish.email)).length, 3, "an address gets three a day")
        const link = await linkTo(server, wish.email)
        for (const email of ["b@far.example", "c@far.example"]) await askFor(server, { ...wish, email })
        const many = await send(server, signUpPrefix, { ...wish, email: "d@far.example" })
        t.match(many, { status: 429, body: /Many organizations were asked for/ })
        t.same(await mailsTo(server, "d@far.example"), [])
        for (let n = 7; n < 10; n++) await send(server, signUpPrefix, { ...wish, email: "d@far.example" })
        const often = await send(server, signUpPrefix, { ...wish, email: "d@far.example" })
        t.match(often, { status: 429, body: /asked for from here/ })
        server.clock.advance(24 * 3600_000)
        t.equal((await look(server, link)).status, 404, "a day later it is too old")
        t.equal((await send(server, link, owner)).status, 404)
        t.same(await hosts(server), ["test.example"])
        server.clock.advance(24 * 3600_000)
        await until("they are forgotten", 10_000, async () => (await server.rows("select 1 from sign_up")).length === 0)
        t.equal((await send(server, signUpPrefix, wish)).status, 200, "and may be asked for again")
      },
    ),
)
