/** The systems on which the program runs: which build of the network layer serves which Node, and who is refused in one line. */
import { readFileSync } from "node:fs"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import t from "tap"
import { packageFile } from "../../../src/db/package-root.ts"
import {
  chooseNetworkBuild,
  networkBuilds,
  type Platform,
  platformFault,
  thisPlatform,
} from "../../../src/http/network/platform.ts"

const older = "uWebSockets.js"
const newer = "uWebSockets.js-next"
const unsupported = (node: string) => `Node ${node} is not supported: use Node 20.19, 22.12, 24 or 26`
const noGlibc = "this system has no glibc, which the network layer needs: use a glibc distribution"
const tooOld = (major: number) => `Node ${major} needs glibc 2.38 or newer and this system has 2.36: use Node 22`

/** Node, system, processor, C library; and the build that is loaded, or the refusal. */
type Row = readonly [node: string, os: string, processor: string, glibc: string | null, outcome: string]

const rows: ReadonlyArray<Row> = [
  // Debian 12 has glibc 2.36.
  ["20.20.2", "linux", "x64", "2.36", older],
  ["22.23.3", "linux", "x64", "2.36", older],
  ["24.0.0", "linux", "x64", "2.36", tooOld(24)],
  ["26.12.1", "linux", "x64", "2.36", tooOld(26)],
  ["26.12.1", "linux", "arm64", "2.36", tooOld(26)],
  // Debian 13 has 2.41.
  ["20.19.0", "linux", "x64", "2.41", older],
  ["22.12.0", "linux", "arm64", "2.41", older],
  ["24.0.0", "linux", "x64", "2.38", newer],
  ["24.4.1", "linux", "arm64", "2.41", newer],
  ["26.0.0", "linux", "x64", "2.41", newer],
  ["26.12.1", "linux", "x64", "3.0", newer],
  ["20.20.2", "linux", "x64", "2.17", "Node 20 needs glibc 2.27 or newer and this system has 2.17"],
  // Elsewhere there is no such library.
  ["24.0.0", "darwin", "arm64", null, newer],
  ["26.0.0", "win32", "x64", null, newer],
  ["22.12.0", "darwin", "x64", null, older],
  ["22.12.0", "linux", "x64", null, noGlibc],
  ["26.0.0", "linux", "x64", null, noGlibc],
  // Processors.
  ["20.20.2", "linux", "arm", "2.36", older],
  ["24.0.0", "linux", "arm", "2.41", "the network layer has no build for linux-arm under Node 24"],
  ["22.12.0", "linux", "riscv64", "2.41", "the network layer has no build for linux-riscv64 under Node 22"],
  ["20.20.2", "freebsd", "x64", null, "the network layer has no build for freebsd-x64 under Node 20"],
  // Lines of Node that are too old, that have no long support, and that nobody has tried.
  ...["18.20.0", "20.18.3", "21.7.3", "22.11.0", "23.11.0", "25.9.0", "27.0.0", "99.0.0"].map(
    (node): Row => [node, "linux", "x64", "2.41", unsupported(node)],
  ),
  ["21.0.0", "darwin", "arm64", null, unsupported("21.0.0")],
  ["23.0.0", "linux", "x64", "2.36", unsupported("23.0.0")],
]

t.test("the build for a platform, or why there is none", async (t) => {
  for (const [node, os, processor, glibc, outcome] of rows) {
    const platform: Platform = { node, os, processor, glibc }
    const chosen = chooseNetworkBuild(platform)
    t.equal(Result.isSuccess(chosen) ? chosen.success : chosen.failure, outcome, JSON.stringify(platform))
    t.equal(platformFault(platform), Result.isSuccess(chosen) ? undefined : outcome)
    t.notMatch(outcome, /\n/)
  }
  t.equal(platformFault(thisPlatform()), undefined, "the tests run where the server does")
})

const readJson = (name: string): unknown => JSON.parse(readFileSync(packageFile(name), "utf8"))

t.test("package.json asks for the versions of Node that are taken at the start", async (t) => {
  const manifest = Schema.decodeUnknownSync(Schema.Struct({ engines: Schema.Struct({ node: Schema.String }) }))(
    readJson("package.json"),
  )
  const ranges = networkBuilds.flatMap(({ nodes }) => nodes.map(([major, minor]) => `^${major}.${minor}.0`))
  t.equal(manifest.engines.node, ranges.join(" || "))
})

t.test("the installed packages have a binary for each platform that is taken", async (t) => {
  for (const { name, nodes, systems } of networkBuilds) {
    const manifest = readJson(`node_modules/${name}/package.json`)
    const offered = Predicate.hasProperty(manifest, "optionalDependencies") ? manifest.optionalDependencies : {}
    for (const [major] of nodes)
      for (const system of systems)
        t.ok(Predicate.hasProperty(offered, `@uwsjs/${system}-${major}`), `${name}: ${system}-${major}`)
  }
})
