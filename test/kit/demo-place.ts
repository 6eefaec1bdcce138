/**
 * Folders and databases in which the program has been started in development mode and has ended again, for tests that are
 * not about a first start: with the demo organization that is to be made it takes twice the processor time of any other.
 * It is done once in a process, and copied for each test.
 */
import { writeFileSync } from "node:fs"
import { cp, rm } from "node:fs/promises"
import { join } from "node:path"
import tap, { type Test } from "tap"
import { markFile } from "../../src/config/folder-mark-file.ts"
import { Program } from "./program.ts"
import { adminUrl, createFolder, createPostgresDatabase } from "./test-database.ts"

/** That of each copy: it is kept in the folder, where a server without a given secret finds it. */
export const demoSecret = "a secret for this test only, and long enough"

export interface DemoPlace {
  readonly folder: string
  /** On PostgreSQL; undefined: the database is in the folder. */
  readonly databaseUrl: string | undefined
}

/** The flags by which the program finds a place. */
export const placeFlags = ({ folder, databaseUrl }: DemoPlace): ReadonlyArray<string> => [
  ...["--data-dir", folder],
  ...(databaseUrl === undefined ? [] : ["--database-url", databaseUrl]),
]

const makeDemo = async (): Promise<DemoPlace> => {
  const place: DemoPlace = {
    folder: await createFolder(tap),
    databaseUrl: adminUrl === undefined ? undefined : await createPostgresDatabase(tap, adminUrl),
  }
  writeFileSync(join(place.folder, "secret"), `${demoSecret}\n`)
  const program = new Program(tap, ["--port", "0", ...placeFlags(place)])
  await program.listens()
  program.signal("SIGTERM")
  const { code } = await program.ended
  if (code !== 0) throw new Error(`the demo organization could not be made: ${program.err}`)
  return place
}

let made: Promise<DemoPlace> | undefined

/** A copy, on the database of this run or in the folder, until the test ends. */
export const copyDemo = async (t: Test): Promise<DemoPlace> => {
  made ??= makeDemo()
  const demo = await made
  const folder = await createFolder(t)
  await cp(demo.folder, folder, { recursive: true })
  if (adminUrl === undefined || demo.databaseUrl === undefined) return { folder, databaseUrl: undefined }
  // The mark is that of the database that was copied (chat/ground/files/folder-mark.ts).
  await rm(join(folder, "files", markFile), { force: true })
  const template = new URL(demo.databaseUrl).pathname.slice(1)
  return { folder, databaseUrl: await createPostgresDatabase(t, adminUrl, template) }
}

/** As `makeFlags`, for a copy. */
export const makeDemoFlags = async (t: Test): Promise<(port: number) => ReadonlyArray<string>> => {
  const place = await copyDemo(t)
  return (port) => ["--port", String(port), ...placeFlags(place)]
}
