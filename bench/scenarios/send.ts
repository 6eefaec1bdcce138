/**
 * What a send costs beside the least that keeps a message (target/durable.ts): both servers are up at once and are put under
 * load in turn. With the embedded database once with and once without sync.
 */
import * as Schema from "effect/Schema"
import { growth } from "../../src/command-line/bench/plot.ts"
import { median, spread } from "../../src/command-line/bench/statistics.ts"
import { startClient, startServer } from "../bench.ts"
import type { Remote } from "../remote.ts"
import { clientBound, eventBytes, type Row, type Scenario, type Settings } from "../scenario.ts"
import { channel } from "../target/people.ts"

const Put = Schema.Struct({
  sends: Schema.Number,
  seconds: Schema.Number,
  cpu: Schema.Number,
  main: Schema.Number,
  p50: Schema.Number,
  p99: Schema.Number,
  busy: Schema.Number,
  faults: Schema.Array(Schema.String),
})
type Put = typeof Put.Type
const decodePut = Schema.decodeUnknownSync(Put)

const most = 100
const contents = {
  plain: "The quick brown fox jumps over the lazy dog and runs away from the hunter, who did not see it in the wood.",
  Markdown:
    "Hey, did you see the **new** build? It fails with `TypeError: x is undefined`, see https://ci.example.com/job/1\n\n" +
    "* first *this*\n* then [that](https://example.com) :smile:\n\n```js\nconst x = 1\n```\n\n> said ~~nobody~~",
} as const

interface Load {
  readonly senders: number
  readonly channels: number
  readonly text: keyof typeof contents
}

/** How it grows with the senders, and then more channels and more markup, each by itself. */
const loadsOf = (sizes: ReadonlyArray<number>): ReadonlyArray<Load> => [
  ...sizes.map((senders) => ({ senders, channels: 10, text: "plain" }) as const),
  ...sizes
    .slice(-2, -1)
    .flatMap((senders) => [
      { senders, channels: most, text: "plain" } as const,
      { senders, channels: 10, text: "Markdown" } as const,
    ]),
]

interface Standing {
  readonly server: Remote
  readonly client: Remote
  readonly started: Awaited<ReturnType<typeof startServer>>["started"]
}

const stand = async (
  kind: "durable" | "parley",
  databaseUrl: string | null,
  people: number,
  sync: boolean,
): Promise<Standing> => {
  const unread = { channels: most, messages: most }
  const { server, started } = await startServer(kind, {
    databaseUrl,
    people,
    furniture: null,
    unread,
    eventBytes,
    sync,
  })
  return { server, client: startClient("client/senders.js"), started }
}

const put = async ({ client, started }: Standing, load: Load, seconds: number): Promise<Put> => {
  const { port, pid, databaseThreads, accounts } = started
  const names = [channel.name, ...Array.from({ length: load.channels - 1 }, (_, n) => `channel ${n + 2}`)]
  const answer = await client.ask(
    "put",
    {
      port,
      pid,
      databaseThreads,
      accounts,
      senders: load.senders,
      channels: names,
      content: encodeURIComponent(contents[load.text]),
      warmUpSeconds: seconds / 4,
      seconds,
    },
    decodePut,
  )
  if (answer.faults.length > 0) throw new Error(answer.faults.join("; "))
  return answer
}

const rowOf = (label: string, rounds: ReadonlyArray<readonly [Put, Put]>): Row => {
  const of = (which: 0 | 1, figure: (one: Put) => number) => median(rounds.map((round) => figure(round[which])))
  const ratios = rounds.map(([durable, parley]) => parley.cpu / durable.cpu)
  return {
    label,
    figures: {
      "cpu us": of(1, ({ cpu }) => cpu),
      "durable cpu us": of(0, ({ cpu }) => cpu),
      ratio: median(ratios),
      spread: spread(ratios),
      "main us": of(1, ({ main }) => main),
      "durable main us": of(0, ({ main }) => main),
      "sends/s": of(1, ({ sends, seconds }) => sends / seconds),
      "durable sends/s": of(0, ({ sends, seconds }) => sends / seconds),
      "p50 ms": of(1, ({ p50 }) => p50),
      "p99 ms": of(1, ({ p99 }) => p99),
      "durable p50 ms": of(0, ({ p50 }) => p50),
      "durable p99 ms": of(0, ({ p99 }) => p99),
    },
    remarks: clientBound(
      Math.max(
        of(0, ({ busy }) => busy),
        of(1, ({ busy }) => busy),
      ),
    ),
  }
}

const measure = async (settings: Settings, kind: string, sync: boolean): Promise<ReadonlyArray<Row>> => {
  const sizes = settings.sizes ?? [1, 8, 64, 256]
  const people = Math.max(...sizes)
  // Half of what other scenarios measure, because there are so many rows.
  const seconds = settings.seconds / 2
  const standing: Array<Standing> = []
  try {
    settings.progress(`${kind}: both servers start`)
    standing.push(await stand("durable", await settings.fresh(), people, sync))
    standing.push(await stand("parley", await settings.fresh(), people, sync))
    const [durable, parley] = standing
    if (durable === undefined || parley === undefined) return []
    const rows: Array<Row> = []
    // The first message of each channel changes the channel, too; and both get warm.
    for (const one of standing) await put(one, { senders: 8, channels: most, text: "Markdown" }, seconds)
    for (const load of loadsOf(sizes)) {
      const label = `${load.senders} senders, ${load.channels} channels, ${load.text}, ${kind}`
      const rounds: Array<readonly [Put, Put]> = []
      for (let round = 0; round < settings.rounds; round++) {
        settings.progress(`${label}: round ${round + 1} of ${settings.rounds}`)
        if (round % 2 === 0) {
          const one = await put(durable, load, seconds)
          rounds.push([one, await put(parley, load, seconds)])
        } else {
          const two = await put(parley, load, seconds)
          rounds.push([await put(durable, load, seconds), two])
        }
      }
      rows.push(rowOf(label, rounds))
    }
    return rows
  } finally {
    for (const { client, server } of standing) {
      await client.stop()
      await server.stop()
    }
  }
}

const lines = (kind: string, text: string) => {
  const label = new RegExp(`^(\\d+) senders, 10 channels, plain, ${kind}$`)
  return [
    { name: `Parley, ${text}`, label, figure: "cpu us" },
    { name: `durable, ${text}`, label, figure: "durable cpu us" },
  ]
}

export const sendScenario: Scenario = {
  name: "send",
  about: "N senders, each with one message in flight, beside the least that keeps a message; nobody is connected",
  targets: {},
  run: async (settings) => {
    const first = await settings.fresh()
    return first === null
      ? [...(await measure(settings, "sync", true)), ...(await measure(settings, "no sync", false))]
      : measure(settings, "PostgreSQL", true)
  },
  draw: (rows) =>
    growth("Server CPU per send, us", "senders", "us", rows, [
      ...lines("sync", "sync"),
      ...lines("no sync", "no sync"),
      ...lines("PostgreSQL", "PostgreSQL"),
    ]),
}
