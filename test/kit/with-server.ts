/**
 * A whole server in this process, on a port of its own and an empty database, with its clock in hand. It is closed when
 * the test ends, whatever its outcome; if another server takes its database over meanwhile, or a row of its log is not as
 * its kind has it, the test fails.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import type { Test } from "tap"
import { type App, type AppOptions, type AppServices, startApp } from "../../src/app.ts"
import { Catalog } from "../../src/chat/kinds/catalog.ts"
import type { RealmSettings } from "../../src/chat/realm/realm-settings.ts"
import { type RealmRuntime, Realms } from "../../src/chat/realm/realms.ts"
import type { UserSetting, UserSettings } from "../../src/chat/realm/user-settings.ts"
import { type Role, roles } from "../../src/chat/realm/values.ts"
import { createRealm } from "../../src/chat/setup/realm-create.ts"
import { setUpChannel, setUpUser } from "../../src/chat/setup/realm-setup.ts"
import {
  changeRealmSettings,
  changeUserSetting,
  deactivateRealm,
  reactivateRealm,
  requirePasswordReset,
} from "../../src/chat/setup/server-commands.ts"
import { apiKey } from "../../src/chat/sign-in/sign-in.ts"
import { type ConfigShape, type DatabaseConfig, defaultLimits, type Limits } from "../../src/config.ts"
import { Database, type DatabaseShape } from "../../src/db/database.ts"
import { RealmId, type UserId } from "../../src/ids.ts"
import { type Account, type Fields, type Person, personOf, request } from "./client.ts"
import { findOddRows } from "./committed-rows.ts"
import { testDatabase } from "./lent-database.ts"
import { manualClock } from "./manual-clock.ts"
import { Reader } from "./reader.ts"

/** The cast of every test, by role. */
export const cast = {
  desdemona: roles.owner,
  iago: roles.administrator,
  shiva: roles.moderator,
  hamlet: roles.member,
  cordelia: roles.member,
  othello: roles.member,
  polonius: roles.guest,
} as const
export type Name = keyof typeof cast
export const names: ReadonlyArray<Name> = ["desdemona", "iago", "shiva", "hamlet", "cordelia", "othello", "polonius"]

export interface ChannelSetup {
  readonly name: string
  readonly users: ReadonlyArray<Name>
  readonly isPrivate?: boolean
  readonly isWebPublic?: boolean
  readonly isDefault?: boolean
  readonly historyShared?: boolean
}

export interface ServerSetup {
  readonly channels?: ReadonlyArray<ChannelSetup>
  readonly limits?: Partial<Limits>
  readonly config?: Partial<ConfigShape>
  readonly further?: AppOptions["further"]
  readonly databaseLayer?: AppOptions["database"]
  readonly onForeign?: (why: string) => void
  /**
   * Called where committed rows are not as their kinds have them (committed-rows.ts), before each stop: a line for each
   * fault. Not given, they fail the test. For tests that write odd rows on purpose.
   */
  readonly onOddRows?: (faults: ReadonlyArray<string>) => void
}

const ownerOf = (email: string, name: string, role: Role) => ({
  email,
  fullName: name,
  role,
  isBot: false,
  passwordHash: null,
})

export const testConfig = (database: DatabaseConfig, setup: ServerSetup): ConfigShape => ({
  mode: "production",
  host: "127.0.0.1",
  port: 0,
  dataFolder: database.kind === "pglite" ? database.folder : "",
  database,
  secret: "a secret that is only used in tests, and long enough",
  externalUrl: null,
  origins: [],
  trustedProxies: [],
  rateLimit: false,
  webPublicChannels: true,
  limits: { ...defaultLimits, ...setup.limits },
  ...setup.config,
})

