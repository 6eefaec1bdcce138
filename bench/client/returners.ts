/**
 * The client's process of `catch-up`: all queues of a crowd come back at once, and each must get exactly the messages of
 * its user's channels. It yields the processor to the database, because real clients would not be on that machine.
 */
import { setPriority } from "node:os"
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import { quantile } from "../../src/command-line/bench/statistics.ts"
import { positionOf } from "../../src/events/event.ts"
import { WireId } from "../../src/ids.ts"
import { channelsOf, Plan } from "../crowd/plan.ts"
import { serveCommands } from "../remote.ts"
import { clientsOf, crowdOrders, Findings, lateMilliseconds, openAll, pauseMilliseconds } from "./returning-crowd.ts"

const Orders = Schema.decodeUnknownSync(Schema.Struct({ ...crowdOrders, plan: Plan }))
type Orders = ReturnType<typeof Orders>

const low = 10

const comeBack = async (orders: Orders) => {
  const { people, plan, lack, patienceSeconds } = orders
  setPriority(low)
  const channelAt = new Map(lack.positions.map((position, n) => [position, lack.channels[n]]))
  const perChannel = new Map<number, number>()
  for (const channel of lack.channels) perChannel.set(channel, (perChannel.get(channel) ?? 0) + 1)
  const findings = new Findings()
  const doneAt: Array<number> = []
  let [events, bytes, expectedInAll, isOver] = [0, 0, 0, false]
  let finish = () => {}
  const allDone = new Promise<void>((resolve) => {
    finish = resolve
  })

  const begin = performance.now()
  const clients = clientsOf(orders, findings, (account) => {
    const mine = new Set(channelsOf(account.id, plan))
    const expected = [...mine].reduce((sum, channel) => sum + (perChannel.get(channel) ?? 0), 0)
    expectedInAll += expected
    let count = 0
    return {
      onEvent: (id) => {
        const position = positionOf(WireId(id))
        // Rising, of its own channels, and as many as there are: exactly these, then.
        if (!mine.has(channelAt.get(position) ?? 0))
          findings.fault(`user ${account.id} got ${position} of another channel`)
        events++
        count++
        if (count > expected) findings.fault(`user ${account.id} got more than ${expected}`)
        if (count !== expected) return
        doneAt.push(performance.now() - begin)
        if (doneAt.length === people.length) finish()
      },
      onBytes: (length) => {
        bytes += length
      },
      onLost: (client, why) => {
        if (isOver) return
        findings.incident(why)
        setTimeout(() => {
          if (!isOver) client.open()
        }, pauseMilliseconds)
      },
    }
  })
  const began = performance.now()
  const cpu = cpuOf(process.pid)
  await openAll(clients)
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
    incidents: findings.incidents,
    faults: findings.faults,
  }
}

serveCommands({ return: (orders) => comeBack(Orders(orders)) }, async () => {})
