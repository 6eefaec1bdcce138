/** The settings of several processes: each wrong one is one line that says what is expected. */
import * as Result from "effect/Result"
import t from "tap"
import { runCli } from "../../src/cli.ts"
import { describeSettings, secretsIn } from "../../src/config/describe-settings.ts"
import { readCommand } from "../../src/config/read-settings.ts"

const production = {
  PARLEY_MODE: "production",
  PARLEY_SECRET: "f3a9c07be21d48a6b95c7e0d13f86a42",
  PARLEY_EXTERNAL_URL: "https://chat.example",
  DATABASE_URL: "postgres://parley@db.example/parley",
}
const many = { ...production, PARLEY_PROCESSES: "many" }

const settingsOf = (env: Readonly<Record<string, string>>) => {
  const command = readCommand(env, [])
  if (Result.isFailure(command)) return command.failure.message
  return command.success._tag === "Serve" ? command.success.settings : command.success._tag
}

t.test("what does not fit is refused in one line", async (t) => {
  for (const [env, message] of [
    ...["three", "0", "1", "65", "-2", "2.5", "2 "].map(
      (processes) =>
        [
          { ...production, PARLEY_PROCESSES: processes },
          `PARLEY_PROCESSES is "${processes}": expected one or many or a whole number from 2 to 64`,
        ] as const,
    ),
    [{ ...many, PARLEY_PROCESSES: "3", DATABASE_URL: "" }, /^PARLEY_PROCESSES=3 needs DATABASE_URL: the embedded/],
    [
      { ...many, PARLEY_PROCESSES: "3", PARLEY_MODE: "development" },
      /^PARLEY_PROCESSES=3 needs PARLEY_MODE=production/,
    ],
    [
      { ...many, PARLEY_PROCESSES: "3", PORT: "0" },
      /^PARLEY_PROCESSES=3 needs a port that all of them open: PORT is 0, by which each would get another one$/,
    ],
    [
      { ...many, PARLEY_LEAVE_SECONDS: "601" },
      /^PARLEY_LEAVE_SECONDS is "601": expected a whole number from 0 to 600$/,
    ],
    [
      { ...many, DATABASE_URL: "" },
      /^PARLEY_PROCESSES=many needs DATABASE_URL: the embedded database has one process$/,
    ],
    [{ ...many, PARLEY_MODE: "development" }, /^PARLEY_PROCESSES=many needs PARLEY_MODE=production: the demo/],
    ...[
      "redis://r",
      "nats://",
      "nats://a:b@",
      "nats://a,,b",
      "nats://a b",
      "nats://a:0",
      "nats://a:70000",
      "nats://::1",
    ].map(
      (bus) =>
        [{ ...many, PARLEY_BUS: bus }, /^PARLEY_BUS is not usable: expected none, notify or nats:\/\/host/] as const,
    ),
    [{ ...many, PARLEY_BUS: "nats://%zz@a" }, /^PARLEY_BUS is not usable/],
    [{ ...many, PARLEY_BUS_CREDENTIALS_FILE: "a.creds" }, /^PARLEY_BUS_CREDENTIALS_FILE is for PARLEY_BUS=nats:/],
    [
      { ...many, PARLEY_BUS: "nats://token@a", PARLEY_BUS_CREDENTIALS_FILE: "a.creds" },
      /^PARLEY_BUS_CREDENTIALS_FILE is set, and PARLEY_BUS has a password or token: one of them is enough$/,
    ],
    [{ ...many, PARLEY_BUS: "nats://a", PARLEY_BUS_CA_FILE: "ca.pem" }, /^PARLEY_BUS_CA_FILE is for PARLEY_BUS=tls:/],
    [{ ...many, PARLEY_RATE_LIMIT_SHARED: "yes" }, /^PARLEY_RATE_LIMIT_SHARED is "yes": expected on or off$/],
    [{ ...production, PARLEY_RATE_LIMIT_SHARED: "on" }, /^PARLEY_RATE_LIMIT_SHARED is for PARLEY_PROCESSES=many/],
    [{ ...production, PARLEY_BUS_CA_FILE: "ca.pem" }, /^PARLEY_BUS_CA_FILE is for PARLEY_PROCESSES=many/],
    [{ ...many, PARLEY_BUS_URL: "http://db:secret@x" }, /^PARLEY_BUS_URL is not usable: expected a URL like postgres:/],
    [
      { ...production, PARLEY_BUS: "notify" },
      /^PARLEY_BUS is for PARLEY_PROCESSES=many: one process has nobody to tell$/,
    ],
    [{ ...production, PARLEY_BUS_URL: many.DATABASE_URL }, /^PARLEY_BUS_URL is for PARLEY_PROCESSES=many/],
  ] as const)
    t.match(settingsOf(env), message)
})

