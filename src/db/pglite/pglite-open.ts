/**
 * Opens PGlite on a folder the way the whole program wants it. Values arrive as they do from PostgreSQL through
 * postgres.js: int8 is a number, json is parsed, arrays and numeric stay text; parameters are text already. Called in
 * PGlite's own thread and by the maker of the image.
 */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { syncTree } from "../disk/sync.ts"
import { SyncedFiles } from "../disk/synced-files.ts"

/** Every runtime has it; its types come with those of browsers only. */
declare global {
  namespace WebAssembly {
    class Module {
      constructor(bytes: Uint8Array)
    }
  }
}

const int8 = 20

/**
 * Zeroing each new WAL segment cost a p99 of 47 ms instead of 15. Pages are kept by the system, too: with 128 MB of buffers
 * of its own the process took 110 MB more from its start, and nothing was faster.
 */
const startParams = [...PGlite.defaultStartParams, "-c", "wal_init_zero=off", "-c", "shared_buffers=32MB"]

/** `-F` is no fsync. Of PostgreSQL's ways to sync its log only this one reaches the file system. */
const syncedParams = [...startParams.filter((parameter) => parameter !== "-F"), "-c", "wal_sync_method=fsync"]

/**
 * Work of a WebAssembly function, in about so many bytes of code that were run, after which V8 compiles it anew with its
 * optimizing compiler. With V8's own number (1.8 million in Node 20) hundreds of functions are during a start, which takes
 * a second of the processor; those that statements really use are after some 1,500 sends with this one, too.
 */
const optimizedAfter = 60_000_000

/**
 * Compiled at once: the asynchronous way, which PGlite would take, blocks this thread's loop for 100-150 ms when the
 * database is open already.
 */
export const compilePglite = (): WebAssembly.Module => {
  setFlagsFromString(`--wasm-tiering-budget=${optimizedAfter}`)
  return new WebAssembly.Module(readFileSync(new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite"))))
}

/**
 * `folder` is created, with a new cluster in it, where there is none; that takes 3-4 s. With `sync` a commit is on the
 * disk before it is answered, and a sync that fails ends the instance.
 */
export const openPglite = async (folder: string, sync: boolean, compiled = compilePglite()): Promise<PGlite> => {
  // PostgreSQL's lock, which it removes at its end. Where it is left, the last instance was killed, and may have written
  // what it had not synced yet. A kill or power cut may even leave it empty, and then no start would ever succeed;
  // folder-lock.ts has a better one.
  const lock = join(folder, "postmaster.pid")
  if (sync && existsSync(lock)) await syncTree(folder)
  rmSync(lock, { force: true })
  const database = await PGlite.create({
    fs: sync ? new SyncedFiles(folder) : new NodeFS(folder),
    pgliteWasmModule: compiled,
    startParams: sync ? syncedParams : startParams,
    // Segments of 4 MB instead of 16: most of a fresh folder would be an empty segment.
    initDbStartParams: ["--wal-segsize=4"],
    parsers: { [int8]: Number },
  })
  // PGlite knows every array type after its start, postgres.js none: neither may parse them.
  const arrays = await database.query<{ oid: number }>("select oid from pg_type where typcategory = 'A'")
  for (const { oid } of arrays.rows) delete database.parsers[oid]
  for (const oid of Object.keys(database.serializers)) delete database.serializers[oid]
  return database
}
