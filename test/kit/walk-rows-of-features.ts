/** Finds the rows that features add to the walks (walk-rows.ts), as the suites find test files: by the names of the files. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Predicate from "effect/Predicate"
import type { Appliers } from "./client-appliers.ts"
import { WalkRows } from "./walk-rows.ts"

const root = fileURLToPath(new URL("../chat", import.meta.url))

const load = async (file: string): Promise<WalkRows> => {
  const found: unknown = await import(join(root, file))
  if (Predicate.hasProperty(found, "rows") && found.rows instanceof WalkRows) return found.rows
  throw new Error(`${file} does not export \`rows\`, made by walkRows`)
}

/** Those of all features that have some, in the order of the files' names. */
export const rowsOfRooms: ReadonlyArray<WalkRows> = await Promise.all(
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?:^|[\\/])walk-rows\.js$/.test(file))
    .sort()
    .map(load),
)

/** Lists of all features as one record; what two features have is a mistake. */
export const joined = <A>(records: ReadonlyArray<Readonly<Record<string, A>>>): Readonly<Record<string, A>> => {
  const names = records.flatMap((each) => Object.keys(each))
  const twice = names.find((name, n) => names.indexOf(name) !== n)
  if (twice !== undefined) throw new Error(`two have rows for ${twice}`)
  return Object.fromEntries(records.flatMap((each) => Object.entries(each)))
}

export const appliersOfRooms: Appliers = joined(rowsOfRooms.map(({ client }) => client))
