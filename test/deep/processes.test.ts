/**
 * Three processes on one database under load, each request to any of them, with faults of each kind: processes are killed in
 * turn, one is stopped for a while, their bus is a bad one, PostgreSQL is stopped at once and started again. Every queue gets every
 * event exactly once and in order, every acknowledged message is stored once; polls and sockets come to any process.
 */
import { setTimeout as sleep } from "node:timers/promises"
import t from "tap"
import { Cluster } from "../faults/kill/cluster.ts"
import { Dice } from "../faults/kill/dice.ts"
import { startFaultyNats } from "../faults/processes/faulty-nats.ts"
import { killInTurn, runGroup, type Stage } from "../faults/processes/run-group.ts"
import { adminUrl, createPostgresDatabase } from "../kit/test-database.ts"
import { announceSeed, sized, timeout } from "./budget.ts"

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false

/** In a short run less, for which nobody gives up. */
const stoppedSeconds = sized(30, 6)

for (const bus of ["notify", "none"] as const)
  t.test(`I1 I3 I8 I9: processes that are killed in turn, with the bus ${bus}`, { skip, timeout }, async (t) => {
    if (adminUrl === undefined) return
    await runGroup(t, `processes-${bus}`, await createPostgresDatabase(t, adminUrl), bus, killInTurn)
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
    await runGroup(t, "processes-faulty-bus", await createPostgresDatabase(t, adminUrl), bus.address, async (stage) => {
      await Promise.all([killInTurn(stage), leaves(stage)])
    })
  },
)

t.test("I1 I3 I8 I9: a process that is stopped for a while", { skip, timeout }, async (t) => {
  if (adminUrl === undefined) return
  await runGroup(
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
  await runGroup(
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
