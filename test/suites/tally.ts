/**
 * What test files ask of the machine: requests and registers by the servers' own tallies, servers, programs that are started,
 * and processor time. Counts are the same on every machine, so the run's budget is in them (scripts/test.mjs).
 */
import childProcess, { ChildProcess } from "node:child_process"
import { readFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { RouteTally } from "../../src/http/metrics/request-tally.ts"
import { serverStarts } from "../../src/testing/run-app.ts"

export interface Tally {
  readonly requests: number
  readonly registers: number
  readonly servers: number
  /** Node processes, but for those in which a server decodes pictures. */
  readonly programs: number
  /** Of the whole process with its threads, and of processes that it has waited for (Linux). */
  readonly processorMilliseconds: number
}

let requests = 0
let registers = 0
let servers = 0
let programs = 0

const { note } = RouteTally.prototype
RouteTally.prototype.note = function (...given) {
  requests++
  if (this.name === "POST /register") registers++
  note.apply(this, given)
}

serverStarts.subscribe(() => {
  servers++
})

const isProgram = (word: string): boolean => /(^|\/)(node|npm|npx|parley(\.js)?)$/.test(word)

/** A shell has a whole script in one word; each line that begins with a program starts it. */
const noteProgram = (file: unknown, given: unknown): void => {
  const words = [String(file), ...(Array.isArray(given) ? given.map(String) : [])]
  if (words.some((word) => word.includes("/decod"))) return
  if (/(^|\/)(ba)?sh$/.test(String(file)))
    programs += words.join("\n").match(/^\s*(node|npm|npx|parley)\s/gm)?.length ?? 0
  else if (words.some(isProgram)) programs++
}

/** Not among the members that Node's types name, though all ways of starting a process but the synchronous ones go by it. */
const starting = Object.getOwnPropertyDescriptor(ChildProcess.prototype, "spawn")
Object.defineProperty(ChildProcess.prototype, "spawn", {
  ...starting,
  value: function (this: ChildProcess, options: { readonly file?: unknown; readonly args?: unknown }) {
    noteProgram(options.file, options.args)
    return Reflect.apply(starting?.value, this, [options])
  },
})
const { spawnSync } = childProcess
Object.assign(childProcess, {
  spawnSync: (...given: ReadonlyArray<unknown>) => {
    noteProgram(given[0], given[1])
    return Reflect.apply(spawnSync, childProcess, given)
  },
})
syncBuiltinESMExports()

const ticksPerSecond = 100

/** Milliseconds that processes have taken that this one has waited for; 0 where the system does not say. */
const processorOfChildren = (): number => {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1")
    const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(14, 16).map(Number)
    return (((user ?? 0) + (system ?? 0)) * 1000) / ticksPerSecond
  } catch {
    return 0
  }
}

/** Since the process began. */
export const tally = (): Tally => {
  const { user, system } = process.cpuUsage()
  return {
    requests,
    registers,
    servers,
    programs,
    processorMilliseconds: Math.round((user + system) / 1000 + processorOfChildren()),
  }
}

export const since = (before: Tally): Tally => {
  const now = tally()
  return {
    requests: now.requests - before.requests,
    registers: now.registers - before.registers,
    servers: now.servers - before.servers,
    programs: now.programs - before.programs,
    processorMilliseconds: now.processorMilliseconds - before.processorMilliseconds,
  }
}
