/**
 * One of the processes of a test run. It takes the next file from the line that all processes of the run share, a folder that
 * scripts/test.mjs has made (PARLEY_TEST_LINE), runs its tests, and takes the next: a process costs two seconds and a database
 * one, so there are few. Each file is announced by a comment, `file: <path below test>`, and followed by one with what it has
 * asked for, by which the reporter and the final count (scripts/) tell them apart.
 */
import { closeSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { since, type Tally, tally } from "./tally.ts"
import { compiledFile } from "./test-files.ts"

const line = process.env["PARLEY_TEST_LINE"]
if (line === undefined) throw new Error("this file is run by npm test; for one file: npx tap dist/test/<path>.test.js")
const files = readFileSync(join(line, "files"), "utf8").split("\n")

/** Whether this process has the file now: the first to make its mark has. */
const isTaken = (index: number): boolean => {
  try {
    closeSync(openSync(join(line, String(index)), "wx"))
    return true
  } catch {
    return false
  }
}

const takeNext = (from: number): number | undefined => {
  for (let index = from; index < files.length; index++) if (isTaken(index)) return index
  return undefined
}

/** The longest file takes a third of it on a busy machine. One that waits for what never comes ends its process, and is named. */
const longestMilliseconds = 600_000

interface Running {
  readonly file: string
  readonly watch: NodeJS.Timeout
  readonly before: Tally
  readonly began: number
  readonly failed: number
}

/** Says at once how a file has ended; tap shows what a process prints when all of it has ended. */
const tell = ({ file, watch, before, began, failed }: Running): void => {
  clearTimeout(watch)
  t.comment(`tally: ${JSON.stringify(since(before))}`)
  const verdict = t.counts.fail > failed ? "FAILED" : "ok    "
  process.stderr.write(`${verdict}  ${file}  ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
}

/** The tests of a file are in line behind its import, and the next file's import behind these. */
const runNext = (from: number, previous?: Running): void =>
  void t.test("the next test file is imported", async (importing) => {
    if (previous !== undefined) tell(previous)
    const index = takeNext(from)
    if (index === undefined) return
    const file = files[index] ?? ""
    const watch = setTimeout(() => {
      process.stderr.write(`FAILED  ${file}  has not ended after ${longestMilliseconds / 1000} s\n`)
      process.exit(1)
    }, longestMilliseconds).unref()
    const running = { file, watch, before: tally(), began: performance.now(), failed: t.counts.fail }
    t.comment(`file: ${file}`)
    await importing.resolves(import(compiledFile(file)), file)
    runNext(index + 1, running)
  })

runNext(0)
