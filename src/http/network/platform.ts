/**
 * Systems on which the program can run: the network layer (uWebSockets.js) is there in two builds, each with a binary for
 * certain versions of Node, and those for newer ones need a recent C library. Asked before anything native is loaded, so that
 * the answer is a line and not a trace; uws-loader.ts then loads what is chosen here.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

export interface Platform {
  /** `process.versions.node`. */
  readonly node: string
  /** `process.platform`. */
  readonly os: string
  /** `process.arch`. */
  readonly processor: string
  /** Version of the GNU C library, null where there is none. */
  readonly glibc: string | null
}

/** The package that is loaded: the newer build has no binary for Node 20, the older one none for Node 24. */
export type NetworkBuild = "uWebSockets.js" | "uWebSockets.js-next"

type Version = readonly [major: number, minor: number]

interface Build {
  readonly name: NetworkBuild
  /** The oldest Node of each line that it serves; 20.19 and 22.12 are the first that the packages take. */
  readonly nodes: ReadonlyArray<Version>
  readonly systems: ReadonlyArray<string>
  /** What its binaries for Linux need. */
  readonly glibc: Version
}

const onServers = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"]

/** The choice is by Node's number alone; `engines` in package.json says the same. Lines without long support have no part in it. */
export const networkBuilds: ReadonlyArray<Build> = [
  {
    name: "uWebSockets.js",
    nodes: [
      [20, 19],
      [22, 12],
    ],
    systems: [...onServers, "linux-arm"],
    glibc: [2, 27],
  },
  {
    name: "uWebSockets.js-next",
    nodes: [
      [24, 0],
      [26, 0],
    ],
    systems: onServers,
    glibc: [2, 38],
  },
]

const read = (version: string): Version => {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10))
  return [major, minor]
}

const isBefore = (one: Version, other: Version): boolean =>
  one[0] < other[0] || (one[0] === other[0] && one[1] < other[1])

/** `20.19, 22.12, 24 or 26`, as people say it. */
const supported = (): string => {
  const names = networkBuilds
    .flatMap(({ nodes }) => nodes)
    .map(([major, minor]) => (minor === 0 ? `${major}` : `${major}.${minor}`))
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`
}

/** The build for a platform, or why it has none: one line for the operator. */
export const chooseNetworkBuild = ({ node, os, processor, glibc }: Platform): Result.Result<NetworkBuild, string> => {
  const version = read(node)
  const serves = ([major, minor]: Version) => major === version[0] && !isBefore(version, [major, minor])
  const build = networkBuilds.find(({ nodes }) => nodes.some(serves))
  if (build === undefined) return Result.fail(`Node ${node} is not supported: use Node ${supported()}`)
  const system = `${os}-${processor}`
  if (!build.systems.includes(system))
    return Result.fail(`the network layer has no build for ${system} under Node ${version[0]}`)
  if (os !== "linux") return Result.succeed(build.name)
  if (glibc === null)
    return Result.fail("this system has no glibc, which the network layer needs: use a glibc distribution")
  if (!isBefore(read(glibc), build.glibc)) return Result.succeed(build.name)
  const needed = `Node ${version[0]} needs glibc ${build.glibc.join(".")} or newer and this system has ${glibc}`
  const older = networkBuilds.find((each) => !isBefore(read(glibc), each.glibc))
  return Result.fail(older === undefined ? needed : `${needed}: use Node ${older.nodes.at(-1)?.[0]}`)
}

/** One line for the operator, or undefined where the program can run. */
export const platformFault = (platform: Platform): string | undefined => {
  const build = chooseNetworkBuild(platform)
  return Result.isFailure(build) ? build.failure : undefined
}

/** Looks at the machine. */
export const thisPlatform = (): Platform => {
  const os = process.platform
  return { node: process.versions.node, os, processor: process.arch, glibc: os === "linux" ? findGlibc() : null }
}

let glibcFound: string | null | undefined

/** The library does not change while the process lives; a report takes 6 ms. */
const findGlibc = (): string | null => {
  if (glibcFound !== undefined) return glibcFound
  const report: unknown = process.report.getReport()
  const header = Predicate.hasProperty(report, "header") ? report.header : undefined
  const version = Predicate.hasProperty(header, "glibcVersionRuntime") ? header.glibcVersionRuntime : undefined
  glibcFound = Predicate.isString(version) ? version : null
  return glibcFound
}
