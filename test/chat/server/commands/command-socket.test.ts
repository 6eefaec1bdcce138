/** Commands by a socket in the data folder: who may open it, what is taken, and that nothing that comes by it does harm. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import t, { type Test } from "tap"
import { askBySocket } from "../../../../src/chat/server/commands/ask-by-socket.ts"
import { longestCommand } from "../../../../src/chat/server/commands/command-schema.ts"
import { listenForCommands } from "../../../../src/chat/server/commands/command-socket.ts"
import { ServerCommands } from "../../../../src/chat/server/commands/server-commands.ts"
import { socketNames } from "../../../../src/chat/server/commands/socket-path.ts"
import { createFolder } from "../../../kit/test-database.ts"

const database = { kind: "pglite", folder: "database", sync: false } as const

/** Longer than any command may be. */
const longList = "7  ann@first.example  Ann  (member)\n".repeat(longestCommand / 8)

/** A server that answers what it is asked. */
const listen = async (t: Test, dataFolder: string, further: Partial<Parameters<typeof listenForCommands>[0]> = {}) => {
  const scope = await Effect.runPromise(Scope.make())
  const commands = ServerCommands.of({
    perform: ({ do: name }) => Effect.succeed({ isDone: true, text: name === "user list" ? longList : name }),
    inTurn: (work) => work,
  })
  await Effect.runPromise(
    listenForCommands({ dataFolder, database, processes: null, port: 0, ...further }).pipe(
      Effect.provideService(ServerCommands, commands),
      Effect.provideService(Scope.Scope, scope),
    ),
  )
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  t.teardown(close)
  return { close }
}

const answerTo = (folder: string, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(join(folder, "command.sock"))
    const chunks: Array<Buffer> = []
    socket.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {})
    socket.once("close", () => resolve(Buffer.concat(chunks).toString("utf8")))
    socket.write(bytes)
  })

t.test("only the owner of the folder may open it, and it is gone with the server", async (t) => {
  const folder = await createFolder(t)
  t.equal(await askBySocket({ dataFolder: folder, database }, { do: "org list" }), null, "nobody is there")
  t.equal(await askBySocket({ dataFolder: join(folder, "none"), database }, { do: "org list" }), null, "nor a folder")
  const { close } = await listen(t, folder)
  t.same(readdirSync(folder), ["command.sock"])
  t.equal(statSync(join(folder, "command.sock")).mode & 0o777, 0o600)
  t.same(await askBySocket({ dataFolder: folder, database }, { do: "org list" }), { isDone: true, text: "org list" })
  const postgres = { kind: "postgres", url: "postgres://h/d" } as const
  t.equal(await askBySocket({ dataFolder: folder, database: postgres }, { do: "org list" }), null, "another database's")
  await close()
  t.same(readdirSync(folder), [])
})

t.test("a folder with a long name, and what a killed server has left in it", async (t) => {
  const folder = join(await createFolder(t), "x".repeat(120))
  mkdirSync(folder)
  writeFileSync(join(folder, "command.sock"), "")
  t.equal(await askBySocket({ dataFolder: folder, database }, { do: "org list" }), null)
  await listen(t, folder)
  t.same(await askBySocket({ dataFolder: folder, database }, { do: "org list" }), { isDone: true, text: "org list" })
})

t.test("an answer may be a long list", async (t) => {
  const folder = await createFolder(t)
  await listen(t, folder)
  const list = { do: "user list", org: null, after: 0, json: false } as const
  t.same(await askBySocket({ dataFolder: folder, database }, list), { isDone: true, text: longList })
})

t.test("what is no command is answered, and serves others on", async (t) => {
  const folder = await createFolder(t)
  await listen(t, folder)
  const odd = ["\n", "{}\n", "null\n", '{"do":"halt"}\n', '{"do":"org create"}\n', Buffer.from([0xff, 0, 10])]
  for (const bytes of [...odd, "x".repeat(longestCommand + 1)])
    t.match(JSON.parse(await answerTo(folder, bytes)), { isDone: false, text: /does not know this command/ })
  const idle = connect(join(folder, "command.sock"))
  t.teardown(() => idle.destroy())
  await Promise.all(
    Array.from({ length: 10 }, async () =>
      t.equal(await answerTo(folder, '{"do":"org list"}\n'), '{"isDone":true,"text":"org list"}\n'),
    ),
  )
})

t.test(
  "of several processes that share a folder the first that answers is asked, past what a killed one has left",
  async (t) => {
    const folder = await createFolder(t)
    const postgres = { kind: "postgres", url: "postgres://parley@db.example/parley" } as const
    const place = { dataFolder: folder, database: postgres }
    const alone = { bus: "none", busUrl: null, sharesLimits: true, child: null } as const
    const together = { database: postgres, processes: alone } as const
    const first = await listen(t, folder, { ...together, port: 9991 })
    await listen(t, folder, { ...together, port: 9992 })
    await listen(t, folder, { database: { ...postgres, url: "postgres://parley@db.example/other" }, port: 9993 })
    const [name = ""] = await socketNames(place)
    t.match(await socketNames(place), [/-9991\.sock$/, /-9992\.sock$/], "those of another database are not asked")
    t.match(await askBySocket(place, { do: "org list" }), { isDone: true })
    await first.close()
    writeFileSync(join(folder, name), "")
    t.match(await askBySocket(place, { do: "org list" }), { isDone: true, text: "org list" }, "the second answers")
  },
)

t.test("processes at one port have a socket each", async (t) => {
  const folder = await createFolder(t)
  const postgres = { kind: "postgres", url: "postgres://parley@db.example/parley" } as const
  const place = { dataFolder: folder, database: postgres }
  const processes = { bus: "none", busUrl: null, sharesLimits: true } as const
  const started = [1, 2].map((child) =>
    listen(t, folder, { database: postgres, port: 9991, processes: { ...processes, child } }),
  )
  const [first] = await Promise.all(started)
  t.match(await socketNames(place), [/-9991-1\.sock$/, /-9991-2\.sock$/])
  await first?.close()
  t.match(await socketNames(place), [/-9991-2\.sock$/], "the end of one leaves that of the other")
  t.match(await askBySocket(place, { do: "org list" }), { isDone: true, text: "org list" })
})
