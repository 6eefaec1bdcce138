/**
 * A process says that it serves a database together with others: only where it has the same secret, because keys come from it,
 * and the same folder for files, because each finds there what another has put. Called by app.ts when the folder is known to
 * belong to this database, before anything is served.
 */
import { existsSync } from "node:fs"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Unavailable } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { markFile } from "../../../config/folder-mark-file.ts"
import type { Cluster, Process } from "../../../db/cluster.ts"
import { Database } from "../../../db/database.ts"
import { oneLine } from "../../../db/one-line.ts"
import { DatabaseUnusable } from "../../../db/open-failures.ts"
import { packageVersion } from "../../../db/package-root.ts"
import { claimFingerprint } from "../../../db/secret-fingerprint.ts"

const processFile = (id: string): string => `${markFile}.process-${id}`

const refused = (message: string) => new DatabaseUnusable({ message })

/**
 * A file that the others find in the folder, if theirs is the same one. It goes with the scope, but where the database cannot be
 * told that this process has ended: as long as others take it for one that lives, they look for its file.
 */
const putFile = (folder: string, { process: id, leave }: Cluster) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeFile(join(folder, processFile(id)), "", { mode: 0o600 })
      },
      catch: (error) => refused(`The folder for files ${folder} cannot be used: ${oneLine(error)}`),
    }),
    () =>
      Effect.flatMap(leave, (isTold) =>
        isTold ? Effect.promise(() => rm(join(folder, processFile(id)), { force: true })) : Effect.void,
      ),
  )

/** Those of processes that have ended without a word go. */
const requireShared = (folder: string, processes: ReadonlyArray<Process>) =>
  Effect.gen(function* () {
    const apart = processes.find(({ id }) => !existsSync(join(folder, processFile(id))))
    if (apart !== undefined)
      return yield* refused(
        `The folder for files ${folder} is not that of the process at ${apart.address}: all need one that they share (PARLEY_FILES_DIR)`,
      )
    const living = new Set(processes.map(({ id }) => processFile(id)))
    const left = yield* Effect.promise(() => readdir(folder))
    for (const name of left)
      if (name.startsWith(processFile("")) && !living.has(name))
        yield* Effect.promise(() => rm(join(folder, name), { force: true }))
  })

/** Does nothing for a process that is alone. */
export const joinCluster: Effect.Effect<void, Unavailable | DatabaseUnusable, Config | Database | Scope.Scope> =
  Effect.gen(function* () {
    const database = yield* Database
    const { cluster } = database
    if (cluster === undefined) return
    const { secret, filesFolder, port, processes: own } = yield* Config
    const secretFingerprint = yield* claimFingerprint(database, secret, cluster.othersAtStart > 0)
    if (secretFingerprint === null)
      return yield* refused(
        "The secret is not that of the processes that serve this database: set PARLEY_SECRET as for them",
      )
    yield* putFile(filesFolder, cluster)
    const address = `${hostname()}:${port}${own?.child == null ? "" : ` (${own.child})`}`
    const processes = yield* cluster.begin({ address, program: packageVersion(), secretFingerprint })
    yield* requireShared(filesFolder, processes)
  })
