/** The list of organizations as a text, which is another one where it has changed. */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../api/errors.ts"
import type { DatabaseShape } from "../database.ts"

export const readOrganizations = (database: Pick<DatabaseShape, "query">): Effect.Effect<string, Unavailable> =>
  Effect.map(database.query("select organizations_v1() as list", [], "kept"), ([row]) => String(row?.["list"]))
