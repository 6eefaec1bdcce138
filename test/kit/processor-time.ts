/** What work costs by itself: processor time, in the best of several attempts, because others use the machine and collect garbage. */

const attempts = 10

/** Milliseconds of this process's processor time. */
const cost = (work: () => void): number => {
  const { user, system } = process.cpuUsage()
  work()
  const after = process.cpuUsage()
  return (after.user - user + after.system - system) / 1000
}

/** True once an attempt takes less than `most` milliseconds. */
export const isCheap = (work: () => void, most: number): boolean =>
  Array.from({ length: attempts }).some(() => cost(work) < most)

/** True once ten times the input takes less than forty times as long: what grows with the square takes a hundred times as long. */
export const isLinear = (work: (size: number) => void, size: number): boolean => {
  work(size)
  return Array.from({ length: attempts }).some(() => {
    const short = cost(() => work(size))
    // Where both take next to nothing, the clock's own grain would decide.
    return cost(() => work(10 * size)) < 40 * short + 50
  })
}
