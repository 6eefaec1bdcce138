/**
 * Run by run.ts in a process of its own: runs the test files of PARLEY_PLANTED_FILES, one after the other, and says by comments where
 * it is. With PARLEY_PLANTED_PLACES, which names them, it says after each file which places of the program it ran through.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import t from "tap"
import { Coverage } from "./coverage.ts"

const tests = fileURLToPath(new URL("..", import.meta.url))
// Not by arguments: tap names folders of tests by these.
const files = (process.env["PARLEY_PLANTED_FILES"] ?? "").split(",")
const places = process.env["PARLEY_PLANTED_PLACES"]
const coverage = places === undefined ? null : await Coverage.begin(places)

const say = (text: string): void => void process.stdout.write(`\n# ${text}\n`)

/** tap ends with the last test that is in line, so the next file is in line before a test is over. */
const runNext = (): void => {
  const file = files.shift()
  if (file === undefined) return
  say(`file: ${file}`)
  t.test(`${file} is imported`, async () => {
    await import(join(tests, file))
    t.test(`the end of ${file}`, async () => {
      if (coverage !== null) say(`reached: ${JSON.stringify(await coverage.take())}`)
      say(`over: ${file}`)
      runNext()
    })
  })
}

runNext()
