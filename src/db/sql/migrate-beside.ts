/**
 * Brings a database to the program's version while other processes serve it, maybe older ones: upgrades are rolled, one process
 * after the other. A step that these could not go on beside is refused, and a program that is older than the database joins only
 * while nothing may have been written that it does not know. Called by open-database.ts, by one process at a time.
 */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../api/errors.ts"
import { Database } from "../database.ts"
import { DatabaseUnusable } from "../open-failures.ts"
import { Scripts } from "../statement.ts"
import type { FunctionFile } from "./function-files.ts"
import {
  changedFunctions,
  findVersion,
  functionsScript,
  lock,
  type RunScript,
  runStep,
  runSteps,
  unusable,
} from "./migrate.ts"
import { type MigrationStep, type Migrations, newestVersion } from "./migrations.ts"

/** Whoever waits for a table's lock lets all others wait behind it, so a step gives up soon and tries again later. */
const lockWait = "set local lock_timeout = '1s';"
const mostTries = 60
const betweenTriesMs = 1000
/** A lock that was not to be had in time, and two that wait for each other. */
const passing: ReadonlySet<string | undefined> = new Set(["55P03", "40P01"])

const refused = (message: string) => Effect.fail(new DatabaseUnusable({ message }))

/** A version that another program has made, which this one does not know. */
const requireSpoken = Effect.fnUntraced(function* (version: number, newest: number) {
  const database = yield* Database
  const [state] = yield* database.query("select speaks from server_state")
  if (Number(state?.["speaks"]) <= newest) return
  return yield* refused(
    `A newer program serves the database (version ${version}), and this one (${newest}) may not any more: start the newer one`,
  )
})

/** As `runStep`, patiently: locks of readers, such as a backup, may have to be waited for. */
const runPatiently: RunScript = (what, sql) =>
  Effect.gen(function* () {
    const scripts = yield* Scripts
    for (let tries = 1; ; tries++) {
      const ended = yield* Effect.result(scripts.run(`${lockWait}\n${sql}`))
      if (ended._tag === "Success") return
      const { failure } = ended
      if (failure._tag === "Rejected") return yield* refused(`The database refuses ${what}: ${failure.reason}`)
      if (failure._tag === "Uncertain" || !passing.has(failure.code)) return yield* unusable(failure)
      if (tries === mostTries)
        return yield* refused(`${what} waits for something that works on its tables, such as a backup: try again later`)
      yield* Effect.sleep(betweenTriesMs)
    }
  })

/**
 * In one transaction with the last step: a program that is killed in between would leave its version with the functions of
 * another. A step that forgets functions (deletes from schema_functions) has to be done alone.
 */
const withFunctions = (
  steps: Migrations["steps"],
  functions: ReadonlyArray<FunctionFile>,
): ReadonlyArray<MigrationStep> =>
  steps.map((step, index) =>
    index === steps.length - 1
      ? { ...step, name: `${step.name} with the functions`, sql: `${step.sql}\n;${functionsScript(functions)}` }
      : step,
  )

export const migrateBeside = (
  migrations: Migrations,
  functions: ReadonlyArray<FunctionFile>,
): Effect.Effect<void, DatabaseUnusable, Database | Scripts> =>
  Effect.gen(function* () {
    const newest = newestVersion(migrations)
    // A step of a killed program may still be under way.
    yield* runStep("the lock of migrations", lock)
    const version = (yield* findVersion) ?? 0
    if (version > newest) return yield* requireSpoken(version, newest)
    const steps = migrations.steps.filter((each) => each.version > version)
    const alone = steps.find(({ isAlone }) => isAlone === true)
    if (alone !== undefined)
      return yield* refused(
        `Other processes serve this database, and cannot go on beside the step ${alone.name}: end them all first`,
      )
    const changed = yield* changedFunctions(functions)
    if (steps.length > 0) yield* runSteps(withFunctions(steps, changed), runPatiently)
    else if (changed.length > 0)
      // Which of them is the newer one cannot be told: each would put its own in place of the other's.
      return yield* refused(
        `Other processes serve this database with another program of the same version (${version}): end them all first`,
      )
  }).pipe(Effect.catchTag("Unavailable", (lost: Unavailable) => unusable(lost)))
