/** The arguments of operators' commands: what they become, what is refused in which words, help, and passwords. */
import { PassThrough } from "node:stream"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import t from "tap"
import { readParsedCommand } from "../../src/command-line/read-command.ts"
import { readPassword } from "../../src/command-line/read-password.ts"
import { readCommand } from "../../src/config/read-settings.ts"

const read = (...argv: ReadonlyArray<string>) => Effect.runPromise(readParsedCommand(argv, "1.2.3"))

const named = ["--name", "Acme", "--owner-email", "ann@acme.example", "--owner-name", "Ann Owner"]

t.test("what arguments become", async (t) => {
  const org = {
    do: "org create",
    host: "acme.example",
    name: "Acme",
    ownerEmail: "ann@acme.example",
    ownerName: "Ann Owner",
  }
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, object]> = [
    [["org", "list"], { do: "org list" }],
    [["org", "create", "acme.example", ...named], { ...org, password: "given" }],
    [["org", "create", ...named, "acme.example", "--no-password"], { ...org, password: null }],
    [
      ["user", "create", "bob@acme.example", "--name=Bob"],
      { do: "user create", org: null, email: "bob@acme.example", name: "Bob", role: "member", password: "given" },
    ],
    [
      [
        "user",
        "create",
        "--org",
        "acme.example",
        "bob@acme.example",
        "--name",
        "Bob",
        "--role",
        "guest",
        "--no-password",
      ],
      { do: "user create", org: "acme.example", email: "bob@acme.example", name: "Bob", role: "guest", password: null },
    ],
    [["user", "api-key", "a@b.c"], { do: "user api-key", org: null, email: "a@b.c", isNew: false }],
    [["user", "api-key", "--new", "a@b.c"], { do: "user api-key", org: null, email: "a@b.c", isNew: true }],
    [["user", "password", "a@b.c"], { do: "user password", org: null, email: "a@b.c", password: "given" }],
    [["user", "list"], { do: "user list", org: null, after: 0, json: false }],
    [["user", "list", "--after", "1017", "--json"], { do: "user list", org: null, after: 1017, json: true }],
    [
      ["user", "role", "a@b.c", "guest", "--org", "b.c"],
      { do: "user role", org: "b.c", email: "a@b.c", role: "guest", json: false },
    ],
    [["user", "deactivate", "a@b.c", "--json"], { do: "user deactivate", org: null, email: "a@b.c", json: true }],
    [["user", "reactivate", "a@b.c"], { do: "user reactivate", org: null, email: "a@b.c", json: false }],
    [["org", "deactivate", "b.c"], { do: "org deactivate", org: "b.c", json: false }],
    [["mail", "test", "a@b.c", "--json"], { do: "mail test", email: "a@b.c", json: true }],
    [["test-server"], { json: false, empty: false }],
    [["test-server", "--empty", "--json"], { json: true, empty: true }],
    [["files", "adopt"], { asks: false, adopt: true }],
    [["backup", "b.tar.gz"], { asks: false, backup: "b.tar.gz" }],
    [["restore", "b.tar.gz"], { asks: false, restore: { file: "b.tar.gz", otherSecret: false } }],
    [["restore", "--other-secret", "b.tar.gz"], { asks: false, restore: { file: "b.tar.gz", otherSecret: true } }],
  ]
  for (const [argv, expected] of cases) {
    const found = await read(...argv)
    if (found._tag !== "Wanted") throw new Error(JSON.stringify(found))
    const { wanted } = found
    const plain =
      "testServer" in wanted
        ? wanted.testServer
        : "backup" in wanted || "restore" in wanted || "adopt" in wanted
          ? wanted
          : wanted.asks
            ? wanted.complete("given")
            : wanted.command
    t.same(plain, expected, argv.join(" "))
  }
})

