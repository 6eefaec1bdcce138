/**
 * What a server says when it has started: a text for people at a terminal, with its address, accounts to sign in with and a command
 * to try; and for the log the facts that whoever reads it later asks for first.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { App } from "./app.ts"
import { listRealms } from "./chat/ground/realm/realm-store.ts"
import { Realms } from "./chat/ground/realm/realms.ts"
import { apiKey } from "./chat/ground/sign-in/sign-in.ts"
import { demoAccounts } from "./chat/server/setup/demo.ts"
import { demoPassword } from "./chat/server/setup/demo-password.ts"
import { type ConfigShape, limitsOf } from "./config/config.ts"
import { limitNames } from "./config/settings.ts"
import { Database } from "./db/database.ts"
import { describeDatabase } from "./db/describe-database.ts"
import { packageVersion } from "./db/package-root.ts"
import type { JsonObject } from "./json.ts"

const addressOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** Hosts that stand for all addresses of the machine. Nobody can open them: the loopback address is shown instead. */
const everyAddress = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "::1"],
  ["[::ffff:0:0]", "127.0.0.1"],
])

/** The loopback address where `host` stands for all addresses, however it is written; else undefined. */
const loopbackOf = (host: string): string | undefined => {
  const url = host.includes(":") ? `http://[${host}]` : `http://${host}`
  // The URL writes an address in its one shortest form.
  return URL.canParse(url) ? everyAddress.get(new URL(url).hostname) : undefined
}

/** Where somebody on this machine reaches the server, without anything in between. */
export const ownAddress = (host: string, port: number): string => addressOf(loopbackOf(host) ?? host, port)

/** The first line of the banner, and the address that somebody on this machine can open. */
export const listening = (
  { host, externalUrl }: Pick<ConfigShape, "host" | "externalUrl">,
  port: number,
): { readonly line: string; readonly address: string } => {
  const loopback = loopbackOf(host)
  const own = ownAddress(host, port)
  const address = externalUrl ?? own
  const named = address === own ? "" : ` for ${address}`
  const others = loopback === undefined ? "" : ", and on all other addresses of this machine"
  return { address, line: `Parley listens on ${own}${named}${others}\n` }
}

const servesNobody = "The database holds no organization yet: parley org create makes one. Until then nothing is served"

/**
 * Whether the banner is printed. In production it would be lines for people in what others gather as JSON, where a container has
 * one stream: there the log says the same.
 */
export const isForPeople = ({ mode }: Pick<ConfigShape, "mode">, isTerminal: boolean): boolean =>
  mode === "development" || isTerminal

/** A warning for the log of a server that has nobody to serve; else undefined. */
export const emptyWarning = (app: App): Effect.Effect<string | undefined> =>
  listRealms(Context.get(app.services, Database)).pipe(
    Effect.map((stored) => (stored.length === 0 ? servesNobody : undefined)),
    Effect.catch(() => Effect.undefined),
  )

export const banner = (config: ConfigShape, app: App): Effect.Effect<string> =>
  Effect.gen(function* () {
    const realms = Context.get(app.services, Realms)
    const stored = yield* listRealms(Context.get(app.services, Database))
    const { line: head, address } = listening(config, app.server.port)
    const [first] = stored
    if (config.mode === "production") return first === undefined ? `${head}${servesNobody}.\n` : head
    if (first === undefined) return head
    const { realm } = yield* realms.get(first.id)
    const [owner] = demoAccounts
    const user = realm.findUserByEmail(owner.email)
    if (user === undefined) return head
    const names = demoAccounts.filter(({ isBot }) => !isBot).map(({ email }) => email.split("@")[0])
    return [
      head,
      `  accounts   ${names.join(", ")} @demo.example, password ${demoPassword}; bot@demo.example by key`,
      `  data       ${config.database.kind === "pglite" ? config.dataFolder : "PostgreSQL"}, development mode`,
      "",
      `  curl -u ${owner.email}:${apiKey(config.secret, first.id, user)} ${address}/api/v1/messages \\`,
      `    -d type=channel -d to=general -d topic=welcome -d content='Hello from curl'`,
      "",
    ].join("\n")
  }).pipe(Effect.catch(() => Effect.succeed("")))

/** The limits that an operator has set otherwise. */
const ownLimits = ({ mode, limits }: ConfigShape): JsonObject => {
  const usual = limitsOf(mode)
  return Object.fromEntries(limitNames.flatMap((name) => (limits[name] === usual[name] ? [] : [[name, limits[name]]])))
}

/** For the one line of the log that says under which circumstances a server has started. */
export const startFields = (config: ConfigShape, app: App): Effect.Effect<JsonObject> =>
  Effect.gen(function* () {
    const facts = {
      version: packageVersion(),
      node: process.versions.node,
      mode: config.mode,
      address: listening(config, app.server.port).address,
      listens: addressOf(config.host, app.server.port),
      data_folder: config.dataFolder,
      files_folder: config.filesFolder,
      limits: ownLimits(config),
    }
    const of = describeDatabase(Context.get(app.services, Database))
    // It may be lost again already; what else is known is told all the same.
    const database = yield* Effect.catchTag(of, "Unavailable", ({ reason }) => Effect.succeed({ database: reason }))
    return { ...facts, ...database, ready_ms: Math.round(performance.now()) }
  })
