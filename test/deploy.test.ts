/** What deploy/ has for Prometheus: the example asks under the name that the rules and the dashboard look for. */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Predicate from "effect/Predicate"
import t from "tap"
import { packageFile } from "../src/db/package-root.ts"

const folder = packageFile("deploy/prometheus")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")

const all = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found)

t.test("the job of the example is the one that is asked about", async (t) => {
  const example = read("prometheus.yaml")
  t.same(all(example, /^ {2}- job_name: (\S+)$/gm), ["parley"])
  const asked = new Set(all(read("alerts.yaml") + read("dashboard.json"), /job=\\?"([^"\\]+)\\?"/g))
  t.same([...asked], ["parley"])
  for (const file of all(example, /^ {2}- (\S+\.yaml)$/gm)) t.ok(existsSync(join(folder, file)), file)
})

/** The package is no dependency of the program: what is not there checks nothing. */
const parseWith = async (name: string): Promise<((text: string) => unknown) | undefined> => {
  const loaded: unknown = await import(name).catch(() => undefined)
  if (!Predicate.hasProperty(loaded, "parse")) return undefined
  const { parse } = loaded
  return Predicate.isFunction(parse) ? (text) => parse(text) : undefined
}

t.test("the files can be read", async (t) => {
  const isThere = spawnSync("promtool", ["--version"]).status === 0
  if (isThere) {
    const checked = spawnSync("promtool", ["check", "config", "--syntax-only", "prometheus.yaml"], { cwd: folder })
    t.equal(checked.status, 0, checked.stderr.toString())
  }
  const parse = await parseWith("yaml")
  if (parse === undefined) return t.comment("no parser of YAML is installed")
  t.match(parse(read("prometheus.yaml")), {
    rule_files: ["alerts.yaml"],
    scrape_configs: [{ job_name: "parley", metrics_path: "/metrics", static_configs: [{ targets: [String] }] }],
  })
  t.match(parse(read("alerts.yaml")), { groups: [{ name: "parley" }] })
})
