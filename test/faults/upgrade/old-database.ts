/** Databases as older programs have left them, whose migrations stop where a test wants it. */
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Test } from "tap"
import { makeFolderFiles } from "../../../src/chat/ground/files/folder-files.ts"
import { ArchiveReader } from "../../../src/command-line/backup/archive-reader.ts"
import { beginSnapshotLoad } from "../../../src/db/archive/load-snapshot.ts"
import { openDatabase, openMigratedDatabase, openToRead } from "../../../src/db/open/open-database.ts"
import { olderScript } from "../../../src/db/sql/migrate.ts"
import { type Migrations, readMigrations } from "../../../src/db/sql/migrations.ts"
import { makePlace, type Place } from "../../command-line/backup/places.ts"
import { openLayer, until } from "../../kit/test-database.ts"

type Opened = Awaited<ReturnType<typeof openLayer>>

/** Rows of an archive in tables of its version, as a restore has them before it brings them up to date. */
export const fromArchive = (file: string) => async (opened: Opened, migrations: Migrations, place: Place) => {
  const reader = new ArchiveReader(file)
  const { contents } = await reader.heading()
  const loading = await opened.run(beginSnapshotLoad(opened.database, migrations, contents, randomUUID()))
  const files = makeFolderFiles(place.settings().filesFolder, false)
  for await (const entry of reader.entries()) {
    if (entry.kind === "rows") await opened.run(loading.add(entry.table, entry.rows))
    if (entry.kind === "file") await opened.run(Effect.orDie(files.receive(entry.name, entry.parts)))
  }
  reader.close()
  await opened.run(loading.finish)
}

/** The tables of a version, with these rows. */
export const fromSql = (version: number, rows: string) => async (opened: Opened, migrations: Migrations) =>
  opened.script(`${olderScript(migrations, version)}\n${rows}`)

/**
 * A step stops when all of it but the row that records it is done, as long as it is named: by a file beside an embedded
 * database, which nobody else can have open, and by a row in PostgreSQL. A file says that it has stopped, too.
 */
const stops = {
  pglite: `if (pg_stat_file('stop-' || v_step, true)).size is not null then
      execute format('copy (select 1) to %L', current_setting('data_directory') || '/stopped');
      loop perform pg_sleep(1); end loop;
    end if;`,
  postgres: `while exists (select 1 from stops.step where name = v_step) loop perform pg_sleep(0.02); end loop;`,
}

const stopping = (kind: Place["kind"]): string => `
  create schema stops;
  create table stops.step (name text not null);
  create function stops.stop() returns trigger language plpgsql as $$
    declare v_step text := coalesce(to_jsonb(new) ->> 'version', 'functions');
  begin
    ${stops[kind]}
    return new;
  end $$;
  create trigger stop before insert on schema_migrations for each row execute function stops.stop();
  create trigger stop before insert on schema_functions for each row execute function stops.stop();`

const stoppedSql = `select pid from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and wait_event = 'PgSleep'`
const waitingSql = `select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`

const messagesSql = "select to_jsonb(m) as row from message m order by id"

/** Generous: a start takes a second on an idle machine. */
const patienceMilliseconds = 180_000

/** `further`: what is done after it is filled, in SQL. */
export const makeOld = async (
  t: Test,
  fill: (opened: Opened, migrations: Migrations, place: Place) => Promise<void>,
  further = "",
) => {
  const place = await makePlace(t)
  const opened = await openLayer(t, openMigratedDatabase(place.config, [], { isForTransaction: true }))
  await fill(opened, await readMigrations(), place)
  await opened.script(`${stopping(place.kind)}\n${further}`)
  const messages = await opened.query(messagesSql)
  await opened.close()

  const beside = place.config.kind === "postgres" ? await openLayer(t, openToRead(place.config)) : null
  const cluster = join(place.folder, "database", "cluster")

  const stopAt = async (step: string): Promise<void> => {
    if (beside === null) await writeFile(join(cluster, `stop-${step}`), "")
    else await beside.query("insert into stops.step values ($1)", [step])
  }
  const hasStopped = async (): Promise<boolean> =>
    beside === null ? existsSync(join(cluster, "stopped")) : (await beside.query(stoppedSql)).length > 0
  const goOn = async (step: string): Promise<void> => {
    await rm(join(cluster, `stop-${step}`), { force: true })
    await rm(join(cluster, "stopped"), { force: true })
    await beside?.query("delete from stops.step where name = $1", [step])
  }

  /** Starts the program, and kills it in the middle of a step: a version, or `functions`. */
  const killIn = async (step: string, args: ReadonlyArray<string>): Promise<void> => {
    await stopAt(step)
    const program = place.start(args)
    await until(`it is in the middle of step ${step}`, patienceMilliseconds, async () => {
      if (!program.isRunning) throw new Error(`it ended before: ${program.err}`)
      return hasStopped()
    })
    await program.kill()
  }

  /** What a killed program has begun is undone: PostgreSQL goes on with it else. */
  const undo = async (step: string): Promise<void> => {
    await beside?.query(`select pg_terminate_backend(pid) from (${stoppedSql}) as stopped`)
    await until("it is undone", patienceMilliseconds, async () => beside === null || !(await hasStopped()))
    await goOn(step)
  }

  /** Runs a command while PostgreSQL still has the step of the killed program under way, which ends then. */
  const runBeside = async (step: string, args: ReadonlyArray<string>) => {
    if (beside === null) throw new Error("the embedded database ends with its program")
    const program = place.start(args)
    await until("it waits for the step", patienceMilliseconds, async () => {
      if (!program.isRunning) throw new Error(`it ended before: ${program.err}`)
      return (await beside.query(waitingSql)).length > 0
    })
    await goOn(step)
    const { code } = await program.ended
    return { code, out: program.out, err: program.err }
  }

  /** Leaves nothing of what the test has brought into it; answers what it is now. */
  const tidy = async () => {
    await beside?.close()
    const last = await openLayer(t, openDatabase(place.config))
    await last.script("drop schema stops cascade")
    const [now] = await last.query("select max(version) as version, (select epoch from realm) from schema_migrations")
    const found = await last.query(messagesSql)
    await last.close()
    return { version: now?.["version"], epoch: String(now?.["epoch"]), messages: found }
  }
  return { place, messages, killIn, undo, runBeside, tidy }
}

export type Old = Awaited<ReturnType<typeof makeOld>>
