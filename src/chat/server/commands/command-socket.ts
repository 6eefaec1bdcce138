/**
 * The server's side of the socket for commands, which only the owner of the data folder may open. Opened by main.ts beside a
 * running server.
 */
import { chmodSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ConfigShape } from "../../../config/config.ts"
import { AnswerJson, type CommandAnswer, CommandJson, longestCommand, type ServerCommand } from "./command-schema.ts"
import { ServerCommands } from "./server-commands.ts"
import { inFolder, ownSocketName, readLine, type SocketLocation } from "./socket-path.ts"

const mostConnections = 16
/** For a whole line to come, by the machine's time. */
const lineMilliseconds = 10_000

const readCommand = Schema.decodeUnknownOption(CommandJson)
const writeAnswer = Schema.encodeSync(AnswerJson)

/** `gone`: nobody waits for the answer any more. */
type PerformCommand = (command: ServerCommand, gone: AbortSignal) => Promise<CommandAnswer>

const serve = async (socket: Socket, perform: PerformCommand): Promise<void> => {
  const line = await readLine(socket, lineMilliseconds, longestCommand)
  const command = readCommand(line)
  const gone = new AbortController()
  socket.once("close", () => gone.abort())
  const answer: CommandAnswer =
    command._tag === "Some"
      ? await perform(command.value, gone.signal)
      : { isDone: false, text: "the running server does not know this command: is it another version?" }
  // Not left open for a reader that does not go away.
  socket.end(`${writeAnswer(answer)}\n`, () => socket.destroy())
}

/**
 * Listens in a folder of its own that nobody else may enter, and moves the socket to its place once its mode is set: so it was
 * never open to others, and what a killed server has left is replaced.
 */
const listen = async (folder: string, name: string, perform: PerformCommand): Promise<() => Promise<void>> => {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket)).on("error", () => socket.destroy())
    serve(socket, perform).catch(() => socket.destroy())
  })
  server.maxConnections = mostConnections
  server.on("error", () => {})
  const draft = mkdtempSync(join(folder, ".command-"))
  try {
    await inFolder(
      draft,
      name,
      (path) =>
        new Promise<void>((resolve, reject) => {
          server.once("error", reject).listen(path, resolve)
        }),
    )
    chmodSync(join(draft, name), 0o600)
    renameSync(join(draft, name), join(folder, name))
  } catch (error) {
    server.close()
    rmSync(join(draft, name), { force: true })
    throw error
  } finally {
    rmdirSync(draft)
  }
  return async () => {
    rmSync(join(folder, name), { force: true })
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Takes commands up until the scope closes. Fails with the reason where the folder can hold no socket. */
export const listenForCommands = (
  config: SocketLocation & Pick<ConfigShape, "port" | "processes">,
): Effect.Effect<void, unknown, ServerCommands | Scope.Scope> =>
  Effect.flatMap(ServerCommands, ({ perform }) =>
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () =>
          listen(config.dataFolder, ownSocketName(config), (command, gone) =>
            // What others have asked for is done to its end; a copy is of no use without who reads and removes it.
            Effect.runPromise(perform(command), command.do === "backup copy" ? { signal: gone } : {}),
          ),
        catch: (error) => error,
      }),
      (close) => Effect.promise(close),
    ),
  ).pipe(Effect.asVoid)
