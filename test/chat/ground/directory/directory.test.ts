/**
 * Signing in by a directory, against a real LDAP server on loopback: whom it lets in and whom not, that a directory
 * that is down, silent or lying lets nobody in and holds nobody else up, and that its ways are switched by each
 * organization.
 */

import ldap from "ldapjs"
import t, { type Test } from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import type { DirectoryConfig } from "../../../../src/config/config.ts"
import type { Answer, Fields } from "../../../kit/client.ts"
import { type Listed, startDirectory, type TestDirectory } from "../../../kit/directory-server.ts"
import { refusal } from "../../../kit/rows.ts"
import { Settling } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const people: ReadonlyArray<Listed> = [
  { uid: "hamlet", password: "to be", mail: "Hamlet@test.example" },
  { uid: "horatio", password: "good night", mail: "horatio@test.example" },
  { uid: "gone", password: "was here", mail: "gone@test.example" },
  { uid: "bot", password: "beep", mail: "bot@test.example" },
  { uid: "twin", password: "one", mail: "hamlet@test.example", unit: "east" },
  { uid: "twin", password: "one", mail: "hamlet@test.example", unit: "west" },
  { uid: "both", password: "two at once", mail: ["hamlet@test.example", "iago@test.example"] },
  { uid: "spare", password: "and another", mail: ["elsewhere@test.example", "iago@test.example"] },
  { uid: "a,b+c", password: "odd", mail: "cordelia@test.example" },
]
const wrong = refusal("Your username or password is incorrect", "AUTHENTICATION_FAILED", 401)
const silent = refusal(/nothing was done/, "SERVICE_UNAVAILABLE", 503)
const off = refusal(/password/, "PASSWORD_AUTH_DISABLED", 401)

const signIn = (server: TestServer, username: string, password: string): Promise<Answer> =>
  server.anonymous("POST", "/fetch_api_key", { username, password })

/** The answer to what the directory is asked about first: refusals are told at certain times only. */
const inTime = async (server: TestServer, directory: TestDirectory, ask: () => Promise<Answer>): Promise<Answer> => {
  const before = directory.accepted()
  let isDone = false
  const answer = ask().finally(() => {
    isDone = true
  })
  await until("the directory was asked", 20_000, () => isDone || directory.accepted() > before)
  await until("it has answered", 20_000, () => isDone || directory.open() === 0)
  let rounds = 0
  await until("the request is answered", 20_000, () => {
    rounds += 1
    if (!isDone && (rounds < 20 || rounds % 20 === 0)) server.clock.advance(100)
    return isDone
  })
  return answer
}

interface Scene {
  readonly server: TestServer
  readonly directory: TestDirectory
  /** Signs in where the directory is asked. */
  readonly ask: (username: string, password: string) => Promise<Answer>
}

const withDirectory = async (
  t: Test,
  settings: (directory: TestDirectory) => DirectoryConfig,
  body: (scene: Scene) => Promise<void>,
  { rateLimit = false } = {},
) => {
  const directory = await startDirectory(people)
  try {
    await withServer(t, { config: { directory: settings(directory), rateLimit } }, async (server) => {
      const ask = (username: string, password: string) =>
        inTime(server, directory, () => signIn(server, username, password))
      await body({ server, directory, ask })
    })
  } finally {
    await directory.stop()
  }
}

const settingsOf = async (server: TestServer) => (await server.anonymous("GET", "/server_settings")).body
const onlyDirectory = ({ actions }: TestServer) => actions.changeRealm({ password_auth_enabled: false })
const addPerson = async ({ as }: TestServer, email: string): Promise<number> =>
  Number((await as("desdemona").must.post("/users", { email, password: "kept here", full_name: "New" }))["user_id"])

