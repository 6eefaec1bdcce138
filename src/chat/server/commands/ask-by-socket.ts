/** The asker's side of the socket for commands (command-socket.ts). Called by src/command-line. */
import { connect, type Socket } from "node:net"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { AnswerJson, type CommandAnswer, CommandJson, longestAnswer, type ServerCommand } from "./command-schema.ts"
import { inFolder, readLine, type SocketLocation, socketNames } from "./socket-path.ts"

/** For the answer: others may be before this one, and passwords take a while. */
const answerMilliseconds = 60_000

const writeCommand = Schema.encodeSync(CommandJson)
const readAnswer = Schema.decodeUnknownOption(AnswerJson)

const isNobodyThere = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && ["ENOENT", "ENOTDIR", "ECONNREFUSED", "ENOTSOCK"].includes(String(error.code))

/** Asks a server that runs beside, the first that answers; null where none takes commands up there. */
export const askBySocket = async (
  place: SocketLocation,
  command: ServerCommand,
  milliseconds = answerMilliseconds,
  signal?: AbortSignal,
): Promise<CommandAnswer | null> => {
  const names = await socketNames(place).catch((error: unknown) => {
    if (isNobodyThere(error)) return []
    throw error
  })
  for (const name of names) {
    const answer = await askAt(place.dataFolder, name, command, milliseconds, signal)
    if (answer !== null) return answer
  }
  return null
}

const askAt = async (
  dataFolder: string,
  name: string,
  command: ServerCommand,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<CommandAnswer | null> => {
  try {
    return await inFolder(dataFolder, name, async (path) => {
      const socket = await new Promise<Socket>((resolve, reject) => {
        const dialled = connect(path, () => resolve(dialled)).once("error", reject)
      })
      signal?.addEventListener("abort", () => socket.destroy())
      socket.on("error", () => socket.destroy()).write(`${writeCommand(command)}\n`)
      const answer = readAnswer(await readLine(socket, milliseconds, longestAnswer))
      socket.destroy()
      if (answer._tag === "Some") return answer.value
      return { isDone: false, text: "the running server has not answered: look whether it was done" }
    })
  } catch (error) {
    if (isNobodyThere(error)) return null
    throw error
  }
}
