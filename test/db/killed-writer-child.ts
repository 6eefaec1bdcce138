/** Run by killed-writer.ts: opens the PGlite folder in argv, writes rows until it is killed, and prints each one. */
import * as Effect from "effect/Effect"
import { Database } from "../../src/db/database.ts"
import { openDatabase } from "../../src/db/open/open-database.ts"

const folder = process.argv[2] ?? ""

const writeRows = Effect.gen(function* () {
  const database = yield* Database
  yield* database.query("create table if not exists acknowledged (n int primary key)")
  for (let n = 1; ; n++) {
    yield* database.write("insert into acknowledged values ($1) returning n", [n])
    process.stdout.write(`${n}\n`)
  }
})

await Effect.runPromise(writeRows.pipe(Effect.provide(openDatabase({ kind: "pglite", folder, sync: false }))))
