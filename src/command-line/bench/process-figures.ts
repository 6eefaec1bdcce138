/**
 * Figures of a process from /proc: processor time by thread, resident memory, native heap. Processor time is read from
 * schedstat, which counts nanoseconds, not ticks of 10 ms. On systems other than Linux the answers are NaN.
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

/** The processor time of all threads except `without`, in microseconds. */
export const cpuOf = (pid: number, without: ReadonlyArray<number> = []): number => {
  let nanoseconds = process.platform === "linux" ? 0 : Number.NaN
  for (const thread of threadsOf(pid)) {
    if (without.includes(thread)) continue
    const [spent] = (read(`/proc/${pid}/task/${thread}/schedstat`) ?? "0").split(" ")
    nanoseconds += Number(spent)
  }
  return nanoseconds / 1000
}

/** The resident memory in bytes. */
export const residentOf = (pid: number): number => {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? "")
  return line === null ? Number.NaN : 1024 * Number(line[1])
}

/** Bytes of the heap that grows by `brk`: the main thread's allocations outside of JavaScript, except large blocks. */
export const nativeHeapOf = (pid: number): number => {
  const maps = read(`/proc/${pid}/smaps`) ?? ""
  const line = /\[heap\]\n(?:.*\n)*?Rss:\s+(\d+) kB/.exec(maps)
  return line === null ? Number.NaN : 1024 * Number(line[1])
}
