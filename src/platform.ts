/**
 * Systems on which the program can run: the network layer exists for certain versions of Node, and its build for the
 * newest of them needs a recent C library. Asked before anything native is loaded, so that the answer is a line and not
 * a trace.
 */
import * as Predicate from "effect/Predicate"

export interface Platform {
  /** `process.versions.node`. */
  readonly node: string
  readonly os: string
  /** Version of the GNU C library, null where there is none. */
  readonly glibc: string | null
}

const supported = [20, 22, 24]
const firstThatNeedsGlibc = 24
const neededGlibc = { major: 2, minor: 38 }

/** One line for the operator, or undefined where the program can run. */
export const platformFault = ({ node, os, glibc }: Platform): string | undefined => {
  const major = Number.parseInt(node, 10)
  if (!supported.includes(major)) return `Node ${node} is not supported: use Node 20, 22 or 24`
  if (os !== "linux") return undefined
  if (glibc === null) return "this system has no glibc, which the network layer needs: use a glibc distribution"
  const [libraryMajor = 0, libraryMinor = 0] = glibc.split(".").map(Number)
  const isRecent = libraryMajor * 1000 + libraryMinor >= neededGlibc.major * 1000 + neededGlibc.minor
  if (major < firstThatNeedsGlibc || isRecent) return undefined
  return `Node ${major} needs glibc ${neededGlibc.major}.${neededGlibc.minor} or newer and this system has ${glibc}: use Node 22`
}

/** Looks at the machine; takes 6 ms on Linux. */
export const thisPlatform = (): Platform => {
  const os = process.platform
  return { node: process.versions.node, os, glibc: os === "linux" ? findGlibc() : null }
}

const findGlibc = (): string | null => {
  const report: unknown = process.report.getReport()
  const header = Predicate.hasProperty(report, "header") ? report.header : undefined
  const version = Predicate.hasProperty(header, "glibcVersionRuntime") ? header.glibcVersionRuntime : undefined
  return Predicate.isString(version) ? version : null
}