t.test("only the directory: who gets in and who does not", (t) =>
  withDirectory(
    t,
    (directory) => directory.config(),
    async ({ server, directory, ask }) => {
      await onlyDirectory(server)
      const bot = { email: "bot@test.example", fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
      await server.run(setUpUser(server.realmId, bot))
      const gone = await addPerson(server, "gone@test.example")
      await server.as("iago").must.delete(`/users/${gone}`)
      const head = server.realm.realm.position
      const { users } = server.realm.realm
      const count = users.size

      await t.test("the right password gives the key of the account with the entry's address", async (t) => {
        const { account } = server.as("hamlet")
        for (const name of ["hamlet", " hamlet "])
          t.match(await ask(name, "to be"), {
            status: 200,
            body: { api_key: account.key, email: "hamlet@test.example", user_id: server.idOf("hamlet") },
          })
        t.match(await ask("spare", "and another"), { status: 200, body: { email: "iago@test.example" } })
        t.match(await ask("a,b+c", "odd"), { status: 200, body: { email: "cordelia@test.example" } })
      })

      await t.test("refused", async (t) => {
        const table: ReadonlyArray<readonly [string, string, string, object]> = [
          ["a wrong password", "hamlet", "not to be", wrong],
          ["an unknown name", "nobody", "to be", wrong],
          ["an address where the directory has another name", "hamlet@test.example", "to be", wrong],
          ["the password that is kept here, which is off", "gone@test.example", "kept here", wrong],
          ["no account here", "horatio", "good night", wrong],
          ["a bot", "bot", "beep", wrong],
          ["several entries", "twin", "one", wrong],
          ["an entry of several accounts", "both", "two at once", wrong],
          ["who has left", "gone", "was here", refusal("Account is deactivated", "USER_DEACTIVATED", 401)],
          ["who has left, with a wrong password", "gone", "x", wrong],
          ["a filter that would find somebody", "*)(uid=*", "to be", wrong],
          ["a filter that would find everybody", "*", "to be", wrong],
          ["a filter that would end the first", "hamlet)(objectclass=*", "to be", wrong],
          ["the end of a filter, escaped", "hamlet\\29", "to be", wrong],
        ]
        for (const [when, name, password, want] of table) t.match(await ask(name, password), want, when)
      })

      await t.test("what is refused before the directory is asked", async (t) => {
        const before = directory.accepted()
        for (const [name, password] of [
          ["hamlet", ""],
          ["", "to be"],
          ["ham\u0007let", "to be"],
          ["hamlet", "x".repeat(1001)],
          ["x".repeat(257), "to be"],
        ] as const) {
          let isDone = false
          const answer = signIn(server, name, password).finally(() => {
            isDone = true
          })
          await until("answered", 20_000, () => {
            server.clock.advance(100)
            return isDone
          })
          t.match(await answer, wrong, JSON.stringify([name.slice(0, 9), password.slice(0, 9)]))
        }
        t.equal(directory.accepted(), before)
        t.notOk(directory.binds.includes(""), "nobody tried to sign in as nobody")
      })

      await t.test("an unknown name is asked for as often as a known one", async (t) => {
        const before = directory.binds.length
        await ask("nobody", "x")
        await ask("hamlet", "x")
        t.equal(directory.binds.length, before + 2)
        t.match(directory.binds.at(-2), /^cn=[0-9a-f]{16},dc=test,dc=example$/)
      })

      t.equal(server.realm.realm.users.size, count, "no account was made")
      t.equal(server.realm.realm.position, head, "nothing was logged")
      t.match(await settingsOf(server), {
        email_auth_enabled: false,
        require_email_format_usernames: false,
        authentication_methods: { password: true, email: false, ldap: true },
      })
      await server.actions.deactivateRealm()
      t.match(await signIn(server, "hamlet", "to be"), refusal(/deactivated/, "REALM_DEACTIVATED", 401))
    },
  ),
)

t.test("a directory that lies lets nobody in", inTurn(2, "a directory that lies lets nobody in"), (t) =>
  withDirectory(
    t,
    (directory) => directory.config(),
    async ({ server, directory, ask }) => {
      await onlyDirectory(server)
      const elsewhere = await startDirectory([{ uid: "laertes", password: "sword", mail: "hamlet@test.example" }])
      const url = `${elsewhere.url}/dc=test,dc=example`

      directory.mood.references = [url]
      t.match(await ask("laertes", "sword"), wrong, "who is elsewhere")
      t.match(await ask("hamlet", "to be"), { status: 200 }, "a referral beside an entry")
      directory.mood.searchFault = new ldap.ReferralError(url)
      t.match(await ask("hamlet", "to be"), silent, "a referral instead of entries")
      directory.mood.searchFault = undefined
      directory.mood.bind = () => new ldap.ReferralError(url)
      t.match(await ask("hamlet", "to be"), wrong, "a referral instead of an answer to the password")
      t.equal(elsewhere.accepted(), 0, "no referral was followed")
      await elsewhere.stop()

      for (const [fault, want] of [
        [new ldap.InappropriateAuthenticationError(), wrong],
        [new ldap.UnwillingToPerformError(), wrong],
        [new ldap.NoSuchObjectError(), wrong],
        [new ldap.BusyError(), silent],
        [new ldap.UnavailableError(), silent],
        [new ldap.ConfidentialityRequiredError(), silent],
        [new ldap.OperationsError(), silent],
      ] as const) {
        directory.mood.bind = () => fault
        t.match(await ask("hamlet", "to be"), want, fault.constructor.name)
        t.match(await ask("nobody", "to be"), wrong, `${fault.constructor.name} of a name that nobody has`)
      }
      directory.mood.bind = undefined
      directory.mood.searchFault = new ldap.SizeLimitExceededError()
      t.match(await ask("nobody", "x"), wrong)
      directory.mood.searchFault = undefined

      // Bytes that are no answer at all end the question by themselves, or when the time is over.
      const success = (id: number) => [0x30, 12, 2, 1, id, 0x61, 7, 10, 1, 0, 4, 0, 4, 0]
      for (const [what, bytes] of [
        ["more than was asked", Buffer.alloc(1_000_000, Buffer.from([0x30, 9, 2, 1, 5, 0x64, 4, 4, 0, 0x30, 0]))],
        ["text", Buffer.from("220 welcome\r\n".repeat(20))],
        ["a length without an end", Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 2, 1, 2])],
        ["a success for every question", Buffer.from([2, 3, 4, 5].flatMap(success))],
      ] as const) {
        directory.mood.nonsense = bytes
        const before = directory.accepted()
        let answer: Answer | undefined
        signIn(server, "hamlet", "to be").then((told) => {
          answer = told
        })
        await until("it was asked", 20_000, () => directory.accepted() > before)
        await until(`answered: ${what}`, 20_000, () => {
          server.clock.advance(100)
          return answer !== undefined
        })
        t.ok(answer?.status === 503 || answer?.status === 401, what)
      }
    },
  ),
)

