/**
 * What the system knows of a process: processor time by thread, resident memory, descriptors. Read from /proc, whose
 * schedstat counts nanoseconds where others count ticks of 10 ms. Elsewhere than on Linux the answers are NaN.
 */
import { readdirSync, readFileSync } from "node:fs"

const read = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

export const threadsOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return []
  }
}

/** Microseconds of processor time of all threads but `without`. */
export const cpuOf = (pid: number, without: ReadonlyArray<number> = []): number => {
  let nanoseconds = process.platform === "linux" ? 0 : Number.NaN
  for (const thread of threadsOf(pid)) {
    if (without.includes(thread)) continue
    const [spent] = (read(`/proc/${pid}/task/${thread}/schedstat`) ?? "0").split(" ")
    nanoseconds += Number(spent)
  }
  return nanoseconds / 1000
}

/** Bytes. */
export const residentOf = (pid: number): number => {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? "")
  return line === null ? Number.NaN : 1024 * Number(line[1])
}
