/** Mails by SMTP, to a real server that takes, refuses and loses them; their retries by the test's clock. */
import t, { type Test } from "tap"
import { addMail, canSendMail, type Mail, mailJob, wakeMail } from "../../../../src/chat/sending/mail/mail.ts"
import { mailParts } from "../../../../src/chat/sending/mail/mail-parts.ts"
import type { MailServer } from "../../../../src/config/config.ts"
import { change } from "../../../../src/events/command.ts"
import { asleep as asleepOf, untilRun, workOf } from "../../../kit/jobs.ts"
import { decodeWords, headerOf, startMailCatcher } from "../../../kit/mail-catcher.ts"
import { inTurn } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type ServerSetup, type TestServer, withServer } from "../../../kit/with-server.ts"

const patience = 60_000
const day = 24 * 3600_000

const mailServer = (port: number, rest: Partial<MailServer> = {}): MailServer => ({
  host: "127.0.0.1",
  port,
  user: null,
  password: null,
  security: "none",
  from: { name: "Parley", address: "parley@chat.example" },
  ...rest,
})

const mailTo = (address: string, rest: Partial<Mail> = {}): Mail => ({
  to: { name: "Iago", address },
  subject: "An invitation",
  ...mailParts({ paragraphs: ["Come in."], button: { label: "Join", url: "https://chat.example/join/1" } }),
  ...rest,
})

const send = async (server: TestServer, ...mails: ReadonlyArray<Mail>) => {
  await server.run(server.realm.writer.submit({ judge: () => change([addMail(...mails)]) }))
  await server.run(wakeMail)
}

const rowsOf = (server: TestServer) =>
  server.rows(
    "select payload->'to'->>'address' as address, attempts, claim is not null as claimed, last_error, next_at, given_up_at from outbox order by id",
  )
const isSent = (server: TestServer) => async () => (await rowsOf(server)).length === 0

const mailKind = { name: "mail", job: mailJob }
/** No mail is under way, and the job waits for its next time. */
const asleep = (server: TestServer) => asleepOf(workOf(server), mailKind)

/** Advances the clock when nothing is under way, and waits until what falls due by that is over. */
const advance = async (server: TestServer, ms: number) => {
  await asleep(server)
  await untilRun(workOf(server), mailKind.job, () => server.clock.advance(ms))
  await asleep(server)
}

const withMail = async (
  t: Test,
  body: (server: TestServer, catcher: Awaited<ReturnType<typeof startMailCatcher>>) => Promise<void>,
  rest: Partial<MailServer> = {},
  options: Parameters<typeof startMailCatcher>[1] = {},
  setup: ServerSetup = {},
) => {
  const catcher = await startMailCatcher(t, options)
  await withServer(t, { ...setup, config: { mail: mailServer(catcher.port, rest), ...setup.config } }, (server) =>
    body(server, catcher),
  )
}

t.test("a mail is sent behind its commit, to one recipient each, in text and HTML", (t) =>
  withMail(t, async (server, { mails, asked }) => {
    await send(server, mailTo("iago@demo.example"), mailTo("zoe@demo.example", { subject: "Grüße, „Zoë“" }))
    await until("both are sent", 10_000, isSent(server))
    t.strictSame([...asked].sort(), ["iago@demo.example", "zoe@demo.example"])
    t.ok(mails.every(({ to }) => to.length === 1))
    const [first, second] = [...mails].sort((a, b) => (String(a.to) < String(b.to) ? -1 : 1))
    if (first === undefined || second === undefined) throw new Error("there are not two mails")
    t.equal(first.from, "parley@chat.example")
    t.equal(headerOf(first, "from"), "Parley <parley@chat.example>")
    t.equal(headerOf(first, "to"), "Iago <iago@demo.example>")
    t.equal(headerOf(first, "subject"), "An invitation")
    t.equal(decodeWords(headerOf(second, "subject") ?? ""), "Grüße, „Zoë“")
    t.equal(headerOf(first, "auto-submitted"), "auto-generated")
    t.match(headerOf(first, "message-id"), /^<[0-9a-f-]{36}@chat\.example>$/)
    t.not(headerOf(first, "message-id"), headerOf(second, "message-id"))
    t.match(headerOf(first, "content-type"), /^multipart\/alternative/)
    t.match(first.body, /text\/plain[\s\S]*Come in\.[\s\S]*https:\/\/chat\.example\/join\/1/)
    t.match(first.body, /text\/html[\s\S]*<a href="https:\/\/chat\.example\/join\/1"/)
  }),
)

