/** How the database runs statements, and what they took from tables. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Semaphore from "effect/Semaphore"
import type { DatabaseShape, Parameter, StatementPlan } from "../../src/db/database.ts"

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)
const numberOf = (value: unknown): number => (Predicate.isNumber(value) ? value : 0)

/** The rows that a plan took from these tables or their indexes, those too that it threw away. */
export const rowsRead = (plan: unknown, tables: ReadonlySet<unknown>): number => {
  if (isList(plan)) return plan.reduce<number>((sum, each) => sum + rowsRead(each, tables), 0)
  if (!Predicate.isObject(plan)) return 0
  const below = rowsRead(plan["Plans"], tables) + rowsRead(plan["Plan"], tables)
  if (!tables.has(plan["Relation Name"])) return below
  const each = numberOf(plan["Actual Rows"]) + numberOf(plan["Rows Removed by Filter"])
  // The plan names the mean of several loops.
  return below + Math.round(each * numberOf(plan["Actual Loops"]))
}

/**
 * Answers the plan of a statement as the server runs it. A generic one takes several statements on one connection: whatever
 * else a read asks for at the same time waits for their end.
 */
export const explainer = ({ kind, query }: Pick<DatabaseShape, "kind" | "query">) => {
  const explained = "explain (analyze, timing off, format json)"
  const turn = Semaphore.makeUnsafe(1)
  const explainPrepared = Effect.fnUntraced(function* (parameters: ReadonlyArray<Parameter>) {
    const values = parameters.map((each) => (each === null ? "null" : `'${String(each).replaceAll("'", "''")}'`))
    yield* query("set plan_cache_mode = force_generic_plan")
    return yield* query(`${explained} execute explained${parameters.length === 0 ? "" : `(${values})`}`)
  })
  const explainGeneric = (sql: string, parameters: ReadonlyArray<Parameter>) =>
    Effect.ensuring(
      Effect.andThen(query(`prepare explained as ${sql}`), explainPrepared(parameters)),
      Effect.orDie(Effect.andThen(query("reset plan_cache_mode"), query("deallocate explained"))),
    )
  return (sql: string, parameters: ReadonlyArray<Parameter>, plan: StatementPlan) => {
    if (kind === "postgres") return query(`${explained} ${sql}`, parameters)
    return turn.withPermit(
      plan === "custom" ? query(`${explained} ${sql}`, parameters) : explainGeneric(sql, parameters),
    )
  }
}
