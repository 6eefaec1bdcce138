/**
 * Three processes under load and every fault at random, also several at once: processes are killed, ended in order, and stopped for
 * a while, a bad bus goes away, PostgreSQL is stopped at once. For hours: `PARLEY_DEEP_SECONDS=3600 npm run chaos`.
 */
import { setTimeout as sleep } from "node:timers/promises"
import t from "tap"
import { Cluster } from "../faults/kill/cluster.ts"
import { Dice } from "../faults/kill/dice.ts"
import { startFaultyNats } from "../faults/processes/faulty-nats.ts"
import { runGroup, type Stage } from "../faults/processes/run-group.ts"
import { adminUrl, createPostgresDatabase } from "../kit/test-database.ts"
import { announceSeed, timeout } from "./budget.ts"

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false

/** One process after the other in a random order has a fault of its own, and then a while without. */
const disturbProcesses = async (
  { group, dice, goesOn }: Stage,
  felt: Record<string, number>,
  upDatabase: <A>(act: () => Promise<A>) => Promise<A>,
): Promise<void> => {
  do {
    const server = dice.pick(group.servers)
    const fault = dice.pick(["kill", "end", "stop"] as const)
    felt[fault] = (felt[fault] ?? 0) + 1
    await sleep(dice.between(200, 2000))
    if (fault === "stop") {
      const { pid } = server
      if (pid === undefined) return
      process.kill(pid, "SIGSTOP")
      await sleep(dice.between(500, 20_000))
      process.kill(pid, "SIGCONT")
    } else {
      if (fault === "kill") await group.kill(server)
      else await upDatabase(() => server.stop())
      await sleep(dice.between(0, 1000))
      await upDatabase(() => group.start(server))
    }
  } while (goesOn())
}

t.test("I1 I3 I8 I9: all faults at random, for as long as it is told", { skip, timeout }, async (t) => {
  const cluster = await Cluster.create(t)
  const bus = await startFaultyNats(t, new Dice(announceSeed("chaos-bus")))
  const felt: Record<string, number> = {}
  /** A process neither starts nor ends well without its database: that is no fault. */
  let inTurn = Promise.resolve()
  const upDatabase = <A>(act: () => Promise<A>): Promise<A> => {
    const done = inTurn.then(act)
    inTurn = done.then(
      () => {},
      () => {},
    )
    return done
  }
  const note = (fault: string) => {
    felt[fault] = (felt[fault] ?? 0) + 1
  }
  const leaveBus = async ({ goesOn, dice }: Stage): Promise<void> => {
    do {
      await sleep(dice.between(2000, 15_000))
      note("bus")
      bus.leave()
      await sleep(dice.between(200, 5000))
      bus.comeBack()
    } while (goesOn())
  }
  const endDatabase = async ({ goesOn, dice }: Stage): Promise<void> => {
    do {
      await sleep(dice.between(4000, 60_000))
      note("database")
      await upDatabase(async () => {
        await cluster.end("SIGQUIT")
        await sleep(dice.between(0, 3000))
        await cluster.start()
      })
    } while (goesOn())
  }
  const url = await createPostgresDatabase(t, cluster.url)
  await runGroup(t, "processes-chaos", url, bus.address, async (stage) => {
    const dice = {
      processes: stage.dice.fork("processes"),
      bus: stage.dice.fork("bus"),
      database: stage.dice.fork("db"),
    }
    await Promise.all([
      disturbProcesses({ ...stage, dice: dice.processes }, felt, upDatabase),
      leaveBus({ ...stage, dice: dice.bus }),
      endDatabase({ ...stage, dice: dice.database }),
    ])
  })
  process.stderr.write(`processes-chaos: ${JSON.stringify(felt)}\n`)
})
