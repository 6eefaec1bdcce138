/**
 * Turns environment and arguments into a command with its settings, or into a one-line error. Flags
 * win over variables; an empty variable counts as absent. No file is touched here: a secret that was not given is
 * read or made by secret.ts. Called by cli.ts.
 */
import { join, resolve } from "node:path"
import * as Result from "effect/Result"
import { type ConfigShape, type DatabaseConfig, type Limits, limitsOf } from "./config.ts"
import { defaultDataFolder } from "./data-folder.ts"
import { findConflict } from "./limit-conflicts.ts"
import { readMailServer } from "./mail-settings.ts"
import { findModeConflict } from "./mode-conflicts.ts"
import { allowedCalls } from "./outgoing-allow.ts"
import { ConfigError, divideOperation, fault, parseArguments, seeHelp } from "./parse-arguments.ts"
import { childVariable } from "./processes-config.ts"
import { readProcesses } from "./processes-settings.ts"
import { directoryOf, type GivenDirectory } from "./read-directory.ts"
import type { Setting } from "./setting.ts"
import { allSettings, limitNames, limitSetting, settings } from "./settings.ts"
import { findSignUpConflict } from "./sign-up-conflicts.ts"

/** The configuration but for a secret that was not given and is made or read when the server starts. */
export type OperatorSettings = Omit<ConfigShape, "secret"> & {
  readonly secret: string | null
  /** The flags or variables by which these were given, or can be. */
  readonly portSetting: string
  readonly hostSetting: string
  /** How many processes this one starts, in place of serving by itself; null: none. */
  readonly children: number | null
  readonly log: { readonly form: "json" | "text"; readonly level: "debug" | "info" | "warn" | "error" }
}

export type CliCommand =
  | { readonly _tag: "Serve" | "PrintConfig"; readonly settings: OperatorSettings }
  /** A command for a server that runs, or for its database: `argv` without the settings, which help does not need. */
  | {
      readonly _tag: "Operate"
      readonly argv: ReadonlyArray<string>
      readonly found: Result.Result<OperatorSettings, ConfigError>
      /** The settings that were given, as texts by the names of their variables. */
      readonly given: Readonly<Record<string, string>>
    }
  /** Measures a server: its arguments are read by src/command-line/bench, and it takes no settings. */
  | { readonly _tag: "Bench"; readonly argv: ReadonlyArray<string> }
  | { readonly _tag: "Help" | "Version" }

export type Environment = Readonly<Record<string, string | undefined>>

/** The text given for a setting, and the flag or variable that it was given by. */
interface GivenText {
  readonly text: string
  readonly name: string
}

const readCommandName = (words: ReadonlyArray<string>): Result.Result<"serve", ConfigError> => {
  const [name = "serve", surplus] = words
  if (name !== "serve") return fault(`unknown command ${JSON.stringify(name)}; ${seeHelp}`)
  return surplus === undefined
    ? Result.succeed(name)
    : fault(`unexpected argument ${JSON.stringify(surplus)}; ${seeHelp}`)
}

/**
 * Variables that begin with PARLEY_ and are no setting: nearly always a typing error. PARLEY_TEST_* belongs to the test
 * suite, PARLEY_ENDS_WITH_PARENT to `parley bench`, PARLEY_CHILD to a process that starts others.
 */
const checkVariables = (env: Environment): Result.Result<void, ConfigError> => {
  const known = new Set(allSettings.map((setting) => setting.env))
  const stray = Object.keys(env).find(
    (name) => /^PARLEY_(?!TEST_|ENDS_WITH_PARENT$|CHILD$)/.test(name) && !known.has(name),
  )
  return stray === undefined ? Result.succeed(undefined) : fault(`unknown variable ${stray}; ${seeHelp}`)
}

type SettingLookup = (setting: Setting<unknown>) => GivenText | undefined

const lookupIn =
  (env: Environment, flags: ReadonlyMap<string, string>): SettingLookup =>
  ({ env: own, hostEnv, flag }) => {
    const fromFlag = flags.get(flag)
    if (fromFlag !== undefined) return { text: fromFlag, name: `--${flag}` }
    for (const name of hostEnv === undefined ? [own] : [own, hostEnv]) {
      const text = env[name] ?? ""
      if (text !== "") return { text, name }
    }
    return undefined
  }

