/**
 * Does what operators ask by the command line, one command after the other, also where several processes are asked: in the server
 * that holds the database, or in the process of the command itself where none runs. Called for what comes by the socket
 * (command-socket.ts), by rows (command-rows.ts), and by src/command-line.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Unavailable } from "../../../api/errors.ts"
import { JobRuns } from "../../../jobs/job-runs.ts"
import { createAccount, findApiKey, setPassword } from "./account-commands.ts"
import { copyForBackup } from "./backup-copy.ts"
import type { CommandAnswer, ServerCommand } from "./command-schema.ts"
import { endOrganization, testMail } from "./ending-and-mail.ts"
import { createOrganization, listOrganizations, reactivateOrganization } from "./organization-commands.ts"
import { deactivateAccount, giveRole, listPeople, reactivateAccount } from "./people-commands.ts"

const perform = (command: ServerCommand) => {
  switch (command.do) {
    case "org list":
      return listOrganizations()
    case "org create":
      return createOrganization(command)
    case "org reactivate":
      return reactivateOrganization(command)
    case "user create":
      return createAccount(command)
    case "user api-key":
      return findApiKey(command)
    case "user password":
      return setPassword(command)
    case "user list":
      return listPeople(command)
    case "user role":
      return giveRole(command)
    case "user deactivate":
      return deactivateAccount(command)
    case "user reactivate":
      return reactivateAccount(command)
    case "org deactivate":
      return endOrganization(command)
    case "mail test":
      return testMail(command)
    case "backup copy":
      return copyForBackup()
  }
}

const refused = (text: string): Effect.Effect<CommandAnswer> => Effect.succeed({ isDone: false, text })

type InTurn = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Unavailable, R>

const answered = (command: ServerCommand, inTurn: InTurn) =>
  inTurn(Effect.suspend(() => perform(command))).pipe(
    Effect.map((text): CommandAnswer => ({ isDone: true, text })),
    Effect.catchTags({
      ApiError: ({ msg }) => refused(msg),
      Unavailable: ({ reason }) => refused(`the server cannot do it now, so try again: ${reason}`),
      OutcomeUnknown: ({ reason }) => refused(`it is not known whether it was done, so look and try again: ${reason}`),
    }),
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError(`the command ${command.do} failed`, defect),
        refused("the command failed, and the log of the process that did it says why"),
      ),
    ),
  )

const make = Effect.gen(function* () {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof answered>>>()
  const runs = yield* JobRuns
  const turn = yield* Semaphore.make(1)
  // A copy of a large database takes minutes, a mail server half a minute, in which other commands need not wait.
  const [copying, mailing] = [yield* Semaphore.make(1), yield* Semaphore.make(1)]
  const inTurn: InTurn = (work) => turn.withPermits(1)(runs.inTurn("commands", work))
  const turnOf = (command: ServerCommand): InTurn =>
    command.do === "backup copy" ? copying.withPermits(1) : command.do === "mail test" ? mailing.withPermits(1) : inTurn
  return ServerCommands.of({
    perform: (command) => Effect.provide(answered(command, turnOf(command)), services),
    inTurn,
  })
})

export class ServerCommands extends Context.Service<
  ServerCommands,
  {
    readonly perform: (command: ServerCommand) => Effect.Effect<CommandAnswer>
    /** Does what else makes an organization one after the other with the commands of all processes. */
    readonly inTurn: InTurn
  }
>()("parley/chat/ServerCommands") {
  static readonly layer = Layer.effect(ServerCommands, make)
}
