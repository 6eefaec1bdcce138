/** What the commands of operators share: what one is when it has been read, and arguments that several have. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ServerCommand } from "../chat/server/commands/command-schema.ts"
import type { RestoreRequest } from "./backup/restore.ts"

/** A command; `complete` makes it with the password, where it asks for one. */
export type Wanted =
  | { readonly asks: false; readonly command: ServerCommand }
  | { readonly asks: false; readonly testServer: TestServerWish }
  | { readonly asks: false; readonly adopt: true }
  | { readonly asks: false; readonly backup: string }
  | { readonly asks: false; readonly restore: RestoreRequest }
  | { readonly asks: true; readonly of: string; readonly complete: (password: string) => ServerCommand }

/** Makes the handler of a command of what it reads its arguments as. */
export type Taking = <A>(read: (given: A) => Wanted) => (given: A) => Effect.Effect<void>

/** A server for tests of other programs. */
export interface TestServerWish {
  /** Prints what is to be known as one line of JSON; else as lines to read. */
  readonly json: boolean
  /** Nobody but the owner. */
  readonly empty: boolean
}

export const plain = (command: ServerCommand): Wanted => ({ asks: false, command })

export const org = Flag.String("org").pipe(
  Flag.withMetavar("host"),
  Flag.withDescription("The host of the organization; needed where the server has several."),
  Flag.optional,
  Flag.map(Option.getOrNull),
)

export const email = Argument.String("address").pipe(Argument.withDescription("The e-mail address of the account."))

/** The host of an organization, said as an argument. */
export const orgArgument = Argument.String("host").pipe(Argument.withDescription("The host of the organization."))

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Answers JSON, for programs."),
  Flag.withDefault(false),
  Flag.withoutNegation,
)

export const further =
  "All settings of the server are options too (parley --help): the data folder, the database and the secret tell which server is meant."
