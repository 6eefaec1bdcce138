/**
 * Which test files run through the lines of the faults, and how long each file takes: found out once for what was compiled, and
 * kept in .tap. Only asked for faults that the tests beside them do not find.
 */
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Copy } from "./copy.ts"
import type { Place } from "./coverage.ts"
import { type Fault, isSql, placeIn, ranFile, readRan } from "./fault.ts"
import { type FileResult, runFiles } from "./run.ts"
import { type Duration, guessedDuration, testFiles } from "./test-files.ts"

interface Measured {
  readonly seconds: Readonly<Record<string, number>>
  /** By the place of a fault. */
  readonly reached: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Test files of one process while they are measured. */
const perProcess = 25

const digestOf = async (project: string): Promise<string> => {
  const digest = createHash("sha256")
  for (const folder of ["dist/src", "dist/test"]) {
    const names = await readdir(join(project, folder), { recursive: true })
    // Which faults are looked for is in the keys of what is kept.
    for (const name of names.filter((each) => each.endsWith(".js") && !each.startsWith("planted/")).sort())
      digest.update(await readFile(join(project, folder, name)))
  }
  return digest
    .update(await readFile(join(project, "dist", "sql.json")))
    .digest("hex")
    .slice(0, 16)
}

const keyOf = ({ file, find }: Fault): string => `${file}: ${find}`

export class Reach {
  readonly #folder: string
  readonly #name: string
  readonly #faults: ReadonlyArray<Fault>
  #measured: Measured | null

  private constructor(folder: string, name: string, faults: ReadonlyArray<Fault>, measured: Measured | null) {
    this.#folder = folder
    this.#name = name
    this.#faults = faults
    this.#measured = measured
  }

  static async open(project: string, faults: ReadonlyArray<Fault>): Promise<Reach> {
    const folder = join(project, ".tap")
    const name = `planted-${await digestOf(project)}.json`
    const kept = await readFile(join(folder, name), "utf8").catch(() => null)
    const measured: Measured | null = kept === null ? null : JSON.parse(kept)
    const knows = measured !== null && faults.every((fault) => isSql(fault) || keyOf(fault) in measured.reached)
    return new Reach(folder, name, faults, knows ? measured : null)
  }

  get isMeasured(): boolean {
    return this.#measured !== null
  }

  readonly duration: Duration = (file) => this.#measured?.seconds[file] ?? guessedDuration(file)

  /**
   * Those that failed as they were measured may do so as well. Undefined where nobody knows: of SQL, of code in other threads,
   * and of what runs as a module is imported.
   */
  of(fault: Fault): ReadonlySet<string> | undefined {
    const { reached = {}, seconds = {} } = this.#measured ?? {}
    const files = reached[keyOf(fault)] ?? []
    return files.length === 0 ? undefined : new Set([...files, ...testFiles.filter((file) => !(file in seconds))])
  }

  /** `onFailure` hears of files that fail though nothing is planted: what they ran through is not known. */
  async measure(
    copies: ReadonlyArray<Copy>,
    options: { readonly seed: number; readonly limit: number },
    onFailure: (result: FileResult) => void,
  ): Promise<void> {
    const seconds: Record<string, number> = {}
    const reached: Record<string, Array<string>> = {}
    for (const fault of this.#faults) reached[keyOf(fault)] = []
    const keep = (result: FileResult) => {
      if (result.failure !== null) return onFailure(result)
      seconds[result.file] = result.seconds
      for (const name of result.reached) reached[name]?.push(result.file)
    }
    const line = Array.from({ length: Math.ceil(testFiles.length / perProcess) }, (_, index) =>
      testFiles.slice(index * perProcess, (index + 1) * perProcess),
    )
    await Promise.all(
      copies.map(async (copy) => {
        const places = join(copy.root, "places.json")
        await writeFile(places, JSON.stringify(this.#placesIn(copy.root)))
        for (let files = line.shift(); files !== undefined; files = line.shift()) {
          let last = ""
          await runFiles(copy, files, { ...options, places }, (result) => {
            last = result.file
            keep(result)
          })
          // What comes behind a failure has not run.
          const left = files.slice(files.indexOf(last) + 1)
          if (left.length > 0) line.push(left)
        }
      }),
    )
    this.#measured = { seconds, reached }
    await this.#save()
  }

  #placesIn(root: string): ReadonlyArray<Place> {
    return this.#faults
      .filter((fault) => !isSql(fault))
      .map((fault) => ({
        name: keyOf(fault),
        path: join(root, ranFile(fault)),
        at: placeIn(readRan(root, fault), fault),
      }))
  }

  async #save(): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    for (const name of await readdir(this.#folder)) if (name.startsWith("planted-")) await rm(join(this.#folder, name))
    await writeFile(join(this.#folder, this.#name), JSON.stringify(this.#measured))
  }
}
