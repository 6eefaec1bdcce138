/** The folder for files belongs to one database: another is refused, whatever it would do there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import t from "tap"
import { namedFiles } from "../../../../src/chat/features.ts"
import { adoptFiles, requireOwnFiles } from "../../../../src/chat/ground/files/folder-mark.ts"
import { sweepFiles } from "../../../../src/chat/ground/files/sweep-files.ts"
import type { DatabaseConfig } from "../../../../src/config/config.ts"
import { markFile } from "../../../../src/config/folder-mark-file.ts"
import { Database } from "../../../../src/db/database.ts"
import { type DatabaseIdentity, identityOf } from "../../../../src/db/open/identity.ts"
import { openDatabase } from "../../../../src/db/open/open-database.ts"
import { createDatabase, createFolder, openLayer } from "../../../kit/test-database.ts"
import { storedFiles, uploaded } from "../../../kit/uploads.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const hour = 3600_000
const other = /^The files in \S+ belong to another database: .+ parley files adopt$/

const judge = (server: TestServer, folder: string, changed: Partial<DatabaseIdentity> = {}) =>
  server.run(
    Effect.gen(function* () {
      const database = yield* Database
      const identity = yield* identityOf(database, server.config.database, server.config.filesFolder)
      return yield* Effect.result(requireOwnFiles(folder, { ...identity, ...changed }, database, namedFiles))
    }),
  )
const refusalOf = (judged: Result.Result<boolean, { readonly message: string } | { readonly reason: string }>) =>
  Result.isFailure(judged) && "message" in judged.failure ? judged.failure.message : "none"

const put = (folder: string, name: string, age: number) => {
  const place = join(folder, ...name.split("/"))
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, "x")
  const at = (Date.now() - age) / 1000
  utimesSync(place, at, at)
}

/** Sweeps as the periodic job does, up to so many hours from now. */
const sweepFor = async (server: TestServer, hours: number) => {
  for (let at = 0; at <= hours; at += 6) await server.run(sweepFiles(namedFiles, Date.now() + at * hour))
}

t.test("two databases on one folder", async (t) => {
  const [first, second] = [await createDatabase(t), await createDatabase(t)]
  const [shared, apart] = [await createFolder(t), await createFolder(t)]
  const served = (database: DatabaseConfig, filesFolder: string, use: (server: TestServer) => Promise<void>) =>
    withServer(t, { config: { database, filesFolder } }, use)
  const uploadSome = async (server: TestServer, many: number) => {
    for (let n = 0; n < many; n++) await uploaded(server, "hamlet", { bytes: `file ${n}` })
  }
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== markFile)
      .map((entry) => join(entry.parentPath, entry.name))
  const nobody = async () => void t.fail("it serves")

  await served(first, shared, (server) => uploadSome(server, 8))
  const ofFirst = filesIn(shared)
  t.equal(ofFirst.length, 8)
  await t.rejects(served(second, shared, nobody), { message: other }, "another is refused at its start")
  t.same(filesIn(shared), ofFirst)

  await served(second, apart, async (server) => {
    await uploadSome(server, 3)
    await sweepFor(server, 40)
  })
  const ofSecond = filesIn(apart)
  t.equal(ofSecond.length, 3)
  await served(first, shared, (server) => sweepFor(server, 40))
  t.same([filesIn(shared), filesIn(apart)], [ofFirst, ofSecond], "after forty hours every file of both is there")

  const opened = await openLayer(t, openDatabase(second))
  const identity = await opened.run(identityOf(opened.database, second, shared))
  await opened.run(adoptFiles(shared, identity))
  await opened.close()
  await t.rejects(served(first, shared, nobody), { message: other }, "adopted by the other, it is the first's no more")
  await served(second, shared, (server) => sweepFor(server, 40))
  t.same(filesIn(shared), ofFirst, "the sweep of the other takes none: it would be all")
})

