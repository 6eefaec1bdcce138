/**
 * Starts a server and its load client, each a process on its own core, and takes the measurements of the scenarios. Two
 * servers that are compared are both up all the time and are put under load in turn, so that a slower minute of the
 * machine touches both alike.
 */
import * as Schema from "effect/Schema"
import { cpuOf } from "../src/command-line/bench/process-figures.ts"
import { median } from "../src/command-line/bench/statistics.ts"
import { pin, Remote } from "./remote.ts"
import type { History } from "./target/history.ts"
import type { PrivateChannels } from "./target/private-channels.ts"

const Started = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    pid: Schema.Number,
    databaseThreads: Schema.Array(Schema.Number),
    accounts: Schema.Array(
      Schema.Struct({ email: Schema.String, key: Schema.String, host: Schema.optional(Schema.String) }),
    ),
    channel: Schema.Struct({ id: Schema.Number, name: Schema.String }),
  }),
)
const Connected = Schema.decodeUnknownSync(Schema.Struct({ connected: Schema.Number }))
const Stats = Schema.decodeUnknownSync(
  Schema.Struct({
    resident: Schema.Number,
    held: Schema.Number,
    heap: Schema.Number,
    buffers: Schema.Number,
    encodes: Schema.Number,
    position: Schema.Number,
    liveQueues: Schema.Number,
  }),
)
const Watched = Schema.decodeUnknownSync(Schema.Struct({ longestBlock: Schema.Number }))
const Measured = Schema.Struct({
  messages: Schema.Number,
  deliveries: Schema.Number,
  frames: Schema.Number,
  bytes: Schema.Number,
  seconds: Schema.Number,
  serverCpu: Schema.Number,
  serverBusy: Schema.Number,
  clientBusy: Schema.Number,
  medians: Schema.Array(Schema.Number),
  lasts: Schema.Array(Schema.Number),
  answers: Schema.Array(Schema.Number),
  /** Null if no message was timed, because JSON has no NaN. */
  p50: Schema.NullOr(Schema.Number),
  p99: Schema.NullOr(Schema.Number),
  p999: Schema.NullOr(Schema.Number),
  faults: Schema.Array(Schema.String),
})
export type Measured = typeof Measured.Type
const decodeMeasured = Schema.decodeUnknownSync(Measured)
const anything = (value: unknown) => value

export interface Servers {
  readonly databaseUrl: string | null
  readonly people: number
  /** Empty channels and nested groups, in addition to the one channel with everybody in it; null: none. */
  readonly furniture: { readonly channels: number; readonly groups: number } | null
  /** Channels with everybody, and messages in them that nobody has read; absent: none. */
  readonly unread?: { readonly channels: number; readonly messages: number; readonly topics?: number }
  /** Private channels, see target/private-channels.ts; absent: none. */
  readonly privateChannels?: PrivateChannels
  /** Number of profile fields that everybody has a text in; absent: none. */
  readonly profileFields?: number
  /** Messages with words in channels with everybody, and the index of their words; absent: none. */
  readonly history?: History
  /** Messages are kept for a month. */
  readonly retention?: boolean
  /** The size of an event of the bare server. */
  readonly eventBytes: number
  /** Serves the database together with others: how they tell each other, and where all have their files. The first one fills it. */
  readonly together?: {
    /** As PARLEY_BUS names it. */
    readonly bus: string
    readonly filesFolder: string
    readonly isFirst: boolean
    readonly organizations: number
  }
  /** Whether the embedded database syncs its commits; as an operator has it, where absent. */
  readonly sync?: boolean
}

export interface Readers {
  readonly transport: "socket" | "poll"
  readonly event: "message" | "typing"
  readonly readers: number
  /** Number of readers (the last ones) that stop reading. */
  readonly stalled: number
  /** One message in so many is timed. */
  readonly stride: number
}

export interface Shape {
  readonly inFlight: number | null
  readonly perSecond: number | null
  readonly warmUpSeconds: number
  readonly seconds: number
  readonly paceMilliseconds: number
  readonly textBytes: number
}

export const serverCore = 0
export const clientCore = 1

