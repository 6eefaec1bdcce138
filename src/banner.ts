/** What a starting server tells the person who started it: where it listens, who can sign in, a line to paste. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { App } from "./app.ts"
import { listRealms } from "./chat/realm/realm-store.ts"
import { Realms } from "./chat/realm/realms.ts"
import { demoAccounts, demoPassword } from "./chat/setup/demo.ts"
import { apiKey } from "./chat/sign-in/sign-in.ts"
import type { ConfigShape } from "./config.ts"
import { Database } from "./db/database.ts"

const listeningAddress = (config: ConfigShape, port: number): string =>
  `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`

export const banner = (config: ConfigShape, app: App): Effect.Effect<string> =>
  Effect.gen(function* () {
    const realms = Context.get(app.services, Realms)
    const stored = yield* listRealms(Context.get(app.services, Database))
    const listening = listeningAddress(config, app.server.port)
    const address = config.externalUrl ?? listening
    const head = `Parley listens on ${listening}${address === listening ? "" : ` for ${address}`}\n`
    const [first] = stored
    if (config.mode === "production")
      return first === undefined ? `${head}The database holds no organization yet: nothing is served.\n` : head
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
