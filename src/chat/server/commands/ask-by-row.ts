/** The asker's side of commands by rows of the database (command-rows.ts). Called by src/command-line. */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { AnswerJson, type CommandAnswer, CommandJson, type ServerCommand, unreadableCommand } from "./command-schema.ts"
import { makeCommandSeal } from "./command-seal.ts"
import { addCommand, findAnswer, removeCommand, withdrawCommand } from "./command-store.ts"

const writeCommand = Schema.encodeSync(CommandJson)
const readAnswer = Schema.decodeUnknownOption(AnswerJson)

const refused = (text: string): CommandAnswer => ({ isDone: false, text })

export interface RowPolling {
  readonly milliseconds: number
  /** Waits until the row is looked at again. */
  readonly pause: Effect.Effect<void>
}

/** Asks the server that holds the database, and waits for its answer. */
export const askByRow = Effect.fnUntraced(function* (
  database: DatabaseShape,
  secret: string,
  command: ServerCommand,
  { milliseconds, pause }: RowPolling,
): Effect.fn.Return<CommandAnswer, Unavailable> {
  const id = randomUUID()
  const seal = yield* makeCommandSeal(secret, id)
  yield* addCommand(database, id, seal.close("command", writeCommand(command)))
  const giveUpAt = performance.now() + milliseconds
  const waiting = Effect.gen(function* () {
    let found = yield* findAnswer(database, id)
    while (found === null && performance.now() < giveUpAt) {
      yield* pause
      found = yield* findAnswer(database, id)
    }
    return found
  })
  const answer = yield* Effect.onInterrupt(waiting, () => Effect.ignore(withdrawCommand(database, id)))
  if (answer === null) {
    if (yield* withdrawCommand(database, id))
      return refused("the server that uses the database has not taken the command up: nothing was done")
    return refused("the server has begun with the command and has not answered: look whether it was done")
  }
  yield* removeCommand(database, id)
  if (answer === unreadableCommand)
    return refused("the server that uses the database has another secret: set PARLEY_SECRET")
  const read = readAnswer(seal.open("answer", answer))
  return read._tag === "Some" ? read.value : refused("the server's answer cannot be read: is it another version?")
})
