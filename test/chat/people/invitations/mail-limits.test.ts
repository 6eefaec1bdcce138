/** How many invitations one person mails, how many an address gets, how many come by one link; and long lists of them. */
import * as Effect from "effect/Effect"
import t from "tap"
import { LargeAnswers } from "../../../../src/fairness/large-answers.ts"
import type { Fields } from "../../../kit/client.ts"
import { pluck } from "../../../kit/records.ts"
import { until } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { invite, invitesOf, join, mailing, mailsOf } from "./invitation-scene.ts"

const [hour, day] = [3600_000, 24 * 3600_000]
const overLimit: Fields = { code: "INVITATION_FAILED", daily_limit_reached: true, errors: [], sent_invitations: false }
const some = (many: number, from: number) => Array.from({ length: many }, (_, n) => `p${from + n}@far.example`).join()

t.test("of the mails of a day half are for one person who is not an administrator", (t) =>
  withServer(t, { ...mailing, limits: { invitationsPerDay: 7 } }, async (server) => {
    const share = { ...overLimit, msg: /^One person can mail half/ }
    t.match((await invite(server, "hamlet", some(5, 0))).body, share)
    t.same(await mailsOf(server), [], "all or nothing")
    t.equal((await invite(server, "hamlet", some(3, 0))).status, 200)
    const [first] = await invitesOf(server, "hamlet")
    const again = () => server.as("hamlet").post(`/invites/${first?.["id"]}/resend`)
    t.equal((await again()).status, 200, "the fourth, sent again")
    t.match((await again()).body, share)
    t.match((await invite(server, "hamlet", some(1, 9))).body, share)
    t.equal((await server.as("iago").post(`/invites/${first?.["id"]}/resend`)).status, 200, "whoever sends it counts")
    t.match((await invite(server, "cordelia", some(3, 10))).body, { msg: /an organization can mail only so many/ })
    t.equal((await invite(server, "cordelia", some(2, 10))).status, 200, "and others have what is left")
    await server.clock.advance(day)
    t.equal((await invite(server, "desdemona", some(6, 20))).status, 200, "administrators may mail all")
    await server.clock.advance(day)
    t.equal((await invite(server, "hamlet", some(4, 30))).status, 200, "a day later")
  }),
)

t.test("an address is mailed three times a day, whoever invites and however it is written", (t) =>
  withServer(t, mailing, async (server) => {
    const often = {
      code: "BAD_REQUEST",
      msg: "An address can be mailed an invitation 3 times in a day: try again tomorrow",
    }
    t.equal((await invite(server, "hamlet", "Rosa@Far.example")).status, 200)
    const [first] = await invitesOf(server, "hamlet")
    const again = (id = first?.["id"]) => server.as("hamlet").post(`/invites/${id}/resend`)
    t.equal((await again()).status, 200)
    t.equal((await again()).status, 200)
    t.match((await again()).body, often)
    await server.as("hamlet").must.delete(`/invites/${first?.["id"]}`)
    for (const address of ["rosa@far.example", "ROSA@FAR.EXAMPLE", "R <rosa@far.example>"])
      t.match((await invite(server, "desdemona", address)).body, {
        code: "INVITATION_FAILED",
        sent_invitations: false,
        daily_limit_reached: false,
        errors: [[/^rosa@far.example$/i, "Was mailed 3 invitations within a day.", false]],
      })
    t.match(
      (await invite(server, "iago", "rosa@far.example, ros\u00e9@far.example, other@far.example")).body,
      { sent_invitations: true, errors: [["rosa@far.example"]] },
      "the others are sent",
    )
    t.equal((await mailsOf(server)).filter(({ to }) => to.toLowerCase() === "rosa@far.example").length, 3)
    const late = Array.from({ length: 6 }, () => invite(server, "iago", "late@far.example"))
    const sent = (await Promise.all(late)).filter(({ status }) => status === 200)
    t.equal(sent.length, 3, "at the same moment, too")
    t.equal((await mailsOf(server)).filter(({ to }) => to === "late@far.example").length, 3)
    await server.clock.advance(day)
    t.equal((await invite(server, "hamlet", "rosa@far.example")).status, 200, "a day later")
  }),
)

t.test("by one link for many so many come in an hour", (t) =>
  withServer(t, { ...mailing, limits: { invitationLinkUsesPerHour: 3 } }, async (server) => {
    const linkFor = async () => String((await server.as("iago").must.post("/invites/multiuse"))["invite_link"])
    const [link, other] = [await linkFor(), await linkFor()]
    const come = (link: string, n: number) => join(server, link, { email: `p${n}@far.example` })
    const answers = await Promise.all([0, 1, 2, 3, 4].map((n) => come(link, n)))
    t.equal(answers.filter(({ status }) => status === 200).length, 3, "of five at the same moment three")
    t.match(await come(link, 5), { status: 400, body: /Many people have joined by this link within an hour/ })
    t.equal(server.realm.realm.findUserByEmail("p5@far.example"), undefined)
    const came = answers.findIndex(({ status }) => status === 200)
    t.match(
      await join(server, other, { email: `p${came}@far.example` }),
      { body: /already in use/ },
      "one that fails does not count",
    )
    for (const n of [6, 7, 8]) t.equal((await come(other, n)).status, 200, "another link is not concerned")
    await server.clock.advance(hour)
    t.equal((await come(link, 9)).status, 200, "an hour later")
    t.same(await server.rows("select from invitation where ended_at is not null"), [], "links stay open")
    await server.clock.advance(day)
    await until("what no limit asks about goes", 10_000, async () => {
      // The run of the hour before may still be going on: then none is begun by the day.
      await server.clock.advance(hour)
      const left = await server.rows("select from invitation_use union all select from invitation_mail")
      return left.length === 0
    })
  }),
)

const many = async (server: TestServer) => {
  const emails = Array.from({ length: 300 }, (_, n) => `p${n}@far.example`)
  t.equal((await invite(server, "iago", emails.join())).status, 200)
  return emails
}

t.test("a long list of invitations waits until there is room for it, and is as of then", (t) =>
  withServer(t, { ...mailing, limits: { invitationsPerDay: 1000 } }, async (server) => {
    const emails = await many(server)
    const [first] = await invitesOf(server, "iago")
    const taking = Effect.flatMap(LargeAnswers, (answers) =>
      answers.answer("somebody", server.config.limits.unreadBytes, Effect.succeed([])),
    )
    const taken = await server.run(taking)
    const timers = server.clock.pending()
    const asked = invitesOf(server, "iago")
    await until("the list waits", 10_000, () => server.clock.pending() === timers + 1)
    t.same(await invitesOf(server, "hamlet"), [], "a short one needs no room")
    await server.as("iago").must.delete(`/invites/${first?.["id"]}`)
    if (taken._tag === "Text") taken.reservation?.leave()
    t.same(pluck(await asked, "email"), emails.slice(1))
  }),
)
