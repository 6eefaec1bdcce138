/** `parley backup`, `parley restore` and other commands as an operator runs them, and what each took. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { startEnvironment } from "../../test/kit/start-environment.ts"

export interface Place {
  readonly databaseUrl: string | null
  readonly folder: string
}

export const secret = "a secret that is only used in benchmarks, and long enough"

export interface Taken {
  readonly seconds: number
  /** Of a processor. */
  readonly cpuSeconds: number
  /** The most resident memory, in bytes. */
  readonly peak: number
  readonly out: string
}

const sampleMilliseconds = 20

/** The most resident memory that a process had; null where it has ended, or the system does not tell. */
const peakOf = (pid: number): number | null => {
  try {
    const line = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))
    return line === null ? null : 1024 * Number(line[1])
  } catch {
    return null
  }
}

/** Rejects with what it said where it fails. */
export const runCommand = async ({ databaseUrl, folder }: Place, args: ReadonlyArray<string>): Promise<Taken> => {
  const began = performance.now()
  const child = spawn(process.execPath, [packageFile("bin/parley.js"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      ...startEnvironment,
      PARLEY_MODE: "production",
      PARLEY_EXTERNAL_URL: "http://127.0.0.1",
      PARLEY_DATA_DIR: folder,
      PARLEY_SECRET: secret,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    },
  })
  let [out, err, peak, cpu] = ["", "", Number.NaN, 0]
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString()
  })
  const { pid } = child
  const sampler = setInterval(() => {
    if (pid === undefined) return
    const now = peakOf(pid)
    if (now === null) return
    peak = now
    // Threads that have ended are not counted any more.
    cpu = Math.max(cpu, cpuOf(pid))
  }, sampleMilliseconds)
  const code = await new Promise((resolve) => child.once("close", resolve))
  clearInterval(sampler)
  if (code !== 0) throw new Error(`parley ${args[0]}: ${code}: ${err}`)
  return { seconds: (performance.now() - began) / 1000, cpuSeconds: cpu / 1_000_000, peak, out }
}
