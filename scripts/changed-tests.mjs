/**
 * What of the tests may see a change: `npm run test:changed`, for daily work. A feature's tests are run if it has changed since
 * the main branch, or imports what has, by however many steps; the walks that demand rows of each route if any feature has.
 * What all stand on asks for all.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"

const asksForAll =
  /\.sql$|^(package(-lock)?\.json|tsconfig\.json|\.taprc)$|^scripts\/|^src\/(api|config|db|events|fairness|http|testing|chat\/ground\/(kinds|realm))\/|^src\/[^/]+\.ts$|^test\/(kit|suites|walks)\//

/** They fail where a new endpoint lacks a row. */
const demanding = /^walks\/(conventions|enumerations|hidden|leaks|spellings|versioning|worst-cases)\.test\.ts$/

/** A feature of the domain or another folder of src; undefined for the files that join all of them. @param {string} path */
const placeOf = (path) => /^(chat\/[^/]+\/[^/]+|(?!chat\/)[^/]+)\//.exec(path)?.[1]

/** @param {string} root @param {string[]} args */
const git = (root, ...args) => {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.split("\n").filter((line) => line !== "") : undefined
}

/** Paths that differ from the main branch, committed or not. @param {string} root */
const changedPaths = (root) => {
  const [base] = git(root, "merge-base", "HEAD", "main") ?? git(root, "merge-base", "HEAD", "origin/main") ?? []
  if (base === undefined) throw new Error("there is no branch main to compare with")
  return [
    ...(git(root, "diff", "--name-only", base) ?? []),
    ...(git(root, "ls-files", "--others", "--exclude-standard") ?? []),
  ]
}

/** Places by those that import them. The program's own files and test servers, which import all, are left out. @param {string} compiled */
const readImporters = (compiled) => {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map()
  for (const file of readdirSync(compiled, { recursive: true, encoding: "utf8" })) {
    const place = placeOf(file)
    if (!file.endsWith(".js") || place === undefined || /^(testing|command-line)$/.test(place)) continue
    for (const [, path = ""] of readFileSync(join(compiled, file), "utf8").matchAll(
      /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g,
    )) {
      const imported = placeOf(posix.join(file, "..", path))
      if (imported === undefined || imported === place) continue
      importers.set(imported, (importers.get(imported) ?? new Set()).add(place))
    }
  }
  return importers
}

/**
 * Test files, such as `chat/people/users/roles/roles.test.ts`: `own`, which have changed themselves, and whether another one may see
 * what has changed. Without `sees` each of them may.
 * @param {string} root
 * @returns {{ own: Set<string>, sees?: (file: string) => boolean }}
 */
export const changedFiles = (root) => {
  const changed = changedPaths(root)
  const own = new Set(changed.filter((path) => path.startsWith("test/")).map((path) => path.slice("test/".length)))
  if (changed.some((path) => asksForAll.test(path))) return { own }
  const importers = readImporters(join(root, "dist", "src"))
  /** @type {Set<string>} */
  const reached = new Set()
  /** @param {string} place */
  const reach = (place) => {
    if (reached.has(place)) return
    reached.add(place)
    for (const importer of importers.get(place) ?? []) reach(importer)
  }
  for (const path of changed) {
    const place = placeOf(path.replace(/^(src|test)\//, ""))
    if (/^(src|test)\//.test(path) && place !== undefined) reach(place)
  }
  const isOfFeatures = [...reached].some((place) => place.startsWith("chat/"))
  /** @param {string} file */
  const sees = (file) =>
    reached.has(placeOf(file) ?? "") ||
    (changed.length > 0 && file.startsWith("sources/")) ||
    (isOfFeatures && demanding.test(file))
  return { own, sees }
}
