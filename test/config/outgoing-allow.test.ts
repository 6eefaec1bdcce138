/** PARLEY_OUTGOING_ALLOW: what an entry of it may be, and the line that refuses a wrong one. */
import * as Result from "effect/Result"
import t from "tap"
import { describeSettings } from "../../src/config/describe-settings.ts"
import { expectedEntries, readAllowEntry, writtenEntries } from "../../src/config/outgoing-allow.ts"
import { type Environment, readCommand } from "../../src/config/read-settings.ts"
import { allSettings } from "../../src/config/settings.ts"

const production = {
  PARLEY_MODE: "production",
  PARLEY_SECRET: "8f2b41d09c6e7a35fd1820cb94e6537a",
  PARLEY_EXTERNAL_URL: "https://chat.example.org",
}

const outcome = (env: Environment, argv: ReadonlyArray<string> = []): ReadonlyArray<string> | string => {
  const command = readCommand(env, argv)
  if (Result.isFailure(command)) return command.failure.message
  return "settings" in command.success
    ? command.success.settings.outgoingAllow.flatMap(writtenEntries)
    : command.success._tag
}

const usual = [
  [80, 80],
  [443, 443],
]

const machine = ["127.0.0.0/8:1-65535", "[::1]:1-65535"]

t.test("entries", async (t) => {
  const read: ReadonlyArray<[text: string, kind: string, host: string, ports: ReadonlyArray<ReadonlyArray<number>>]> = [
    ["builds.example.org", "name", "builds.example.org", usual],
    ["Builds.Example.org:8080", "name", "builds.example.org", [[8080, 8080]]],
    ["bot", "name", "bot", usual],
    ["bücher.example", "name", "xn--bcher-kva.example", usual],
    ["*.example.org:8000-8999", "subdomains", "example.org", [[8000, 8999]]],
    ["10.1.2.3", "address", "10.1.2.3", usual],
    ["10.1.2.3:1-65535", "address", "10.1.2.3", [[1, 65_535]]],
    ["10.1.0.0/16", "net", "10.1.0.0/16", usual],
    ["10.1.0.0/16:22", "net", "10.1.0.0/16", [[22, 22]]],
    ["fd00::1", "address", "fd00::1", usual],
    ["fd00::1:8080", "address", "fd00::1:8080", usual],
    ["FD00::/8", "net", "fd00::/8", usual],
    ["[fd00::1]", "address", "fd00::1", usual],
    ["[fd00::1]:8080", "address", "fd00::1", [[8080, 8080]]],
    ["[fd00::/8]:8080", "net", "fd00::/8", [[8080, 8080]]],
    ["[fd00::]/8:80-81", "net", "fd00::/8", [[80, 81]]],
  ]
  for (const [text, kind, host, ports] of read) t.strictSame(readAllowEntry(text), { kind, host, ports }, text)
  for (const text of [...machine, "[fd00::/8]:8080", "*.a.example:1-2"])
    t.strictSame(
      [readAllowEntry(text)].flatMap((entry) => (entry === undefined ? [] : writtenEntries(entry))),
      [text],
      "written as it was read",
    )
  const wrong =
    "|*|*.|*.10.0.0.1|a..example|.example|-a.example|a b|a.example/8|a.example?|u@a.example|http://a.example|a.example:|a.example:0|a.example:65536|a.example:2-1|a.example:1-|a.example:http|10.0.0.0/33|10.0.0.0/|10.1|010.0.0.1|0x7f.1|2130706433|[10.0.0.1]:80|[fd00::1|fd00::1]|[]:80|fd00::/129|[fd00::/8]/8|fe80::1%eth0|[fe80::1%eth0]:80|::ffff:10.0.0.0/104|a.example:80:80"
  for (const text of wrong.split("|")) t.equal(readAllowEntry(text), undefined, text)
})

t.test("the setting: a wrong entry is named in one line, and what is in force is shown", async (t) => {
  t.strictSame(outcome(production), [])
  t.strictSame(outcome({ ...production, PARLEY_OUTGOING_ALLOW: "10.0.0.0/8:8080, *.example.org" }), [
    "10.0.0.0/8:8080",
    "*.example.org:80",
    "*.example.org:443",
  ])
  t.strictSame(outcome(production, ["--outgoing-allow", "bot:1-2"]), ["bot:1-2"])
  t.strictSame(outcome({ PARLEY_OUTGOING_ALLOW: "bot:1" }), ["bot:1", ...machine], "development")
  t.strictSame(outcome({ PARLEY_DEVELOPMENT_OPEN_TO_EVERYBODY: "true" }), [], "open to everybody")
  for (const [text, entry] of [
    ["bot,10.0.0.0/33", "10.0.0.0/33"],
    ["bot,", ""],
    ["a\nb", "a\nb"],
  ] as const)
    t.equal(
      outcome({ ...production, PARLEY_OUTGOING_ALLOW: text }),
      `PARLEY_OUTGOING_ALLOW has the entry ${JSON.stringify(entry)}: expected ${expectedEntries}`,
    )
  t.match(outcome(production, ["--outgoing-allow="]), /^--outgoing-allow has the entry "": expected/)
  t.ok(allSettings.some(({ env, flag }) => env === "PARLEY_OUTGOING_ALLOW" && flag === "outgoing-allow"))
  const command = readCommand({ PARLEY_OUTGOING_ALLOW: "bot:1" }, ["--print-config"])
  const shown =
    Result.isSuccess(command) && "settings" in command.success ? describeSettings(command.success.settings) : ""
  t.match(JSON.parse(shown), { outgoingAllow: ["bot:1", ...machine] })
})
