/** Loses chunks of bulk commands on their way to the database. */
import * as Effect from "effect/Effect"
import { Unavailable } from "../../src/api/errors.ts"
import type { DatabaseShape } from "../../src/db/database.ts"
import { commitSql } from "../../src/events/log-commit.ts"

type Fate = "sent" | "unsent" | "never"

/** Stands at the way to the database: counts the chunks that come by, and says what becomes of each. */
export class Gate {
  /** Chunks that were sent, or would have been. */
  chunks = 0
  fate: (chunk: number) => Fate = () => "sent"
  /** Called when a chunk is done, before the server knows. */
  done: () => void = () => {}

  readonly wrap = (database: DatabaseShape): DatabaseShape => ({
    ...database,
    write: (sql, parameters = []) => {
      if (sql !== commitSql || !String(parameters[4]).includes('"work":{')) return database.write(sql, parameters)
      this.chunks++
      const fate = this.fate(this.chunks)
      if (fate === "never") return Effect.never
      if (fate === "unsent") return Effect.fail(new Unavailable({ reason: "the test did not send it" }))
      return Effect.tap(database.write(sql, parameters), () => Effect.sync(() => this.done()))
    },
  })
}