const read = <A, B>(lookup: SettingLookup, setting: Setting<A>, fallback: B): Result.Result<A | B, ConfigError> => {
  const given = lookup(setting)
  if (given === undefined) return Result.succeed(fallback)
  const value = given.text === "" ? undefined : setting.read(given.text)
  if (value !== undefined) return Result.succeed(value)
  const shown = setting.isSecret ? "is not usable" : `is ${JSON.stringify(given.text)}`
  return fault(`${given.name} ${shown}: expected ${setting.expected}`)
}

const readLimits = (lookup: SettingLookup, mode: ConfigShape["mode"]): Result.Result<Limits, ConfigError> => {
  const limits: { -readonly [K in keyof Limits]: number } = { ...limitsOf(mode) }
  for (const key of limitNames) {
    const limit = read(lookup, limitSetting(key), limits[key])
    if (Result.isFailure(limit)) return Result.fail(limit.failure)
    limits[key] = limit.success
  }
  const conflict = findConflict(limits)
  return conflict === undefined ? Result.succeed(limits) : fault(conflict)
}

/** What an operator should know of settings that a server starts with nevertheless. */
export const findWarning = ({ mode, externalUrl }: OperatorSettings): string | undefined =>
  mode === "production" && externalUrl?.startsWith("http:") === true
    ? `${settings.externalUrl.env} is ${externalUrl}: passwords, keys and messages can be read on their way; put a proxy that speaks TLS in front, and name its https:// address`
    : undefined

const readDirectory = (lookup: SettingLookup) =>
  Result.gen(function* () {
    const given: GivenDirectory = {
      ldapUrl: yield* read(lookup, settings.ldapUrl, null),
      ldapTls: yield* read(lookup, settings.ldapTls, null),
      ldapBindDn: yield* read(lookup, settings.ldapBindDn, null),
      ldapBindPassword: yield* read(lookup, settings.ldapBindPassword, null),
      ldapBase: yield* read(lookup, settings.ldapBase, null),
      ldapFilter: yield* read(lookup, settings.ldapFilter, null),
      ldapDnTemplate: yield* read(lookup, settings.ldapDnTemplate, null),
      ldapEmailAttribute: yield* read(lookup, settings.ldapEmailAttribute, null),
    }
    return yield* Result.mapError(directoryOf(given), (message) => new ConfigError({ message }))
  })

const readMail = (lookup: SettingLookup): Result.Result<ConfigShape["mail"], ConfigError> =>
  Result.gen(function* () {
    const mail = readMailServer({
      smtpHost: yield* read(lookup, settings.smtpHost, null),
      smtpPort: yield* read(lookup, settings.smtpPort, null),
      smtpSecurity: yield* read(lookup, settings.smtpSecurity, null),
      smtpUser: yield* read(lookup, settings.smtpUser, null),
      smtpPassword: yield* read(lookup, settings.smtpPassword, null),
      mailFrom: yield* read(lookup, settings.mailFrom, null),
      mailFromName: yield* read(lookup, settings.mailFromName, null),
    })
    return typeof mail === "string" ? yield* fault(mail) : mail
  })

const readOutgoing = (
  lookup: SettingLookup,
  isLoopbackOpen: boolean,
): Result.Result<ConfigShape["outgoingAllow"], ConfigError> => {
  const given = lookup(settings.outgoingAllow)
  return Result.mapError(allowedCalls(given, isLoopbackOpen), (message) => new ConfigError({ message }))
}

const readTogether = (lookup: SettingLookup, facts: Parameters<typeof readProcesses>[1]) =>
  Result.gen(function* () {
    const given = {
      processes: yield* read(lookup, settings.processes, "one" as const),
      bus: yield* read(lookup, settings.bus, null),
      busUrl: yield* read(lookup, settings.busUrl, null),
      busCredentialsFile: yield* read(lookup, settings.busCredentialsFile, null),
      busAuthoritiesFile: yield* read(lookup, settings.busAuthoritiesFile, null),
      sharedLimits: yield* read(lookup, settings.sharedLimits, null),
    }
    const processes = readProcesses(given, facts)
    if (typeof processes === "string") return yield* fault(processes)
    return { processes, children: typeof given.processes === "number" && facts.child === null ? given.processes : null }
  })

/** The number that this process has among several that another one has started; null: none has. */
const childIn = (env: Environment): number | null => {
  const text = env[childVariable] ?? ""
  return /^\d{1,3}$/.test(text) ? Number(text) : null
}

