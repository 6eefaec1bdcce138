/** Run by the build, after compiling: writes dist/sql.json, dist/pglite-image.gz and dist/pglite-image-ready.gz. Takes 5 s. */
import { makeImages } from "../pglite/pglite-image.ts"
import { gatherSql, writeBuiltSql } from "../sql/built-sql.ts"
import { wholeScript } from "../sql/migrate.ts"

const sql = await gatherSql()
await makeImages(wholeScript(sql.migrations, sql.functions))
await writeBuiltSql(sql)
