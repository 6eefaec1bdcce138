/**
 * A copy of the compiled project in a temporary folder, in which one fault at a time is planted, until the process ends. What is
 * never changed is a link to the project. Programs that tests start are bundles, which were made before: no fault is in them.
 */
import { rmSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { readBuiltSql, type Sql } from "../../src/db/sql/built-sql.ts"
import { functionFile } from "../../src/db/sql/function-files.ts"
import { type Fault, isSql, plantedText, ranFile } from "./fault.ts"

const copied = ["dist", "src"]
/** What belongs to the checkout, and not to the project. */
const leftOut = [".git", ".tap"]
/** Made from the functions as they were: without it the first server makes one. */
const imageOfFunctions = join("dist", "pglite-image-testing.gz")

export class Copy {
  readonly root: string
  readonly #undo: Array<() => Promise<void>> = []

  private constructor(root: string) {
    this.root = root
  }

  static async make(project: string): Promise<Copy> {
    const root = await mkdtemp(join(tmpdir(), "planted-"))
    process.once("exit", () => rmSync(root, { recursive: true, force: true }))
    for (const name of await readdir(project)) {
      if (copied.includes(name)) await cp(join(project, name), join(root, name), { recursive: true })
      else if (!leftOut.includes(name)) await symlink(join(project, name), join(root, name))
    }
    return new Copy(root)
  }

  async plant(fault: Fault): Promise<void> {
    await this.#change(ranFile(fault), (text) => plantedText(text, fault))
    if (isSql(fault)) await this.#plantSql(fault)
  }

  /** Servers create the functions whose text is not the one that their database has: the planted one, too. */
  async #plantSql({ file }: Fault): Promise<void> {
    const name = basename(file)
    const planted = functionFile(name, await readFile(join(this.root, file), "utf8"))
    const built = await readBuiltSql()
    const functions = built.functions.map((each) => (each.name === name ? planted : each))
    if (!functions.includes(planted)) throw new Error(`${file} holds no functions`)
    const sql: Sql = { ...built, functions }
    await this.#change(join("dist", "sql.json"), () => JSON.stringify(sql))
    await rm(join(this.root, imageOfFunctions), { force: true })
  }

  async #change(file: string, edit: (text: string) => string): Promise<void> {
    const path = join(this.root, file)
    const before = await readFile(path, "utf8")
    const after = edit(before)
    this.#undo.push(() => writeFile(path, before))
    await writeFile(path, after)
  }

  /** Takes the fault out again. */
  async restore(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) await undo()
  }

  /** An empty folder for the temporary files of a run. */
  async temporaryFolder(): Promise<string> {
    const folder = join(this.root, "t")
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    return folder
  }
}
