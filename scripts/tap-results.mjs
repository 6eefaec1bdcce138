/**
 * Reads TAP line by line, as tap writes it: subtests indented by four spaces, each closed by a point of its parent.
 * Counts single assertions; a subtest counts only if it failed and none of its assertions did (a broken plan, a
 * time-out). A comment `file: <name>` says from which file the tests after it are, `tally: <JSON>` what they have asked for. Used
 * by the reporter (reporter.mjs), what starts runs (test.mjs) and the final count (count-tests.mjs).
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Count `skipped` includes what is marked as to do.
 * @typedef {{ name: string, points: number, ms: number, count: Count, tally?: import("../test/suites/tally.ts").Tally }} TestFile `points`: its tests.
 * @typedef {{ name: string, points: number, plan: number | undefined, planComment: string, count: Count, files: TestFile[] }} Level
 * @typedef {{ path: string[], diagnostics: string[] }} Failure
 * @typedef {{ name: string, depth: number, ok: boolean, time: string | undefined, skip: string | undefined, count: Count, files: TestFile[] }} Suite
 */

const pointPattern = /^((?: {4})*)(not )?ok\b(?: \d+)?(?: -)? ?(.*?)(?: # time=(\S+))?$/
const planPattern = /^((?: {4})*)1\.\.(\d+)(?: # ?(.*))?$/
const filePattern = /^((?: {4})*)# file: (.*)$/
const tallyPattern = /^((?: {4})*)# tally: (.*)$/
const subtestPattern = /^((?: {4})*)# Subtest: (.*)$/
const directivePattern = /(?<!\\)# ?(SKIP|TODO)\S* ?(.*)$/i

const noCount = () => ({ passed: 0, failed: 0, skipped: 0 })

/** @param {string} name @returns {Level} */
const emptyLevel = (name) => ({ name, points: 0, plan: undefined, planComment: "", count: noCount(), files: [] })

/** @param {Count} sum @param {Count} count */
const addTo = (sum, count) => {
  sum.passed += count.passed
  sum.failed += count.failed
  sum.skipped += count.skipped
}

export class TapReader {
  /** The open subtests, outermost first; the first stands for the whole stream. */
  #levels = [emptyLevel("")]
  /** @type {{ end: string, lines: string[] } | undefined} */
  #diagnostics
  /** @type {Failure | undefined} */
  #failure
  #bailedOut = false
  #onFailure
  #onSuite

  /** @param {{ onFailure?: (failure: Failure) => void, onSuite?: (suite: Suite) => void }} listeners */
  constructor({ onFailure = () => {}, onSuite = () => {} } = {}) {
    this.#onFailure = onFailure
    this.#onSuite = onSuite
  }

  /** @param {string} line without its line end */
  read(line) {
    if (this.#diagnostics !== undefined) return this.#readDiagnostics(this.#diagnostics, line)
    const block = /^( +)---$/.exec(line)
    if (block !== null) {
      this.#diagnostics = { end: `${block[1]}...`, lines: [] }
      return
    }
    const subtest = subtestPattern.exec(line)
    if (subtest !== null) return this.#open(depthOf(subtest), subtest[2] ?? "")
    const file = filePattern.exec(line)
    if (file !== null) {
      this.#report()
      this.#levelAt(depthOf(file)).files.push({ name: file[2] ?? "", points: 0, ms: 0, count: noCount() })
      return
    }
    const tally = tallyPattern.exec(line)
    if (tally !== null) {
      const measured = this.#levelAt(depthOf(tally)).files.at(-1)
      if (measured !== undefined) measured.tally = JSON.parse(tally[2] ?? "{}")
      return
    }
    const plan = planPattern.exec(line)
    if (plan !== null) return this.#plan(this.#levelAt(depthOf(plan)), Number(plan[2]), plan[3] ?? "")
    const point = pointPattern.exec(line)
    if (point !== null) return this.#point(depthOf(point), point[2] === undefined, point[3] ?? "", point[4])
    if (/^\s*Bail out!/.test(line)) this.#bailedOut = true
  }

  /** The results of the whole stream. `broken` says what is wrong with the stream itself; undefined if nothing is. */
  end() {
    this.#report()
    const [top = emptyLevel(""), ...open] = this.#levels
    // A process that was killed leaves its subtests open.
    for (const level of open) addTo(top.count, level.count)
    return { count: top.count, files: top.files, broken: this.#fault(top, open.length > 0) }
  }

  /** @param {Level} top @param {boolean} isOpen */
  #fault(top, isOpen) {
    if (this.#bailedOut) return "bailed out"
    if (top.plan === undefined || isOpen) return "ended in the middle"
    if (top.plan === 0 && /^(no tests found)?$/.test(top.planComment)) return "holds no tests"
    return top.plan === top.points ? undefined : `${top.points} of ${top.plan} planned tests ran`
  }

  /** @param {{ end: string, lines: string[] }} block @param {string} line */
  #readDiagnostics(block, line) {
    if (line !== block.end) {
      block.lines.push(line.slice(block.end.length - "...".length))
      return
    }
    this.#failure?.diagnostics.push(...block.lines)
    this.#diagnostics = undefined
  }

  /** @param {number} depth @param {string} name */
  #open(depth, name) {
    this.#report()
    this.#levelAt(depth)
    this.#levels[depth + 1] = emptyLevel(name)
  }

  /** @param {Level} level @param {number} planned @param {string} comment */
  #plan(level, planned, comment) {
    this.#report()
    level.plan = planned
    level.planComment = comment.trim()
  }

  /** @param {number} depth @param {boolean} ok @param {string} text @param {string | undefined} time */
  #point(depth, ok, text, time) {
    this.#report()
    const parent = this.#levelAt(depth)
    parent.points++
    const suite = this.#levels[depth + 1]
    this.#levels.length = depth + 1
    const directive = directivePattern.exec(text)
    const count = noCount()
    if (suite !== undefined && (suite.points > 0 || suite.plan !== undefined)) addTo(count, suite.count)
    else if (directive !== null) count.skipped = 1
    else if (ok) count.passed = 1
    if (!ok && directive === null && count.failed === 0) {
      count.failed = 1
      const names = this.#levels.flatMap(({ name, files }) => [name, files.at(-1)?.name ?? ""])
      this.#failure = { path: [...names.filter((name) => name !== ""), text], diagnostics: [] }
    }
    addTo(parent.count, count)
    const file = parent.files.at(-1)
    if (file !== undefined) {
      file.points++
      file.ms += Number.parseFloat(time ?? "0")
      addTo(file.count, count)
    }
    if (suite !== undefined)
      this.#onSuite({ name: suite.name, depth, ok, time, skip: directive?.[2], count, files: suite.files })
  }

  /** Reports the failure whose diagnostics have been read. */
  #report() {
    if (this.#failure !== undefined) this.#onFailure(this.#failure)
    this.#failure = undefined
  }

  /** @param {number} depth */
  #levelAt(depth) {
    while (this.#levels.length <= depth) this.#levels.push(emptyLevel(""))
    return this.#levels[depth] ?? emptyLevel("")
  }
}

/** @param {RegExpExecArray} match whose first group is the indentation */
const depthOf = (match) => (match[1] ?? "").length / 4

/**
 * The results of a run, a copy of .tap/test-results: for each process its count, what broke it, and its test files.
 * @param {string} folder
 * @param {(failure: Failure) => void} [onFailure]
 */
export const readProcesses = (folder, onFailure = () => {}) =>
  (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [])
    .filter((path) => path.endsWith(".tap"))
    .map((path) => {
      const reader = new TapReader({ onFailure })
      for (const line of readFileSync(join(folder, path), "utf8").split("\n")) reader.read(line)
      return { path, ...reader.end() }
    })