const readSettings = (lookup: SettingLookup, child: number | null): Result.Result<OperatorSettings, ConfigError> =>
  Result.gen(function* () {
    const url = yield* read(lookup, settings.databaseUrl, null)
    const usual = defaultDataFolder(url === null ? "pglite" : "postgres", ".")
    const dataFolder = resolve(yield* read(lookup, settings.dataFolder, usual))
    const sync = (yield* read(lookup, settings.sync, "on" as const)) === "on"
    const database: DatabaseConfig =
      url === null ? { kind: "pglite", folder: join(dataFolder, "database"), sync } : { kind: "postgres", url }
    const mode = yield* read(lookup, settings.mode, "development" as const)
    const isOpen = yield* read(lookup, settings.developmentOpenToEverybody, false)
    const port = yield* read(lookup, settings.port, 9991)
    const portSetting = lookup(settings.port)?.name ?? settings.port.env
    const together = yield* readTogether(lookup, { mode, database, port, portSetting, child })
    const all: OperatorSettings = {
      mode,
      host: yield* read(lookup, settings.host, "127.0.0.1"),
      port,
      portSetting,
      hostSetting: lookup(settings.host)?.name ?? settings.host.env,
      log: {
        form: yield* read(lookup, settings.logFormat, mode === "production" ? ("json" as const) : ("text" as const)),
        level: yield* read(lookup, settings.logLevel, "info" as const),
      },
      dataFolder,
      filesFolder: resolve(yield* read(lookup, settings.filesFolder, join(dataFolder, "files"))),
      database,
      ...together,
      leaveSeconds: yield* read(lookup, settings.leaveSeconds, together.processes === null ? 0 : 5),
      secret: yield* read(lookup, settings.secret, null),
      externalUrl: yield* read(lookup, settings.externalUrl, null),
      origins: yield* read(lookup, settings.origins, []),
      trustedProxies: yield* read(lookup, settings.trustedProxies, []),
      outgoingAllow: yield* readOutgoing(lookup, mode === "development" && !isOpen),
      metricsToken: yield* read(lookup, settings.metricsToken, null),
      rateLimit: (yield* read(lookup, settings.rateLimit, "on" as const)) === "on",
      developmentOpenToEverybody: isOpen,
      webPublicChannels: yield* read(lookup, settings.webPublicChannels, true),
      imagePreviews: yield* read(lookup, settings.imagePreviews, true),
      pagePreviews: yield* read(lookup, settings.pagePreviews, false),
      gravatar: yield* read(lookup, settings.gravatar, false),
      signUpDomain: yield* read(lookup, settings.signUpDomain, null),
      directory: yield* readDirectory(lookup),
      mail: yield* readMail(lookup),
      limits: yield* readLimits(lookup, mode),
    }
    const conflict = findModeConflict(all) ?? findSignUpConflict(all)
    return conflict === undefined ? all : yield* fault(conflict)
  })

const settingsOf = (env: Environment, argv: ReadonlyArray<string>): Result.Result<OperatorSettings, ConfigError> =>
  Result.gen(function* () {
    const { flags } = yield* parseArguments(argv)
    yield* checkVariables(env)
    return yield* readSettings(lookupIn(env, flags), childIn(env))
  })

const givenIn = (env: Environment, argv: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const read = parseArguments(argv)
  const lookup = lookupIn(env, Result.isSuccess(read) ? read.success.flags : new Map())
  return Object.fromEntries(
    allSettings.flatMap((setting) => {
      const given = lookup(setting)
      return given === undefined ? [] : [[setting.env, given.text]]
    }),
  )
}

/** The command of `parley <argv>` under `env`. Help and version win over any error in the other arguments. */
export const readCommand = (env: Environment, argv: ReadonlyArray<string>): Result.Result<CliCommand, ConfigError> =>
  Result.gen(function* () {
    if (argv[0] === "bench") return { _tag: "Bench", argv }
    const operation = divideOperation(argv)
    if (operation !== undefined) {
      // The variables may be those of a real server, whose database a test must not touch.
      const variables = operation.name === "test-server" ? {} : env
      return {
        _tag: "Operate",
        argv: operation.argv,
        found: settingsOf(variables, operation.settings),
        given: givenIn(variables, operation.settings),
      }
    }
    const given = yield* parseArguments(argv)
    if (given.switches.has("help")) return { _tag: "Help" }
    if (given.switches.has("version")) return { _tag: "Version" }
    yield* readCommandName(given.words)
    yield* checkVariables(env)
    const all = yield* readSettings(lookupIn(env, given.flags), childIn(env))
    return { _tag: given.switches.has("print-config") ? "PrintConfig" : "Serve", settings: all }
  })