t.test("what is refused for good is given up at once, and keeps nobody up", inTurn(2, "mails refused for good"), (t) =>
  withMail(t, async (server, { behave, mails, asked }) => {
    behave("nobody@demo.example", "refuse")
    behave("spam@demo.example", "refuse the text")
    await send(server, mailTo("nobody@demo.example"), mailTo("spam@demo.example"), mailTo("iago@demo.example"))
    await until("two are given up, one is sent", 10_000, async () => {
      const rows = await rowsOf(server)
      return rows.length === 2 && rows.every(({ given_up_at }) => given_up_at !== null)
    })
    t.match(await rowsOf(server), [
      { address: "nobody@demo.example", attempts: 1, last_error: /550/ },
      { address: "spam@demo.example", attempts: 1, last_error: /554/ },
    ])
    t.strictSame(
      mails.map(({ to }) => to),
      [["iago@demo.example"]],
    )
    await advance(server, day)
    t.equal(asked.length, 3, "they are not tried again")
  }),
)

t.test(
  "what is refused for now is tried again with growing waits, under the same Message-ID",
  inTurn(2, "what is refused for now is tried again with growing waits, under the same Message-ID"),
  (t) =>
    withMail(t, async (server, { behave, mails, asked }) => {
      const address = "iago@demo.example"
      behave(address, "later")
      await send(server, mailTo(address))
      for (const [wait, times] of [
        [30_000, 1],
        [60_000, 2],
        [120_000, 3],
      ] as const) {
        await asleep(server)
        t.match(await rowsOf(server), [{ attempts: times, claimed: false, last_error: /451/, given_up_at: null }])
        t.match(await rowsOf(server), [{ next_at: server.clock.now() + wait }])
        server.clock.advance(wait - 1)
        await asleep(server)
        t.equal(asked.length, times)
        if (times === 3) behave(address, "hang up afterwards")
        await advance(server, 1)
      }
      t.equal(mails.length, 1, "the server has it, and has not said so")
      behave(address, "accept")
      await advance(server, 240_000)
      await until("it is sent", 10_000, isSent(server))
      const [first, second] = mails
      if (first === undefined || second === undefined) throw new Error("it came once only")
      t.equal(headerOf(first, "message-id"), headerOf(second, "message-id"), "so that it is recognised")
    }),
)

t.test("a mail that nobody takes is given up after a day", inTurn(2, "mails that nobody takes"), (t) =>
  withMail(t, async (server, { behave, asked }) => {
    const began = server.clock.now()
    behave("iago@demo.example", "later")
    await send(server, mailTo("iago@demo.example"))
    await asleep(server)
    for (let row = (await rowsOf(server))[0]; row?.["given_up_at"] === null; row = (await rowsOf(server))[0])
      await advance(server, Number(row["next_at"]) - server.clock.now())
    const passed = server.clock.now() - began
    t.ok(passed > day - 3600_000 && passed <= day, `${passed / 3600_000} hours`)
    t.ok(asked.length > 24 && asked.length < 40, `${asked.length} attempts`)
    t.match(await rowsOf(server), [{ attempts: asked.length, last_error: /451/ }])
  }),
)

