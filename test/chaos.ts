/**
 * `npm run chaos`: the long form of the kill tests. Twenty kills on the embedded database, then twenty on PostgreSQL,
 * then PostgreSQL itself is killed, on a cluster of its own. Without PostgreSQL only the first runs. PARLEY_SEED repeats
 * a run's choices, PARLEY_KILLS says how many kills. Prints a line for each, and what is wrong if anything is.
 */
import { startProxy } from "./fault-proxy.ts"
import { Cluster } from "./kill/cluster.ts"
import { disturbDatabase, longest, type Recovery } from "./kill/database-faults.ts"
import { Dice, seedFromEnvironment } from "./kill/dice.ts"
import { chooseSettings, killServer } from "./kill/kills.ts"
import { play, type SceneOptions } from "./kill/scene.ts"
import { createFolder, createPostgresDatabase } from "./test-database.ts"

const kills = Number(process.env["PARLEY_KILLS"] ?? 20)
const seed = seedFromEnvironment()
const say = (text: string): void => void process.stdout.write(`${text}\n`)

type Staging = Pick<SceneOptions, "url" | "impatience" | "stillbirths" | "disturb"> &
  Partial<Pick<SceneOptions, "auditUrl">>

/** What a run leaves behind is cleaned up when it ends, the newest first. */
const withCleaning = async <A>(
  run: (t: { teardown: (task: () => Promise<void>) => void }) => Promise<A>,
): Promise<A> => {
  const tasks: Array<() => Promise<void>> = []
  try {
    return await run({ teardown: (task) => void tasks.unshift(task) })
  } finally {
    for (const task of tasks) await task()
  }
}

/** True if all promises were kept. */
const stage = (name: string, staging: Staging): Promise<boolean> =>
  withCleaning(async (t) => {
    const dice = new Dice(seed)
    const began = performance.now()
    const folder = await createFolder(t)
    const { faults, ...counts } = await play({ folder, dice, settings: chooseSettings(dice, true), ...staging })
    const seconds = Math.round((performance.now() - began) / 1000)
    const verdict = faults.length === 0 ? "nothing lost, nothing doubled" : `${faults.length} FAULTS`
    say(`${name}: ${verdict} in ${seconds} s; ${JSON.stringify(counts)}`)
    for (const fault of faults) say(`  ${fault}`)
    return faults.length === 0
  }).catch((error: unknown) => {
    say(`${name}: ${error}`)
    return false
  })

const killed: Omit<Staging, "url"> = { impatience: 0.05, stillbirths: 4, disturb: killServer(kills) }

const killDatabase = async (cluster: Cluster): Promise<boolean> => {
  const proxy = await startProxy("127.0.0.1", cluster.port)
  const recoveries: Array<Recovery> = []
  const url = cluster.urlThrough(proxy.port)
  const disturb = disturbDatabase({ cluster, proxy }, new Dice(seed).fork("faults"), 4, (each) => recoveries.push(each))
  const name = `PostgreSQL lost ${4 * 13 + 1} times`
  const kept = await stage(name, { url, auditUrl: cluster.url, impatience: 0, stillbirths: 0, disturb })
  say(`  ms until a send got through: ${longest(recoveries)}`)
  await proxy.close()
  return kept
}

say(`PARLEY_SEED=${seed}`)
const kept = [await stage(`PGlite, ${kills} kills`, { url: null, ...killed })]
await withCleaning(async (t) => {
  const cluster = await Cluster.create(t).catch((error: Error) => error)
  if (cluster instanceof Error) return say(`PostgreSQL: left out, ${cluster.message}`)
  const url = await createPostgresDatabase(t, cluster.url)
  kept.push(await stage(`PostgreSQL, ${kills} kills`, { url, ...killed }))
  kept.push(await killDatabase(cluster))
})
process.exitCode = kept.every(Boolean) ? 0 : 1
