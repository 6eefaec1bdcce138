/** The place of the program's own files, in the checkout and in an installed package alike. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Predicate from "effect/Predicate"

/** The nearest folder above this file, or the bundle that it is in, that holds a package.json. */
const findRoot = (from: string): string => {
  if (existsSync(join(from, "package.json"))) return from
  const above = dirname(from)
  if (above === from) throw new Error("The program's folder (package.json) is not above its code")
  return findRoot(above)
}

let root: string | undefined

/** `path` is relative to the package, such as `src/chat/people/users/users.sql`. */
export const packageFile = (path: string): string => {
  root ??= findRoot(dirname(fileURLToPath(import.meta.url)))
  return join(root, path)
}

let version: string | undefined

/** The version of the package. */
export const packageVersion = (): string => {
  version ??= readVersion()
  return version
}

const readVersion = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(packageFile("package.json"), "utf8"))
  if (!Predicate.hasProperty(manifest, "version")) throw new Error("package.json holds no version")
  return String(manifest.version)
}
