/**
 * A whole server in this process, on a free port, with the cast (cast.ts) in its database and a clock that the test
 * controls. It is stopped when the test ends. The test fails if another server takes the database over, if a committed
 * row does not match its kind (committed-rows.ts), or if the stopped server leaves something open (leaks.ts).
 */
import { rmSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Test } from "tap"
import type { App, AppOptions, AppServices } from "../../src/app.ts"
import { Catalog } from "../../src/chat/ground/kinds/catalog.ts"
import type { OutboundNetworkShape } from "../../src/chat/ground/outbound/network.ts"
import type { RealmSettings } from "../../src/chat/ground/realm/realm-settings.ts"
import { type RealmRuntime, Realms } from "../../src/chat/ground/realm/realms.ts"
import type { UserSetting, UserSettings } from "../../src/chat/ground/realm/user-settings.ts"
import { apiKey } from "../../src/chat/ground/sign-in/sign-in.ts"
import { deactivateRealm, reactivateRealm } from "../../src/chat/server/setup/setup-commands.ts"
import type { ConfigShape, Limits } from "../../src/config/config.ts"
import { Database, type DatabaseShape } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import type { UserId } from "../../src/ids.ts"
import { DatabaseFaults } from "../../src/testing/database-faults.ts"
import { networkOf } from "../../src/testing/run-app.ts"
import { type ChannelSetup, emailOf, makeCast, makeChannel, type Name, names, realmId } from "./cast.ts"
import { type Account, type Fields, type Person, personOf, request } from "./client.ts"
import { findOddRows } from "./committed-rows.ts"
import { watchLeaks } from "./leaks.ts"
import { testDatabase } from "./lent-database.ts"
import { type ManualClock, manualClock } from "./manual-clock.ts"
import { Reader } from "./reader.ts"
import { startTestApp, testConfig } from "./test-app.ts"
import { changeRealmSettings, changeUserSetting, requirePasswordReset } from "./test-commands.ts"

export { type ChannelSetup, cast, type Name, names } from "./cast.ts"
export { startTestApp, testConfig } from "./test-app.ts"

export interface ServerSetup {
  readonly channels?: ReadonlyArray<ChannelSetup>
  readonly limits?: Partial<Limits>
  readonly config?: Partial<ConfigShape>
  readonly further?: AppOptions["further"]
  readonly databaseLayer?: AppOptions["database"]
  /** The network in place of the internet; absent: nothing is there. */
  readonly network?: OutboundNetworkShape
  readonly onForeign?: (why: string) => void
  /** Absent: one that stands still until the test moves it. */
  readonly clock?: ManualClock
  /** Commits bear the time of the database's clock, and several servers go by it; else all is by the clock of each server. */
  readonly isTimeOfDatabase?: boolean
  /**
   * Called before each stop if committed rows do not match their kinds (committed-rows.ts), with a line for each fault;
   * absent: such rows fail the test. For tests that write them on purpose.
   */
  readonly onOddRows?: (faults: ReadonlyArray<string>) => void
}

/** A lent database holds the cast already; a database that the test has made itself is filled here. */
const fill = Effect.fnUntraced(function* (setup: ServerSetup, time: number) {
  const database = yield* Database
  const [known] = yield* database.query("select id from realm")
  if (known === undefined) yield* makeCast(time)
  for (const channel of setup.channels ?? []) yield* makeChannel(channel)
})

