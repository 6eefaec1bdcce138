/** Writes the list of stored names anew, where one is meant to be new or gone: `npm run stored-names`, from the root. */
import { writeFileSync } from "node:fs"
import { storedNames, storedNamesFile } from "./stored-names.ts"

writeFileSync(storedNamesFile, `${JSON.stringify(storedNames(), null, 2)}\n`)
