/** Domains of addresses, and the restriction to them: of invitations, of who joins by a link, and of who is made by an administrator. */
import t from "tap"
import { absentMailServer } from "../../../kit/absent-mail-server.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { pluck } from "../../../kit/records.ts"
import { Settling } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"
import { invitesOf, join } from "../../people/invitations/invitation-scene.ts"

const config = { mail: absentMailServer }
const channels = [{ name: "lobby", users: ["hamlet", "polonius"] }] as const

t.test("domains are added, changed and removed", (t) =>
  withServer(t, { channels }, async (server) => {
    const iago = server.as("iago")
    const settling = new Settling(t, viewsOf(server, undefined, ["iago", "polonius"]), (when) =>
      sameAfresh(t, server, when),
    )
    const add = (domain: string, fields = {}) => iago.must.post("/realm/domains", { domain, ...fields })
    await settling.after("two domains", async () => {
      t.match(await add("Example.ORG"), { new_domain: [1, "example.org"] })
      t.match(await add("far.example", { allow_subdomains: true }), { new_domain: [2, "far.example"] })
    })
    t.strictSame((await server.as("polonius").must.get("/realm/domains"))["domains"], [
      { domain: "example.org", allow_subdomains: false },
      { domain: "far.example", allow_subdomains: true },
    ])
    await settling.after("one allows subdomains", () =>
      iago.must.patch("/realm/domains/example.org", { allow_subdomains: true }),
    )
    await settling.after("the restriction goes with the last one", async () => {
      await iago.must.patch("/realm", { emails_restricted_to_domains: true })
      await iago.must.delete("/realm/domains/example.org")
      await iago.must.delete("/realm/domains/far.example")
    })
    for (const kind of ["add", "change", "remove"]) t.ok(settling.seen.has(`realm_domains/${kind}`), kind)
    t.ok(settling.seen.has("realm/update emails_restricted_to_domains"))
    const state = await iago.must.post("/register", { fetch_event_types: ["realm", "realm_domains"] })
    t.match(state, { realm_emails_restricted_to_domains: false, realm_domains: [] })
    await add("example.org")
    const reader = await server.queue("hamlet")
    await iago.must.patch("/realm/domains/EXAMPLE.org", { allow_subdomains: false })
    t.same(await reader.rest(), [], "nothing changes, and nothing is told")
    const faults = [
      ["", "Invalid domain: Domain can't be empty."],
      ["localhost", "Invalid domain: Domain must have at least one dot (.)"],
      [".example.org", "Invalid domain: Domain cannot start or end with a dot (.)"],
      ["a..b", "Invalid domain: Consecutive '.' are not allowed."],
      ["-a.b", "Invalid domain: Subdomains cannot start or end with a '-'."],
      ["a_b.c", "Invalid domain: Domain can only have letters, numbers, '.' and '-'s."],
      ["example.org", "The domain example.org is already a part of your organization."],
    ]
    for (const [domain, msg] of faults)
      t.match(await iago.post("/realm/domains", { domain }), { status: 400, body: { msg } }, `${domain}`)
    const gone = { status: 400, body: { msg: "No entry found for domain no.where." } }
    t.match(await iago.patch("/realm/domains/no.where"), gone)
    t.match(await iago.delete("/realm/domains/no.where"), gone)
    await server.restart()
    t.match((await server.as("iago").must.get("/realm/domains"))["domains"], [{ domain: "example.org" }])
  }),
)

t.test("there are 200 domains at most", inTurn(2, "bounded domains"), (t) =>
  withServer(t, {}, async (server) => {
    const add = (n: number) => server.as("iago").post("/realm/domains", { domain: `d${n}.example` })
    const made = await Promise.all(Array.from({ length: 200 }, (_, n) => add(n)))
    t.ok(made.every(({ status }) => status === 200))
    const beyond = { status: 400, body: { msg: "There can be 200 domains at most." } }
    t.match(await add(200), beyond)
    t.match(await add(7), { body: { msg: /already a part/ } })
    await server.as("iago").must.delete("/realm/domains/d7.example")
    t.match(await add(200), { status: 200 })
    t.match(await add(201), beyond)
  }),
)