t.test(
  "a server that stands still or hangs up costs a bounded time, and holds up no other mail",
  inTurn(2, "a server that stands still or hangs up costs a bounded time, and holds up no other mail"),
  (t) =>
    withMail(t, async (server, catcher) => {
      catcher.behave("slow@demo.example", "stall")
      catcher.behave("gone@demo.example", "hang up")
      await send(server, mailTo("slow@demo.example"), mailTo("gone@demo.example"), mailTo("iago@demo.example"))
      await until("the third is sent, the second has failed", 10_000, async () => {
        const [, gone, rest] = await rowsOf(server)
        return rest === undefined && gone?.["claimed"] === false
      })
      t.equal(catcher.mails.length, 1)
      await until("one connection is open", 10_000, () => catcher.open() === 1)
      server.clock.advance(patience)
      await asleep(server)
      t.match(await rowsOf(server), [
        { address: "slow@demo.example", claimed: false, last_error: /longer than 60000 ms/, given_up_at: null },
        { address: "gone@demo.example", given_up_at: null },
      ])
      await until("its connection is closed", 10_000, () => catcher.open() === 0)
    }),
)

t.test("at most four mails are handed over at a time", inTurn(2, "at most four mails are handed over at a time"), (t) =>
  withMail(t, async (server, catcher) => {
    const people = Array.from({ length: 10 }, (_, n) => `slow${n}@demo.example`)
    for (const address of people) catcher.behave(address, "stall")
    await send(server, ...people.map((address) => mailTo(address)))
    await until("four are under way", 10_000, () => catcher.asked.length === 4)
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    t.equal(catcher.connections(), 4)
  }),
)

t.test(
  "mails outlive restarts, also one that was under way",
  inTurn(2, "mails outlive restarts, also one that was under way"),
  (t) =>
    withMail(t, async (server, { behave, mails, asked }) => {
      behave("iago@demo.example", "later")
      behave("slow@demo.example", "stall")
      await send(server, mailTo("iago@demo.example"), mailTo("slow@demo.example"))
      await until("one is refused, one under way", 10_000, async () => {
        const [refused, slow] = await rowsOf(server)
        return asked.length === 2 && refused?.["claimed"] === false && slow?.["claimed"] === true
      })
      await server.restart(() => {
        behave("iago@demo.example", "accept")
        behave("slow@demo.example", "accept")
      })
      // As long as the claim of what a kill leaves behind lasts.
      await advance(server, 2 * patience)
      await until("both are sent", 10_000, isSent(server))
      t.equal(mails.length, 2)
    }),
)

t.test(
  "a mail that a killed server was handing over is handed over again, under the same Message-ID",
  inTurn(2, "a mail that a killed server was handing over is handed over again, under the same Message-ID"),
  (t) =>
    withMail(t, async (server, { mails }) => {
      server.faults.failQueries("delete from outbox")
      await send(server, mailTo("iago@demo.example"))
      await until("the mail server has it", 10_000, () => mails.length === 1)
      await server.faults.kill()
      t.match(await rowsOf(server), [{ attempts: 1, claimed: true }])
      await advance(server, 2 * patience)
      await until("it is sent again", 10_000, isSent(server))
      const [first, second] = mails
      if (first === undefined || second === undefined) throw new Error("it came once only")
      t.equal(headerOf(first, "message-id"), headerOf(second, "message-id"))
    }),
)

