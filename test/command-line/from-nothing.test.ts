/**
 * From an empty database to a first message, by the program's commands, in production mode: beside a running server and
 * without one, on the database of the test run.
 */
import t, { type Test } from "tap"
import { findFreePort } from "../../src/testing/free-port.ts"
import { type Account, type Fields, request } from "../kit/client.ts"
import { startDirectory } from "../kit/directory-server.ts"
import { startMailCatcher } from "../kit/mail-catcher.ts"
import { makeFlags, originOf, Program, stopLine } from "../kit/program.ts"
import { adminUrl, createFolder, until } from "../kit/test-database.ts"

const production = {
  PARLEY_MODE: "production",
  PARLEY_SECRET: "a secret for this test only, and long enough",
  PARLEY_EXTERNAL_URL: "https://first.example",
}

const org = (host: string) => [
  ...["org", "create", host, "--name", `The ${host}`],
  ...["--owner-email", `ann@${host}`, "--owner-name", "Ann Owner"],
]

/** A place for a server, and commands there. */
const makePlace = async (t: Test) => {
  const [flags, port] = [await makeFlags(t), await findFreePort()]
  const env: Record<string, string> = { ...production }
  return {
    port,
    flags: flags(port),
    env,
    serve: async () => {
      const program = new Program(t, flags(port), env)
      await until("it is ready, and says so", 60_000, async () => {
        if (!program.isRunning) throw new Error(program.err)
        const answer = await fetch(`${originOf(port)}/ready`).catch(() => undefined)
        return answer?.status === 200 && program.out.startsWith("Parley listens on ")
      })
      return program
    },
    /** Runs a command; answers what it has printed. */
    run: async (args: ReadonlyArray<string>, input?: string, more: Readonly<Record<string, string>> = {}) => {
      const command = new Program(t, [...args, ...flags(port)], { ...env, ...more }, input)
      const { code } = await command.ended
      return { code, out: command.out, err: command.err }
    },
    ask: (host: string, method: string, path: string, fields: Fields = {}, account?: Account) =>
      request(originOf(port), method, path, fields, {
        headers: { Host: host },
        ...(account === undefined ? {} : { account }),
      }),
  }
}

const keyIn = (text: string): string => /^API key (\w{32})$/m.exec(text)?.[1] ?? ""

const refused = /^parley: [^\n]+\n$/

/** For tests that run beside each other. */
const buffered = { buffered: true }