t.test("a directory that is down, or silent, is 503, and counts as no guess", inTurn(2, "silent directories"), (t) =>
  withDirectory(
    t,
    (directory) => directory.config(),
    async ({ server, directory, ask }) => {
      await addPerson(server, "local@test.example")
      directory.mood.isSilent = true
      const waiting = Array.from({ length: 6 }, () => signIn(server, "hamlet", "to be"))
      await until("four are asked about", 20_000, () => directory.open() === 4)
      t.equal((await server.as("iago").get("/users/me")).status, 200, "others are not held up")
      server.clock.advance(5000)
      t.match(await Promise.race(waiting), refusal(/./, "RATE_LIMIT_HIT", 429), "five at once of a name")
      server.clock.advance(5000)
      const told = await Promise.all(waiting)
      t.same(told.map(({ status }) => status).sort(), [429, 503, 503, 503, 503, 503])
      await until("all connections are gone", 20_000, () => directory.open() === 0)

      t.comment("while it is silent, passwords that are kept here are good, and guesses at them are bounded")
      const silently = async (name: string, password: string) => {
        const before = directory.accepted()
        const asking = signIn(server, name, password)
        await until("it is asked", 20_000, () => directory.accepted() > before)
        server.clock.advance(10_000)
        return asking
      }
      t.match(await silently("local@test.example", "kept here"), { status: 200 })
      for (let count = 0; count < 7; count++) t.match(await silently("local@test.example", "x"), silent)
      t.match(await silently("local@test.example", "kept here"), silent, "after five wrong ones it is not looked at")

      directory.mood.isSilent = false
      t.match(await ask("hamlet", "to be"), { status: 200 }, "nothing of it was counted")
      t.match(await ask("local@test.example", "kept here"), { status: 200 })
      t.match(await ask("local@test.example", "x"), wrong)

      await directory.stop()
      for (let count = 0; count < 7; count++) t.match(await signIn(server, "hamlet", "to be"), silent, "down")
      t.match(await signIn(server, "iago", "x"), { status: 503, body: { "retry-after": 5 } })
      await onlyDirectory(server)
      t.match(await signIn(server, "hamlet", "to be"), silent)
    },
    { rateLimit: true },
  ),
)