t.test("what is refused is said in one line, which names the argument", async (t) => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["org"], /^parley org: which command of these\?; parley org --help lists what there is$/],
    [["org", "destroy"], /^parley org: Unknown subcommand "destroy"/],
    [["org", "create", ...named], /^parley org create: Missing required argument: host/],
    [["org", "create", "acme.example"], /^parley org create: Missing required flag: --name/],
    [["org", "create", "a.example", "b.example", ...named], /b\.example/],
    [["org", "create", "a.example", ...named, "--password", "visible"], /--password/],
    [["org", "create", "a.example", ...named, "--name", "Again"], /--name/],
    [["org", "list", "--colour"], /--colour/],
    [["org", "deactivate"], /^parley org deactivate: Missing required argument: host/],
    [["user", "role", "a@b.c"], /^parley user role: Missing required argument: role/],
    [["user", "role", "a@b.c", "king"], /king/],
    [["user", "create", "a@b.c", "--name", "A", "--role", "king"], /--role: "king"/],
    [["user", "create", "a@b.c", "--name"], /--name/],
    [["user", "create", "a@b.c", "--version"], /--version/],
    [["backup"], /^parley backup: Missing required argument: file/],
    [["backup", "a", "b"], /b/],
    [["restore", "--force", "a"], /--force/],
  ]
  for (const [argv, why] of cases) {
    const found = await read(...argv)
    t.match(found, { _tag: "Refused", why }, argv.join(" "))
    if (found._tag === "Refused") t.match(found.why, /^parley [^\n]+ --help lists what there is$/)
  }
})

t.test("help says what there is", async (t) => {
  const help = async (...argv: ReadonlyArray<string>) => {
    const found = await read(...argv)
    return found._tag === "Help" ? found.text : JSON.stringify(found)
  }
  t.match(await help("org", "--help"), /create[\s\S]*list/)
  t.match(await help("user", "-h"), /create[\s\S]*api-key[\s\S]*password/)
  const create = await help("org", "create", "--help")
  for (const part of ["<host>", "--name", "--owner-email address", "--owner-name", "--no-password", "standard input"])
    t.ok(create.includes(part), part)
  t.notMatch(create, /--wizard|--completions|--log-level/)
  t.notOk(create.includes("\u001b"), "no colours")
})

t.test("settings may stand anywhere among the arguments; help needs none that are right", async (t) => {
  const found = readCommand({ PARLEY_PORT: "x" }, [
    "--data-dir",
    "/srv/p",
    "user",
    "--port=5",
    "api-key",
    "a@b.c",
    "--mode",
    "x",
  ])
  if (Result.isFailure(found) || found.success._tag !== "Operate") throw new Error("another command")
  t.same(found.success.argv, ["user", "api-key", "a@b.c"])
  t.match(found.success.found, Result.fail({ message: '--mode is "x": expected development or production' }))
  const plain = readCommand({}, ["org", "list", "--data-dir", "/srv/p"])
  if (Result.isFailure(plain) || plain.success._tag !== "Operate") throw new Error("another command")
  t.match(plain.success.found, Result.succeed({ dataFolder: "/srv/p" }))
  const stray = readCommand({ PARLEY_PASSWORD: "x" }, ["org", "list"])
  if (Result.isFailure(stray) || stray.success._tag !== "Operate") throw new Error("another command")
  t.match(stray.success.found, Result.fail({ message: /^unknown variable PARLEY_PASSWORD/ }))
})

/** Standard input: what is typed or piped into it. */
const inputOf = (isTTY: boolean) => {
  const typed = new PassThrough()
  const told: Array<string> = []
  const stream = Object.assign(typed, { isTTY, setRawMode: () => typed })
  return { typed, told, input: { stream, tell: (text: string) => void told.push(text) } }
}

t.test("a password from standard input is its first line", async (t) => {
  const given = async (text: string) => {
    const { typed, input } = inputOf(false)
    typed.end(text)
    return readPassword(input, "a@b.c")
  }
  t.same(await given("secret one\nmore\n"), Result.succeed("secret one"))
  t.same(await given("ends without a line's end"), Result.succeed("ends without a line's end"))
  t.same(await given(" kept as it is \r\n"), Result.succeed(" kept as it is "))
  const none = Result.fail("no password for a@b.c: expected it as the first line of standard input")
  t.same(await given(""), none)
  t.same(await given("\n"), none)
})

t.test("a password from the terminal is asked for twice, and not shown", async (t) => {
  const typing = async (...lines: ReadonlyArray<string>) => {
    const { typed, told, input } = inputOf(true)
    const answer = readPassword(input, "a@b.c")
    for (const line of lines) {
      await new Promise((resolve) => setImmediate(resolve))
      typed.write(line)
    }
    return { answer: await answer, told: told.join("") }
  }
  t.same(await typing("secret one\r", "secret one\r"), {
    answer: Result.succeed("secret one"),
    told: "Password for a@b.c: \nOnce more: \n",
  })
  t.match((await typing("one\r", "another\r")).answer, Result.fail("the two passwords are not the same"))
  t.match((await typing("\u0003")).answer, Result.fail("no password was given"))
})
