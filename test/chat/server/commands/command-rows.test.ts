/** Commands by rows of PostgreSQL, for a server whose data folder is elsewhere. */
import * as Effect from "effect/Effect"
import t from "tap"
import { askByRow } from "../../../../src/chat/server/commands/ask-by-row.ts"
import type { ServerCommand } from "../../../../src/chat/server/commands/command-schema.ts"
import { makeCommandSeal } from "../../../../src/chat/server/commands/command-seal.ts"
import { adminUrl, until } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const change: ServerCommand = {
  do: "user password",
  org: null,
  email: "hamlet@test.example",
  password: "not to be seen",
}

/** Asks while the server's clock goes on; `look` sees the row each time. */
const ask = (
  server: TestServer,
  options: { secret?: string; milliseconds?: number; look?: () => Promise<void> } = {},
) => {
  const { secret = server.config.secret, milliseconds = 60_000, look = async () => {} } = options
  const pause = Effect.promise(async () => {
    await look()
    server.clock.advance(500)
    await new Promise((resolve) => setImmediate(resolve))
  })
  return Effect.runPromise(askByRow(server.database, secret, change, { milliseconds, pause }))
}

t.test("a row can be opened only with its secret, as what it is", async (t) => {
  const [seal, otherRow, otherSecret] = await Promise.all(
    [
      ["secret", "1"],
      ["secret", "2"],
      ["another", "1"],
    ].map(([secret = "", row = ""]) => Effect.runPromise(makeCommandSeal(secret, row))),
  )
  const closed = seal?.close("command", "a password") ?? ""
  t.notMatch(Buffer.from(closed, "base64url").toString("latin1"), /password/)
  t.not(seal?.close("command", "a password"), closed)
  t.equal(seal?.open("command", closed), "a password")
  for (const opened of [
    seal?.open("answer", closed),
    otherRow?.open("command", closed),
    otherSecret?.open("command", closed),
  ])
    t.equal(opened, undefined)
  for (const odd of ["", "x", closed.slice(0, -4), "A".repeat(100)]) t.equal(seal?.open("command", odd), undefined)
})

t.test("rows of PostgreSQL", { skip: adminUrl === undefined && "the embedded database has one server only" }, (t) =>
  withServer(t, {}, async (server) => {
    const seen: Array<string> = []
    const look = async () => void seen.push(JSON.stringify(await server.rows("select * from server_command")))
    t.match(await ask(server, { look }), { isDone: true, text: "hamlet@test.example has a new password" })
    t.ok(seen.length > 0)
    for (const rows of seen) t.notMatch(rows, /not to be seen|hamlet|password/, "nothing in it can be read")
    t.same(await server.rows("select * from server_command"), [], "it is removed")
    const entered = { username: "hamlet@test.example", password: "not to be seen" }
    t.match(await server.anonymous("POST", "/fetch_api_key", entered), { status: 200 })

    t.match(await ask(server, { secret: "another secret" }), {
      isDone: false,
      text: /has another secret: set PARLEY_SECRET$/,
    })
    t.match(await ask(server, { milliseconds: 0 }), { isDone: false, text: /nothing was done$/ }, "nobody takes it up")
    t.same(await server.rows("select * from server_command"), [], "and it is not done later")

    await server.rows("insert into server_command (id, command, created_at) values ('old', 'x', 0), ('odd', 'x', 9e15)")
    await ask(server)
    // It is the last of those that were taken up with the one asked for.
    const answered = "select id, answer from server_command where answer is not null"
    await until("the odd one is answered", 5000, async () => (await server.rows(answered)).length > 0)
    t.same(await server.rows("select id, answer from server_command"), [{ id: "odd", answer: "unreadable" }])
  }),
)
