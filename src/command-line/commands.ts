/**
 * The commands `org`, `user`, `mail`, `files`, `backup`, `restore` and `test-server` with their arguments, read by Effect's own command line. What
 * the first three mean is a value for the server (chat/server/commands), with a password still to be asked for.
 */

import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { roleNames, type ServerCommand } from "../chat/server/commands/command-schema.ts"
import { makeMailCommand, makeOrgCommands, makeUserCommands } from "./admin-commands.ts"
import { email, further, org, plain, type Taking, type Wanted } from "./arguments.ts"

const noPassword = Flag.Boolean("no-password").pipe(
  Flag.withDescription("Gives no password, and asks for none: the account signs in by its API key until it gets one."),
  Flag.withDefault(false),
  Flag.withoutNegation,
)

const asked = "The password is asked for without being shown, or is the first line of standard input."

/** `take` is given the command that was read. */
export const makeCommands = (take: (wanted: Wanted) => void) => {
  const taking: Taking = (read) => (given) => Effect.sync(() => take(read(given)))

  const orgCreate = Command.make(
    "create",
    {
      host: Argument.String("host").pipe(
        Argument.withDescription("The name by which clients reach the organization, like chat.example.org."),
      ),
      name: Flag.String("name").pipe(Flag.withDescription("What the organization is called.")),
      ownerEmail: Flag.String("owner-email").pipe(
        Flag.withMetavar("address"),
        Flag.withDescription("The e-mail address of its first owner."),
      ),
      ownerName: Flag.String("owner-name").pipe(
        Flag.withMetavar("name"),
        Flag.withDescription("The full name of the first owner."),
      ),
      noPassword,
    },
    taking(({ noPassword, ...given }): Wanted => {
      const complete = (password: string | null): ServerCommand => ({ do: "org create", ...given, password })
      return noPassword ? plain(complete(null)) : { asks: true, of: given.ownerEmail, complete }
    }),
  ).pipe(
    Command.withDescription(
      `Makes an organization with the channel #general and its first owner, whose API key is printed. ${asked}`,
    ),
  )

  const orgList = Command.make(
    "list",
    {},
    taking(() => plain({ do: "org list" })),
  ).pipe(Command.withDescription("Lists the organizations of the server with their hosts."))

  const orgReactivate = Command.make(
    "reactivate",
    {
      org: Argument.String("host").pipe(
        Argument.withDescription("The host of the organization; needed where the server has several."),
        Argument.optional,
        Argument.map(Option.getOrNull),
      ),
    },
    taking(({ org }) => plain({ do: "org reactivate", org })),
  ).pipe(Command.withDescription("Brings back an organization that one of its owners has deactivated."))

  const userCreate = Command.make(
    "create",
    {
      email,
      org,
      name: Flag.String("name").pipe(Flag.withDescription("The full name.")),
      role: Flag.Literals("role", roleNames).pipe(Flag.withDescription("What it may do."), Flag.withDefault("member")),
      noPassword,
    },
    taking(({ noPassword, ...given }): Wanted => {
      const complete = (password: string | null): ServerCommand => ({ do: "user create", ...given, password })
      return noPassword ? plain(complete(null)) : { asks: true, of: given.email, complete }
    }),
  ).pipe(Command.withDescription(`Makes an account. ${asked}`))

  const userApiKey = Command.make(
    "api-key",
    {
      email,
      org,
      isNew: Flag.Boolean("new").pipe(
        Flag.withDescription("Makes a new one first: the one before is no longer valid."),
        Flag.withDefault(false),
        Flag.withoutNegation,
      ),
    },
    taking((given): Wanted => plain({ do: "user api-key", ...given })),
  ).pipe(Command.withDescription("Prints the API key of an account, and nothing else."))

  const userPassword = Command.make(
    "password",
    { email, org },
    taking(
      (given): Wanted => ({
        asks: true,
        of: given.email,
        complete: (password) => ({ do: "user password", ...given, password }),
      }),
    ),
  ).pipe(Command.withDescription(`Gives an account another password. ${asked}`))

  const backup = Command.make(
    "backup",
    {
      file: Argument.String("file").pipe(Argument.withDescription("The archive to make; there is none of this name.")),
    },
    taking(({ file }): Wanted => ({ asks: false, backup: file })),
  ).pipe(
    Command.withDescription(
      `Writes all organizations and their files, as they are at one moment, into one archive (.tar.gz), while the server goes on. The secret is not in it. ${further}`,
    ),
  )

  const restore = Command.make(
    "restore",
    {
      file: Argument.String("file").pipe(Argument.withDescription("An archive that `parley backup` has made.")),
      otherSecret: Flag.Boolean("other-secret").pipe(
        Flag.withDescription("Restores under another secret than that of the backup: all API keys are void then."),
        Flag.withDefault(false),
        Flag.withoutNegation,
      ),
    },
    taking((restore): Wanted => ({ asks: false, restore })),
  ).pipe(
    Command.withDescription(
      `Fills an empty database with what an archive has, be it of the embedded database or of PostgreSQL. No server runs meanwhile. ${further}`,
    ),
  )

  const filesAdopt = Command.make(
    "adopt",
    {},
    taking((): Wanted => ({ asks: false, adopt: true })),
  ).pipe(
    Command.withDescription(
      `Says that the folder for files belongs to this database, whatever mark it bears: after a move of either, or of both apart. Its sweep puts away what it does not name. No server runs meanwhile. ${further}`,
    ),
  )

  const testServer = Command.make(
    "test-server",
    {
      json: Flag.Boolean("json").pipe(
        Flag.withDescription("Prints the address, and everybody's e-mail address and API key, as one line of JSON."),
        Flag.withDefault(false),
        Flag.withoutNegation,
      ),
      empty: Flag.Boolean("empty").pipe(
        Flag.withDescription("An organization with nobody but its owner, in place of the demo."),
        Flag.withDefault(false),
        Flag.withoutNegation,
      ),
    },
    taking((testServer): Wanted => ({ asks: false, testServer })),
  ).pipe(
    Command.withDescription(
      "Serves an organization for tests of clients until standard input or whoever started it ends. Takes the settings of a server as options, and never from the environment; without --port it takes a free one, without --data-dir nothing is kept.",
    ),
  )

  return Command.make("parley").pipe(
    Command.withSubcommands([
      Command.make("org").pipe(
        Command.withDescription(`Organizations. ${further}`),
        Command.withSubcommands([orgCreate, orgList, ...makeOrgCommands(taking), orgReactivate]),
      ),
      Command.make("user").pipe(
        Command.withDescription(`Accounts. ${further}`),
        Command.withSubcommands([userCreate, userApiKey, userPassword, ...makeUserCommands(taking)]),
      ),
      makeMailCommand(taking),
      Command.make("files").pipe(
        Command.withDescription(`The folder for files. ${further}`),
        Command.withSubcommands([filesAdopt]),
      ),
      backup,
      restore,
      testServer,
    ]),
  )
}
