/**
 * A server in this process, on a free port, with a clock that the test drives. Its database is lent, or stands in a folder of
 * its own, or is a copy on a PostgreSQL server.
 */
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Realms } from "../chat/ground/realm/realms.ts"
import { apiKey } from "../chat/ground/sign-in/sign-in.ts"
import { demoBots } from "../chat/server/setup/demo-bots.ts"
import type { ConfigShape } from "../config/config.ts"
import { loopbackEntries } from "../config/outgoing-allow.ts"
import { readCommand } from "../config/read-settings.ts"
import { Database, type DatabaseShape } from "../db/database.ts"
import { platformFault, thisPlatform } from "../http/network/platform.ts"
import { PortInUse } from "../http/network/uws.ts"
import { DatabaseFaults } from "./database-faults.ts"
import { isListenedTo, leaksOf, waitUntilNone } from "./find-leaks.ts"
import { findFreePort } from "./free-port.ts"
import {
  beginOrganization,
  demoHash,
  fillOrganization,
  passwordCost,
  realmId,
  type TestOrganization,
} from "./organizations.ts"
import { networkOf, type RunningApp, runApp } from "./run-app.ts"
import { type FillDatabase, nameOf, roleOf, type ServerCore, type ServerStorage } from "./server-core.ts"
import { makeTestingImage, openFurther, storageOf } from "./server-storage.ts"
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folders.ts"
import { manualClock, runningClock } from "./test-clock.ts"
import type { Person, ServerOptions } from "./types.ts"
import { waitUntilIdle } from "./wait-until-idle.ts"

/** Known to everybody: it protects nothing, and API keys are the same whenever a data folder is served again. */
const secret = "of-parley-testing-7d1f0c5e2b9a4c6e8f3a"

/** How long the port of a server that has just ended may stay taken. */
const portMilliseconds = 3_000
/** Others look for free ports, too. */
const mostPorts = 5

/** What is otherwise in a test than by itself; `settings` win. */
const variablesOf = (dataFolder: string, settings: ServerOptions["settings"] = {}) => ({
  PARLEY_RATE_LIMIT: "off",
  PARLEY_SYNC: "off",
  PARLEY_SECRET: secret,
  PARLEY_DATA_DIR: dataFolder,
  // An hour that passes at once ends no queue whose client has not come back within it.
  ...("PARLEY_QUEUE_IDLE_MAX_SECONDS" in settings ? {} : { PARLEY_QUEUE_IDLE_SECONDS: "604800" }),
  ...settings,
})

const configOf = (dataFolder: string, { settings }: ServerOptions): ConfigShape => {
  const command = readCommand(variablesOf(dataFolder, settings), [])
  if (Result.isFailure(command)) throw new Error(command.failure.message)
  if (command.success._tag !== "Serve") throw new Error("these are no settings of a server")
  const { settings: found } = command.success
  // What is tested is on this machine, in whatever mode.
  const outgoingAllow = [...new Set([...found.outgoingAllow, ...loopbackEntries])]
  return { ...found, outgoingAllow, secret: found.secret ?? secret, passwordCost }
}

const isTaken = (error: unknown): boolean => error instanceof PortInUse

/** Starts at the given port, or at one that is free. */
const startAt = async (port: number | undefined, start: (port: number) => Promise<RunningApp>): Promise<RunningApp> => {
  for (let tries = 1; ; tries++) {
    try {
      return await start(port ?? (await findFreePort()))
    } catch (error) {
      if (!isTaken(error) || port !== undefined || tries === mostPorts) throw error
    }
  }
}

