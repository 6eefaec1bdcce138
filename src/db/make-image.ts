/** Run by the build, after compiling: writes dist/pglite-image.gz and dist/pglite-image-ready.gz. Takes 5 s. */
import { makeImages } from "./image.ts"
import { wholeScript } from "./migrate.ts"
import { readMigrations } from "./migrations.ts"
import { readAllSql } from "./package-root.ts"

await makeImages(wholeScript(await readMigrations(), await readAllSql()))
