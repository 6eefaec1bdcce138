/**
 * Commands by rows of the database, for a server on PostgreSQL whose data folder is on another machine. The server looks for
 * them from time to time; the asker waits for the answer and removes the row. Both must have the same secret (command-seal.ts).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { periodic } from "../../../jobs/job.ts"
import { AnswerJson, CommandJson, unreadableCommand } from "./command-schema.ts"
import { makeCommandSeal } from "./command-seal.ts"
import { answerCommand, takeCommands } from "./command-store.ts"
import { ServerCommands } from "./server-commands.ts"

const lookMilliseconds = 2000

const readCommand = Schema.decodeUnknownOption(CommandJson)
const writeAnswer = Schema.encodeSync(AnswerJson)

const work = Effect.gen(function* () {
  const database = yield* Database
  // Whoever could write a row of the embedded database holds it.
  if (database.kind === "pglite") return
  const { secret } = yield* Config
  const commands = yield* ServerCommands
  for (const row of yield* takeCommands(database)) {
    const seal = yield* makeCommandSeal(secret, row.id)
    const command = readCommand(seal.open("command", row.command))
    if (command._tag === "None") yield* answerCommand(database, row.id, unreadableCommand)
    else {
      const answer = yield* commands.perform(command.value)
      yield* answerCommand(database, row.id, seal.close("answer", writeAnswer(answer)))
    }
  }
})

export const commandRowsJob = periodic({
  name: "commands in the database",
  everyMilliseconds: lookMilliseconds,
  isAtStart: true,
  run: work,
})