t.test("what an operator can put right is tried again", inTurn(2, "mails an operator can mend"), async (t) => {
  const auth = { authOptional: false, allowInsecureAuth: true } as const
  await t.test("a wrong password", (t) =>
    withMail(
      t,
      async (server, { mails }) => {
        await send(server, mailTo("iago@demo.example"))
        await asleep(server)
        t.match(await rowsOf(server), [{ attempts: 1, last_error: /535/, given_up_at: null }])
        t.notMatch(await rowsOf(server), [{ last_error: /pa55word/ }])
        t.equal(mails.length, 0)
      },
      { user: "parley", password: "pa55word" },
      { ...auth, onAuth: (_auth, _session, callback) => callback(new Error("wrong")) },
    ),
  )
  await t.test("the right password", (t) =>
    withMail(
      t,
      async (server, { mails }) => {
        await send(server, mailTo("iago@demo.example"))
        await until("it is sent", 10_000, isSent(server))
        t.equal(mails.length, 1)
      },
      { user: "parley", password: "pa55word" },
      {
        ...auth,
        onAuth: ({ username, password }, _session, callback) =>
          username === "parley" && password === "pa55word" ? callback(null, { user: 1 }) : callback(new Error("wrong")),
      },
    ),
  )
  await t.test("a sender that the mail server does not know", (t) =>
    withMail(
      t,
      async (server, { asked }) => {
        await send(server, mailTo("iago@demo.example"))
        await asleep(server)
        t.match(await rowsOf(server), [{ attempts: 1, last_error: /550/, given_up_at: null }])
        t.equal(asked.length, 0)
      },
      {},
      {
        onMailFrom: (_address, _session, callback) =>
          callback(Object.assign(new Error("who are you"), { responseCode: 550 })),
      },
    ),
  )
  await t.test("a server that does not encrypt, where that is asked for", (t) =>
    withMail(
      t,
      async (server, { mails, asked }) => {
        await send(server, mailTo("iago@demo.example"))
        await asleep(server)
        t.match(await rowsOf(server), [{ attempts: 1, last_error: /STARTTLS/, given_up_at: null }])
        t.strictSame([mails.length, asked.length], [0, 0], "nothing is said in the open")
      },
      { security: "starttls" },
    ),
  )
  await t.test("a server whose certificate nobody vouches for", (t) =>
    withMail(
      t,
      async (server, { mails, asked }) => {
        await send(server, mailTo("iago@demo.example"))
        await asleep(server)
        t.match(await rowsOf(server), [{ attempts: 1, last_error: /certificate/, given_up_at: null }])
        t.strictSame([mails.length, asked.length], [0, 0])
      },
      { security: "starttls" },
      { disabledCommands: [] },
    ),
  )
  await t.test("a port where nobody listens", (t) =>
    withServer(t, { config: { mail: mailServer(1) } }, async (server) => {
      await send(server, mailTo("iago@demo.example"))
      await asleep(server)
      t.match(await rowsOf(server), [{ attempts: 1, last_error: /ECONNREFUSED/, given_up_at: null }])
    }),
  )
  await t.test("a mail server that was taken out of the settings", (t) =>
    withServer(t, {}, async (server) => {
      await send(server, mailTo("iago@demo.example"))
      await asleep(server)
      t.match(await rowsOf(server), [{ attempts: 1, last_error: "no mail server is named", given_up_at: null }])
      t.strictSame(await server.rows("select id from kept_mail"), [], "production keeps no links")
    }),
  )
})

t.test(
  "nothing that people write becomes a header, a command or a second recipient",
  inTurn(2, "nothing that people write becomes a header, a command or a second recipient"),
  (t) =>
    withMail(t, async (server, { mails, asked }) => {
      const hostile = [
        'Iago\r\nBcc: all@example.org\r\n\r\n<script src="https://evil.example">',
        'a, "b" <all@example.org>, c',
        "\u0000\u2028\u202e=?utf-8?B?DQpCY2M6IHg=?=",
        "x".repeat(100_000),
        "\ud800",
        "",
      ]
      const plain = hostile.map((text, n) =>
        mailTo(`a${n}@demo.example`, { to: { name: text, address: `a${n}@demo.example` }, subject: text }),
      )
      await send(server, ...plain)
      await until("they are sent", 20_000, isSent(server))
      t.equal(mails.length, hostile.length)
      const names = new Set(mails.flatMap(({ headers }) => headers.map(([name]) => name)))
      t.strictSame([...names].sort(), [
        "auto-submitted",
        "content-type",
        "date",
        "from",
        "message-id",
        "mime-version",
        "subject",
        "to",
        "x-auto-response-suppress",
      ])
      for (const mail of mails) {
        const [address = ""] = mail.to
        t.equal(mail.to.length, 1)
        const to = headerOf(mail, "to") ?? ""
        t.ok(to === address || to.endsWith(` <${address}>`) || to === `<${address}>`, to)
        const name = to.slice(0, -address.length - 2).trim()
        t.match(name, /^("(?:[^"\\]|\\.)*"|[^",<>@]*)$/, "a name that is one word for each reader")
      }
      t.equal(asked.length, hostile.length)

      const broken = [
        "x@demo.example\r\nRCPT TO:<all@example.org>",
        "x@demo.example, all@example.org",
        '"x, all@example.org"@demo.example',
        "<all@example.org> x@demo.example",
        "",
      ]
      await send(server, ...broken.map((address) => mailTo(address)))
      await until("they are given up", 10_000, async () => {
        const rows = await rowsOf(server)
        return rows.length === broken.length && rows.every(({ given_up_at }) => given_up_at !== null)
      })
      t.equal(asked.length, hostile.length, "and no server has heard of them")
    }),
)

