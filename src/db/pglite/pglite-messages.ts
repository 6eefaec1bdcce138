/** Messages between the server's thread and PGlite's: one message per statement. */
import type { Row, StatementPlan } from "../database.ts"

export type ToWorker =
  /** The first message: the folder is held, and holds a cluster. Before it the thread touches nothing there. */
  | { readonly kind: "open" }
  | {
      readonly kind: "statement"
      readonly id: number
      readonly sql: string
      readonly parameters: ReadonlyArray<string | null>
      readonly script: boolean
      readonly yields: boolean
      readonly plan: StatementPlan
    }
  /** While it is held, nothing is done but statements: no checkpoint, no vacuum. */
  | { readonly kind: "hold-upkeep"; readonly isHeld: boolean }
  /** Finish what was asked, checkpoint, close and end the thread. */
  | { readonly kind: "close" }

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "rows"; readonly id: number; readonly rows: ReadonlyArray<Row> }
  | { readonly kind: "refused"; readonly id: number; readonly code: string; readonly reason: string }
  /** A vacuum or checkpoint begins or has ended: meanwhile answers may take longer than usual. */
  | { readonly kind: "upkeep"; readonly running: boolean }
  | { readonly kind: "upkeep-done" }
  | { readonly kind: "upkeep-failed"; readonly reason: string }

/** What the thread does between statements. A vacuum would end a transaction that is open meanwhile. */
export const upkeepKinds = ["all", "checkpoints", "none"] as const
export type UpkeepKind = (typeof upkeepKinds)[number]

export interface WorkerData {
  readonly folder: string
  readonly sync: boolean
  readonly upkeep: UpkeepKind
}
