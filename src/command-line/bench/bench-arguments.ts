/** The arguments of `parley bench`: what is measured, on which server, and how much of it at most. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Account } from "../../client/index.ts"

export const scenarioNames = ["fan-out", "rate", "storm"] as const
export type ScenarioName = (typeof scenarioNames)[number]

export interface BenchArguments {
  readonly scenarios: ReadonlyArray<ScenarioName>
  /** Null: a server is started. */
  readonly url: string | null
  readonly accounts: ReadonlyArray<Account>
  /** A file with further ones. */
  readonly accountsFile: string | null
  readonly transport: "auto" | "socket" | "poll"
  readonly queues: ReadonlyArray<number>
  readonly inFlight: ReadonlyArray<number>
  readonly perSecond: number
  readonly seconds: number
  readonly textBytes: number
  /** An existing channel; null: one is made, and archived afterwards. */
  readonly channel: string | null
  readonly json: boolean
  /** Where the plot is written. */
  readonly plot: string | null
}

/** The most of each: a run ends by itself, and one client cannot say more. */
const most = { queues: 10_000, sizes: 8, inFlight: 256, perSecond: 1000, seconds: 600, textBytes: 10_000 }

const text = (name: string, metavar: string, help: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(help),
    Flag.optional,
    Flag.map(Option.getOrNull),
  )

const isWithin = (value: number, high: number) => Number.isInteger(value) && value >= 1 && value <= high

const number = (name: keyof typeof most, flag: string, fallback: number, help: string) =>
  Flag.Int(flag).pipe(
    Flag.withDescription(`${help} At most ${most[name]}; ${fallback} where it is absent.`),
    Flag.filter(
      (value) => isWithin(value, most[name]),
      () => `a whole number from 1 to ${most[name]}`,
    ),
    Flag.withDefault(fallback),
  )

const numbers = (name: keyof typeof most, flag: string, fallback: ReadonlyArray<number>, help: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("number,..."),
    Flag.withDescription(`${help} At most ${most[name]}; ${fallback.join(",")} where it is absent.`),
    Flag.filterMap(
      (given) => {
        const values = given.split(",").map(Number)
        const isUsable = values.length <= most.sizes && values.every((value) => isWithin(value, most[name]))
        return isUsable ? Option.some<ReadonlyArray<number>>(values) : Option.none()
      },
      () => `up to ${most.sizes} whole numbers from 1 to ${most[name]}, like 10,100`,
    ),
    Flag.withDefault(fallback),
  )

const isAddress = (given: string): boolean => {
  if (!URL.canParse(given)) return false
  const { protocol, pathname, search, hash, username } = new URL(given)
  return /^https?:$/.test(protocol) && pathname === "/" && search + hash + username === ""
}

const url = Flag.String("url").pipe(
  Flag.withMetavar("address"),
  Flag.withDescription(
    "A running server of this API, like https://chat.example.com. Without it one is started on a folder that is removed afterwards, without rate limits.",
  ),
  Flag.filter(isAddress, () => "http:// or https:// with a host and no path"),
  Flag.optional,
  Flag.map(Option.getOrNull),
)

/** Redacted: what is no account is not shown, because it may be a key. */
const account = Flag.Redacted("account").pipe(
  Flag.withMetavar("email:key"),
  Flag.withDescription(
    "An account that sends and reads, and its API key; once for each of several. Better --accounts: others on this machine may read arguments in the list of processes.",
  ),
  Flag.filterMap(
    (given): Option.Option<Account> => {
      const [, email, apiKey] = /^(\S+@\S+):(\S+)$/.exec(Redacted.value(given)) ?? []
      return email === undefined || apiKey === undefined ? Option.none() : Option.some({ email, apiKey })
    },
    () => "an e-mail address and an API key with a colon between",
  ),
  Flag.atLeast(0),
)

const benchDescription = [
  "Measures a server of this API: how many events a second it hands out and how late they come.",
  "fan-out: a message reaches all queues, some are in flight at a time. rate: messages at a steady pace.",
  "storm: all connections are cut while messages are sent, and all come back at once.",
  "All three where none is named. What limits a figure, and what is doubtful, stands beside it.",
].join(" ")

/** `take` is given the orders that were read. */
export const makeBenchCommand = (take: (orders: BenchArguments) => void) =>
  Command.make("parley").pipe(
    Command.withSubcommands([
      Command.make(
        "bench",
        {
          scenarios: Argument.variadic(Argument.Literals("scenario", scenarioNames)),
          url,
          accounts: account,
          accountsFile: text(
            "accounts",
            "file",
            "A JSON file of accounts: a list of {email, api_key}. Nobody sees its keys, unlike those of --account. Without any accounts, a server in development mode is asked for some.",
          ),
          transport: Flag.Literals("transport", ["auto", "socket", "poll"]).pipe(
            Flag.withDescription("How queues are read; auto: by WebSocket where the server has it, else by long poll."),
            Flag.withDefault("auto" as const),
          ),
          queues: numbers("queues", "queues", [10, 100], "How many queues get each message; several in turn."),
          inFlight: numbers(
            "inFlight",
            "in-flight",
            [1, 16],
            "fan-out: messages that have not reached all queues yet.",
          ),
          perSecond: number("perSecond", "per-second", 10, "rate and storm: messages a second."),
          seconds: number("seconds", "seconds", 5, "How long each measurement lasts."),
          textBytes: number("textBytes", "text-bytes", 134, "Bytes of a message's text."),
          channel: text(
            "channel",
            "name",
            "A channel that all accounts are in. Without it a private one is made, and archived afterwards; the messages stay in the server's database.",
          ),
          json: Flag.Boolean("json").pipe(
            Flag.withDescription("Prints the results as JSON."),
            Flag.withDefault(false),
            Flag.withoutNegation,
          ),
          plot: text("plot", "file", "Draws the delays by the number of queues into this file, as SVG."),
        },
        (given) => Effect.sync(() => take(given.scenarios.length > 0 ? given : { ...given, scenarios: scenarioNames })),
      ).pipe(Command.withDescription(benchDescription)),
    ]),
  )
