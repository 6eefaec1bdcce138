/**
 * One mistake of a developer: a line of the program that is replaced, in a copy of what the compiler wrote or of a file of SQL.
 * The tests must find it.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface Fault {
  /** What the program does wrong with it. */
  readonly name: string
  /** The source, from the project's root. */
  readonly file: string
  /** A part of one line, as it stands once in the compiled file, or in the file of SQL. */
  readonly find: string
  readonly replace: string
}

export const isSql = ({ file }: Pick<Fault, "file">): boolean => file.endsWith(".sql")

/** The file that is run: SQL has no other than its source. */
export const ranFile = (fault: Pick<Fault, "file">): string =>
  isSql(fault) ? fault.file : join("dist", fault.file.replace(/\.ts$/, ".js"))

/** Where the line is in the text of its file. Throws where it is not there once. */
export const placeIn = (text: string, { name, find, replace }: Fault): number => {
  const at = text.indexOf(find)
  if (at < 0) throw new Error(`"${name}": its line is not there any more: ${find}`)
  if (text.includes(find, at + 1)) throw new Error(`"${name}": its line is there more than once: ${find}`)
  if (find.includes("\n") || replace.includes("\n") || find === replace)
    throw new Error(`"${name}" does not replace one line by another`)
  return at
}

export const plantedText = (text: string, fault: Fault): string => {
  const at = placeIn(text, fault)
  return text.slice(0, at) + fault.replace + text.slice(at + fault.find.length)
}

export const readRan = (root: string, fault: Fault): string => readFileSync(join(root, ranFile(fault)), "utf8")

/** What is wrong with a list of faults; nothing where each can be planted. */
export const complaintsOf = (root: string, faults: ReadonlyArray<Fault>): ReadonlyArray<string> =>
  faults.flatMap((fault, index) => {
    if (faults.findIndex(({ name }) => name === fault.name) !== index) return [`two faults are called "${fault.name}"`]
    try {
      placeIn(readRan(root, fault), fault)
      return []
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  })