t.test(
  "where addresses are restricted, only those of the domains come",
  inTurn(2, "where addresses are restricted, only those of the domains come"),
  (t) =>
    withServer(t, { channels, config }, async (server) => {
      const iago = server.as("iago")
      await iago.must.post("/realm/domains", { domain: "in.example" })
      await iago.must.post("/realm/domains", { domain: "wide.example", allow_subdomains: true })
      const outside = "Outside your domain. Allowed: in.example, wide.example (and below it)."
      const make = (email: string) => iago.post("/users", { email, password: "long enough", full_name: "New" })
      t.match(await make("before@out.example"), { status: 200 })
      const link = String((await server.as("desdemona").must.post("/invites/multiuse"))["invite_link"])
      await iago.must.patch("/realm", { emails_restricted_to_domains: true })
      for (const email of ["a@in.example", "b@IN.example", "b@wide.example", "b@very.deep.wide.example"])
        t.match(await make(email), { status: 200 }, email)
      for (const email of ["c@out.example", "c@sub.in.example", "c@notwide.example", "c+d@in.example"]) {
        const why = email.includes("+") ? "Email addresses containing + are not allowed." : outside
        const msg = `Email '${email}' not allowed in this organization. ${why}`
        t.match(await make(email), { status: 400, body: { msg } }, email)
      }
      const invited = await iago.post("/invites", {
        invitee_emails: "d@out.example, e@in.example, f+g@in.example",
        stream_ids: [],
      })
      t.match(invited, {
        status: 400,
        body: {
          code: "INVITATION_FAILED",
          sent_invitations: true,
          errors: [
            ["d@out.example", outside, false],
            ["f+g@in.example", "Email addresses containing + are not allowed.", false],
          ],
        },
      })
      t.strictSame(
        pluck(await invitesOf(server, "desdemona"), "email").filter((email) => email !== undefined),
        ["e@in.example"],
      )
      const joined = (email: string) => join(server, link, { email, full_name: "By link", password: "long enough" })
      const refused = String((await joined("h@out.example")).body)
      t.match(refused, /not allowed in this organization/)
      t.notMatch(refused, /in\.example|wide/, "who has no account does not read the domains")
      const own = await server.as("hamlet").patch("/settings", { email: "h@out.example" })
      t.match(own, { body: { msg: `Email 'h@out.example' not allowed in this organization. ${outside}` } })
      for (let n = 0; n < 9; n++) await iago.must.post("/realm/domains", { domain: `d${n}.example` })
      t.match(await make("c@out.example"), { body: { msg: /in\.example, .* d7\.example, and 1 more\.$/ } })
      t.match((await joined("h@in.example")).body, /Welcome to/)
    }),
)

t.test("who comes is announced in the channel that is chosen for that", inTurn(2, "announced arrivals"), (t) =>
  withServer(t, { channels }, async (server) => {
    const stream_id = server.realm.realm.findChannelByName("lobby")?.id
    const settling = new Settling(t, viewsOf(server, undefined, ["hamlet", "iago"]), (when) =>
      sameAfresh(t, server, when),
    )
    const make = (n: number) =>
      server
        .as("iago")
        .must.post("/users", { email: `n${n}@test.example`, password: "long enough", full_name: `New ${n}` })
    await settling.after("a channel is chosen", () =>
      server.as("iago").must.patch("/realm", { signup_announcements_stream_id: stream_id }),
    )
    await settling.after("somebody comes", () => make(1))
    const newest = {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      narrow: [["channel", "lobby"]],
      apply_markdown: false,
    }
    const shown = () => server.as("hamlet").must.get("/messages", newest)
    t.match((await shown())["messages"], [
      { subject: "signups", content: "`New 1` joined this organization.", sender_full_name: "Notification Bot" },
    ])
    await settling.after("the channel is archived, and with it the choice", async () => {
      await server.as("iago").must.delete(`/streams/${stream_id}`)
      await make(2)
    })
    const state = await server.as("iago").must.post("/register", { fetch_event_types: ["realm"] })
    t.equal(state["realm_signup_announcements_stream_id"], -1)
    t.match(await server.as("iago").patch("/realm", { signup_announcements_stream_id: 4711 }), {
      body: { msg: "Invalid channel ID" },
    })
  }),
)
