/**
 * Brings a database to the program's version at every start, then creates the SQL functions whose text changed. Each
 * step is one transaction together with the row that records it, so a kill leaves the version before or after it; a
 * second server is kept out by an advisory lock in the same transaction. PostgreSQL goes on with the step that a killed
 * program has sent: whoever comes next waits until it is over. Called by open-database.ts and, for the prepared image, by
 * make-image.ts.
 */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../api/errors.ts"
import { Database, type OutcomeUncertain, type StatementRejected } from "../database.ts"
import { DatabaseUnusable } from "../open-failures.ts"
import { Scripts } from "../statement.ts"
import type { FunctionFile } from "./function-files.ts"
import { type MigrationStep, type Migrations, newestVersion } from "./migrations.ts"

export const lock = "select pg_advisory_xact_lock(1886413932, 1835623282);"

const bookkeeping = `${lock}
create table if not exists schema_migrations (version int primary key, applied_at timestamptz not null default now());
create table if not exists schema_functions (name text primary key, digest text not null);`

/** The step that brought `speaks`. */
const speaksSince = 57

/**
 * Whoever does not know a step that was done alone may not serve afterwards: with the name of the processes (`cluster`) the holder of
 * commits is another one, too.
 */
const record = ({ version, isAlone = false }: Pick<MigrationStep, "version" | "isAlone">): string =>
  [
    `insert into schema_migrations (version) values (${version});`,
    ...(isAlone && version >= speaksSince
      ? [`update server_state set speaks = greatest(speaks, ${version}), cluster = null;`]
      : []),
  ].join("\n")

const schemaScript = (migrations: Migrations): string =>
  `${bookkeeping}\n${migrations.schema}\n;${record({ version: newestVersion(migrations), isAlone: true })}`

export const migrate = (
  migrations: Migrations,
  functions: ReadonlyArray<FunctionFile>,
): Effect.Effect<void, DatabaseUnusable, Database | Scripts> =>
  Effect.gen(function* () {
    const newest = newestVersion(migrations)
    const found = yield* findVersion
    const isOther = found !== newest
    // A step of a killed program may still be under way, which would then be done a second time.
    if (isOther) yield* runStep("the lock of migrations", lock)
    const version = isOther ? yield* findVersion : found
    if (version !== null && version > newest) {
      return yield* new DatabaseUnusable({
        message: `The database has version ${version}, made by a newer program; this one knows ${newest}`,
      })
    }
    if (version === null) {
      yield* runStep("the schema", schemaScript(migrations))
    } else {
      yield* runSteps(
        migrations.steps.filter((each) => each.version > version),
        runStep,
      )
    }
    yield* createFunctions(functions)
  }).pipe(Effect.catchTag("Unavailable", unusable))

/** How often the log says that a step is still under way. */
const stillMilliseconds = 30_000

/** Runs a script as one transaction. `what`: its name in a refusal. */
export type RunScript = (what: string, sql: string) => Effect.Effect<void, DatabaseUnusable, Scripts>

/** Whoever waits for a start sees that it works, and how far it is. */
export const runSteps = Effect.fnUntraced(function* (
  steps: Migrations["steps"],
  run: RunScript,
): Effect.fn.Return<void, DatabaseUnusable, Scripts> {
  const begunAt = performance.now()
  const secondsSince = (at: number) => ((performance.now() - at) / 1000).toFixed(1)
  for (const [index, step] of steps.entries()) {
    const { name, sql } = step
    const what = `migration ${index + 1} of ${steps.length}, ${name},`
    const [stepAt, still] = [performance.now(), `${what} still runs`]
    yield* Effect.logInfo(`${what} runs`)
    const telling = Effect.forever(
      Effect.andThen(
        Effect.sleep(stillMilliseconds),
        Effect.suspend(() => Effect.logInfo(`${still}, after ${secondsSince(stepAt)} s`)),
      ),
    )
    yield* Effect.raceFirst(
      run(`migration ${name}`, `${lock}\n${sql}\n;${record(step)}`),
      Effect.interruptible(telling),
    )
    yield* Effect.logInfo(`${what} took ${secondsSince(stepAt)} s`)
  }
  if (steps.length > 0) yield* Effect.logInfo(`the tables are up to date, after ${secondsSince(begunAt)} s`)
})

export const unusable = (lost: Unavailable | OutcomeUncertain) =>
  Effect.fail(new DatabaseUnusable({ message: `The database was lost while it was prepared: ${lost.reason}` }))

/** The database's version; null for an empty database. */
export const findVersion = Effect.gen(function* () {
  const database = yield* Database
  const [table] = yield* database.query("select to_regclass('schema_migrations') is not null as present")
  if (table?.["present"] !== true) return null
  const [row] = yield* database.query("select max(version) as version from schema_migrations")
  return typeof row?.["version"] === "number" ? row["version"] : null
})

/** Makes an older version in a database whose tables, which have no rows, it drops. In the transaction of the caller. */
export const olderScript = ({ first = "", steps }: Migrations, version: number): string =>
  [
    `do $$ declare name text; begin
       for name in select tablename from pg_tables where schemaname = current_schema() loop
         execute format('drop table if exists %I cascade', name);
       end loop;
     end $$;`,
    `${bookkeeping}\n${first}\n;${record({ version: 1, isAlone: true })}`,
    ...steps.flatMap((step) => (step.version <= version ? [`${step.sql}\n;${record(step)}`] : [])),
  ].join("\n")

/** An uncertain outcome ends the start; the next start reads the version again. */
export const runStep: RunScript = (what, sql) =>
  Scripts.use((scripts) => scripts.run(sql)).pipe(
    Effect.catchTags({
      Unavailable: unusable,
      Uncertain: unusable,
      Rejected: (refused: StatementRejected) =>
        Effect.fail(new DatabaseUnusable({ message: `The database refuses ${what}: ${refused.reason}` })),
    }),
  )

export const changedFunctions = Effect.fnUntraced(function* (functions: ReadonlyArray<FunctionFile>) {
  const database = yield* Database
  const rows = yield* database.query("select name, digest from schema_functions")
  const known = new Map(rows.map((row) => [row["name"], row["digest"]]))
  return functions.filter((file) => known.get(file.name) !== file.digest)
})

const createFunctions = Effect.fnUntraced(function* (functions: ReadonlyArray<FunctionFile>) {
  const changed = yield* changedFunctions(functions)
  if (changed.length === 0) return
  yield* runStep(`the functions of ${changed.map((file) => file.name).join(", ")}`, functionsScript(changed))
})

/** Creates them, and notes the digests of their texts. In the transaction of the caller. */
export const functionsScript = (files: ReadonlyArray<FunctionFile>): string => {
  // Bodies are not checked while they are created, so that functions may call each other whatever the order.
  const script = [lock, "set local check_function_bodies = off;"]
  for (const file of files) {
    script.push(`${file.sql}\n;`)
    script.push(`insert into schema_functions (name, digest) values ('${file.name.replaceAll("'", "''")}', '${file.digest}')
      on conflict (name) do update set digest = excluded.digest;`)
  }
  return script.join("\n")
}

/** The script that makes everything on an empty database; the build runs it for the prepared image. */
export const wholeScript = (migrations: Migrations, functions: ReadonlyArray<FunctionFile>): string =>
  [schemaScript(migrations), functionsScript(functions)].join("\n")