t.test(
  "wrong guesses are counted as those at passwords that are kept here",
  inTurn(2, "wrong guesses are counted as those at passwords that are kept here"),
  (t) =>
    withDirectory(
      t,
      (directory) => directory.config(),
      async ({ server, directory, ask }) => {
        for (const name of ["hamlet", "HAMLET", " ham let", "hámlet", "ham\u200blet"])
          t.match(await ask(name, "x"), wrong, name)
        const before = directory.accepted()
        t.match(await signIn(server, "hamlet", "to be"), refusal(/./, "RATE_LIMIT_HIT", 429))
        t.match(await signIn(server, "ｈamlet", "to be"), refusal(/./, "RATE_LIMIT_HIT", 429), "in other letters, too")
        t.equal(directory.accepted(), before, "the directory is not asked")
        for (let count = 0; count < 5; count++) t.match(await ask("horatio", "good night"), wrong)
        t.match(
          await signIn(server, "horatio", "good night"),
          refusal(/./, "RATE_LIMIT_HIT", 429),
          "without an account",
        )
        server.clock.advance(30 * 60_000)
        t.match(await ask("hamlet", "to be"), { status: 200 })

        t.comment("also while passwords that are kept here cannot be checked")
        server.faults.failQueries("password_hash")
        for (let count = 0; count < 5; count++) t.match(await ask("hamlet", "x"), silent)
        t.match(await signIn(server, "hamlet", "to be"), refusal(/./, "RATE_LIMIT_HIT", 429))
        server.faults.flow()
      },
      { rateLimit: true },
    ),
)

