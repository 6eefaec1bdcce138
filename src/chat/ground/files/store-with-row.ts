/**
 * Stores the bytes of files, then has the row committed that names them. Where that was refused the bytes are removed
 * again. They stay where it is not certain that there is no row: the outcome is unknown, the request was interrupted, or
 * a defect came, maybe behind the commit. What no row names then is removed by the periodic job (sweep-files.ts).
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { RequestFailure } from "../../../api/errors.ts"
import { StatementRejected } from "../../../db/database.ts"
import { type FileName, Files } from "./files.ts"

/** A file that is to be stored: its bytes, whole or in parts as they come. */
export interface FileToStore {
  readonly name: FileName
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
}

/** Whether it is certain that nothing was committed. What the database has rejected ends as a defect, too. */
const isRefused = ({ reasons }: Cause.Cause<RequestFailure>): boolean =>
  reasons.every((reason) =>
    reason._tag === "Fail"
      ? reason.error._tag !== "OutcomeUnknown"
      : reason._tag === "Die" && reason.defect instanceof StatementRejected,
  )

/** `row`: commits the row that names all of the files; run when they are stored. */
export const storeWithRow = Effect.fnUntraced(function* <A, R>(
  newFiles: ReadonlyArray<FileToStore>,
  row: Effect.Effect<A, RequestFailure, R>,
) {
  const files = yield* Files
  const store = Effect.forEach(
    newFiles,
    ({ name, bytes }) => (bytes instanceof Uint8Array ? files.put(name, bytes) : files.receive(name, bytes)),
    { discard: true },
  )
  const remove = Effect.forEach(newFiles, ({ name }) => Effect.ignore(files.remove(name)), { discard: true })
  return yield* Effect.onExit(Effect.andThen(store, row), (exit) =>
    Exit.isFailure(exit) && isRefused(exit.cause) ? remove : Effect.void,
  )
})
