/**
 * Why a database cannot be served at all. Both end the program at its start (exit 2) with `message`, which is one line
 * for the operator and never holds a password.
 */
import * as Data from "effect/Data"

/** Another server holds this database, or this data folder. */
export class DatabaseHeld extends Data.TaggedError("DatabaseHeld")<{ readonly message: string }> {}

/** Unreachable at the start, refused our name or password, too old, damaged, or made by a newer program. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{ readonly message: string }> {}