t.test(
  "both ways, one of them, none: what is asked and what clients are told",
  inTurn(2, "both ways, one of them, none: what is asked and what clients are told"),
  (t) =>
    withDirectory(
      t,
      (directory) => directory.config(),
      async ({ server, directory, ask }) => {
        await addPerson(server, "hamlet2@test.example")
        const owner = server.as("desdemona")
        const queue = await server.queue("polonius")
        const patch = (methods: unknown) => owner.patch("/realm", { authentication_methods: JSON.stringify(methods) })
        const register = () => owner.must.post("/register", { fetch_event_types: ["realm"] })
        const state = async (email: boolean, ldapOn: boolean, why: string) => {
          t.match(
            await settingsOf(server),
            {
              email_auth_enabled: email,
              require_email_format_usernames: !ldapOn,
              authentication_methods: { password: email || ldapOn, email, ldap: ldapOn, dev: false },
            },
            why,
          )
          t.match(
            await register(),
            {
              realm_email_auth_enabled: email,
              realm_password_auth_enabled: email || ldapOn,
              realm_authentication_methods: {
                Email: { enabled: email, available: true },
                LDAP: { enabled: ldapOn, available: true },
              },
            },
            why,
          )
        }
        const told = async (email: boolean, ldapOn: boolean, times = 1) => {
          const methods = { Email: { enabled: email, available: true }, LDAP: { enabled: ldapOn, available: true } }
          const event = {
            type: "realm",
            op: "update_dict",
            property: "default",
            data: { authentication_methods: methods },
          }
          const events = (await queue.rest()).filter(({ type }) => type === "realm")
          t.same(
            events.map(({ id: _id, ...each }) => each),
            Array.from({ length: times }, () => event),
          )
        }

        await state(true, true, "at first")
        t.match(await ask("hamlet", "to be"), { status: 200 }, "by the directory")
        t.match(await ask("hamlet2@test.example", "kept here"), { status: 200 }, "by the password that is kept here")
        t.ok(directory.filters.at(-1)?.includes("hamlet2@test.example"), "the directory is asked first")

        t.match(await patch({ Email: false }), { status: 200 })
        await told(false, true)
        await state(false, true, "only the directory")
        t.match(await ask("hamlet2@test.example", "kept here"), wrong)
        t.match(await ask("hamlet", "to be"), { status: 200 })
        t.match(await patch({ LDAP: false }), refusal("At least one authentication method must be enabled."))
        t.match(
          await patch({ Email: false, LDAP: false }),
          refusal("At least one authentication method must be enabled."),
        )

        t.match(await patch({ Email: true, LDAP: { enabled: false, available: true } }), { status: 200 })
        await told(true, false, 2)
        await state(true, false, "only what is kept here")
        const before = directory.accepted()
        t.match(await signIn(server, "hamlet", "to be"), refusal("Enter a valid email address."))
        t.match(await signIn(server, "hamlet2@test.example", "kept here"), { status: 200 })
        t.match(await patch({ Email: false }), refusal("At least one authentication method must be enabled."))
        t.equal(directory.accepted(), before)

        t.match(await patch({ Email: 1 }), refusal(/is not a boolean/))
        t.match(await patch({ SAML: true }), refusal(/^Invalid authentication_methods: /))
        t.match(await patch({ Dev: true }), refusal(/Dev/))
        t.match(await patch([]), refusal(/is not a dict/))
        t.match(
          await server.as("iago").patch("/realm", { authentication_methods: '{"LDAP": true}' }),
          refusal("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL"),
        )
        t.match(await patch({}), { status: 200 })
        await told(true, false, 0)

        const views = (["desdemona", "polonius"] as const).map((name) => ({
          label: name,
          person: server.as(name),
          port: server.port,
          user: server.idOf(name),
          fields: { fetch_event_types: ["realm"] },
        }))
        const settling = new Settling(t, views)
        for (const methods of [{ LDAP: true }, { Email: false }, { Email: true, LDAP: false }])
          await settling.after(JSON.stringify(methods), () => patch(methods))
        await queue.rest()

        await server.actions.changeRealm({ password_auth_enabled: false })
        await told(false, false)
        await state(false, false, "neither")
        for (const [name, password] of [
          ["hamlet", "to be"],
          ["hamlet2@test.example", "kept here"],
          ["nobody", ""],
        ] as const)
          t.match(await signIn(server, name, password), off)
        t.equal(directory.accepted(), before)
      },
    ),
)

t.test(
  "a way that is switched off while the directory thinks is no way in",
  inTurn(2, "a way that is switched off while the directory thinks is no way in"),
  (t) =>
    withDirectory(
      t,
      (directory) => directory.config(),
      async ({ server, directory, ask }) => {
        const { changeRealm, deactivateRealm } = server.actions
        const during = async (change: () => Promise<void>) => {
          let answer: Answer | undefined
          let isAsked = false
          let release = () => {}
          directory.mood.bind = () => {
            isAsked = true
            return null
          }
          directory.mood.isSilent = false
          const gate = new Promise<void>((resolve) => {
            release = resolve
          })
          directory.hold(gate)
          signIn(server, "hamlet", "to be").then((told) => {
            answer = told
          })
          await until("it is asked", 20_000, () => isAsked)
          await change()
          release()
          await until("answered", 20_000, () => answer !== undefined)
          directory.mood.bind = undefined
          return answer
        }
        t.match(await during(() => changeRealm({ ldap_auth_enabled: false })), wrong)
        await changeRealm({ ldap_auth_enabled: true, password_auth_enabled: false })
        t.match(await during(() => changeRealm({ ldap_auth_enabled: false })), off)
        await changeRealm({ ldap_auth_enabled: true })
        t.match(await during(deactivateRealm), refusal(/deactivated/, "REALM_DEACTIVATED", 401))
        await server.actions.reactivateRealm()
        t.match(await ask("hamlet", "to be"), { status: 200 })
      },
    ),
)