/** Starts again where a server was a moment ago. */
const startAgainAt = async (port: number, start: (port: number) => Promise<RunningApp>): Promise<RunningApp> => {
  const giveUpAt = performance.now() + portMilliseconds
  for (;;) {
    try {
      return await start(port)
    } catch (error) {
      if (!isTaken(error) || performance.now() > giveUpAt) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

const appOptions = (
  config: ConfigShape,
  organization: TestOrganization,
  { layer }: Pick<ServerStorage, "layer">,
  wrap: (database: DatabaseShape) => DatabaseShape,
) => ({
  config,
  network: networkOf(),
  demoHash,
  database: Layer.effect(Database, Effect.map(Effect.tap(Database, beginOrganization(organization)), wrap)).pipe(
    Layer.provide(layer()),
    Layer.orDie,
  ),
})

const fill = ({ app }: RunningApp, organization: TestOrganization): Promise<void> =>
  Effect.runPromise(Effect.provide(fillOrganization(organization), app.services))

/** The same rows whenever and for whomever it is done: the clock stands still. */
const fillApart = async (config: ConfigShape, organization: TestOrganization, storage: Parameters<FillDatabase>[1]) => {
  const clock = manualClock()
  // The rows go on in another database, to which the server's own folder belongs.
  const filesFolder = await makeTemporaryFolder()
  const start = (port: number) =>
    runApp({
      ...appOptions(config, organization, storage, (database) => database),
      config: { ...config, database: storage.config, filesFolder, port },
      clock,
      commitTime: () => clock.now(),
      onForeign: () => {},
    })
  const running = await startAt(undefined, start)
  try {
    await fill(running, organization)
  } finally {
    await running.stop()
    await removeTemporaryFolder(filesFolder)
  }
}

/** For the build. */
export const testingImageOf = (): Promise<Buffer> =>
  makeTestingImage((...filled) => fillApart(configOf("", {}), ...filled))

/** The demo's bots that show what bots are for: no test speaks as them. */
const shown: ReadonlySet<string> = new Set(demoBots.map(({ email }) => email))

const peopleOf = ({ app }: RunningApp, config: ConfigShape): Promise<ReadonlyArray<Person>> =>
  Effect.runPromise(
    Effect.map(
      Effect.flatMap(Realms, (realms) => realms.get(realmId)),
      ({ realm }) =>
        [...realm.users.values()]
          .filter(({ email }) => email.includes("@") && !shown.has(email))
          .map((user) => ({
            name: nameOf(user.email),
            email: user.email,
            apiKey: apiKey(config.secret, realmId, user),
            userId: user.id,
            role: roleOf(user.role),
            isBot: user.is_bot,
          })),
    ).pipe(Effect.provide(app.services)),
  )

/** What is to be undone when the server ends, or at once where it does not start. */
type UndoSteps = Array<() => Promise<void>>

const undoAll = async (undo: UndoSteps): Promise<void> => {
  for (const each of undo.splice(0).toReversed()) await each()
}

export const startLocal = async (options: ServerOptions): Promise<ServerCore> => {
  const fault = platformFault(thisPlatform())
  if (fault !== undefined) throw new Error(fault)
  const undo: UndoSteps = []
  try {
    return await start(options, undo)
  } catch (error) {
    // Why it did not start says more than what could not be undone.
    await undoAll(undo).catch(() => {})
    throw error
  }
}

const start = async (options: ServerOptions, undo: UndoSteps): Promise<ServerCore> => {
  const { organization = "demo" } = options
  const clock = options.clock === "still" ? manualClock() : runningClock()
  const temporary = options.dataFolder === undefined ? await makeTemporaryFolder() : null
  if (temporary !== null) undo.push(() => removeTemporaryFolder(temporary))
  const dataFolder = options.dataFolder ?? temporary ?? ""
  await mkdir(dataFolder, { recursive: true })
  const config = configOf(dataFolder, options)
  const faults = new DatabaseFaults(async () => {})
  const foreign: Array<string> = []
  const storage = await storageOf(options, config, (...filled) => fillApart(config, ...filled))
  undo.push(storage.giveBack)
  const serve = (port: number) =>
    runApp({
      ...appOptions(config, organization, storage, faults.wrap),
      config: { ...config, database: storage.config, port },
      clock,
      commitTime: () => clock.now(),
      onForeign: (why) => void foreign.push(why),
    })
  const first = await startAt(options.port, serve)
  undo.push(first.stop)
  let running: RunningApp | null = first
  const { port } = first.app.server
  if (!storage.isFilled) await fill(first, organization)
  openFurther()
  const people = await peopleOf(first, config)
  const late = new Set<NodeJS.Timeout>()
  /** Of the commits that are to be held up: for how long each. */
  const waits: Array<number> = []
  faults.onHeldUp = (arrive) => {
    const timer = setTimeout(() => {
      late.delete(timer)
      // What came too late is what the test wants to see.
      arrive().catch(() => {})
    }, waits.shift())
    late.add(timer)
  }
  const calm = () => {
    faults.takeFates()
    waits.length = 0
    faults.flow()
  }

  const end = async (): Promise<ReadonlyArray<string>> => {
    for (const timer of late) clearTimeout(timer)
    calm()
    const last = running
    await running?.stop()
    running = null
    const look = last === null ? () => [] : leaksOf(last.app, clock)
    const left = [...(await waitUntilNone(look)), ...foreign]
    await undoAll(undo)
    if (temporary !== null && existsSync(temporary)) left.push(`the folder ${temporary}`)
    if (await isListenedTo(port)) left.push(`port ${port}, at which something still takes connections`)
    return left
  }

  const advance = async (milliseconds: number): Promise<void> => {
    if (running !== null) await waitUntilIdle(running.app)
    clock.advance(milliseconds)
    if (running !== null) await waitUntilIdle(running.app)
  }

  return {
    port,
    people,
    clock: { now: clock.now, advance },
    faults: {
      loseCommits: (count = 1) => faults.failCommits(...Array.from({ length: count }, () => "lost" as const)),
      lateCommits: (milliseconds, count = 1) => {
        waits.push(...Array.from({ length: count }, () => milliseconds))
        faults.failCommits(...Array.from({ length: count }, () => "late" as const))
      },
      stallDatabase: () => faults.stall(),
      resumeDatabase: () => faults.flow(),
      struck: () => faults.struck,
      heldUp: () => faults.onTheWay,
    },
    calm,
    kill: async () => {
      if (running === null) throw new Error("the server does not run")
      calm()
      faults.die()
      await running.stop()
      running = null
    },
    restart: async () => {
      await running?.stop()
      running = await startAgainAt(port, serve)
    },
    end,
  }
}
