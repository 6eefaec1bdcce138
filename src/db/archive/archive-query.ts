/** Statements of backups and restores, for which a refusal by the database is no defect: it says what is wrong with them. */
import * as Effect from "effect/Effect"
import { Unavailable } from "../../api/errors.ts"
import { type DatabaseShape, type Parameter, Rejected, type Row } from "../database.ts"

export type Asking = (
  sql: string,
  parameters?: ReadonlyArray<Parameter>,
) => Effect.Effect<ReadonlyArray<Row>, Unavailable>

export const askingOf =
  (database: DatabaseShape): Asking =>
  (sql, parameters) =>
    Effect.catchDefect(database.query(sql, parameters), (defect) =>
      defect instanceof Rejected ? Effect.fail(new Unavailable({ reason: defect.reason })) : Effect.die(defect),
    )