t.test(
  "by a template, without an account of the server's",
  inTurn(2, "by a template, without an account of the server's"),
  (t) =>
    withDirectory(
      t,
      (directory) =>
        directory.config("plain", { search: { kind: "template", dn: "uid={name},ou=people,dc=test,dc=example" } }),
      async ({ directory, ask }) => {
        t.match(await ask("hamlet", "to be"), { status: 200, body: { email: "hamlet@test.example" } })
        t.match(await ask("a,b+c", "odd"), { status: 200, body: { email: "cordelia@test.example" } })
        t.match(await ask("hamlet", "x"), wrong)
        t.match(await ask("hamlet,ou=people", "to be"), wrong)
        t.match(await ask("twin,ou=east,dc=test,dc=example+uid=x", "one"), wrong, "a name is no more than a value")
        t.match(directory.binds.at(-1), /^uid=.*,ou=people,dc=test,dc=example$/)
      },
    ),
)

t.test("names that must be addresses", inTurn(2, "names that must be addresses"), (t) =>
  withDirectory(
    t,
    (directory) => directory.config("plain", { namesAreAddresses: true }),
    async ({ server, directory }) => {
      t.match(await settingsOf(server), {
        require_email_format_usernames: true,
        authentication_methods: { ldap: true },
      })
      t.match(await signIn(server, "hamlet", "to be"), refusal("Enter a valid email address."))
      t.equal(directory.accepted(), 0)
    },
  ),
)

t.test(
  "TLS: from the start or by StartTLS, with a certificate that is checked",
  inTurn(2, "TLS to a directory"),
  async (t) => {
    for (const kind of ["safe", "starting"] as const) {
      await withDirectory(
        t,
        (directory) => directory.config(kind),
        async ({ directory, ask }) => {
          t.match(await ask("hamlet", "to be"), { status: 200 }, kind)
          t.match(await ask("hamlet", "x"), wrong, kind)
          // The half of a success that the directory's own answer would complete.
          directory.plant(Buffer.from([0x30, 13, 2, 1, 3, 0x61, 8, 10, 1, 0, 4, 0, 4, 1]))
          if (kind === "starting") t.match(await ask("hamlet", "x"), wrong, "what was said before TLS is not heard")
        },
      )
      await withDirectory(
        t,
        ({ config }) => {
          const { authorities: _authorities, ...untrusted } = config(kind)
          return untrusted
        },
        async ({ server, directory, ask }) => {
          t.match(await ask("hamlet", "to be"), silent, `${kind}, an unknown certificate`)
          t.same(directory.binds, [], "nothing was said")
          t.equal((await server.as("iago").get("/users/me")).status, 200)
        },
      )
    }
  },
)

t.test("without a directory there is no such way", inTurn(2, "without a directory there is no such way"), (t) =>
  withServer(t, {}, async (server) => {
    const owner = server.as("desdemona")
    const patch = (authentication_methods: Fields) =>
      owner.patch("/realm", { authentication_methods: JSON.stringify(authentication_methods) })
    t.match(await patch({ LDAP: true }), refusal(/LDAP/))
    t.match(await patch({ Email: false }), refusal("At least one authentication method must be enabled."))
    t.match(await patch({ Email: true }), { status: 200 })
    t.match(await settingsOf(server), {
      require_email_format_usernames: true,
      authentication_methods: { password: true, email: true, ldap: false },
    })
  }),
)
