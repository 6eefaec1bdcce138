/**
 * The log of a server in production that people work with, at the level that tells the most: lines of JSON, of which one says what
 * was started, and in none of which there is a secret, a key, a password or a text of anybody.
 */
import { readdirSync } from "node:fs"
import * as Schema from "effect/Schema"
import t from "tap"
import { packageFile } from "../src/db/package-root.ts"
import { findFreePort } from "../src/testing/free-port.ts"
import { type Account, type Fields, personOf, request } from "./kit/client.ts"
import { makeFlags, originOf, Program, servesMessage } from "./kit/program.ts"
import { adminUrl, until } from "./kit/test-database.ts"

const secret = "the secret of this server, of which nobody may read"
const token = "token-of-the-metrics-0123456789"
const password = "a password that nobody may read"
const content = "a content that nobody may read"

const production = {
  PARLEY_MODE: "production",
  PARLEY_SECRET: secret,
  PARLEY_EXTERNAL_URL: "https://chat.example.org",
  PARLEY_METRICS_TOKEN: token,
  PARLEY_LOG_LEVEL: "debug",
  PARLEY_ADDRESS_REQUESTS_PER_MINUTE: "30",
}

const Line = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.StructWithRest(Schema.Struct({ time: Schema.String, level: Schema.String, message: Schema.String }), [
      Schema.Record(Schema.String, Schema.Unknown),
    ]),
  ),
)

/** By the number that begins the name of the newest migration. */
const newestSchema = Number(readdirSync(packageFile("src/db/migrations")).sort().at(-1)?.slice(0, 3))

const linesOf = (program: Program) =>
  program.err
    .trimEnd()
    .split("\n")
    .map((line) => Line(line))

t.test("a busy server's log", async (t) => {
  const [flags, port] = [await makeFlags(t), await findFreePort()]
  const org = ["org", "create", "chat.example.org", "--name", "A name", "--owner-email", "ann@far.example"]
  const made = new Program(t, [...org, "--owner-name", "Ann Owner", ...flags(port)], production, `${password}\n`)
  t.equal((await made.ended).code, 0, made.err)
  const key = /^API key (\w{32})$/m.exec(made.out)?.[1] ?? ""
  const program = new Program(t, flags(port), production)
  // It tells so itself: asking it meanwhile would slow its start.
  await until("it serves", 60_000, () => {
    if (!program.isRunning) throw new Error(program.err)
    return program.err.includes(servesMessage)
  })

  const account: Account = { email: "ann@far.example", key }
  const ann = personOf(originOf(port), account)
  const ask = (method: string, path: string, fields: Fields, who?: Account) =>
    request(originOf(port), method, path, fields, who === undefined ? {} : { account: who })
  const texts = [secret, token, password, content, key]
  for (let round = 0; round < 3; round++) {
    t.match(await ann.post("/messages", { type: "channel", to: "general", topic: content, content }), { status: 200 })
    await ann.post("/messages", { type: "channel", to: content, topic: "t", content })
    await ann.post("/messages", { type: "direct", to: `[${content}`, content })
    await ann.get("/messages", {
      narrow: JSON.stringify([["search", content]]),
      anchor: "newest",
      num_before: 5,
      num_after: 0,
    })
    await ann.post("/saved_snippets", { title: content.slice(0, 20), content })
    await ask("GET", "/users/me", {}, { email: account.email, key: `${key.slice(1)}x` })
    await ask("GET", `/users/${encodeURIComponent(content)}`, {}, account)
    await fetch(`${originOf(port)}/join/${key}/`)
    await fetch(`${originOf(port)}/metrics`, { headers: { Authorization: `Bearer ${token}` } })
    // Passwords are checked in threads that give way to all else.
    if (round > 0) continue
    await ann.patch("/settings", { full_name: "Ann", old_password: password, new_password: `${password}${round}` })
    await ask("POST", "/fetch_api_key", { username: account.email, password: `${password} wrong` })
    await ask("POST", "/fetch_api_key", { username: content, password })
  }
  // Enough of them that one is refused, which is told at the end.
  for (let n = 0; n < 40; n++) await ask("GET", "/users/me", {}, { email: content, key })
  program.signal("SIGTERM")
  t.same(await program.ended, { code: 0, signal: null })

  const lines = linesOf(program)
  for (const { time, level } of lines) {
    t.equal(new Date(time).toISOString(), time)
    t.ok(["debug", "info", "warn", "error"].includes(level), level)
  }
  t.same(
    lines.filter(({ level }) => level === "error"),
    [],
    "nothing went wrong",
  )
  for (const text of texts) t.notOk(program.err.includes(text), `"${text}" is in no line`)
  for (const part of ["nobody may read", key.slice(0, 16)]) t.notOk(program.err.includes(part), part)

  const starts = lines.filter(({ message }) => message === servesMessage)
  t.match(
    starts,
    [
      {
        version: /^\d+\.\d+\.\d+/,
        node: process.versions.node,
        mode: "production",
        address: "https://chat.example.org",
        database: adminUrl === undefined ? /^PGlite 1[5-9]/ : /^PostgreSQL 1[5-9]/,
        schema: newestSchema,
        organizations: 1,
        log_epochs: { 1: /^[0-9a-f]{10}$/ },
        limits: { addressRequestsPerMinute: 30 },
        ready_ms: Number,
      },
    ],
    "one line says what was started",
  )
  t.match(
    lines.find(({ message, endpoint }) => message === "answered" && endpoint === "POST /messages"),
    { level: "debug", status: 200, milliseconds: Number, who: "user 1 of realm 1" },
  )
  t.ok(lines.some(({ level, message }) => level === "warn" && message.startsWith("refused ")))
})
