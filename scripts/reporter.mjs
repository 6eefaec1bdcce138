/**
 * Prints the results of `npm test`: a line for each test file and each process, every failure with its diagnostics, and
 * the totals. tap's own reporters redraw the terminal, which fills a log, and break on some failures.
 */
import { Transform } from "node:stream"
import { fileURLToPath } from "node:url"
import { TapReader } from "./tap-results.mjs"

/** The same as the tests', which find it out in the same way. @type {typeof import("../test/kit/share.ts")} */
const { seed } = await import(fileURLToPath(new URL("../dist/test/kit/share.js", import.meta.url)))

/** @param {number} number @param {string} word */
const some = (number, word) => (number === 0 ? [] : [`${number} ${word}`])

/** @param {import("./tap-results.mjs").Count} count */
const describe = (count) =>
  [...some(count.passed, "passed"), ...some(count.failed, "failed"), ...some(count.skipped, "skipped")].join(", ")

/** @param {number} ms */
const inSeconds = (ms) => `${(ms / 1000).toFixed(1)} s`

export default class Reporter extends Transform {
  #rest = ""
  #began = Date.now()
  #reader = new TapReader({
    onFailure: ({ path, diagnostics }) => {
      const lines = diagnostics.map((line) => `    ${line}`)
      this.push([`not ok  ${path.join(" > ")}`, ...lines, `    PARLEY_SEED=${seed}`, ""].join("\n"))
    },
    onSuite: ({ name, depth, ok, time, skip, count, files }) => {
      if (depth > 0) return
      for (const file of files)
        if (file.count.failed > 0) this.push(`        ${file.name}  ${describe(file.count)}  ${inSeconds(file.ms)}\n`)
      const outcome = skip === undefined ? describe(count) : `skipped: ${skip}`
      this.push(`${ok ? "ok    " : "FAILED"}  ${name}  ${outcome}  ${inSeconds(Number.parseFloat(time ?? "0"))}\n`)
    },
  })

  /** @override @param {Buffer | string} chunk @param {BufferEncoding} _encoding @param {() => void} done */
  _transform(chunk, _encoding, done) {
    const lines = `${this.#rest}${chunk}`.split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) this.#reader.read(line)
    done()
  }

  /** @override @param {() => void} done */
  _flush(done) {
    this.#reader.read(this.#rest)
    const { passed, failed, skipped } = this.#reader.end().count
    const took = inSeconds(Date.now() - this.#began)
    this.push(`passed: ${passed}, failed: ${failed}, skipped: ${skipped}, ${took}\n`)
    done()
  }
}
