/**
 * PostgreSQL is killed, stopped and started again under load, its connections are cut, stalled and refused. Whoever
 * asks is told the truth: 503 for what was certainly not done, success for what stands, and nobody is left without
 * an answer. The server stays, and is back by itself within a second of its database.
 */
import { setTimeout as sleep } from "node:timers/promises"
import t, { type Test } from "tap"
import { type FaultProxy, startProxy } from "./fault-proxy.ts"
import { Cluster } from "./kill/cluster.ts"
import { Dice, seedFromEnvironment } from "./kill/dice.ts"
import { chooseSettings } from "./kill/kills.ts"
import { play, type Scene } from "./kill/scene.ts"
import { adminUrl, createFolder } from "./test-database.ts"

interface Parts {
  readonly cluster: Cluster
  readonly proxy: FaultProxy
  readonly dice: Dice
}

/** Each ends in the moment in which the database can be reached again. */
const faults: Readonly<Record<string, (parts: Parts) => Promise<void>>> = {
  "a connection is cut": async ({ proxy }) => proxy.cut(),
  "answers are lost": async ({ proxy, dice }) => {
    proxy.stall("answers")
    await sleep(dice.between(5, 300))
    proxy.cut()
    proxy.resume()
  },
  "requests are lost": async ({ proxy, dice }) => {
    proxy.stall("requests")
    await sleep(dice.between(5, 300))
    proxy.cut()
    proxy.resume()
  },
  "nothing flows for a while": async ({ proxy, dice }) => {
    proxy.stall()
    await sleep(dice.between(500, 2000))
    proxy.resume()
  },
  "connections are refused": async ({ proxy, dice }) => {
    await proxy.refuse()
    proxy.cut()
    await sleep(dice.between(200, 2000))
    await proxy.accept()
  },
  "PostgreSQL is killed": async ({ cluster, dice }) => {
    await cluster.end("SIGKILL")
    await sleep(dice.between(0, 1000))
    await cluster.start()
  },
  "PostgreSQL is stopped at once": async ({ cluster, dice }) => {
    await cluster.end("SIGQUIT")
    await sleep(dice.between(0, 1000))
    await cluster.start()
  },
  "PostgreSQL is stopped in good order": async ({ cluster, dice }) => {
    await cluster.end("SIGINT")
    await sleep(dice.between(0, 1000))
    await cluster.start()
  },
  // Beyond the 10 s after which a silent connection is given up.
  "nothing flows for long": async ({ proxy }) => {
    proxy.stall()
    await sleep(11_000)
    proxy.resume()
  },
}

const rounds = (dice: Dice): ReadonlyArray<string> => {
  const short = Object.keys(faults).filter((name) => name !== "nothing flows for long")
  const cuts = Array.from({ length: 12 }, () => "a connection is cut")
  return [...[...short, ...short, ...cuts].sort(() => dice.next() - 0.5), "nothing flows for long"]
}

/** Milliseconds until a send got through, by fault: the longest. */
const disturb =
  (t: Test, parts: Parts, back: Map<string, number>) =>
  async ({ server, progress }: Scene): Promise<void> => {
    const { pid } = server
    for (const name of rounds(parts.dice)) {
      await progress(parts.dice.between(1, 30))
      await faults[name]?.(parts)
      const took = await progress(1)
      back.set(name, Math.max(back.get(name) ?? 0, Math.round(took)))
    }
    await progress(50)
    t.equal(server.pid, pid, "it is the same process")
  }

const suite = async (t: Test) => {
  const dice = new Dice(seedFromEnvironment())
  t.comment(`PARLEY_SEED=${dice.seed}`)
  const cluster = await Cluster.create(t)
  const proxy = await startProxy("127.0.0.1", cluster.port)
  t.teardown(() => proxy.close())
  const url = new URL(cluster.url)
  url.port = String(proxy.port)
  const back = new Map<string, number>()
  const report = await play({
    folder: await createFolder(t),
    url: url.href,
    auditUrl: cluster.url,
    dice,
    queues: 20,
    impatience: 0,
    settings: chooseSettings(dice),
    disturb: disturb(t, { cluster, proxy, dice: dice.fork("faults") }, back),
  })
  const { faults: wrong, output, ...counts } = report
  t.comment(JSON.stringify(counts))
  t.comment(`back after, in ms: ${JSON.stringify(Object.fromEntries(back))}`)
  t.same(wrong, [], `seed ${dice.seed}`)
  t.equal(report.answers.lost + report.answers.refused, 0, "every request got its answer")
  t.ok(report.answers.unavailable > 0 && report.acknowledged > 100, "there was load, and it was disturbed")
  // A second on an idle machine; here others may be at work.
  for (const [name, took] of back) t.ok(took < 3_000, `${name}: back after ${took} ms`)
}

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false
t.test("I8: PostgreSQL lost under load", { skip, timeout: 170_000 }, suite)
