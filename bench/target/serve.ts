/** The program in this process, on a database that is open already: for those who fill one, and for what is measured. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { startApp } from "../../src/app.ts"
import { type RealmRuntime, Realms } from "../../src/chat/ground/realm/realms.ts"
import { apiKey } from "../../src/chat/ground/sign-in/sign-in.ts"
import { systemClock } from "../../src/clock.ts"
import type { ConfigShape } from "../../src/config/config.ts"
import type { Database } from "../../src/db/database.ts"
import { RealmId } from "../../src/ids.ts"

const firstRealm = RealmId(1)

/** Serves until its scope ends. Answers the port, and the organization's runtime. */
export const startOpened = Effect.fnUntraced(function* (config: ConfigShape, opened: Context.Context<Database>) {
  const app = yield* startApp({
    config,
    clock: systemClock,
    commitTime: () => null,
    onForeign: (why) => {
      throw new Error(why)
    },
    database: Layer.succeedContext(opened),
  })
  const runtime = yield* Context.get(app.services, Realms).get(firstRealm)
  return { port: app.server.port, runtime, services: app.services }
})

/** Those of an organization who are no bots. */
export const peopleOf = ({ realm }: RealmRuntime, secret: string) =>
  [...realm.users.values()]
    .filter(({ is_bot }) => !is_bot)
    .map((user) => ({ id: user.id, email: user.email, key: apiKey(secret, realm.id, user) }))

/** Beside these the organization's people, who are no bots. */
export const serveOpened = Effect.fnUntraced(function* (config: ConfigShape, opened: Context.Context<Database>) {
  const { port, runtime, services } = yield* startOpened(config, opened)
  return { port, runtime, services, people: peopleOf(runtime, config.secret) }
})
