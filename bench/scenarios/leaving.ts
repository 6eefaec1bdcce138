/** What deactivating somebody takes who is in many private channels, and how long others wait meanwhile; and their return. */
import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import { startServer, type Taken, takenBy, takenFigures } from "../bench.ts"
import { leave, register } from "../client/control.ts"
import { sendMeanwhile } from "../client/send-meanwhile.ts"
import { timedAsk } from "../client/timed-ask.ts"
import { eventBytes, type Row, type Scenario, type Settings } from "../scenario.ts"

const people = 10_000
/** Of the people who are in some of the channels each; they have queues. */
const queues = 1000
const each = 20
/** Milliseconds between two sends of others. */
const pace = 5

const measure = async (settings: Settings, channels: number, areTheirs: boolean): Promise<ReadonlyArray<Row>> => {
  const { rounds, progress } = settings
  const label = `${channels} channels${areTheirs ? " of their own" : ""}`
  // One leaves alone, another while others send. The first two are not counted.
  const leavers = 2 * (rounds + 1)
  progress(`${label}: start`)
  const { server, started } = await startServer("parley", {
    databaseUrl: await settings.fresh(),
    people,
    furniture: null,
    privateChannels: { channels, leavers, each, areTheirs },
    eventBytes,
  })
  const { port, accounts } = started
  const [owner] = accounts
  const others = accounts.slice(leavers + 1)
  const [sender] = others
  if (owner === undefined || sender === undefined) throw new Error("too few accounts")
  progress(`${label}: ${queues} queues`)
  for (let at = 0; at < queues; at += 50)
    await Promise.all(others.slice(at, at + 50).map((account) => register(port, account, "subscription")))
  leave()
  const send = () =>
    timedAsk(port, sender, "POST", "/messages", { type: "stream", to: "1", topic: "t", content: "text" })
  for (let n = 0; n < 20; n++) await send()
  const alone = (act: () => Promise<number>) => takenBy({ server, started }, act)
  const figures = (all: ReadonlyArray<Taken>, sends: ReadonlyArray<number>) => ({
    ...takenFigures(all, median(idle.map(({ cpu }) => cpu))),
    "send p50 ms": quantile(sends, 0.5),
    "send most ms": Math.max(...sends),
  })
  const idle: Array<Taken> = []
  const gone: Array<Taken> = []
  const back: Array<Taken> = []
  const meanwhile: Array<number> = []
  const meanwhileBack: Array<number> = []
  for (let round = 0; round <= rounds; round++) {
    progress(`${label}: round ${round} of ${rounds}`)
    const [first, second] = [2 + 2 * round, 3 + 2 * round]
    const away = (id: number) => timedAsk(port, owner, "DELETE", `/users/${id}`, {})
    const returned = (id: number) => timedAsk(port, owner, "POST", `/users/${id}/reactivate`, {})
    const nothing = await alone(async () => 0)
    const left = await alone(() => away(first))
    const sends = await sendMeanwhile(send, pace, away(second))
    const came = await alone(() => returned(first))
    const sendsBack = await sendMeanwhile(send, pace, returned(second))
    if (round === 0) continue
    idle.push(nothing)
    gone.push(left)
    back.push(came)
    meanwhile.push(...sends)
    meanwhileBack.push(...sendsBack)
  }
  await server.stop()
  return [
    { label: `${label}: deactivated`, figures: figures(gone, meanwhile), remarks: [] },
    { label: `${label}: back`, figures: figures(back, meanwhileBack), remarks: [] },
  ]
}

export const leaving: Scenario = {
  name: "leaving",
  about: `somebody in N private channels is deactivated, and comes back; ${people} people, ${queues} queues of those who are in the channels, too`,
  targets: { "longest block ms": { most: 15 }, "send most ms": { most: 100 } },
  run: async (settings) => {
    const rows: Array<Row> = []
    for (const channels of settings.sizes ?? [1000])
      for (const areTheirs of [false, true]) rows.push(...(await measure(settings, channels, areTheirs)))
    return rows
  },
}
