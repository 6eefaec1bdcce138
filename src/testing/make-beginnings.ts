/** Run by a whole build, after the database's image is made: writes dist/beginnings.json. Takes 3 s. */
import { writeFile } from "node:fs/promises"
import { beginnings } from "./local-server.ts"
import { beginningsFile } from "./storage.ts"

await writeFile(beginningsFile(), await beginnings())
