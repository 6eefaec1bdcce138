/** The processes that a program has started, as the system shows them (Linux): for tests of `parley serve --processes`. */
import { readFileSync } from "node:fs"

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    // It has ended.
    return ""
  }
}

/** Ids of the processes whose parent this is, by the numbers that it has given them. */
export const childrenOf = (pid: number): ReadonlyMap<number, number> => {
  const ids = read(`/proc/${pid}/task/${pid}/children`).split(" ").map(Number)
  return new Map(
    ids.flatMap((id) => {
      const [, number] = /(?:^|\0)PARLEY_CHILD=(\d+)\0/.exec(read(`/proc/${id}/environ`)) ?? []
      return number === undefined ? [] : [[Number(number), id] as const]
    }),
  )
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // One that nobody has asked about yet is a zombie.
    return !/^State:\s+Z/m.test(read(`/proc/${pid}/status`))
  } catch {
    return false
  }
}