t.test("a copy of a database is another one, and one that was moved is not", (t) =>
  withServer(t, {}, async (server) => {
    const { filesFolder } = server.config
    const mark: DatabaseIdentity = JSON.parse(readFileSync(join(filesFolder, markFile), "utf8"))
    t.match(await judge(server, filesFolder), { success: true })
    const copy = /^The files in \S+ belong to the database of which this one is a copy: /
    const elsewhere = await judge(server, filesFolder, { kind: "postgres", place: "7/16384" })
    t.match(refusalOf(elsewhere), copy, "dumped, and restored elsewhere")
    const stays = await createFolder(t)
    const database = join(stays, "database")
    mkdirSync(join(database, "cluster"), { recursive: true })
    writeFileSync(join(database, "cluster", "PG_VERSION"), "17")
    writeFileSync(join(stays, markFile), JSON.stringify({ ...mark, kind: "pglite", place: "database" }))
    const moved = { kind: "pglite", place: "elsewhere" } as const
    t.match(refusalOf(await judge(server, stays, moved)), copy, "its old place has it still")
    rmSync(database, { recursive: true })
    t.match(await judge(server, stays, moved), { success: false }, "it is marked anew")
    writeFileSync(join(stays, markFile), "{}")
    t.match(refusalOf(await judge(server, stays)), /^The mark \S+ cannot be read/)
  }),
)

t.test("a folder without a mark is taken where its files are this database's", (t) =>
  withServer(t, {}, async (server) => {
    const { filesFolder } = server.config
    await uploaded(server, "hamlet")
    const mark = join(filesFolder, markFile)
    rmSync(mark)
    t.match(await judge(server, filesFolder), { success: false }, "they are named")
    await server.restart()
    t.ok(existsSync(mark), "a start marks it")
    const marked = readFileSync(mark, "utf8")
    writeFileSync(mark, "\0\0\0")
    await server.restart()
    t.equal(readFileSync(mark, "utf8"), marked, "what a power cut has left of one is none")
    rmSync(mark)
    const unnamed = "1/uploads/ab/ab00000000000000000000000000000000"
    put(filesFolder, unnamed, hour)
    t.match(await judge(server, filesFolder), { success: false }, "a leftover that was not swept yet")
    put(filesFolder, unnamed, 40 * hour)
    t.match(refusalOf(await judge(server, filesFolder)), /^The files in \S+ belong to no database that is known, /)
    const foreign = await createFolder(t)
    t.match(await judge(server, foreign), { success: false }, "there are none")
    const named = await Promise.all(namedFiles.map(({ isAnyNamed }) => server.run(isAnyNamed(server.database))))
    t.equal(named.filter((isAny) => isAny).length, 1, "what is uploaded is all that rows name")
    t.match(await judge(server, join(foreign, "none")), { success: false }, "nor is there a folder")
    put(foreign, unnamed, hour)
    t.match(refusalOf(await judge(server, foreign)), /no database that is known/, "nothing in it is named")
    put(foreign, "7/uploads/ab/ab00000000000000000000000000000000", hour)
    rmSync(join(foreign, "1"), { recursive: true })
    t.match(refusalOf(await judge(server, foreign)), /no database that is known/, "of an organization that is not here")
  }),
)

t.test("what no row names is put away for a week, unless it is more than half", (t) =>
  withServer(t, {}, async (server) => {
    const { filesFolder } = server.config
    for (let n = 0; n < 3; n++) await uploaded(server, "hamlet", { bytes: `kept ${n}` })
    const names = ["0", "1", "2", "3"].map((n) => `1/uploads/ab/ab${n.repeat(30)}`)
    for (const name of names) put(filesFolder, name, 0)
    const sweep = (time: number) => server.run(sweepFiles(namedFiles, time))
    const now = Date.now()
    await sweep(now + 25 * hour)
    t.equal(storedFiles(server).length, 7, "four of seven are too many to be leftovers")
    rmSync(join(filesFolder, ...(names[3] ?? "").split("/")))
    await sweep(now + 25 * hour)
    t.equal(storedFiles(server).length, 3)
    const day = new Date(now + 25 * hour).toISOString().slice(0, 10)
    const away = () => names.filter((name) => existsSync(join(filesFolder, ".trash", day, ...name.split("/"))))
    t.equal(away().length, 3)
    await sweep(now + 25 * hour + 7 * 24 * hour)
    t.equal(away().length, 3, "a week")
    await sweep(now + 25 * hour + 8 * 24 * hour)
    t.equal(away().length, 0)
    t.equal(storedFiles(server).length, 3)
  }),
)
