/**
 * The program as a next release may be: a copy of what was built, with a step of the tables, a kind of event that says that only
 * this version knows it, another body of a SQL function, and another version. For tests of upgrades.
 */
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Test } from "tap"
import { packageFile } from "../../../src/db/package-root.ts"
import type { Sql } from "../../../src/db/sql/built-sql.ts"
import { newestVersion } from "../../../src/db/sql/migrations.ts"
import { createFolder } from "../../kit/test-database.ts"

export interface NextProgram {
  /** Its file that is run. */
  readonly main: string
  /** The newest step of its tables. */
  readonly version: number
}

/** Its rows are made where an administrator changes what new accounts are set to. */
const kind = '"realm_user_settings_defaults"'

const replaceOnce = (text: string, part: string, by: string): string => {
  if (text.split(part).length !== 2) throw new Error(`${part} does not stand once in the program`)
  return text.replace(part, by)
}

const rewrite = async (file: string, change: (text: string) => string) =>
  writeFile(file, change(await readFile(file, "utf8")))

export const makeNextProgram = async (t: Test): Promise<NextProgram> => {
  const root = await createFolder(t)
  await mkdir(join(root, "dist"))
  for (const name of ["dist/program", "dist/sql.json", "package.json"])
    await cp(packageFile(name), join(root, name), { recursive: true })
  for (const name of ["dist/page", "dist/docs", "node_modules"]) await symlink(packageFile(name), join(root, name))
  await rewrite(join(root, "package.json"), (text) => text.replace(/"version": "[^"]+"/, '"version": "99.0.0"'))
  let version = 0
  await rewrite(join(root, "dist/sql.json"), (text) => {
    const sql: Sql = JSON.parse(text)
    version = newestVersion(sql.migrations) + 1
    const steps = [
      ...sql.migrations.steps,
      {
        version,
        name: `${String(version).padStart(3, "0")}-next.sql`,
        sql: "alter table realm add column if not exists next text;",
      },
    ]
    const functions = sql.functions.map((file) =>
      file.name === "cluster.sql" ? { ...file, sql: `${file.sql}\n-- next`, digest: `next ${file.digest}` } : file,
    )
    return JSON.stringify({ migrations: { ...sql.migrations, steps }, functions })
  })
  await rewrite(join(root, "dist/program/features.js"), (text) =>
    replaceOnce(text, `type: ${kind},\n\tpayload`, `type: ${kind}, since: ${version},\n\tpayload`),
  )
  return { main: join(root, "dist/program/main.js"), version }
}
