/** Spec 10, sentence by sentence: POST /invites. How an invitation is accepted is in join-page.test.ts. */
import t, { type Test } from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { pluck } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { invite, invitesOf, linkIn, mailing, mailsOf } from "./invitation-scene.ts"

const minute = 60
const owner = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" }
const administrator = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" }

/** What is sent from now on: tests of one server look at their own. */
const sinceNow = async (server: TestServer) => {
  const mailed = (await mailsOf(server)).length
  const listed = new Set(pluck(await invitesOf(server, "desdemona"), "id"))
  const mails = async () => (await mailsOf(server)).slice(mailed)
  const invites = async (who: Name) => (await invitesOf(server, who)).filter(({ id }) => !listed.has(id))
  const nothing = async (t: Test, what: string): Promise<void> => {
    t.same(await mails(), [], `${what}: no mail`)
    t.same(await invites("desdemona"), [], `${what}: no invitation`)
  }
  return { mails, invites, nothing }
}

t.test("POST /invites", (t) =>
  withServer(t, mailing, async (server) => {
    await t.test("invitee_emails: addresses separated by commas or newlines", async (t) => {
      const emails = "one@far.example, Two Other <two@far.example>\n\nthree@far.example,,ONE@far.example\r\n"
      const { status, body } = await invite(server, "hamlet", emails)
      t.equal(status, 200)
      t.same(body, { result: "success", msg: "" }, "response: generic success object")
      const to = ["one@far.example", "two@far.example", "three@far.example"]
      const mails = await mailsOf(server)
      t.same(pluck(mails, "to"), to)
      t.equal(new Set(mails.map(linkIn)).size, 3, "a link each")
      for (const mail of mails) {
        t.match(mail, { subject: "hamlet has invited you to join Test", text: /hamlet wants you to join/ })
        t.match(mail.html, linkIn(mail))
      }
      const listed = await invitesOf(server, "hamlet")
      t.same(pluck(listed, "email"), to)
      t.match(listed[0], {
        invited_by_user_id: server.idOf("hamlet"),
        invited: Math.floor(server.clock.now() / 1000),
        invited_as: 400,
        is_multiuse: false,
        notify_referrer_on_join: true,
      })
      const stored = JSON.stringify(await server.rows("select * from invitation"))
      for (const mail of mails) t.notMatch(stored, new URL(linkIn(mail)).pathname.slice(6), "the link is not kept")
      t.notMatch(
        JSON.stringify(await server.rows("select payload, audience from log")),
        "far.example",
        "nor the address",
      )
      await refuses(
        t,
        [
          {
            when: "no e-mail address given",
            fields: { invitee_emails: " ,\n," },
            msg: "You must specify at least one email address.",
          },
          {
            when: "a thousand and one",
            fields: { invitee_emails: Array.from({ length: 1001 }, (_, n) => `a${n}@b.example`).join() },
            msg: /at most 1000/,
          },
        ],
        (fields) => invite(server, "hamlet", "", fields),
      )
    })

    await t.test("some addresses cannot be invited: INVITATION_FAILED, and the others are sent", async (t) => {
      const sent = await sinceNow(server)
      await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
      const skipped = [
        ["not an address", "Invalid address.", false],
        ["a@b@c.example", "Invalid address.", false],
        [`user${server.idOf("iago")}@test.example`, "Invalid address.", false],
        ["Cordelia@Test.example", "Already has an account.", false],
        ["othello@test.example", "Account has been deactivated.", true],
      ]
      const bad = skipped.map(([address]) => address).join()
      const failed = await invite(server, "hamlet", bad)
      t.match(failed, {
        status: 400,
        body: {
          code: "INVITATION_FAILED",
          msg: "We weren't able to invite anyone.",
          sent_invitations: false,
          license_limit_reached: false,
          daily_limit_reached: false,
        },
      })
      t.same(new Set(Object.values(failed.body["errors"] ?? {}).map(String)), new Set(skipped.map(String)))
      await sent.nothing(t, "all are skipped")
      const { status, body } = await invite(server, "hamlet", `${bad}\nnew@far.example`)
      t.match(
        { status, code: body["code"], sent: body["sent_invitations"] },
        { status: 400, code: "INVITATION_FAILED", sent: true },
      )
      t.same(new Set(Object.values(body["errors"] ?? {}).map(String)), new Set(skipped.map(String)), "triples")
      t.same(pluck(await sent.mails(), "to"), ["new@far.example"])
    })

    await t.test("a list as a mail program copies it; a wrong piece is named", async (t) => {
      const sent = await sinceNow(server)
      const list =
        'Doe, Jane <jane@far.example>; "Roe, R." <roe@far.example>; nobody there;\r\nmailto:ann@far.example bob@far.example'
      const { status, body } = await invite(server, "hamlet", list)
      t.match({ status, body }, { status: 400, body: { code: "INVITATION_FAILED", sent_invitations: true } })
      t.same(body["errors"], [["nobody there", "Invalid address.", false]])
      const to = ["jane@far.example", "roe@far.example", "ann@far.example", "bob@far.example"]
      t.same(pluck(await sent.mails(), "to"), to)
    })

    await t.test("the default of INVITATION_LINK_VALIDITY_MINUTES is 14400", async (t) => {
      const sent = await sinceNow(server)
      await invite(server, "iago", "usual@far.example")
      const [invitation] = await sent.invites("iago")
      t.equal(Number(invitation?.["expiry_date"]) - Number(invitation?.["invited"]), 14_400 * minute)
    })

    await t.test("invite_as: a user may only invite to roles equal or stricter than their own", async (t) => {
      const sent = await sinceNow(server)
      const refusals: ReadonlyArray<readonly [Name, number, Pick<Refusal, "msg" | "code">]> = [
        ["iago", 100, owner],
        ["shiva", 100, owner],
        ["hamlet", 100, owner],
        ["shiva", 200, administrator],
        ["hamlet", 200, administrator],
        ["hamlet", 300, { msg: "Must be an organization moderator" }],
        ["hamlet", 500, { msg: "Invalid invite_as" }],
        ["polonius", 600, { msg: "Insufficient permission" }],
      ]
      for (const [who, invite_as, refusal] of refusals)
        await refuses(t, [{ when: `${who} as ${invite_as}`, fields: { invite_as }, ...refusal }], (fields) =>
          invite(server, who, "new@far.example", fields),
        )
      await sent.nothing(t, "roles")
      const allowed = [
        ["desdemona", 100],
        ["iago", 200],
        ["iago", 300],
        ["shiva", 300],
        ["hamlet", 400],
        ["hamlet", 600],
      ] as const
      for (const [who, invite_as] of allowed)
        t.equal(
          (await invite(server, who, `${who}${invite_as}@far.example`, { invite_as })).status,
          200,
          `${who} as ${invite_as}`,
        )
      await invite(server, "desdemona", "plain@far.example")
      t.same(pluck(await sent.invites("desdemona"), "invited_as"), [100, 200, 300, 300, 400, 600, 400], "default 400")
      t.equal((await sent.invites("hamlet")).length, 2, "others see their own")

      await t.test("the same for links, and where one is sent again", async (t) => {
        await server
          .as("desdemona")
          .must.patch("/realm", { create_multiuse_invite_group: { new: systemGroups["role:members"] } })
        for (const [who, invite_as, refusal] of refusals)
          await refuses(t, [{ when: `${who} as ${invite_as}`, fields: { invite_as }, ...refusal }], (fields) =>
            server.as(who).post("/invites/multiuse", fields),
          )
        const all = await sent.invites("desdemona")
        const ofOwner = all.find((each) => each["invited_as"] === 100)?.["id"]
        await refuses(t, [{ when: "an owner's", fields: {}, ...owner }], () =>
          server.as("iago").post(`/invites/${ofOwner}/resend`),
        )
        await refuses(t, [{ when: "an owner's", fields: {}, ...owner }], () =>
          server.as("iago").delete(`/invites/${ofOwner}`),
        )
      })
    })

    await t.test("a link is known to its maker, and to administrators who could give what it gives", async (t) => {
      const sent = await sinceNow(server)
      const group = { name: "closed", description: "", members: [], can_add_members_group: systemGroups["role:owners"] }
      const { group_id } = await server.as("desdemona").must.post("/user_groups/create", {
        ...group,
        can_manage_group: systemGroups["role:owners"],
      })
      await server.as("desdemona").must.patch("/realm", { can_manage_all_groups: { new: systemGroups["role:owners"] } })
      const den = channelId(server, "den")
      const offers = [
        { invite_as: 100 },
        { invite_as: 200 },
        { invite_as: 400, stream_ids: [den] },
        { invite_as: 400, group_ids: [group_id] },
      ]
      for (const offer of offers)
        await server.as("desdemona").must.post("/invites/multiuse", { stream_ids: [], ...offer })
      const all = await sent.invites("desdemona")
      t.same(pluck(all, "invited_as"), [100, 200, 400, 400], "its maker")
      const known = await sent.invites("iago")
      t.same(pluck(known, "invited_as"), [200], "an administrator")
      t.match(known, [{ is_multiuse: true, link_url: /\/join\// }])
      for (const { id, invited_as } of all.filter((each) => each["id"] !== known[0]?.["id"]))
        t.match(
          await server.as("iago").delete(`/invites/multiuse/${id}`),
          { status: 400, body: { msg: "No such invitation" } },
          `it is not revoked either: ${invited_as}`,
        )
      await server.as("iago").must.delete(`/invites/multiuse/${known[0]?.["id"]}`)
      await server.as("iago").must.delete(`/streams/${den}`)
      await server.as("desdemona").must.post(`/user_groups/${group_id}/deactivate`)
      t.same(await sent.invites("iago"), [], "what is archived may come back")
      await server.as("desdemona").must.patch(`/streams/${den}`, { is_archived: false })
      await server.as("desdemona").must.patch(`/users/${server.idOf("iago")}`, { role: 100 })
      t.same(pluck(await sent.invites("iago"), "invited_as"), [100, 400], "an owner, who is not in the channel")
      await server.as("desdemona").must.post("/bots", { full_name: "Host", short_name: "host" })
      t.match(await server.asEmail(`host-bot@${server.realm.realm.host}`).post("/invites/multiuse"), {
        status: 400,
        body: { msg: "This endpoint does not accept bot requests." },
      })
      await server.as("desdemona").must.patch(`/users/${server.idOf("iago")}`, { role: 200 })
      await server
        .as("desdemona")
        .must.patch("/realm", { can_manage_all_groups: { new: systemGroups["role:administrators"] } })
    })

    await t.test("group_ids: the inviter needs permission to add to them", async (t) => {
      const sent = await sinceNow(server)
      const make = async (who: Name, name: string) =>
        Number(
          (await server.as(who).must.post("/user_groups/create", { name, description: "", members: [] }))["group_id"],
        )
      const [own, other, over] = [
        await make("hamlet", "own"),
        await make("cordelia", "other"),
        await make("hamlet", "over"),
      ]
      await server.as("hamlet").must.post(`/user_groups/${over}/deactivate`)
      await refuses(
        t,
        [
          { when: "one that there is not", fields: { group_ids: [4711] }, msg: "Invalid user group ID: 4711" },
          { when: "one of somebody else", fields: { group_ids: [own, other] }, msg: "Insufficient permission" },
          { when: "one of the system", fields: { group_ids: [3] }, msg: "Insufficient permission" },
          { when: "a deactivated one", fields: { group_ids: [over] }, msg: "User group is deactivated." },
        ],
        (fields) => invite(server, "hamlet", "new@far.example", fields),
      )
      await sent.nothing(t, "groups")
      t.equal((await invite(server, "hamlet", "grouped@far.example", { group_ids: [own] })).status, 200)
    })

    await t.test("welcome_message_custom_text: max 8000 characters; admins only, always null for others", async (t) => {
      const sent = await sinceNow(server)
      const say = (text: unknown): Fields => ({ welcome_message_custom_text: text })
      for (const who of ["shiva", "hamlet"] as const)
        await refuses(
          t,
          [
            { when: "a text", fields: say("Hi"), ...administrator },
            { when: "an empty text", fields: say(""), ...administrator },
          ],
          (fields) => invite(server, who, "new@far.example", fields),
        )
      await refuses(
        t,
        [
          {
            when: "8001",
            fields: say("a".repeat(8001)),
            msg: "welcome_message_custom_text is too long (limit: 8000 characters)",
          },
        ],
        (fields) => invite(server, "iago", "new@far.example", fields),
      )
      await sent.nothing(t, "texts")
      t.equal((await invite(server, "hamlet", "null@far.example", say(null))).status, 200)
      t.equal((await invite(server, "iago", "long@far.example", say("a".repeat(8000)))).status, 200)
    })

    await t.test("addresses and names reach no header of a mail", async (t) => {
      const sent = await sinceNow(server)
      const evil = [
        "a@far.example\r\nBcc: b@far.example",
        "a@far.example\u0000",
        "<a@far.example>\rX: y",
        '"a\r\nb"@far.example',
        "a b@far.example",
        "a@far.example>",
        "a@far.example%0aBcc:x",
      ]
      for (const address of evil) {
        await invite(server, "hamlet", address)
        for (const { to } of await sent.mails()) t.match(to, /^[\w.%:-]+@[\w.]+$/, JSON.stringify(address))
      }
      await server.as("desdemona").must.patch("/realm", { name: '<b>Castle</b> & "more"' })
      await invite(server, "hamlet", "last@far.example")
      const last = (await mailsOf(server)).at(-1)
      t.match(last?.html, "&lt;b&gt;Castle&lt;/b&gt; &amp; &quot;more&quot;")
      t.notMatch(last?.subject, /[\r\n]/)
    })

    await t.test("stream_ids: each must be a default channel or one the inviter may add subscribers to", async (t) => {
      const sent = await sinceNow(server)
      const [lobby, court, den] = ["lobby", "court", "den"].map((name) => channelId(server, name))
      const no = { msg: "You do not have permission to subscribe other users to channels." }
      const invalid = (id: unknown) => ({ msg: `Invalid channel ID ${id}. No invites were sent.` })
      await server.as("desdemona").must.delete(`/streams/${court}`)
      const asked = (who: Name, cases: ReadonlyArray<Refusal>) =>
        refuses(t, cases, (fields) => invite(server, who, "new@far.example", fields))
      await asked("hamlet", [
        { when: "a channel that there is not", fields: { stream_ids: [4711] }, ...invalid(4711) },
        { when: "a hidden one", fields: { stream_ids: [lobby, den] }, ...invalid(den) },
        { when: "an archived one", fields: { stream_ids: [court] }, ...invalid(court) },
      ])
      await asked("iago", [{ when: "one whose content they do not see", fields: { stream_ids: [den] }, ...no }])
      const missing = await server.as("hamlet").post("/invites", { invitee_emails: "new@far.example" })
      t.match(missing.body, { code: "REQUEST_VARIABLE_MISSING", var_name: "stream_ids" }, "stream_ids is required")
      const nobody = systemGroups["role:nobody"]
      await server.as("desdemona").must.patch("/realm", { can_add_subscribers_group: { new: nobody } })
      // It must be empty if the inviter cannot subscribe others.
      await asked("hamlet", [
        { when: "a default channel, by who cannot subscribe others", fields: { stream_ids: [lobby] }, ...no },
      ])
      await sent.nothing(t, "channels")
      t.equal(
        (await invite(server, "hamlet", "nowhere@far.example", { stream_ids: [] })).status,
        200,
        "it may be empty",
      )
      await server
        .as("desdemona")
        .must.patch("/realm", { can_add_subscribers_group: { new: systemGroups["role:members"] } })
      t.equal((await invite(server, "cordelia", "newer@far.example", { stream_ids: [lobby, den, den] })).status, 200)
    })

    await t.test("who may invite is a setting: can_invite_users_group", async (t) => {
      const shown = async (name: Name) => (await server.as(name).must.post("/register"))["can_invite_others_to_realm"]
      t.same(
        [await shown("hamlet"), await shown("polonius")],
        [true, false],
        "members, where nobody has said otherwise",
      )
      const reader = await server.queue("hamlet", { event_types: ["realm"] })
      await server.as("desdemona").must.patch("/realm", { can_invite_users_group: { new: 6 } })
      t.match(await reader.poll(), [{ op: "update_dict", data: { can_invite_users_group: 6 } }])
      t.same([await shown("hamlet"), await shown("iago")], [false, true])
      await refuses(t, [{ when: "by who may not", fields: {}, msg: "Insufficient permission" }], () =>
        invite(server, "hamlet", "new@far.example"),
      )
      t.equal((await invite(server, "iago", "allowed@far.example")).status, 200)
    })
  }),
)

t.test("invite_expires_in_minutes: null never expires; unspecified uses the server's setting", (t) =>
  withServer(t, { ...mailing, limits: { invitationLinkValidityMinutes: 30 } }, async (server) => {
    const now = Math.floor(server.clock.now() / 1000)
    await invite(server, "hamlet", "default@far.example")
    await invite(server, "hamlet", "never@far.example", { invite_expires_in_minutes: null })
    await invite(server, "hamlet", "soon@far.example", { invite_expires_in_minutes: 2 })
    t.same(pluck(await invitesOf(server, "hamlet"), "expiry_date"), [now + 30 * minute, null, now + 2 * minute])
    const [first, second] = await mailsOf(server)
    t.match(first?.text, /until/)
    t.notMatch(second?.text, /until/)
    await server.clock.advance(3 * minute * 1000)
    t.same(
      pluck(await invitesOf(server, "hamlet"), "email"),
      ["default@far.example", "never@far.example"],
      "it is over",
    )
    await server.clock.advance(3600 * 1000)
    t.same(pluck(await invitesOf(server, "hamlet"), "email"), ["never@far.example"])
    await refuses(
      t,
      [0, -1, 1.5, 1e12, "soon", true].map(
        (invite_expires_in_minutes): Refusal => ({
          when: String(invite_expires_in_minutes),
          fields: { invite_expires_in_minutes },
          msg: /^invite_expires_in_minutes is/,
        }),
      ),
      (fields) => invite(server, "hamlet", "x@far.example", fields),
    )
  }),
)

t.test("over the daily limit nothing is sent", (t) =>
  withServer(t, { ...mailing, limits: { invitationsPerDay: 5 } }, async (server) => {
    const sent = await sinceNow(server)
    const over: Fields = { code: "INVITATION_FAILED", daily_limit_reached: true, errors: [], sent_invitations: false }
    const some = (many: number, from: number) =>
      Array.from({ length: many }, (_, n) => `p${from + n}@far.example`).join()
    t.match((await invite(server, "iago", some(6, 0))).body, over)
    await sent.nothing(t, "six of five")
    t.equal((await invite(server, "iago", `${some(4, 0)},iago@test.example`)).body["code"], "INVITATION_FAILED")
    t.match((await invite(server, "desdemona", some(2, 4))).body, over, "it is the organization's, whoever invites")
    const [first] = await invitesOf(server, "iago")
    t.equal((await server.as("iago").post(`/invites/${first?.["id"]}/resend`)).status, 200, "the fifth")
    t.match((await server.as("iago").post(`/invites/${first?.["id"]}/resend`)).body, over)
    t.equal((await mailsOf(server)).length, 5)
    await server.clock.advance(24 * 3600 * 1000)
    t.equal((await invite(server, "desdemona", some(5, 4))).status, 200, "a day later")
  }),
)

t.test("production without mail refuses, and keeps nothing", (t) =>
  withServer(t, { channels: [] }, async (server) => {
    const sent = await sinceNow(server)
    const no = { when: "without mail", fields: {}, msg: "This server cannot send mail, so it cannot send invitations" }
    await refuses(t, [no], () => invite(server, "desdemona", "new@far.example"))
    await sent.nothing(t, "without mail")
    await refuses(t, [no], () => server.as("desdemona").post("/invites/1/resend"))
    t.equal((await server.as("desdemona").post("/invites/multiuse")).status, 200, "links are made")
    t.equal((await invitesOf(server, "desdemona")).length, 1, "and listed")
  }),
)

t.test("a thousand are made in parts, and none is lost", inTurn(2, "a thousand invitations"), (t) =>
  withServer(t, { ...mailing, limits: { invitationsPerDay: 1000 } }, async (server) => {
    const emails = Array.from({ length: 1000 }, (_, n) => `p${n}@far.example`)
    const reader = await server.queue("desdemona", { event_types: ["invites_changed"] })
    const [{ status }] = await Promise.all([
      invite(server, "iago", emails.join("\n")),
      server.as("cordelia").send("den", "c"),
    ])
    t.equal(status, 200)
    t.same(pluck(await mailsOf(server), "to"), emails)
    t.same(pluck(await invitesOf(server, "iago"), "email"), emails)
    t.equal(new Set(pluck(await invitesOf(server, "iago"), "id")).size, 1000)
    t.equal((await reader.rest()).length, 25, "one event for each commit")
  }),
)