t.test("from nothing to a first message", async (t) => {
  // In here only: set on the process's own test, all files after this one would run beside each other.
  t.jobs = 3

  void t.test("beside a running server", buffered, async (t) => {
    const place = await makePlace(t)
    const { run, ask } = place
    const server = await place.serve()
    t.match(server.out, /holds no organization yet: parley org create makes one/)
    t.same(await run(["org", "list"]), { code: 0, out: "There is no organization.\n", err: "" })
    const readiness = async () => (await fetch(`${originOf(place.port)}/ready`)).json()
    t.match(await readiness(), { status: "ready", note: /^no organization is served yet/ })

    const made = await run(org("first.example"), "the password of ann\n")
    t.match(made, {
      code: 0,
      err: "",
      out: /^Organization The first\.example at first\.example\nOwner Ann Owner, ann@/,
    })
    t.strictSame(await readiness(), { status: "ready" })
    t.match(await (await fetch(originOf(place.port))).text(), /<div id="app">/)
    const ann = { email: "ann@first.example", key: keyIn(made.out) }
    const first = { type: "channel", to: "general", topic: "hello", content: "the first message" }
    t.match(await ask("first.example", "POST", "/messages", first, ann), { status: 200 })
    const entered = { username: "ann@first.example", password: "the password of ann" }
    t.match(await ask("first.example", "POST", "/fetch_api_key", entered), { body: { api_key: ann.key } })

    t.match(await run(["user", "create", "bob@first.example", "--name", "Bob"], "the password of bob"), { code: 0 })
    const bob = { username: "bob@first.example", password: "the password of bob" }
    const { body } = await ask("first.example", "POST", "/fetch_api_key", bob)
    const key = await run(["user", "api-key", "bob@first.example"])
    t.same(key, { code: 0, out: `${String(body["api_key"])}\n`, err: "" }, "the key alone")
    const page = { anchor: "newest", num_before: 2, num_after: 0, apply_markdown: false }
    const read = await ask("first.example", "GET", "/messages", page, { email: bob.username, key: key.out.trim() })
    t.match(read.body["messages"], [{ content: "the first message" }, { sender_full_name: "Welcome Bot" }])

    t.match(await run(["user", "password", "bob@first.example"], "another password\n"), { code: 0 })
    t.match(await ask("first.example", "POST", "/fetch_api_key", bob), { status: 401 })

    const second = await run([...org("second.example"), "--no-password"])
    t.match(second, {
      code: 0,
      out: /without a password yet\nAPI key \w{32}\nThis server has several organizations now/,
    })
    for (const host of ["first.example", "second.example"])
      t.match((await ask(host, "GET", "/server_settings")).body, {
        realm_name: `The ${host}`,
        realm_url: `https://${host}`,
      })
    t.match(await ask("third.example", "POST", "/fetch_api_key", entered), { status: 404 })
    const other = { email: "ann@second.example", key: keyIn(second.out) }
    t.match(await ask("second.example", "POST", "/messages", { ...first, content: "another" }, other), { status: 200 })

    for (const [args, input, why] of [
      [org("first.example"), "long enough\n", /an organization at first\.example already/],
      [
        ["user", "create", "bob@first.example", "--name", "Bob"],
        "long enough\n",
        /several organizations: name one with --org/,
      ],
      [["user", "password", "bob@first.example"], undefined, /no password for bob@first\.example/],
      [["org", "list", "--mode", "x"], undefined, /--mode is "x"/],
    ] as const) {
      const answer = await run(args, input)
      t.match(answer, { code: 2, out: "", err: why }, args.join(" "))
      t.match(answer.err, refused, "one line")
    }
    server.signal("SIGTERM")
    t.same(await server.ended, { code: 0, signal: null })
    t.same(server.log, [stopLine("SIGTERM")])
  })

  void t.test("without a server, which then serves what was made", buffered, async (t) => {
    const place = await makePlace(t)
    const { run, ask } = place
    const made = await run(org("first.example"), "the password of ann\n")
    t.match(made, { code: 0, err: "" })
    t.match(await run(["user", "create", "bob@first.example", "--name", "Bob", "--no-password"]), { code: 0, err: "" })
    t.match(await run(["org", "list"]), { code: 0, out: "first.example  The first.example  (2 people)\n" })
    const otherSecret = await run(["user", "api-key", "ann@first.example"], undefined, {
      PARLEY_SECRET: "another secret, which is long enough as well",
    })
    t.match(
      otherSecret,
      { code: 2, out: "", err: /^parley: the secret is not the one [^\n]+\n$/ },
      "no key of another secret",
    )

    await place.serve()
    const ann = { email: "ann@first.example", key: keyIn(made.out) }
    const first = { type: "channel", to: "general", topic: "hello", content: "the first message" }
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
    const { run, ask } = place
    await place.serve()
    const made = await run(org("first.example"), "the password of ann\n")
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
      const elsewhere = async (
        args: ReadonlyArray<string>,
        input?: string,
        more: Readonly<Record<string, string>> = {},
      ) => {
        const command = new Program(t, [...args, ...flags], { ...place.env, ...more }, input)
        const { code } = await command.ended
        return { code, out: command.out, err: command.err }
      }
      const made = await elsewhere(org("first.example"), "the password of ann\n")
      t.match(made, { code: 0, err: "", out: /^API key \w{32}$/m })
      const entered = { username: "ann@first.example", password: "the password of ann" }
      t.match(await place.ask("first.example", "POST", "/fetch_api_key", entered), {
        body: { api_key: keyIn(made.out) },
      })
      const other = { PARLEY_SECRET: "another secret, which is long enough as well" }
      t.match(await elsewhere(["org", "list"], undefined, other), { code: 2, out: "", err: /has another secret/ })
      t.match(await elsewhere(org("first.example"), "long enough\n"), { code: 2, err: /already\n$/ })
      server.signal("SIGTERM")
      t.same(await server.ended, { code: 0, signal: null })
    },
  )
})
