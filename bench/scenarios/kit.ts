/** What servers of `parley-server/testing` cost the tests of others: first starts, further ones, several at once, memory. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { median } from "../../src/command-line/bench/statistics.ts"
import { packageFile } from "../../src/db/package-root.ts"
import type { Row, Scenario } from "../scenario.ts"
import type { KitReport, Took } from "../target/kit.ts"

const program = fileURLToPath(new URL("../target/kit.js", import.meta.url))

const node = (file: string): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" })
  if (status !== 0) throw new Error(`${file} failed: ${stderr}`)
  return stdout
}

const measure = (): KitReport => JSON.parse(node(program))

const rowOf = (label: string, all: ReadonlyArray<Took>): Row => ({
  label,
  figures: {
    ms: median(all.map(({ passed }) => passed)),
    "CPU ms": median(all.map(({ processor }) => processor)),
    "most ms": Math.max(...all.map(({ passed }) => passed)),
  },
  remarks: [],
})

export const kit: Scenario = {
  name: "kit",
  about: "how long servers in tests take to start, and what they take",
  targets: {
    ms: [
      { most: 1500, of: "first start, with loading" },
      { most: 300, of: "further start" },
      { most: 700, of: /^three at once/ },
    ],
  },
  run: async ({ rounds, progress }) => {
    // As the package has it, where this is the build of a checkout.
    if (!existsSync(packageFile("dist/pglite-image-testing.gz")))
      node(packageFile("dist/src/testing/make-testing-image.js"))
    const reports = Array.from({ length: rounds }, (_, n) => {
      progress(`process ${n + 1} of ${rounds}`)
      return measure()
    })
    const firsts = reports.map(({ load, first }) => ({
      passed: load.passed + first.passed,
      processor: load.processor + first.processor,
    }))
    return [
      rowOf("first start, with loading", firsts),
      rowOf(
        "further start",
        reports.flatMap(({ further }) => further),
      ),
      rowOf(
        "three at once, the first time",
        reports.flatMap(({ together }) => together),
      ),
      rowOf(
        "three at once, again",
        reports.flatMap(({ togetherAgain }) => togetherAgain),
      ),
      {
        label: "memory of a further server",
        figures: { MB: median(reports.map(({ megabytes }) => megabytes)) },
        remarks: [],
      },
    ]
  },
}
