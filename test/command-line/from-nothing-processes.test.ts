/**
 * Further ways from an empty database to a first message, each by the starts of several programs: passwords, without a server,
 * by invitations, and beside a server on another machine.
 */
import t from "tap"
import { startDirectory } from "../kit/directory-server.ts"
import { startMailCatcher } from "../kit/mail-catcher.ts"
import { oneLine, originOf } from "../kit/program.ts"
import { runCommand } from "../kit/run-command.ts"
import { adminUrl, createFolder, until } from "../kit/test-database.ts"
import { keyIn, makePlace, org } from "./empty-place.ts"

const buffered = { buffered: true }

const first = { type: "channel", to: "general", topic: "hello", content: "the first message" }

t.test("from nothing to a first message", async (t) => {
  t.jobs = 3

  void t.test("commands beside a running server take passwords from their input", buffered, async (t) => {
    const place = await makePlace(t)
    const { runApart, ask } = place
    await place.serve()
    t.same(await runApart(["org", "list"]), { code: 0, out: "There is no organization.\n", err: "" })
    t.match(await runApart(org("first.example"), "the password of ann\n"), { code: 0, err: "" })
    const created = ["user", "create", "bob@first.example", "--name", "Bob"]
    t.match(await runApart(created, "the password of bob"), { code: 0, err: "" })
    const bob = { username: "bob@first.example", password: "the password of bob" }
    const { body } = await ask("first.example", "POST", "/fetch_api_key", bob)
    const key = await runApart(["user", "api-key", "bob@first.example"])
    t.same(key, { code: 0, out: `${String(body["api_key"])}\n`, err: "" }, "the key alone")
    t.match(await runApart(["user", "password", "bob@first.example"], "another password\n"), { code: 0 })
    t.match(await ask("first.example", "POST", "/fetch_api_key", bob), { status: 401 })
    const renewed = { ...bob, password: "another password" }
    t.match(await ask("first.example", "POST", "/fetch_api_key", renewed), { status: 200 })

    for (const [args, input, why] of [
      [org("first.example"), "long enough\n", /an organization at first\.example already/],
      [created, "long enough\n", /bob@first\.example/],
      [["user", "password", "bob@first.example"], undefined, /no password for bob@first\.example/],
      [["org", "list", "--mode", "x"], undefined, /--mode is "x"/],
    ] as const) {
      const answer = await runApart(args, input)
      t.match(answer, { code: 2, out: "", err: why }, args.join(" "))
      t.match(answer.err, oneLine, "one line")
    }
  })

  void t.test("without a server, which then serves what was made", buffered, async (t) => {
    const place = await makePlace(t)
    const { run, ask } = place
    const made = await place.runApart(org("first.example"), "the password of ann\n")
    t.match(made, { code: 0, err: "" })
    t.match(await run(["user", "create", "bob@first.example", "--name", "Bob", "--no-password"]), { code: 0, err: "" })
    t.match(await run(["org", "list"]), { code: 0, out: "first.example  The first.example  (2 people)\n" })
    const otherSecret = { PARLEY_SECRET: "another secret, which is long enough as well" }
    t.match(
      await run(["user", "api-key", "ann@first.example"], otherSecret),
      { code: 2, out: "", err: /^parley: the secret is not the one [^\n]+\n$/ },
      "no key of another secret",
    )

    await place.serve()
    const ann = { email: "ann@first.example", key: keyIn(made.out) }
    t.match(await ask("any.example", "POST", "/messages", first, ann), { status: 200 }, "the only one has every host")
    const entered = { username: ann.email, password: "the password of ann" }
    t.match(await ask("any.example", "POST", "/fetch_api_key", entered), { body: { api_key: ann.key } })
  })

  void t.test("people come by invitations, and sign in by password and by the directory", buffered, async (t) => {
    const mails = await startMailCatcher(t)
    const directory = await startDirectory([
      { uid: "zoe", password: "the directory's zoe", mail: "zoe@far.example" },
      { uid: "bea", password: "the directory's bea", mail: "bea@far.example" },
    ])
    t.teardown(directory.stop)
    const place = await makePlace(t)
    Object.assign(place.env, {
      PARLEY_SMTP_HOST: "127.0.0.1",
      PARLEY_SMTP_PORT: String(mails.port),
      PARLEY_SMTP_SECURITY: "none",
      PARLEY_MAIL_FROM: "parley@first.example",
      PARLEY_LDAP_URL: directory.url,
      PARLEY_LDAP_TLS: "off",
      PARLEY_LDAP_DN_TEMPLATE: "uid={name},ou=people,dc=test,dc=example",
    })
    const { ask } = place
    await place.serve()
    const made = await place.runApart(org("first.example"), "the password of ann\n")
    t.match(made, { code: 0, err: "" })
    const ann = { email: "ann@first.example", key: keyIn(made.out) }
    const invitees = "zoe@far.example,not an address,yan@far.example,xia@far.example"
    const sent = await ask("first.example", "POST", "/invites", { invitee_emails: invitees, stream_ids: [] }, ann)
    t.match(sent, {
      status: 400,
      body: {
        code: "INVITATION_FAILED",
        errors: [["not an address", "Invalid address.", false]],
        sent_invitations: true,
      },
    })
    await until("three mails have come", 30_000, async () => mails.mails.length === 3)
    const linkTo = (address: string) => {
      const text = mails.mails.find(({ to }) => to.includes(address))?.body ?? ""
      return /https:\/\/first\.example(\/join\/[\w-]+)/.exec(text)?.[1] ?? "no link"
    }
    const accept = async (address: string, name: string) =>
      fetch(`${originOf(place.port)}${linkTo(address)}`, {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ full_name: name, password: `the password of ${name}` }),
      })
    for (const name of ["zoe", "yan"]) t.equal((await accept(`${name}@far.example`, name)).status, 200, name)
    t.not((await accept("zoe@far.example", "zoe")).status, 200, "a link works once")

    const enter = (username: string, password: string) =>
      ask("first.example", "POST", "/fetch_api_key", { username, password })
    const yan = await enter("yan@far.example", "the password of yan")
    t.match(yan, { status: 200, body: { email: "yan@far.example" } })
    t.match(await enter("zoe", "the directory's zoe"), { status: 200, body: { email: "zoe@far.example" } })
    t.match(await enter("zoe", "the password of yan"), { status: 401 })
    t.match(await enter("bea", "the directory's bea"), { status: 401 }, "in the directory, and in no organization")
    const hello = { type: "channel", to: "general", topic: "hello", content: "I am here" }
    const account = { email: "yan@far.example", key: String(yan.body["api_key"]) }
    t.match(await ask("first.example", "POST", "/messages", hello, account), { status: 200 })
  })

  void t.test(
    "beside a server on another machine, which only the database reaches",
    { ...buffered, skip: adminUrl === undefined && "needs PostgreSQL" },
    async (t) => {
      const place = await makePlace(t)
      const server = await place.serve()
      const folder = await createFolder(t)
      const flags = place.flags.map((flag, index) => (place.flags[index - 1] === "--data-dir" ? folder : flag))
      const made = await place.runApart(org("first.example"), "the password of ann\n", flags)
      t.match(made, { code: 0, err: "", out: /^API key \w{32}$/m })
      const entered = { username: "ann@first.example", password: "the password of ann" }
      const answer = await place.ask("first.example", "POST", "/fetch_api_key", entered)
      t.match(answer, { body: { api_key: keyIn(made.out) } })
      const elsewhere = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
        runCommand([...args, ...flags], { ...place.env, ...more })
      const other = { PARLEY_SECRET: "another secret, which is long enough as well" }
      t.match(await elsewhere(["org", "list"], other), { code: 2, out: "", err: /has another secret/ })
      t.match(await elsewhere([...org("first.example"), "--no-password"]), { code: 2, err: /already\n$/ })
      server.signal("SIGTERM")
      t.same(await server.ended, { code: 0, signal: null })
    },
  )
})
