/**
 * What an operator asks a server by the command line, and its answer, as they travel through a socket or a row of the
 * database: `parley org create` and its like (src/command-line). The server checks everything; the asker checks only the form.
 */
import * as Schema from "effect/Schema"

/** By their names; a role of higher rank comes first. */
export const roleNames = ["owner", "administrator", "moderator", "member", "guest"] as const

/** null: the account gets no password, and signs in by key until `user password` gives it one. */
const password = Schema.NullOr(Schema.String)
/** The host of an organization; null: of the only one. */
const org = Schema.NullOr(Schema.String)

/** Whether the answer is JSON, for programs, instead of lines for people. */
const json = Schema.Boolean
const email = Schema.String

export const ServerCommand = Schema.Union([
  Schema.Struct({ do: Schema.Literal("org list") }),
  Schema.Struct({ do: Schema.Literal("org reactivate"), org }),
  Schema.Struct({
    do: Schema.Literal("org create"),
    host: Schema.String,
    name: Schema.String,
    ownerEmail: Schema.String,
    ownerName: Schema.String,
    password,
  }),
  Schema.Struct({
    do: Schema.Literal("user create"),
    org,
    email: Schema.String,
    name: Schema.String,
    role: Schema.Literals(roleNames),
    password,
  }),
  Schema.Struct({ do: Schema.Literal("user api-key"), org, email: Schema.String, isNew: Schema.Boolean }),
  /** Of `parley backup`: the server copies its embedded database (src/command-line/backup). */
  Schema.Struct({ do: Schema.Literal("backup copy") }),
  Schema.Struct({ do: Schema.Literal("user password"), org, email: Schema.String, password: Schema.String }),
  /** `after`: the number of the last one that is known already. */
  Schema.Struct({ do: Schema.Literal("user list"), org, after: Schema.Number, json }),
  Schema.Struct({ do: Schema.Literal("user role"), org, email, role: Schema.Literals(roleNames), json }),
  Schema.Struct({ do: Schema.Literal("user deactivate"), org, email, json }),
  Schema.Struct({ do: Schema.Literal("user reactivate"), org, email, json }),
  Schema.Struct({ do: Schema.Literal("org deactivate"), org: Schema.String, json }),
  Schema.Struct({ do: Schema.Literal("mail test"), email, json }),
])
export type ServerCommand = typeof ServerCommand.Type

/** `text`: the lines to print, or, where it was not done, the one line that says why. */
export const CommandAnswer = Schema.Struct({ isDone: Schema.Boolean, text: Schema.String })
export type CommandAnswer = typeof CommandAnswer.Type

export const CommandJson = Schema.fromJsonString(ServerCommand)
export const AnswerJson = Schema.fromJsonString(CommandAnswer)

/** The most characters, and more than any that the server accepts or gives: a list of people is the longest. */
export const longestCommand = 16 * 1024
export const longestAnswer = 4 * 1024 * 1024

/** What stands in a row of the database in place of an answer, where the server could not read the command. */
export const unreadableCommand = "unreadable"