/** Starts a server on its core; the thread of its embedded database, if it has one, is put on the client's core. */
export const startServer = async (kind: "parley" | "bare" | "durable", servers: Servers, core = serverCore) => {
  const server = Remote.start(`target/${kind}.js`, core)
  const started = await server.ask("start", servers, Started)
  for (const thread of started.databaseThreads) pin(thread, clientCore)
  return { server, started }
}
export const startClient = (program: string): Remote => Remote.start(program, clientCore)

/** The memory of an idle server. */
export const memoryOf = (server: Remote): Promise<ReturnType<typeof Stats>> => server.ask("stats", {}, Stats)

/** The longest block of a chat server's event loop during `act`, in milliseconds. */
export const longestBlockOf = async (server: Remote, act: () => Promise<unknown>): Promise<number> => {
  await server.ask("watch", {}, anything)
  await act()
  return (await server.ask("unwatch", {}, Watched)).longestBlock
}

/** Milliseconds that what is done leaves to do behind the answer. */
const afterMilliseconds = 300

/**
 * What one request takes: milliseconds until its answer, the processor time of the server without the embedded database's
 * threads, and the longest block of its loop, both also of what it leaves to do.
 */
export const takenBy = async (
  { server, started }: Awaited<ReturnType<typeof startServer>>,
  act: () => Promise<number>,
) => {
  const cpu = () => cpuOf(started.pid, started.databaseThreads) / 1000
  const before = cpu()
  let ms = 0
  const block = await longestBlockOf(server, async () => {
    ms = await act()
    await new Promise((resolve) => setTimeout(resolve, afterMilliseconds))
  })
  return { ms, cpu: cpu() - before, block }
}
export type Taken = Awaited<ReturnType<typeof takenBy>>

/** Figures of several requests. `idle`: the processor time of as long without one, which is subtracted. */
export const takenFigures = (all: ReadonlyArray<Taken>, idle = 0): Readonly<Record<string, number>> => ({
  ms: median(all.map(({ ms }) => ms)),
  "own CPU ms": median(all.map(({ cpu }) => cpu)) - idle,
  "longest block ms": median(all.map(({ block }) => block)),
  "worst round ms": Math.max(...all.map(({ block }) => block)),
})

export class Pair {
  readonly kind: "parley" | "bare"
  readonly #server: Remote
  readonly #client: Remote
  readonly #started: ReturnType<typeof Started>

  private constructor(kind: "parley" | "bare", server: Remote, client: Remote, started: ReturnType<typeof Started>) {
    this.kind = kind
    this.#server = server
    this.#client = client
    this.#started = started
  }

  static async start(kind: "parley" | "bare", servers: Servers): Promise<Pair> {
    const { server, started } = await startServer(kind, servers)
    return new Pair(kind, server, startClient("client/main.js"), started)
  }

  connect(readers: Readers): Promise<ReturnType<typeof Connected>> {
    return this.#client.ask("connect", { target: this.kind, ...this.#started, ...readers }, Connected)
  }

  /** Puts the server under load once. Throws if any event was lost or wrong, so that no figure of that run is used. */
  async measure(shape: Shape): Promise<Measured> {
    const measured = await this.#client.ask("put", shape, decodeMeasured)
    if (measured.faults.length > 0) throw new Error(`${this.kind}: ${measured.faults.join("; ")}`)
    return measured
  }

  stats(): Promise<ReturnType<typeof Stats>> {
    return memoryOf(this.#server)
  }

  /** The longest block of the chat server's event loop under this load, in milliseconds. */
  longestBlock(shape: Shape): Promise<number> {
    return longestBlockOf(this.#server, () => this.measure(shape))
  }

  async stop(): Promise<void> {
    await this.#client.ask("close", {}, anything).catch(() => undefined)
    await this.#client.stop()
    await this.#server.stop()
  }
}

/** Measures both servers in turn, `rounds` times; the order changes with each round. */
export const alternate = async (
  pairs: readonly [Pair, Pair],
  rounds: number,
  measure: (pair: Pair, round: number) => Promise<Measured>,
): Promise<ReadonlyArray<readonly [Measured, Measured]>> => {
  const found: Array<readonly [Measured, Measured]> = []
  const [first, second] = pairs
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const one = await measure(first, round)
      found.push([one, await measure(second, round)])
    } else {
      const two = await measure(second, round)
      found.push([await measure(first, round), two])
    }
  }
  return found
}
