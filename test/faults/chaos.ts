/**
 * `npm run chaos`: the long form of the kill tests. Twenty kills on the embedded database, then twenty on PostgreSQL,
 * then PostgreSQL itself is killed, on a cluster of its own. Without PostgreSQL only the first runs. PARLEY_SEED repeats
 * a run's choices, PARLEY_KILLS says how many kills. Prints a line for each, and what is wrong if anything is.
 */

import { createFolder, createPostgresDatabase } from "../kit/test-database.ts"
import { type Database, disturbDatabase, longest, openThroughProxies, type Recovery } from "./kill/database-faults.ts"
import { Dice, seedFromEnvironment } from "./kill/dice.ts"
import { chooseSettings, killServer } from "./kill/kills.ts"
import { play, type SceneOptions } from "./kill/scene.ts"

const kills = Number(process.env["PARLEY_KILLS"] ?? 20)
const seed = seedFromEnvironment()
const say = (text: string): void => void process.stdout.write(`${text}\n`)

type Staging = Pick<SceneOptions, "url" | "temper" | "stillbirths" | "disturb"> &
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

const killed: Omit<Staging, "url"> = {
  temper: { leaves: 0.05, givesUp: 0.15 },
  stillbirths: 4,
  disturb: killServer(kills),
}

const losses = 4

const loseDatabase = async (database: Database): Promise<boolean> => {
  const recoveries: Array<Recovery> = []
  const { url, cluster } = database
  const disturb = disturbDatabase(database, new Dice(seed).fork("faults"), losses, (each) => recoveries.push(each))
  const temper = { leaves: 0, givesUp: 0.6 }
  const kept = await stage("PostgreSQL lost", { url, auditUrl: cluster.url, temper, stillbirths: 0, disturb })
  say(`  ${recoveries.length} times; ms until a send got through: ${longest(recoveries)}`)
  return kept
}

say(`PARLEY_SEED=${seed}`)
const kept = [await stage(`PGlite, ${kills} kills`, { url: null, ...killed })]
await withCleaning(async (t) => {
  const database = await openThroughProxies(t).catch((error: Error) => error)
  if (database instanceof Error) return say(`PostgreSQL: left out, ${database.message}`)
  const url = await createPostgresDatabase(t, database.cluster.url)
  kept.push(await stage(`PostgreSQL, ${kills} kills`, { url, ...killed }))
  kept.push(await loseDatabase(database))
})
process.exitCode = kept.every(Boolean) ? 0 : 1
