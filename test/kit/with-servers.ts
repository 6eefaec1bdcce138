/**
 * Several whole servers in this process that serve one PostgreSQL database together, as processes on one or several machines do:
 * each has connections, projections and queues of its own, and a clock that the test controls. On the embedded database, which
 * has one process, there is nothing to test.
 */
import { randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Test } from "tap"
import { Realms } from "../../src/chat/ground/realm/realms.ts"
import type { ConfigShape } from "../../src/config/config.ts"
import type { ProcessesConfig } from "../../src/config/processes-config.ts"
import { Database, type DatabaseShape } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { testDatabase } from "./lent-database.ts"
import { adminUrl, until } from "./test-database.ts"
import { makeTestServer, type ServerSetup, type TestServer } from "./with-server.ts"

export interface ServersSetup extends ServerSetup {
  readonly bus?: ProcessesConfig["bus"]
  /** What becomes of a message on its way to a server: it is given to it as often as `give` is called. */
  readonly carry?: (text: string, give: (text: string) => void) => void
}

const carrying =
  (carry: NonNullable<ServersSetup["carry"]>) =>
  (database: DatabaseShape): DatabaseShape => {
    const { cluster } = database
    if (cluster === undefined || cluster.bus === null) return database
    const { bus } = cluster
    const listen = (listener: (text: string) => void) => bus.listen((text) => carry(text, listener))
    return { ...database, cluster: { ...cluster, bus: { ...bus, listen } } }
  }

/** A server that joins those at `database`. */
const joinServer = (
  t: Test,
  setup: ServersSetup,
  shared: Partial<ConfigShape> & Pick<ConfigShape, "database">,
): Promise<TestServer> => {
  const { bus = "notify", carry, ...rest } = setup
  const processes = { bus, busUrl: null, sharesLimits: true, child: null }
  const opened = openMigratedDatabase(shared.database, [], { processes })
  const databaseLayer =
    carry === undefined
      ? opened
      : Layer.effect(Database, Effect.map(Database, carrying(carry))).pipe(Layer.provide(opened))
  return makeTestServer(t, { ...rest, databaseLayer, config: { ...setup.config, ...shared, processes } })
}

/** Runs `body` with so many servers, which stop when it has ended. `join` starts a further one. */
export const withServers = async (
  t: Test,
  count: number,
  setup: ServersSetup,
  body: (servers: ReadonlyArray<TestServer>, join: (further?: ServersSetup) => Promise<TestServer>) => Promise<void>,
): Promise<void> => {
  if (adminUrl === undefined) return
  const { database } = await testDatabase(t)
  const filesFolder = join(tmpdir(), `parley-test-files-${randomBytes(8).toString("hex")}`)
  const shared = { database, filesFolder }
  const servers: Array<TestServer> = []
  const { channels = [], ...rest } = setup
  for (let n = 0; n < count; n++) servers.push(await joinServer(t, n === 0 ? { ...rest, channels } : rest, shared))
  await body(servers, async (further = {}) => {
    const server = await joinServer(t, { ...rest, ...further }, { ...shared, ...further.config })
    servers.push(server)
    return server
  })
  for (const server of servers.toReversed()) await server.end()
}

const clockOf = (server: TestServer) => server.run(Effect.map(Realms, ({ own }) => own?.now() ?? 0))

/**
 * Waits until what comes to `next` is later than all that has come to `before`: each numbers requests by the database's clock, as
 * well as it knows it, and on a busy machine they differ by more than a test takes from one request to the next.
 */
export const isLater = async (next: TestServer, before: TestServer): Promise<void> => {
  const at = await clockOf(before)
  await until("the clock is past that of the other process", 5_000, async () => (await clockOf(next)) > at)
}
