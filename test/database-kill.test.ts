/**
 * PostgreSQL is killed, stopped and started again under load, its connections are cut, stalled and refused. Whoever
 * asks is told the truth: 503 for what was certainly not done, success for what stands, and nobody is left without
 * an answer. The server stays, and is back by itself within a second of its database. The long form is `npm run chaos`.
 */
import t, { type Test } from "tap"
import { startProxy } from "./fault-proxy.ts"
import { Cluster } from "./kill/cluster.ts"
import { disturbDatabase, longest, type Recovery } from "./kill/database-faults.ts"
import { Dice, seedFromEnvironment } from "./kill/dice.ts"
import { chooseSettings } from "./kill/kills.ts"
import { play } from "./kill/scene.ts"
import { adminUrl, createFolder } from "./test-database.ts"

const suite = async (t: Test) => {
  const dice = new Dice(seedFromEnvironment())
  t.comment(`PARLEY_SEED=${dice.seed}`)
  const cluster = await Cluster.create(t)
  const proxy = await startProxy("127.0.0.1", cluster.port)
  t.teardown(() => proxy.close())
  const recoveries: Array<Recovery> = []
  const { faults, ...counts } = await play({
    folder: await createFolder(t),
    url: cluster.urlThrough(proxy.port),
    auditUrl: cluster.url,
    dice,
    stillbirths: 0,
    impatience: 0,
    settings: chooseSettings(dice, true),
    disturb: disturbDatabase({ cluster, proxy }, dice.fork("faults"), 1, (each) => recoveries.push(each)),
  })
  t.comment(JSON.stringify(counts))
  t.comment(`ms until a send got through: ${longest(recoveries)}`)
  t.same(faults, [], `seed ${dice.seed}`)
  t.equal(counts.starts, 1, "it is the same process")
  t.equal(counts.answers.lost + counts.answers.refused, 0, "every request got its answer")
  t.ok(counts.answers.unavailable > 0 && counts.acknowledged > 100, "there was load, and it was disturbed")
  // A second on an idle machine; here others may be at work.
  const late = recoveries.filter(({ took }) => took > 3_000)
  t.same(late, [], "back within a second of the database")
}

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false
t.test("I8: PostgreSQL lost under load", { skip, timeout: 170_000 }, suite)
