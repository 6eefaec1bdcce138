/** Other servers beside Parley in the same minutes, on the same work: one publish, N subscribers with a socket each. */
import * as Schema from "effect/Schema"
import { median } from "../../src/command-line/bench/statistics.ts"
import { serverCore, startClient, startServer } from "../bench.ts"
import { anything } from "../crowd/crowd.ts"
import { install, labelOf } from "../peers/install.ts"
import { bareNote, type Peer, parleyNote, peers } from "../peers/peers.ts"
import { Remote } from "../remote.ts"
import { clientBound, eventBytes, type Row, type Scenario, type Settings, textBytes } from "../scenario.ts"

const Started = Schema.decodeUnknownSync(
  Schema.Struct({ port: Schema.Number, publishPort: Schema.Number, pid: Schema.Number }),
)
const Put = Schema.Struct({
  cpu: Schema.Number,
  rate: Schema.Number,
  p50: Schema.NullOr(Schema.Number),
  p99: Schema.NullOr(Schema.Number),
  busy: Schema.Number,
  faults: Schema.Array(Schema.String),
})
type Put = typeof Put.Type
const decodePut = Schema.decodeUnknownSync(Put)

interface Standing {
  readonly name: string
  /** As its rows are called. */
  readonly label: string
  readonly note: string
  readonly client: Remote
  readonly stop: () => Promise<void>
}

const connect = async (
  { name, label, note }: Pick<Standing, "name" | "label" | "note">,
  server: Remote,
  orders: object,
): Promise<Standing> => {
  const client = startClient("peers/client.js")
  const stop = async () => {
    await client.stop()
    await server.stop()
  }
  try {
    await client.ask("connect", { kind: name, eventBytes, textBytes, ...orders }, anything)
    return { name, label, note, client, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const startOurs = async (kind: "parley" | "bare", note: string, readers: number, settings: Settings) => {
  const databaseUrl = await settings.fresh()
  const { server, started } = await startServer(kind, { databaseUrl, people: readers, furniture: null, eventBytes })
  const { port, pid, databaseThreads, accounts, channel } = started
  const place = { port, publishPort: port, pid, databaseThreads, accounts, channel: channel.name, readers }
  return connect({ name: kind, label: kind, note }, server, place)
}

const startPeer = async (peer: Peer, readers: number): Promise<Standing> => {
  const { name, note, program } = peer
  const server = Remote.start(program, serverCore)
  const started = await server.ask("start", { eventBytes }, Started).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  return connect({ name, label: labelOf(peer), note }, server, {
    ...started,
    databaseThreads: [],
    accounts: [],
    channel: "",
    readers,
  })
}

const absent = (name: string, why: string): Row => ({ label: name, figures: {}, remarks: [`not here: ${why}`] })

/** All in turn, the first one another in each round. */
const inTurn = async (standing: ReadonlyArray<Standing>, settings: Settings, inFlight: number) => {
  const found = new Map<string, Array<Put>>(standing.map(({ name }) => [name, []]))
  for (let round = 0; round < settings.rounds; round++)
    for (let n = 0; n < standing.length; n++) {
      const one = standing[(n + round) % standing.length]
      if (one === undefined) continue
      settings.progress(`${one.name}, ${inFlight} in flight: round ${round + 1} of ${settings.rounds}`)
      const put = await one.client.ask("put", { inFlight, seconds: settings.seconds }, decodePut)
      if (put.faults.length > 0) throw new Error(`${one.name}: ${put.faults.join("; ")}`)
      found.get(one.name)?.push(put)
    }
  return found
}

const rowsOf = (standing: ReadonlyArray<Standing>, found: ReadonlyMap<string, ReadonlyArray<Put>>, label: string) => {
  const of = (name: string, figure: (put: Put) => number) => median((found.get(name) ?? []).map(figure))
  const ours = (found.get("parley") ?? []).map(({ cpu }) => cpu)
  return standing.map(({ name, label: called, note }): Row => {
    const theirs = found.get(name) ?? []
    return {
      label: `${called}, ${label}`,
      figures: {
        "cpu us": of(name, ({ cpu }) => cpu),
        "of Parley's": median(theirs.map(({ cpu }, round) => cpu / (ours[round] ?? Number.NaN))),
        "deliveries/s": of(name, ({ rate }) => rate),
        "p50 ms": of(name, ({ p50 }) => p50 ?? Number.NaN),
        "p99 ms": of(name, ({ p99 }) => p99 ?? Number.NaN),
      },
      remarks: [...clientBound(of(name, ({ busy }) => busy)), note],
    }
  })
}

const run = async (settings: Settings): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  const here: Array<Peer> = []
  for (const peer of peers) {
    settings.progress(`${peer.name}: looked for`)
    const fault = install(peer)
    if (fault === null) here.push(peer)
    else rows.push(absent(peer.name, fault))
  }
  for (const readers of settings.sizes ?? [1000]) {
    const standing: Array<Standing> = []
    try {
      settings.progress(`${readers} sockets: all start`)
      standing.push(await startOurs("parley", parleyNote, readers, settings))
      standing.push(await startOurs("bare", bareNote, readers, settings))
      for (const peer of here) standing.push(await startPeer(peer, readers))
      for (const inFlight of [1, 16]) {
        const found = await inTurn(standing, settings, inFlight)
        rows.push(...rowsOf(standing, found, `${readers} sockets, ${inFlight} in flight`))
      }
    } finally {
      for (const { stop } of standing) await stop()
    }
  }
  return rows
}

export const peersScenario: Scenario = {
  name: "peers",
  about:
    "socket.io, ws and NATS beside Parley: one publish to N WebSockets, events of 600 bytes, CPU of the server's process",
  targets: {},
  run,
}
