/** Parts that scenarios with a crowd share: making it, serving it, and the figures of a server under its load. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { quantile } from "../../src/command-line/bench/statistics.ts"
import { clientCore, serverCore } from "../bench.ts"
import { Remote } from "../remote.ts"
import type { Row } from "../scenario.ts"
import { Server } from "../siege/server.ts"
import { Crowd, type Plan } from "./plan.ts"

const decodeCrowd = Schema.decodeUnknownSync(Crowd)
const Phases = Schema.decodeUnknownSync(
  Schema.Struct({
    phases: Schema.Record(Schema.String, Schema.Struct({ times: Schema.Array(Schema.Number), failed: Schema.Number })),
  }),
)
export const anything = (value: unknown) => value

const secret = "a secret that is only used in benchmarks, and long enough"
const gigabyte = 2 ** 30
const perSecond = 20
export const megabyte = 2 ** 20

export interface Wanted {
  readonly databaseUrl: string | null
  readonly plan: Plan
  readonly queues: boolean
  readonly messages: number
  readonly textBytes: number
  readonly longMessages: number
}

/** A crowd in a database, and the folder of the servers that serve it. */
export interface Place {
  readonly crowd: Crowd
  readonly databaseUrl: string | null
  readonly folder: string
}

/** Makes the crowd, gives it to `act`, and removes what it has left. */
export const withCrowd = async <A>(wanted: Wanted, act: (place: Place) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-crowd-"))
  try {
    const seeder = Remote.start("crowd/seed.js", null)
    const seeded = await seeder.ask("seed", { ...wanted, folder, secret }, decodeCrowd).finally(() => seeder.stop())
    return await act({ crowd: seeded, databaseUrl: wanted.databaseUrl, folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The real program on the crowd's database, with further settings as variables. */
export const serve = ({ databaseUrl, folder }: Place, settings: Readonly<Record<string, string>>): Promise<Server> =>
  Server.start({
    databaseUrl,
    folder,
    secret,
    rateLimit: false,
    log: join(folder, "server.log"),
    mostMemory: 12 * gigabyte,
    cores: { server: serverCore, database: clientCore },
    settings,
  })

/** Those who talk meanwhile. They have sent a first message when this resolves. */
const startTalkers = async (port: number, { talkers, talk }: Crowd): Promise<Remote> => {
  const remote = Remote.start("client/talkers.js", clientCore)
  await remote.ask("start", { port, talkers, channel: talk, perSecond }, anything)
  return remote
}

export interface Taken {
  readonly figures: Row["figures"]
  readonly remarks: ReadonlyArray<string>
}

/**
 * Figures of the server while `act` goes on, and of others' sends then and before: `calmSeconds` of peace come first.
 */
export const measured = async <A>(
  server: Server,
  crowd: Crowd,
  calmSeconds: number,
  act: () => Promise<A>,
): Promise<{ readonly answer: A } & Taken> => {
  const talkers = await startTalkers(server.port, crowd)
  try {
    await wait(1000)
    await talkers.ask("phase", { phase: "calm" }, anything)
    await wait(1000 * calmSeconds)
    const before = server.resident
    server.clear()
    await server.watch()
    const cpu = server.ownCpu
    await talkers.ask("phase", { phase: "meanwhile" }, anything)
    const answer = await act()
    await talkers.ask("phase", { phase: "after" }, anything)
    const spent = (server.ownCpu - cpu) / 1e6
    const longestBlock = await server.longestBlock()
    const { phases } = await talkers.ask("finish", {}, Phases)
    const { calm, meanwhile } = phases
    const of = (some: typeof calm, share: number) => quantile(some?.times ?? [], share)
    const failed = Object.values(phases).reduce((sum, phase) => sum + phase.failed, 0)
    return {
      answer,
      figures: {
        "send p50 ms": of(meanwhile, 0.5),
        "send p99 ms": of(meanwhile, 0.99),
        "calm p50 ms": of(calm, 0.5),
        "calm p99 ms": of(calm, 0.99),
        "server cpu s": spent,
        "MB before": before / megabyte,
        "peak MB": server.mostResident / megabyte,
        "longest block ms": longestBlock,
      },
      remarks: [
        ...(failed > 0 ? [`${failed} sends failed`] : []),
        ...server.deaths.map((death) => `the server died: ${death}`),
      ],
    }
  } finally {
    await talkers.stop()
  }
}