/** Who calls it ends it, too. */
export const makeTestServer = async (t: Test, setup: ServerSetup) => {
  const { clock = manualClock(), isTimeOfDatabase = false } = setup
  const given = setup.config?.database
  const { database, layer } =
    given === undefined ? await testDatabase(t, setup.further?.sql) : { database: given, layer: undefined }
  const config = testConfig(database, setup)
  const faults = new DatabaseFaults(() => replace(() => {}))
  const opened =
    setup.databaseLayer ?? layer ?? openMigratedDatabase(database, setup.further?.sql, { processes: config.processes })
  const leaks = watchLeaks(clock)
  const options: AppOptions = {
    config,
    clock,
    commitTime: () => (isTimeOfDatabase ? null : clock.now()),
    onForeign: setup.onForeign ?? (() => t.fail("another server took the database over")),
    ...(setup.further === undefined ? {} : { further: setup.further }),
    network: networkOf(setup.network),
    database: Layer.effect(Database, Effect.map(Database, faults.wrap)).pipe(Layer.provide(opened)),
  }
  let running = await startTestApp(options)
  t.teardown(async () => {
    await running.stop()
    rmSync(config.filesFolder, { recursive: true, force: true })
  })
  const run = <A, E>(effect: Effect.Effect<A, E, AppServices>): Promise<A> =>
    Effect.runPromise(Effect.provide(effect, running.app.services))
  await run(fill(setup, clock.now()))
  const loaded = () => Context.get(running.app.services, Realms).loaded().length
  let loadedAtStart = loaded()
  const runtime = () => run(Effect.flatMap(Realms, (realms) => realms.get(realmId)))
  let realm = await runtime()
  const ids = new Map(names.map((name) => [name, realm.realm.findUserByEmail(emailOf(name))?.id] as const))
  const replace = async (meanwhile: () => void): Promise<void> => {
    await running.stop()
    meanwhile()
    running = await startTestApp(options)
    loadedAtStart = loaded()
    realm = await runtime()
  }
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
  const as = (name: Name): Person => personOf(origin(), accountOf(emailOf(name)))

  const onOddRows = setup.onOddRows ?? ((faults) => t.fail("odd rows were committed", { faults }))
  const checkRows = async (): Promise<void> => {
    const { services } = running.app
    const faults = await findOddRows(Context.get(services, Database), Context.get(services, Catalog).kinds)
    if (faults.length > 0) onOddRows(faults)
  }

  /** Functions that close what the test has opened beside the server; called before leaks are looked for. */
  const beside: Array<() => Promise<void>> = []
  const end = async (): Promise<void> => {
    faults.flow()
    await checkRows()
    for (const close of beside.toReversed()) await close()
    await running.stop()
    const left = await leaks.find(running.app)
    if (left.length > 0) t.fail("the server or its test left something open", { left })
  }

  return {
    clock,
    config,
    run,
    end,
    faults,
    /** Registers a function that is called after the test's body, before leaks are looked for. */
    closeAfter: (close: () => Promise<void>): void => void beside.push(close),
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
    /** Number of organizations that were loaded when the server that runs now began to listen. */
    get loadedAtStart(): number {
      return loadedAtStart
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
    /** A person by a key that the test knows. */
    withAccount: (account: Account): Person => personOf(origin(), account),
    /** A person by address, for users that the test has made. */
    asEmail: (email: string): Person => personOf(origin(), accountOf(email)),
    anonymous: (method: string, path: string, fields: Fields = {}) => request(origin(), method, path, fields),
    /** Changes for which there is no endpoint yet. */
    actions: {
      changeRealm: (changes: Partial<RealmSettings>) => run(changeRealmSettings(realmId, changes)),
      deactivateRealm: () => run(deactivateRealm(realmId)),
      reactivateRealm: () => run(reactivateRealm(realmId)),
      requirePasswordReset: (name: Name) => run(requirePasswordReset(realmId, idOf(name))),
      changeUserSetting: <Setting extends UserSetting>(name: Name, setting: Setting, value: UserSettings[Setting]) =>
        run(changeUserSetting(realmId, idOf(name), setting, value)),
    },
    /** Runs a query on the server's database; answers its rows. */
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
      await replace(meanwhile)
    },
  }
}
export type TestServer = Awaited<ReturnType<typeof makeTestServer>>

/** Runs `body` with a fresh server, which stops when `body` has ended. */
export const withServer = async (
  t: Test,
  setup: ServerSetup,
  body: (server: TestServer) => Promise<void>,
): Promise<void> => {
  const server = await makeTestServer(t, setup)
  await body(server)
  // Not when it is torn down: then the test is over, and could not fail any more. If `body` throws, it fails anyway.
  await server.end()
}
