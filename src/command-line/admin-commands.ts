/** The commands about people and organizations that are there, and that of mails, each with `--json` for programs. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { roleNames } from "../chat/server/commands/command-schema.ts"
import { email, further, json, org, orgArgument, plain, type Taking } from "./arguments.ts"

const after = Flag.Int("after").pipe(
  Flag.withMetavar("number"),
  Flag.withDescription("Lists only those after this number: an answer has a thousand, and says where the next begins."),
  Flag.withDefault(0),
)

const role = Argument.Literals("role", roleNames).pipe(Argument.withDescription("What it may do."))

export const makeUserCommands = (taking: Taking) => [
  Command.make(
    "list",
    { org, after, json },
    taking((given) => plain({ do: "user list", ...given })),
  ).pipe(Command.withDescription("Lists accounts with their numbers, addresses, names and roles.")),
  Command.make(
    "role",
    { email, role, org, json },
    taking((given) => plain({ do: "user role", ...given })),
  ).pipe(
    Command.withDescription("Gives an account another role. The only owner keeps theirs: make another one first."),
  ),
  Command.make(
    "deactivate",
    { email, org, json },
    taking((given) => plain({ do: "user deactivate", ...given })),
  ).pipe(Command.withDescription("Deactivates an account and its bots: they are signed out, and cannot sign in.")),
  Command.make(
    "reactivate",
    { email, org, json },
    taking((given) => plain({ do: "user reactivate", ...given })),
  ).pipe(
    Command.withDescription(
      "Brings a deactivated account back, with its role and channels; its bots stay as they are.",
    ),
  ),
]

export const makeOrgCommands = (taking: Taking) => [
  Command.make(
    "deactivate",
    { org: orgArgument, json },
    taking((given) => plain({ do: "org deactivate", ...given })),
  ).pipe(
    Command.withDescription(
      "Deactivates an organization: everybody is signed out. Nothing is deleted: org reactivate.",
    ),
  ),
]

export const makeMailCommand = (taking: Taking) =>
  Command.make("mail").pipe(
    Command.withDescription(`Mails. ${further}`),
    Command.withSubcommands([
      Command.make(
        "test",
        { email: email.pipe(Argument.withDescription("Where a mail is sent.")), json },
        taking((given) => plain({ do: "mail test", ...given })),
      ).pipe(
        Command.withDescription("Hands one mail to the mail server, and says what that answers, within half a minute."),
      ),
    ]),
  )
