/**
 * Time zones by name: those of the IANA database, links to other names included, as the package `tzdata` lists them. The
 * runtime is not asked, because each version of Node knows other names: what one takes another refuses.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknownSync(Schema.Struct({ zones: Schema.Record(Schema.String, Schema.Unknown) }))

/** What a machine has whose zone was never set: no place. */
const noZone = "Factory"

/** Zones write their names in ASCII, so letters of other scripts that fold to these are none of them. */
const folded = (name: string): string => name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Read and not imported: of the file's 200 KB only the names stay in memory. It takes 3 ms. */
const readNames = (): ReadonlyArray<string> => {
  const file = createRequire(import.meta.url).resolve("tzdata/timezone-data.json")
  const { zones } = decode(JSON.parse(readFileSync(file, "utf8")))
  return Object.keys(zones).filter((name) => name !== noZone)
}

const properNames: ReadonlyMap<string, string> = new Map(readNames().map((name) => [folded(name), name]))

/** The proper spelling of a time zone's name, which may be given in any case; undefined: no zone. */
export const findTimeZone = (name: string): string | undefined => properNames.get(folded(name))
