/**
 * The client's process of `catch-up`: all queues of a crowd come back at once, and each must get exactly the messages of
 * its user's channels. It yields the processor to the database, because real clients would not be on that machine.
 */
import { setPriority } from "node:os"
import * as Schema from "effect/Schema"
import { positionOf } from "../../src/events/event.ts"
import { WireId } from "../../src/ids.ts"
import { Account, channelsOf, Lack, Plan } from "../crowd/plan.ts"
import { cpuOf } from "../proc.ts"
import { serveCommands } from "../remote.ts"
import { quantile } from "../statistics.ts"
import { addressOf, Returning } from "./returning.ts"

const Orders = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    transport: Schema.Literals(["socket", "poll"]),
    people: Schema.Array(Account),
    plan: Plan,
    lack: Lack,
    patienceSeconds: Schema.Number,
  }),
)
type Orders = ReturnType<typeof Orders>

const low = 10
const atOnce = 100
/** After a refusal or a cut connection. */
const pauseMilliseconds = 100
/** What comes twice may come late. */
const lateMilliseconds = 500
const mostFaults = 20

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const comeBack = async ({ port, transport, people, plan, lack, patienceSeconds }: Orders) => {
  setPriority(low)
  const channelAt = new Map(lack.positions.map((position, n) => [position, lack.channels[n]]))
  const perChannel = new Map<number, number>()
  for (const channel of lack.channels) perChannel.set(channel, (perChannel.get(channel) ?? 0) + 1)
  const faults: Array<string> = []
  const incidents = new Map<string, number>()
  const doneAt: Array<number> = []
  let [events, bytes, expectedInAll, isOver] = [0, 0, 0, false]
  const fault = (text: string) => {
    if (faults.length < mostFaults) faults.push(text)
  }
  let finish = () => {}
  const allDone = new Promise<void>((resolve) => {
    finish = resolve
  })

  const begin = performance.now()
  const clientOf = (account: Account, index: number): Returning => {
    const mine = new Set(channelsOf(account.id, plan))
    const expected = [...mine].reduce((sum, channel) => sum + (perChannel.get(channel) ?? 0), 0)
    expectedInAll += expected
    let count = 0
    const client: Returning = new Returning({
      port,
      transport,
      account,
      queue: lack.queues[index] ?? "",
      last: lack.last,
      from: addressOf(index),
      onEvent: (id) => {
        const position = positionOf(WireId(id))
        if (id <= client.last) fault(`user ${account.id} got ${id} after ${client.last}`)
        // Rising, of its own channels, and as many as there are: exactly these, then.
        if (!mine.has(channelAt.get(position) ?? 0)) fault(`user ${account.id} got ${position} of another channel`)
        events++
        count++
        if (count > expected) fault(`user ${account.id} got more than ${expected}`)
        if (count !== expected) return
        doneAt.push(performance.now() - begin)
        if (doneAt.length === people.length) finish()
      },
      onBytes: (length) => {
        bytes += length
      },
      onLost: (why) => {
        if (isOver) return
        const kind = why.slice(0, 40).split("\r\n")[0] ?? why
        incidents.set(kind, (incidents.get(kind) ?? 0) + 1)
        setTimeout(() => {
          if (!isOver) client.open(() => {})
        }, pauseMilliseconds)
      },
    })
    return client
  }
  const clients = people.map(clientOf)
  const began = performance.now()
  const cpu = cpuOf(process.pid)
  for (const [index, client] of clients.entries()) {
    client.open(() => {})
    if (index % atOnce === atOnce - 1) await new Promise(setImmediate)
  }
  await Promise.race([allDone, wait(1000 * patienceSeconds)])
  const seconds = (performance.now() - began) / 1000
  const busy = (cpuOf(process.pid) - cpu) / 1e6 / seconds
  await wait(lateMilliseconds)
  isOver = true
  for (const client of clients) client.close()
  return {
    seconds,
    busy,
    bytes,
    events,
    missing: expectedInAll - events,
    complete: doneAt.length,
    medianSeconds: doneAt.length === 0 ? null : quantile(doneAt, 0.5) / 1000,
    incidents: Object.fromEntries(incidents),
    faults,
  }
}

serveCommands({ return: (orders) => comeBack(Orders(orders)) }, async () => {})
