/**
 * PostgreSQL itself is killed, stopped and started again under load, its connections are cut, stalled and refused, on a
 * cluster of the test's own. Every requester gets a true answer: 503 only for what was certainly not done, success only
 * for what is stored. The server keeps running, and serves within a second of its database's return. From 60 s on one
 * silence of 11 s is added, longer than a connection may be silent.
 */
import t from "tap"
import { disturbDatabase, longest, openThroughProxies, type Recovery } from "../faults/kill/database-faults.ts"
import { Dice } from "../faults/kill/dice.ts"
import { chooseSettings } from "../faults/kill/kills.ts"
import { play } from "../faults/kill/scene.ts"
import { adminUrl, createFolder } from "../kit/test-database.ts"
import { announceSeed, deepSeconds, timeout, timer } from "./budget.ts"

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false

t.test("I8: PostgreSQL lost under load", { skip, timeout }, async (t) => {
  const dice = new Dice(announceSeed("database-kill"))
  const database = await openThroughProxies(t)
  const recoveries: Array<Recovery> = []
  const note = (each: Recovery) => recoveries.push(each)
  const withSilence = deepSeconds >= 60
  const isInTime = timer()
  // Five faults make sends fail, however short the time is.
  const goesOn = () => recoveries.length < 5 || isInTime()
  const { faults, ...counts } = await play({
    folder: await createFolder(t),
    url: database.url,
    auditUrl: database.cluster.url,
    dice,
    stillbirths: 0,
    temper: { leaves: 0, givesUp: 0.6 },
    settings: chooseSettings(dice, true),
    disturb: disturbDatabase(database, dice.fork("faults"), { goesOn, withSilence }, note),
  })
  process.stderr.write(
    `database-kill: ${JSON.stringify(counts)}; ms until a send got through: ${longest(recoveries)}\n`,
  )
  t.same(faults, [], `seed ${dice.seed}`)
  t.equal(counts.starts, 1, "it is the same process")
  t.equal(counts.answers.lost + counts.answers.refused, 0, "every request got its answer")
  t.ok(counts.answers.unavailable > 0 && counts.acknowledged > 100, "there was load, and it was disturbed")
  // At most 0.3 s where nothing else runs; what would wait for a time-out of the pool or the watchdog again and again takes minutes.
  const took = recoveries.map((each) => each.took)
  t.ok(Math.max(...took) < 30_000, `ms from the end of each fault until a send got through: ${took}`)
})
