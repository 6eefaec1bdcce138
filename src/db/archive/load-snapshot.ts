/**
 * Fills an empty database with rows of a snapshot, in one transaction: a process that is killed before `finish` has
 * committed leaves it empty. Every statement looks whether it is still in that transaction, because a connection that was
 * lost is opened again and would do it outside. The database is opened with `isForTransaction`. Rows of an older version are put into tables of that
 * version, which are made in the transaction; what brings databases up to date at a start (migrate.ts) then does so with them.
 */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { Unavailable } from "../../api/errors.ts"
import type { DatabaseShape } from "../database.ts"
import { DatabaseUnusable } from "../open-failures.ts"
import { newEpoch } from "../server-state.ts"
import { olderScript } from "../sql/migrate.ts"
import { type Migrations, newestVersion } from "../sql/migrations.ts"
import { Scripts } from "../statement.ts"
import { archiveQueryOf } from "./archive-query.ts"
import { addRowsSql, filledSql, findTables, inOrderOf, requireSame, setCounterSql } from "./catalog-tables.ts"
import type { SnapshotContents } from "./snapshot.ts"

const marker = "parley.restore"
const isInside = `current_setting('${marker}', true) = $2`

export interface SnapshotLoad {
  /** `rows`: texts in JSON, as a snapshot reads them. */
  readonly add: (table: string, rows: ReadonlyArray<string>) => Effect.Effect<void, Unavailable | DatabaseUnusable>
  /** Ends the transaction. From now on every log has a new past: no queue of before is known. */
  readonly finish: Effect.Effect<void, Unavailable>
}

const outside = new Unavailable({ reason: "the connection was lost, and the transaction with it" })

/** For a script, which has no parameters: it ends there. */
const requireInside = (transaction: string): string =>
  `do $$ begin
     if current_setting('${marker}', true) is distinct from '${transaction}' then raise exception '${outside.reason}'; end if;
   end $$;`

/** After a commit that may have been done. */
const unsure = ({ reason }: Unavailable) =>
  new Unavailable({
    reason: `${reason}; whether the rows are in is not known: run the restore again, which says that the database is not empty if they are`,
  })

/** Tables of the version of a backup, in place of the newest ones. */
const makeOlder = (migrations: Migrations, version: number, transaction: string) =>
  Scripts.use((scripts) => scripts.run(`${requireInside(transaction)}\n${olderScript(migrations, version)}`)).pipe(
    Effect.catchTag(["Uncertain", "Rejected"], ({ reason }) => Effect.fail(new Unavailable({ reason }))),
  )

export const beginSnapshotLoad = Effect.fnUntraced(function* (
  database: DatabaseShape,
  migrations: Migrations,
  contents: SnapshotContents,
  /** Which database it is, as the folder for files says by now: tables of an older version are made without that. */
  identity: string,
): Effect.fn.Return<SnapshotLoad, Unavailable | DatabaseUnusable, Scripts> {
  const ask = archiveQueryOf(database)
  const transaction = randomUUID()

  yield* ask("begin")
  yield* ask("set local idle_in_transaction_session_timeout = 0")
  yield* ask(`select set_config('${marker}', $1, true)`, [transaction])
  const [found] = yield* ask(filledSql(yield* findTables(ask)))
  const filled = String(found?.["filled"] ?? "")
  if (filled !== "")
    return yield* new DatabaseUnusable({
      message: `The database is not empty (there are rows in ${filled}): a backup is restored into an empty one`,
    })

  if (contents.version < newestVersion(migrations)) yield* makeOlder(migrations, contents.version, transaction)
  const present = yield* findTables(ask)
  yield* requireSame(contents.tables, present)
  // A table that was altered over the years has its columns in another order than one that was made with them.
  const tables = new Map(present.map((table) => [table.name, inOrderOf(table, contents.tables)]))

  const add: SnapshotLoad["add"] = Effect.fnUntraced(function* (name, rows) {
    const table = tables.get(name)
    if (table === undefined) return yield* new DatabaseUnusable({ message: `The backup has rows of no table: ${name}` })
    const [answer] = yield* ask(addRowsSql(table, isInside), [`[${rows.join(",")}]`, transaction])
    if (answer?.["rows"] !== rows.length) return yield* outside
  })

  const finish = Effect.gen(function* () {
    yield* ask("alter table server_state add column if not exists id uuid")
    const [state] = yield* ask(
      `update server_state set ran_for = $1::bigint, secret_fingerprint = $3, trust = '', id = $4::uuid
        where ${isInside} returning one`,
      [contents.ranFor, transaction, contents.secretFingerprint, identity],
    )
    if (state === undefined) return yield* outside
    for (const { id } of contents.realms) yield* ask("update realm set epoch = $1 where id = $2", [newEpoch(), id])
    for (const { table, column, next } of contents.counters) yield* ask(setCounterSql, [table, column, next])
    yield* Effect.mapError(ask("commit"), unsure)
    // Without the transaction a commit says nothing, too.
    const [row] = yield* Effect.mapError(ask("select count(*)::int as realms from realm"), unsure)
    if (row?.["realms"] !== contents.realms.length) return yield* outside
  })
  return { add, finish }
})
