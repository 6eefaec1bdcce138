/**
 * Turns an error of postgres.js into the outcome of its statement, and into a message at a server's start. An `ERROR`
 * of PostgreSQL means that the statement was undone; anything else on an open connection leaves it unknown.
 */
import postgres from "postgres"
import { oneLine } from "../one-line.ts"
import { refusal, type StatementOutcome } from "../statement.ts"
import { MalformedAnswer, UnsuitableServer } from "./postgres-connections.ts"

export interface ErrorJudgement {
  readonly outcome: StatementOutcome
  /** These connections are not to be used any more. */
  readonly lost: boolean
}

/** SQLSTATE of a write on a standby: the server has lost its role as the primary. */
const readOnly = "25006"

export const judgeError = (error: unknown): ErrorJudgement => {
  const reason = oneLine(error)
  if (!(error instanceof postgres.PostgresError)) return { outcome: { kind: "unknown", reason }, lost: true }
  // FATAL and PANIC end the session, perhaps after the commit (57P01 while it waits for a replica): unknown.
  const fatal = error.severity !== "ERROR" || /^(08|57P)/.test(error.code)
  if (fatal) return { outcome: { kind: "unknown", reason, code: error.code }, lost: true }
  return { outcome: refusal(error.code, reason), lost: error.code === readOnly }
}

/** Starting up or shutting down, or all connections taken: worth another try at the start too. */
export const willPass = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && /^(57P03|53300)$/.test(error.code)

/** One line for the operator. PostgreSQL's own texts name the user or database; neither ever holds the password. */
export const startFailure = (error: unknown, address: string): string => {
  if (error instanceof UnsuitableServer) return `${error.message} (${address})`
  if (error instanceof postgres.PostgresError) return `PostgreSQL at ${address} refuses us: ${error.message}`
  if (error instanceof MalformedAnswer) return `What answers at ${address} is not PostgreSQL`
  return `PostgreSQL at ${address} cannot be reached: ${oneLine(error)}`
}