t.test("addresses in letters of any language", inTurn(2, "addresses in letters of any language"), (t) =>
  withMail(t, async (server, { mails }) => {
    await send(server, mailTo("zoë@demo.example"), mailTo("zoe@bücher.example"))
    await until("both are sent", 10_000, isSent(server))
    t.strictSame(mails.map(({ to }) => to[0]).sort(), ["zoe@bücher.example", "zoë@demo.example"])
  }),
)

t.test("names and subjects that look like encoded words are shown as they are", (t) =>
  withMail(t, async (server, { mails }) => {
    for (const text of ["=?utf-8?Q?Boss?=", `=?utf-8?B?${"SGFsbG8g".repeat(6)}?= Zoë`])
      await send(
        server,
        mailTo("iago@demo.example", { to: { name: text, address: "iago@demo.example" }, subject: text }),
      )
    await until("both are sent", 10_000, isSent(server))
    const shown = mails.map((mail) =>
      ["to", "subject"].map((name) => decodeWords(headerOf(mail, name) ?? "").replaceAll("\u2060", "")),
    )
    for (const mail of mails) t.notMatch(headerOf(mail, "subject"), /=\?utf-8\?Q\?Boss/)
    for (const [to, subject] of shown) t.equal(to, `${subject} <iago@demo.example>`)
    t.strictSame(shown.map(([, subject]) => subject?.slice(0, 16)).sort(), ["=?utf-8?B?SGFsbG", "=?utf-8?Q?Boss?="])
  }),
)

t.test(
  "a mail server without SMTPUTF8 is not told addresses that need it, and who has asked for the mail hears of it",
  (t) =>
    withMail(
      t,
      async (server, { mails, asked }) => {
        const iago = server.idOf("iago")
        await send(server, mailTo("jürgen@demo.example", { askedBy: iago }), mailTo("zoe@bücher.example"))
        await until("one is given up, one sent", 10_000, async () => {
          const rows = await rowsOf(server)
          return rows.length === 1 && rows[0]?.["given_up_at"] !== null
        })
        t.match(await rowsOf(server), [{ address: "jürgen@demo.example", attempts: 1, last_error: /SMTPUTF8/ }])
        t.strictSame([mails.length, asked], [1, ["zoe@bücher.example"]])
        await asleep(server)
        const page = { anchor: "newest", num_before: 1, num_after: 0, narrow: [["is", "dm"]], apply_markdown: false }
        const { messages } = await server.as("iago").must.get("/messages", page)
        t.match(messages, [
          {
            sender_full_name: "Notification Bot",
            content: /^The mail `An invitation` to `jürgen@demo\.example` could not be delivered: `.*SMTPUTF8/,
          },
        ])
      },
      {},
      { hideSMTPUTF8: true },
    ),
)

t.test("whether mail can be sent", inTurn(2, "whether mail can be sent"), async (t) => {
  t.ok(canSendMail({ mode: "development", mail: null }))
  t.ok(canSendMail({ mode: "production", mail: mailServer(25) }))
  t.notOk(canSendMail({ mode: "production", mail: null }))
})
