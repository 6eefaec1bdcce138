/** A large organization: what a start takes that loads it, what it holds in memory, what a check and a send cost in it. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { median } from "../../src/command-line/bench/statistics.ts"
import { serverCore } from "../bench.ts"
import { ask, leave } from "../client/http.ts"
import { fewChannel, fewPeople, type Orders } from "../realm/plan.ts"
import { Remote } from "../remote.ts"
import type { Row, Scenario, Settings } from "../scenario.ts"
import { channel } from "../target/people.ts"

const Seeded = Schema.decodeUnknownSync(Schema.Struct({ subscriptions: Schema.Number }))
const Started = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    milliseconds: Schema.Number,
    cpu: Schema.Number,
    account: Schema.Struct({ email: Schema.String, key: Schema.String }),
  }),
)
const Memory = Schema.decodeUnknownSync(Schema.Struct({ resident: Schema.Number }))
const Checks = Schema.decodeUnknownSync(Schema.Struct({ read: Schema.Number, post: Schema.Number }))
const Rows = Schema.decodeUnknownSync(Schema.Struct({ rows: Schema.Number }))
const Spans = Schema.decodeUnknownSync(Schema.Struct({ bytes: Schema.Number }))

const perPerson = 20
const warmUps = 50
const sends = 100
const emptyPeople = 10
const megabyte = 2 ** 20

/** Milliseconds and rows of a send to the channel that has everybody and to that of a few, in turn. */
const timeSends = async (server: Remote, { port, account }: ReturnType<typeof Started>) => {
  const send = async (name: string) => {
    const began = performance.now()
    const form = `type=channel&to=${encodeURIComponent(name)}&topic=bench&content=hello`
    await ask(port, "/api/v1/messages", account, form)
    return performance.now() - began
  }
  const rows = async () => (await server.ask("rows", {}, Rows)).rows
  const [all, few] = [channel.name, `channel ${fewChannel}`]
  for (let n = 0; n < warmUps; n++) for (const name of [all, few]) await send(name)
  const times = { all: [] as number[], few: [] as number[] }
  const written = { all: 0, few: 0 }
  for (let round = 0; round < 2; round++)
    for (const which of ["all", "few"] as const) {
      const before = await rows()
      for (let n = 0; n < sends / 2; n++) await send(which === "all" ? all : few)
      written[which] += (await rows()) - before
    }
  // In turn, so that a slower second of the machine touches both alike.
  for (let n = 0; n < sends; n++)
    for (const which of ["all", "few"] as const) times[which].push(await send(which === "all" ? all : few))
  leave()
  return {
    all: { ms: median(times.all), rows: written.all / sends },
    few: { ms: median(times.few), rows: written.few / sends },
  }
}

interface Place {
  readonly orders: Orders
  readonly subscriptions: number
}

const withSeeded = async <A>(orders: Orders, act: (place: Place) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-realm-"))
  try {
    const here = { ...orders, folder }
    const seeder = Remote.start("realm/seed.js", null)
    const { subscriptions } = await seeder.ask("seed", here, Seeded).finally(() => seeder.stop())
    return await act({ orders: here, subscriptions })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const withServer = async <A>(
  orders: Orders,
  act: (server: Remote, started: ReturnType<typeof Started>) => Promise<A>,
): Promise<A> => {
  const server = Remote.start("realm/server.js", orders.databaseUrl === null ? null : serverCore)
  try {
    return await act(server, await server.ask("start", orders, Started))
  } finally {
    await server.stop()
  }
}

const resident = async (server: Remote): Promise<number> => (await server.ask("memory", {}, Memory)).resident

const measureEmpty = async (settings: Settings): Promise<number> => {
  settings.progress("an empty organization")
  const orders = {
    databaseUrl: await settings.fresh(),
    folder: "",
    people: emptyPeople,
    subscriptions: emptyPeople * perPerson,
  }
  return withSeeded(orders, (place) => withServer(place.orders, resident))
}

const measure = async (settings: Settings, people: number, empty: number): Promise<ReadonlyArray<Row>> => {
  settings.progress(`${people} users: seeding`)
  const orders = { databaseUrl: await settings.fresh(), folder: "", people, subscriptions: people * perPerson }
  return withSeeded(orders, async ({ orders, subscriptions }) => {
    const loads: Array<number> = []
    for (let round = 1; round < settings.rounds; round++) {
      settings.progress(`${people} users: load ${round} of ${settings.rounds}`)
      loads.push(await withServer(orders, async (_, { milliseconds }) => milliseconds))
    }
    settings.progress(`${people} users: the last load`)
    return withServer(orders, async (server, started) => {
      const held = await resident(server)
      const checks = await server.ask("checks", {}, Checks)
      const sent = await timeSends(server, started)
      const { bytes } = await server.ask("spans", {}, Spans)
      const row = (label: string, figures: Row["figures"]): Row => ({ label, figures, remarks: [] })
      return [
        row(`${people} users, ${subscriptions} subscriptions`, {
          "load s": median([...loads, started.milliseconds]) / 1000,
          "load cpu s": started.cpu / 1000,
          "MB above empty": (held - empty) / megabyte,
          "bytes per closed span": bytes,
          "us/read check": checks.read,
          "us/post check": checks.post,
        }),
        row(`a send to ${people}`, { ms: sent.all.ms, ratio: sent.all.ms / sent.few.ms, rows: sent.all.rows }),
        row(`a send to ${Math.min(people, fewPeople)}`, { ms: sent.few.ms, rows: sent.few.rows }),
      ]
    })
  })
}

export const bigRealm: Scenario = {
  name: "big-realm",
  about: `an organization of N users with ${perPerson} subscriptions each, none of them connected`,
  targets: {
    "load s": { most: 3, of: /^100000 / },
    "MB above empty": { most: 300, of: /^100000 / },
    "bytes per closed span": { most: 24, of: /users/ },
    "us/read check": { most: 1, of: /^100000 / },
    "us/post check": { most: 1, of: /^100000 / },
    ratio: { most: 1.1, of: "a send to 100000" },
    rows: { most: 2, of: /^a send/ },
  },
  run: async (settings) => {
    const rows: Array<Row> = []
    const empty = await measureEmpty(settings)
    for (const people of settings.sizes ?? [100_000]) rows.push(...(await measure(settings, people, empty)))
    return rows
  },
}
