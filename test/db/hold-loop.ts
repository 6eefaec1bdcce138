/**
 * Two processes that take one folder over and over, each killed at random moments and started again. Where the system
 * allows it they live in different network namespaces, as two containers that share a volume do.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { until } from "../kit/test-database.ts"

const starter = fileURLToPath(new URL("./hold-starter.js", import.meta.url))
const apart = ["unshare", "--map-root-user", "--net"]
const canLiveApart = (): boolean => {
  const [command = "", ...args] = apart
  return spawnSync(command, [...args, "true"]).status === 0
}

export interface HoldLoop {
  readonly kills: number
  /** Number of times that the folder was taken. */
  readonly holds: number
  /** Lines of the journal where a starter took the folder that another living one held. */
  readonly doubles: ReadonlyArray<string>
  /** The longest time that a starter waited for the folder, in milliseconds. */
  readonly longestWait: number
  readonly namespaces: number
}

/** Runs for `seconds` in `parent`, an existing folder; all starters are dead at the end. */
export const runHoldLoop = async (parent: string, seconds: number): Promise<HoldLoop> => {
  const [folder, journal] = [join(parent, "held"), join(parent, "journal")]
  mkdirSync(folder)
  writeFileSync(journal, "")
  const separated = canLiveApart()
  let starts = 0
  let kills = 0
  const endAt = performance.now() + seconds * 1000

  const start = (): { readonly name: string; readonly child: ChildProcess } => {
    const name = `starter-${++starts}`
    const [command = "", ...args] = [...(separated ? apart : []), process.execPath, starter, folder, journal, name]
    return { name, child: spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] }) }
  }
  const keepKilling = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const { name, child } = start()
      const ended = once(child, "exit")
      await until(`${name} holds`, 20_000, () => readFileSync(journal, "utf8").includes(`${name} holds`))
      await sleep(Math.random() * 100)
      // Before the signal: from here on what it held may be another's.
      appendFileSync(journal, `${name} is killed\n`)
      child.kill("SIGKILL")
      await ended
      kills++
    }
  }
  await Promise.all([keepKilling(), keepKilling()])
  return { kills, namespaces: separated ? 2 : 1, ...readJournal(readFileSync(journal, "utf8")) }
}

const readJournal = (text: string): Pick<HoldLoop, "holds" | "doubles" | "longestWait"> => {
  const killed = new Set<string>()
  const doubles: Array<string> = []
  let holder: string | null = null
  let holds = 0
  let longestWait = 0
  for (const line of text.split("\n")) {
    const [name = "", event, ms] = line.split(" ")
    if (event === "is") killed.add(name)
    if (event === "releases" && holder === name) holder = null
    if (event !== "holds" || killed.has(name)) continue
    if (holder !== null && holder !== name && !killed.has(holder)) doubles.push(`${line}, and ${holder} too`)
    holder = name
    holds++
    longestWait = Math.max(longestWait, Number(ms))
  }
  return { holds, doubles, longestWait }
}
