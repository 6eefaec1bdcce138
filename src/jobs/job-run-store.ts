/** The rows that say which process does a job that one is enough for (job-runs.ts). Times are the database's. */
import * as Effect from "effect/Effect"
import type { DatabaseShape } from "../db/database.ts"

type QueryDatabase = Pick<DatabaseShape, "query">

export interface JobClaim {
  readonly name: string
  readonly process: string
}

/** Answers false where another process does it. */
export const takeRun = (database: QueryDatabase, { name, process }: JobClaim, now: number, until: number) =>
  Effect.map(
    database.query(
      `insert into job_run as r (name, process, until) values ($1, $2, $4::bigint)
       on conflict (name) do update set process = excluded.process, until = excluded.until
         where r.process = excluded.process or r.until <= $3::bigint
       returning name`,
      [name, process, now, until],
    ),
    (rows) => rows.length > 0,
  )

export const renewRun = (database: QueryDatabase, { name, process }: JobClaim, until: number) =>
  database.query("update job_run set until = $3::bigint where name = $1 and process = $2", [name, process, until])

export const freeRun = (database: QueryDatabase, { name, process }: JobClaim) =>
  database.query("update job_run set until = 0 where name = $1 and process = $2", [name, process])
