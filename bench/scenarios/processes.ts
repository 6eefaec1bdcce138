/**
 * What several processes on one PostgreSQL database cost: one, two and three of them write to one organization, one and three to
 * three, and all three follow (`of one`: against one of them that writes to one); beside them a process that is alone on a database
 * of its own (`of alone`). All are up at once and are put under load in turn. On two cores more processes have nothing to gain: it is
 * what they cost that shows.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { growth } from "../../src/command-line/bench/plot.ts"
import { median, spread } from "../../src/command-line/bench/statistics.ts"
import { startNats, withoutNats } from "../../test/kit/nats-server.ts"
import { type Measure, organizations, put, type Standing, stand } from "../processes-load.ts"
import type { Row, Scenario, Settings } from "../scenario.ts"

const paced = 200
/** Until the code is compiled: what was measured after one second was three times as dear. */
const warmUpSeconds = 15

/** A round of a row, and in it what one process got that was alone, and one among followers. */
interface Round {
  readonly alone: Measure
  readonly one: Measure
  readonly measured: Measure
}

const rowOf = (label: string, rounds: ReadonlyArray<Round>): Row => {
  const of = (figure: (one: Measure) => number) => median(rounds.map(({ measured }) => figure(measured)))
  const ratios = rounds.map(({ one, measured }) => measured.perSecond / one.perSecond)
  return {
    label,
    figures: {
      "sends/s": of(({ perSecond }) => perSecond),
      "of one": median(ratios),
      spread: spread(ratios),
      "of alone": median(rounds.map(({ alone, measured }) => measured.perSecond / alone.perSecond)),
      "node us": of(({ node }) => node),
      "PostgreSQL us": of(({ postgres }) => postgres),
      "follower us": of(({ follower }) => follower),
      "delay p50 ms": of(({ delay50 }) => delay50),
      "delay p99 ms": of(({ delay99 }) => delay99),
      "p50 ms": of(({ p50 }) => p50),
      "p99 ms": of(({ p99 }) => p99),
    },
    remarks: [],
  }
}

const measure = async (settings: Settings, bus: string): Promise<ReadonlyArray<Row>> => {
  const [own, shared] = [await settings.fresh(), await settings.fresh()]
  if (own === null || shared === null) throw new Error("several processes need PostgreSQL: --database URL")
  const counts = settings.sizes ?? [1, 2, 3]
  const filesFolder = await mkdtemp(join(tmpdir(), "parley-bench-files-"))
  const alone: Array<Standing> = []
  const group: Array<Standing> = []
  try {
    settings.progress("all processes start")
    alone.push(await stand(own, 0))
    for (let n = 0; n < Math.max(...counts); n++)
      group.push(await stand(shared, n, { bus, filesFolder, isFirst: n === 0, organizations }))
    const seconds = settings.seconds / 4
    await put(alone, { writers: 1, seconds: warmUpSeconds })
    await put(group, { writers: 1, seconds: warmUpSeconds })
    await put(group, { writers: group.length, seconds: warmUpSeconds, isSpread: true })
    const rounds = new Map<string, ReadonlyArray<Round>>()
    for (let round = 0; round < settings.rounds; round++) {
      settings.progress(`round ${round + 1} of ${settings.rounds}`)
      const single = await put(alone, { writers: 1, seconds })
      const one = await put(group, { writers: 1, seconds })
      const note = (label: string, measured: Measure) =>
        rounds.set(label, [...(rounds.get(label) ?? []), { alone: single, one, measured }])
      note("one process, alone", single)
      for (const writers of counts)
        note(
          `${writers} of ${group.length} processes write`,
          writers === 1 ? one : await put(group, { writers, seconds }),
        )
      for (const writers of new Set([1, Math.min(group.length, organizations)]))
        note(
          `${writers} of ${group.length} to ${organizations} organizations`,
          await put(group, { writers, seconds, isSpread: true }),
        )
      note(`one, alone, writes ${paced} a second`, await put(alone, { writers: 1, seconds, perSecond: paced }))
      note(`1 of ${group.length} writes ${paced} a second`, await put(group, { writers: 1, seconds, perSecond: paced }))
    }
    return [...rounds].map(([label, each]) => rowOf(label, each))
  } finally {
    for (const { client, server } of [...group, ...alone]) {
      await client.stop()
      await server.stop()
    }
    await rm(filesFolder, { recursive: true, force: true })
  }
}

/** What a message costs by the number of processes that write. */
const draw = (rows: ReadonlyArray<Row>): string | null => {
  const label = /^(\d+) of \d+ processes write$/
  return growth("Processor time for each message, us", "processes that write to one organization", "us", rows, [
    { name: "the processes that write", label, figure: "node us" },
    { name: "PostgreSQL", label, figure: "PostgreSQL us" },
    { name: "each that follows", label, figure: "follower us" },
  ])
}

export const processesScenario: Scenario = {
  name: "processes",
  about: "one, two and three processes write to one organization on one PostgreSQL database, and all of them follow",
  targets: {
    "of one": { least: 0.75, of: /^2 of/ },
    "follower us": { most: 40, of: /write$/ },
    "delay p50 ms": { most: 1.5, of: /^1 of .* second$/ },
  },
  run: (settings) => measure(settings, "notify"),
  draw,
}

/** The same with a server of NATS, which is started for it. */
export const processesNatsScenario: Scenario = {
  name: "processes-nats",
  about: "the same as `processes`, and what they commit goes to the others by NATS",
  targets: {
    "of one": { least: 0.85, of: /^2 of/ },
    "follower us": { most: 25, of: /write$/ },
    "delay p50 ms": { most: 1, of: /^1 of .* second$/ },
  },
  draw,
  run: async (settings) => {
    if (withoutNats !== false) throw new Error(withoutNats)
    const ends: Array<() => Promise<void>> = []
    try {
      const { host } = await startNats({ teardown: (end) => void ends.push(end) })
      return await measure(settings, `nats://${host}`)
    } finally {
      for (const end of ends.toReversed()) await end()
    }
  },
}
