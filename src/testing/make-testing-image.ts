/** Run by a whole build, after the database's image is made: writes dist/pglite-image-testing.gz. Takes 4 s. */
import { writeFile } from "node:fs/promises"
import { testingImageOf } from "./local-server.ts"
import { testingImage } from "./server-storage.ts"

await writeFile(testingImage(), await testingImageOf())