t.test("a number of processes that one starts: each is one of many, and has its number", async (t) => {
  t.match(settingsOf(many), { children: null, processes: { child: null }, leaveSeconds: 5 })
  t.match(settingsOf({ ...many, PARLEY_PROCESSES: "3" }), { children: 3, processes: { child: null }, leaveSeconds: 5 })
  const second = { ...many, PARLEY_PROCESSES: "3", PARLEY_CHILD: "2" }
  t.match(settingsOf(second), { children: null, processes: { bus: "notify", child: 2 } })
  t.match(settingsOf({ ...second, PARLEY_PROCESSES: "many" }), { processes: { child: null } }, "it has its own port")
  t.match(settingsOf({ ...second, PARLEY_PROCESSES: "" }), { processes: null, children: null, leaveSeconds: 0 })
  for (const [seconds, leaveSeconds] of [
    ["0", 0],
    ["600", 600],
  ] as const)
    t.match(settingsOf({ ...many, PARLEY_LEAVE_SECONDS: seconds }), { leaveSeconds })
})

t.test("one process starts others on Linux only", async (t) => {
  for (const [os, expected] of [
    ["linux", { code: 0, said: "" }],
    [
      "darwin",
      {
        code: 2,
        said: "parley: PARLEY_PROCESSES=3 needs Linux: start processes with PARLEY_PROCESSES=many, each at a port of its own\n",
      },
    ],
  ] as const) {
    let said = ""
    const code = await runCli({
      argv: ["serve", "--processes", "3"],
      env: production,
      serve: async () => Result.succeed(undefined),
      print: () => {},
      complain: (text) => {
        said += text
      },
      platform: { node: "22.14.0", os, processor: "arm64", glibc: "2.41" },
    })
    t.same({ code, said }, expected, os)
  }
})

t.test("what fits is taken, and no password is shown", async (t) => {
  t.match(settingsOf(production), { processes: null })
  t.match(settingsOf(many), { processes: { bus: "notify", busUrl: null, sharesLimits: true } })
  t.match(settingsOf({ ...many, PARLEY_RATE_LIMIT_SHARED: "off" }), { processes: { sharesLimits: false } })
  t.match(settingsOf({ ...many, PARLEY_BUS: "none" }), { processes: { bus: "none" } })
  const settings = settingsOf({ ...many, PARLEY_BUS_URL: "postgres://parley:hunter2@db.example:5433/parley" })
  if (typeof settings === "string") return t.fail(settings)
  t.equal(settings.processes?.busUrl, "postgres://parley:hunter2@db.example:5433/parley")
  t.notMatch(describeSettings(settings), /hunter2/)
  t.ok(secretsIn(settings).includes("hunter2"))
})

t.test("servers of NATS are taken with what they ask for, and no password or token is shown", async (t) => {
  const bus = { servers: ["a:4222"], isTls: false, login: null, credentialsFile: null, authoritiesFile: null }
  for (const [address, expected] of [
    ["nats://a", bus],
    ["nats://a/", bus],
    ["nats://a,b:4333, [::1]:1", { ...bus, servers: ["a:4222", "b:4333", "[::1]:1"] }],
    ["nats://127.0.0.1,[::1]", { ...bus, servers: ["127.0.0.1:4222", "[::1]:4222"] }],
    ["tls://hunter2@a", { ...bus, isTls: true, login: { token: "hunter2" } }],
    ["nats://me:hunter2%40x@a", { ...bus, login: { user: "me", password: "hunter2@x" } }],
    [
      "nats://me:hunter2:y@a,b",
      { ...bus, servers: ["a:4222", "b:4222"], login: { user: "me", password: "hunter2:y" } },
    ],
  ] as const) {
    const settings = settingsOf({ ...many, PARLEY_BUS: address })
    if (typeof settings === "string") return t.fail(`${address}: ${settings}`)
    t.strictSame(settings.processes?.bus, expected, address)
    t.notMatch(describeSettings(settings), /hunter2/)
    if (expected.login !== null) t.ok(secretsIn(settings).some((secret) => secret.startsWith("hunter2")))
  }
  const files = { PARLEY_BUS: "tls://a", PARLEY_BUS_CREDENTIALS_FILE: "/a.creds", PARLEY_BUS_CA_FILE: "/ca.pem" }
  t.match(settingsOf({ ...many, ...files }), {
    processes: { bus: { credentialsFile: "/a.creds", authoritiesFile: "/ca.pem" } },
  })
})
