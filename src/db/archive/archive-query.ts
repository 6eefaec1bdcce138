/** Statements of backups and restores, for which a refusal by the database is no defect: it says what is wrong with them. */
import * as Effect from "effect/Effect"
import { Unavailable } from "../../api/errors.ts"
import { type DatabaseShape, type Parameter, type Row, StatementRejected } from "../database.ts"

export type ArchiveQuery = (
  sql: string,
  parameters?: ReadonlyArray<Parameter>,
) => Effect.Effect<ReadonlyArray<Row>, Unavailable>

export const archiveQueryOf =
  (database: DatabaseShape): ArchiveQuery =>
  (sql, parameters) =>
    Effect.catchDefect(database.query(sql, parameters), (defect) =>
      defect instanceof StatementRejected
        ? Effect.fail(new Unavailable({ reason: defect.reason }))
        : Effect.die(defect),
    )