/** Starts a server; `stop` ends it without ceremony, as often as wanted. */
export const startTestApp = async (options: AppOptions) => {
  const scope = await Effect.runPromise(Scope.make())
  const app = await Effect.runPromise(
    startApp(options).pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(Logger.layer([]))),
  )
  return { app, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** The organization of the tests: the cast, and the channels that the test asks for. */
const fill = Effect.fnUntraced(function* (setup: ServerSetup, time: number) {
  const realms = yield* Realms
  const database = yield* Database
  const id = yield* createRealm(database, { id: 1, host: "test.example", settings: { name: "Test" } }, time)
  yield* realms.refresh()
  const ids = new Map<Name, UserId>()
  for (const name of names) {
    ids.set(name, yield* setUpUser(id, ownerOf(`${name}@test.example`, name, cast[name])))
  }
  for (const channel of setup.channels ?? []) {
    const users = channel.users.map((name) => ids.get(name)).filter((user) => user !== undefined)
    yield* setUpChannel(
      id,
      {
        name: channel.name,
        description: "",
        isPrivate: channel.isPrivate ?? false,
        isWebPublic: channel.isWebPublic ?? false,
        isDefault: channel.isDefault ?? false,
        historyShared: channel.historyShared ?? channel.isPrivate !== true,
      },
      users,
    )
  }
  return ids
})

const makeTestServer = async (t: Test, setup: ServerSetup) => {
  const clock = manualClock()
  const given = setup.config?.database
  const { database, layer } =
    given === undefined ? await testDatabase(t, setup.further?.sql) : { database: given, layer: undefined }
  const config = testConfig(database, setup)
  const databaseLayer = setup.databaseLayer ?? layer
  const options: AppOptions = {
    config,
    clock,
    commitTime: () => clock.now(),
    onForeign: setup.onForeign ?? (() => t.fail("another server took the database over")),
    ...(setup.further === undefined ? {} : { further: setup.further }),
    ...(databaseLayer === undefined ? {} : { database: databaseLayer }),
  }
  let running = await startTestApp(options)
  t.teardown(() => running.stop())
  const run = <A, E>(effect: Effect.Effect<A, E, AppServices>): Promise<A> =>
    Effect.runPromise(Effect.provide(effect, running.app.services))
  const ids = await run(fill(setup, clock.now()))
  const realmId = RealmId(1)
  const runtime = () => run(Effect.flatMap(Realms, (realms) => realms.get(realmId)))
  let realm = await runtime()
  const port = () => running.app.server.port
  const origin = () => `http://127.0.0.1:${port()}`

  const accountOf = (email: string): Account => {
    const user = realm.realm.findUserByEmail(email)
    if (user === undefined) throw new Error(`nobody has the address ${email}`)
    return { email, key: apiKey(config.secret, realmId, user) }
  }
  const idOf = (name: Name): UserId => {
    const id = ids.get(name)
    if (id === undefined) throw new Error(`${name} is not in the cast`)
    return id
  }
  const as = (name: Name): Person => personOf(origin(), accountOf(`${name}@test.example`))

  const onOddRows = setup.onOddRows ?? ((faults) => t.fail("odd rows were committed", { faults }))
  const checkRows = async (): Promise<void> => {
    const { services } = running.app
    const faults = await findOddRows(Context.get(services, Database), Context.get(services, Catalog).kinds)
    if (faults.length > 0) onOddRows(faults)
  }

  return {
    clock,
    config,
    run,
    checkRows,
    as,
    accountOf,
    idOf,
    realmId,
    get app(): App {
      return running.app
    },
    get realm(): RealmRuntime {
      return realm
    },
    get database(): DatabaseShape {
      return Context.get(running.app.services, Database)
    },
    get port(): number {
      return port()
    },
    get origin(): string {
      return origin()
    },
    /** A person by address, for users that the test has made. */
    asEmail: (email: string): Person => personOf(origin(), accountOf(email)),
    anonymous: (method: string, path: string, fields: Fields = {}) => request(origin(), method, path, fields),
    /** What no endpoint does yet. */
    actions: {
      changeRealm: (changes: Partial<RealmSettings>) => run(changeRealmSettings(realmId, changes)),
      deactivateRealm: () => run(deactivateRealm(realmId)),
      reactivateRealm: () => run(reactivateRealm(realmId)),
      requirePasswordReset: (name: Name) => run(requirePasswordReset(realmId, idOf(name))),
      changeUserSetting: <Setting extends UserSetting>(name: Name, setting: Setting, value: UserSettings[Setting]) =>
        run(changeUserSetting(realmId, idOf(name), setting, value)),
    },
    /** Rows of a query of the test's own. */
    rows: (sql: string, parameters: ReadonlyArray<string | number | null> = []) =>
      run(Effect.flatMap(Database, (database) => database.query(sql, parameters))),
    /** Registers a queue and answers its reader. */
    queue: async (name: Name, fields: Fields = {}): Promise<Reader> => {
      const person = as(name)
      return new Reader(person, port(), await person.must.post("/register", fields))
    },
    /** A reader of a queue registered earlier, at the server that runs now. */
    resume: (name: Name, reader: Reader): Reader => {
      const resumed = new Reader(as(name), port(), reader.state)
      resumed.lastId = reader.lastId
      resumed.events.push(...reader.events)
      return resumed
    },
    /** Stops the server and starts another one on the same database; `meanwhile` is called in between. */
    restart: async (meanwhile: () => void = () => {}): Promise<void> => {
      await checkRows()
      await running.stop()
      meanwhile()
      running = await startTestApp(options)
      realm = await runtime()
    },
  }
}
export type TestServer = Awaited<ReturnType<typeof makeTestServer>>

/** Runs `body` with a fresh server, which lives until the test ends. */
export const withServer = async (
  t: Test,
  setup: ServerSetup,
  body: (server: TestServer) => Promise<void>,
): Promise<void> => {
  const server = await makeTestServer(t, setup)
  await body(server)
  // Not when it is torn down: then the test is over, and could not fail any more. If `body` throws, it fails anyway.
  await server.checkRows()
}
