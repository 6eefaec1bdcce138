/**
 * `npm run chaos`: the long form of the kill test. Twenty kills on the embedded database, then twenty on PostgreSQL:
 * the server at PARLEY_TEST_DATABASE_URL, or a cluster of its own where PostgreSQL is installed. PARLEY_SEED repeats a
 * run's choices. Prints a line per database, and what is wrong if anything is; then it exits with 1.
 */
import { spawnSync } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { packageFile } from "../src/db/package-root.ts"
import { Dice, seedFromEnvironment } from "./kill/dice.ts"
import { chooseSettings, killServer } from "./kill/kills.ts"
import { play } from "./kill/scene.ts"
import { createFolder, createPostgresDatabase } from "./test-database.ts"

const kills = Number(process.env["PARLEY_KILLS"] ?? 20)
const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** What a run leaves behind is cleaned up when it ends, the newest first. */
class Cleaning {
  readonly #tasks: Array<() => unknown> = []
  readonly teardown = (task: () => unknown): void => void this.#tasks.unshift(task)
  readonly run = async (): Promise<void> => {
    for (const task of this.#tasks.splice(0)) await task()
  }
}

const postgresScript = packageFile(".ci/postgres.sh")

/** The URL of a server to make databases on; undefined where there is none. */
const findPostgres = async (cleaning: Cleaning): Promise<string | undefined> => {
  const given = process.env["PARLEY_TEST_DATABASE_URL"]
  if (given !== undefined) return given
  if (process.getuid?.() === 0 && spawnSync("sh", ["-c", "ls /usr/lib/postgresql/*/bin/initdb"]).status !== 0)
    return undefined
  const folder = await mkdtemp(join(tmpdir(), "parley-chaos-"))
  const started = spawnSync(postgresScript, ["start", folder], { encoding: "utf8" })
  cleaning.teardown(() => spawnSync(postgresScript, ["stop", folder]))
  return started.status === 0 ? started.stdout.trim() : undefined
}

const runOn = async (name: string, seed: string, open: (cleaning: Cleaning) => Promise<string | null | undefined>) => {
  const cleaning = new Cleaning()
  try {
    const url = await open(cleaning)
    if (url === undefined) {
      say(`${name}: left out, no PostgreSQL here`)
      return true
    }
    const folder = await createFolder(cleaning)
    const dice = new Dice(seed)
    const began = performance.now()
    const settings = chooseSettings(dice)
    const disturb = killServer(kills)
    const report = await play({ folder, url, dice, queues: 20, impatience: 0.05, settings, disturb })
    const { faults, output, ...counts } = report
    const seconds = Math.round((performance.now() - began) / 1000)
    const verdict = faults.length === 0 ? "nothing lost, nothing doubled" : `${faults.length} FAULTS`
    say(`${name}: ${kills} kills in ${seconds} s, ${verdict}; ${JSON.stringify(counts)} PARLEY_SEED=${seed}`)
    for (const fault of faults) say(`  ${fault}`)
    if (faults.length > 0) say(`the server's last words:\n${output}`)
    return faults.length === 0
  } finally {
    await cleaning.run()
  }
}

const seed = seedFromEnvironment()
const onPglite = await runOn("PGlite", seed, async () => null)
const onPostgres = await runOn("PostgreSQL", seed, async (cleaning) => {
  const admin = await findPostgres(cleaning)
  return admin === undefined ? undefined : createPostgresDatabase(cleaning, admin)
})
process.exitCode = onPglite && onPostgres ? 0 : 1
