/** The asker's side of the socket for commands (command-socket.ts). Called by src/command-line. */
import { connect, type Socket } from "node:net"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { answerText, type CommandAnswer, commandText, type ServerCommand } from "./command.ts"
import { inFolder, type Place, readLine, socketName } from "./socket-place.ts"

/** For the answer: others may be before this one, and passwords take a while. */
const answerMilliseconds = 60_000

const writeCommand = Schema.encodeSync(commandText)
const readAnswer = Schema.decodeUnknownOption(answerText)

const isNobodyThere = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && ["ENOENT", "ENOTDIR", "ECONNREFUSED", "ENOTSOCK"].includes(String(error.code))

/** Asks the server that runs beside; null where none takes commands up there. */
export const askBySocket = async (
  { dataFolder, database }: Place,
  command: ServerCommand,
  milliseconds = answerMilliseconds,
  signal?: AbortSignal,
): Promise<CommandAnswer | null> => {
  try {
    return await inFolder(dataFolder, socketName(database), async (path) => {
      const socket = await new Promise<Socket>((resolve, reject) => {
        const dialled = connect(path, () => resolve(dialled)).once("error", reject)
      })
      signal?.addEventListener("abort", () => socket.destroy())
      socket.on("error", () => socket.destroy()).write(`${writeCommand(command)}\n`)
      const answer = readAnswer(await readLine(socket, milliseconds))
      socket.destroy()
      if (answer._tag === "Some") return answer.value
      return { isDone: false, text: "the running server has not answered: look whether it was done" }
    })
  } catch (error) {
    if (isNobodyThere(error)) return null
    throw error
  }
}
