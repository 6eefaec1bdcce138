/** Commands by a socket in the data folder: who may open it, what is taken, and that nothing that comes by it does harm. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import t, { type Test } from "tap"
import { askBySocket } from "../../../../src/chat/server/commands/ask-by-socket.ts"
import { longestCommand } from "../../../../src/chat/server/commands/command.ts"
import { listenForCommands } from "../../../../src/chat/server/commands/command-socket.ts"
import { ServerCommands } from "../../../../src/chat/server/commands/server-commands.ts"
import { createFolder } from "../../../kit/test-database.ts"

const database = { kind: "pglite", folder: "database", sync: false } as const

/** A server that answers what it is asked. */
const listen = async (t: Test, dataFolder: string) => {
  const scope = await Effect.runPromise(Scope.make())
  const commands = ServerCommands.of({
    perform: ({ do: text }) => Effect.succeed({ isDone: true, text }),
    inTurn: (work) => work,
  })
  await Effect.runPromise(
    listenForCommands({ dataFolder, database }).pipe(
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
