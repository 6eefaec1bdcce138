/**
 * What `npm test` prints: a line for each test file, every failure with its diagnostics, and the totals. tap's own
 * reporters redraw the terminal, which fills a log, and break on some failures.
 */
import { Transform } from "node:stream"
import { TapReader } from "./tap-results.mjs"

/** @param {number} number @param {string} word */
const some = (number, word) => (number === 0 ? [] : [`${number} ${word}`])

export default class Reporter extends Transform {
  #rest = ""
  #began = Date.now()
  #reader = new TapReader({
    onFailure: ({ path, diagnostics }) => {
      const lines = diagnostics.map((line) => `    ${line}`)
      this.push([`not ok  ${path.join(" > ")}`, ...lines, ""].join("\n"))
    },
    onSuite: ({ name, depth, ok, time, skip, count }) => {
      if (depth > 0) return
      const parts = [
        ...some(count.passed, "passed"),
        ...some(count.failed, "failed"),
        ...some(count.skipped, "skipped"),
      ]
      const outcome = skip === undefined ? parts.join(", ") : `skipped: ${skip}`
      this.push(`${ok ? "ok    " : "FAILED"}  ${name}  ${outcome}  ${time ?? ""}\n`)
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
    const seconds = ((Date.now() - this.#began) / 1000).toFixed(1)
    this.push(`passed: ${passed}, failed: ${failed}, skipped: ${skipped}, ${seconds} s\n`)
    done()
  }
}
