/**
 * Three processes on one database under load, each request to any of them, with faults of each kind: processes are killed in
 * turn, one is stopped for a while, their bus is a bad one, PostgreSQL is stopped at once and started again. Every queue gets every
 * event exactly once and in order, every acknowledged message is stored once; polls and sockets come to any process.
 */
import { setTimeout as sleep } from "node:timers/promises"
import t, { type Test } from "tap"
import { audit } from "../faults/kill/audit.ts"
import { Cluster } from "../faults/kill/cluster.ts"
import { Dice } from "../faults/kill/dice.ts"
import { beginLoad } from "../faults/kill/load.ts"
import { readTruth } from "../faults/kill/log-store.ts"
import { isAcknowledged } from "../faults/kill/senders.ts"
import { Faults } from "../faults/kill/world.ts"
import { startFaultyNats } from "../faults/processes/faulty-nats.ts"
import { fillDatabase, ServerGroup } from "../faults/processes/server-group.ts"
import { adminUrl, createPostgresDatabase } from "../kit/test-database.ts"
import { announceSeed, sized, timeout, timer } from "./budget.ts"

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false

/** In a short run less, for which nobody gives up. */
const stoppedSeconds = sized(30, 6)

interface Stage {
  readonly group: ServerGroup
  readonly dice: Dice
  readonly goesOn: () => boolean
}

const run = async (
  t: Test,
  name: string,
  url: string,
  bus: string,
  disturb: (stage: Stage) => Promise<void>,
): Promise<void> => {
  const dice = new Dice(announceSeed(name))
  const faults = new Faults()
  const people = await fillDatabase(t, url)
  const group = await ServerGroup.create(t, 3, { url, faults, dice: dice.fork("group"), settings: { PARLEY_BUS: bus } })
  const state = { running: true }
  const answers = { sent: 0, unavailable: 0, refused: 0, lost: 0 }
  const world = {
    server: group,
    people,
    faults,
    isMoved: true,
    running: () => state.running && !faults.isFull,
    isQuiet: () => false,
  }
  const load = await beginLoad({
    world,
    dice,
    readers: 12,
    temper: { leaves: 0.05, givesUp: 0.15 },
    onAnswer: ({ kind }) => {
      answers[kind]++
    },
  })
  await disturb({ group, dice: dice.fork("faults"), goesOn: timer() })
  state.running = false
  const evidence = await load.finish()
  await group.stop()
  const truth = await readTruth({ kind: "postgres", url })
  const found = [...faults.list, ...audit(truth, evidence, { hasDemo: false, isAlone: false })]
  const events = evidence.readings.reduce((sum, { stored }) => sum + stored.length, 0)
  const acknowledged = evidence.sends.filter(isAcknowledged).length
  process.stderr.write(
    `${name}: ${JSON.stringify({ ...answers, acknowledged, events, rows: truth.rows.length, queues: evidence.readings.length })}\n`,
  )
  if (found.length > 0) process.stderr.write(`${group.output}\n`)
  t.same(found, [], `seed ${dice.seed}`)
  t.ok(acknowledged > 60 && events > 300, "there was load")
}

const killInTurn = async ({ group, dice, goesOn }: Stage): Promise<void> => {
  const { servers } = group
  for (let n = 0; goesOn() || n < servers.length; n++) {
    const server = servers[n % servers.length]
    if (server === undefined) return
    await sleep(dice.between(100, 1500))
    await group.kill(server)
    await sleep(dice.between(0, 500))
    await group.start(server)
  }
}

for (const bus of ["notify", "none"] as const)
  t.test(`I1 I3 I8 I9: processes that are killed in turn, with the bus ${bus}`, { skip, timeout }, async (t) => {
    if (adminUrl === undefined) return
    await run(t, `processes-${bus}`, await createPostgresDatabase(t, adminUrl), bus, killInTurn)
  })

t.test(
  "I1 I3 I8 I9: a bus that loses, delays and doubles, and goes away while processes are killed",
  {
    skip,
    timeout,
  },
  async (t) => {
    if (adminUrl === undefined) return
    const bus = await startFaultyNats(t, new Dice(announceSeed("faulty-bus")))
    const leaves = async ({ goesOn, dice }: Stage): Promise<void> => {
      do {
        await sleep(dice.between(500, 3000))
        bus.leave()
        await sleep(dice.between(200, 2000))
        bus.comeBack()
      } while (goesOn())
    }
    await run(t, "processes-faulty-bus", await createPostgresDatabase(t, adminUrl), bus.address, async (stage) => {
      await Promise.all([killInTurn(stage), leaves(stage)])
    })
  },
)

t.test("I1 I3 I8 I9: a process that is stopped for a while", { skip, timeout }, async (t) => {
  if (adminUrl === undefined) return
  await run(
    t,
    "processes-stopped",
    await createPostgresDatabase(t, adminUrl),
    "notify",
    async ({ group, goesOn, dice }) => {
      do {
        const { pid } = dice.pick(group.servers)
        if (pid === undefined) return
        await sleep(1000)
        process.kill(pid, "SIGSTOP")
        await sleep(1000 * stoppedSeconds)
        process.kill(pid, "SIGCONT")
        await sleep(2000)
      } while (goesOn())
    },
  )
})

t.test("I1 I3 I8 I9: PostgreSQL that is stopped at once and started again", { skip, timeout }, async (t) => {
  const cluster = await Cluster.create(t)
  await run(
    t,
    "processes-database",
    await createPostgresDatabase(t, cluster.url),
    "notify",
    async ({ goesOn, dice }) => {
      do {
        await sleep(dice.between(1000, 3000))
        await cluster.end("SIGQUIT")
        await sleep(dice.between(0, 2000))
        await cluster.start()
        await sleep(3000)
      } while (goesOn())
    },
  )
})
