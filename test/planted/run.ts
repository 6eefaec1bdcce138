/** Runs test files of a copy, in one process, until the first failure. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Copy } from "./copy.ts"

export interface RunOptions {
  readonly seed: number
  /** Seconds that a file may take: one that hangs has found something, too. */
  readonly limit: number
  /** A file of places (coverage.ts), to be told which of them each test file ran through. */
  readonly places?: string
}

/** What became of one test file. */
export interface FileResult {
  readonly file: string
  readonly seconds: number
  /** The first failure; null: none. */
  readonly failure: string | null
  readonly reached: ReadonlyArray<string>
}

/** Without the end of the process that a test has killed, a test that hangs would keep the program. */
const killGroup = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}

/** `on` is called as each file is over; the last call may be about a failure, after which no file is run. */
export const runFiles = async (
  copy: Copy,
  files: ReadonlyArray<string>,
  { seed, limit, places }: RunOptions,
  on: (result: FileResult) => void,
): Promise<void> => {
  const child = spawn(process.execPath, [join("dist", "test", "planted", "file-line.js")], {
    cwd: copy.root,
    env: {
      ...process.env,
      PARLEY_PLANTED_FILES: files.join(","),
      PARLEY_SEED: String(seed),
      TMPDIR: await copy.temporaryFolder(),
      TAP_BAIL: "1",
      TAP_TIMEOUT: "3600",
      ...(places === undefined ? {} : { PARLEY_PLANTED_PLACES: places }),
    },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  })
  const end = () => killGroup(child.pid)
  process.once("exit", end)
  const ended = once(child, "exit")
  let [file, began, failure, isOver] = [files[0] ?? "", performance.now(), "", false]
  let reached: ReadonlyArray<string> = []
  let test = ""
  const fail = (text: string) => {
    if (failure === "") failure = text
    end()
  }
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(() => fail(`not over after ${limit} s`), limit * 1000)
  }
  const seconds = () => (performance.now() - began) / 1000
  wait()
  for await (const line of createInterface({ input: child.stdout })) {
    if (failure !== "") continue
    test = /^\s*# Subtest: (.*)$/.exec(line)?.[1] ?? test
    const [, word, text = ""] = /^# (file|reached|over): (.*)$/.exec(line) ?? []
    if (word === "file") {
      if (isOver) began = performance.now()
      ;[file, isOver] = [text, false]
      wait()
    } else if (word === "reached") reached = JSON.parse(text)
    else if (word === "over") {
      isOver = true
      on({ file, seconds: seconds(), failure: null, reached })
    } else if (/^\s*not ok /.test(line) && !/ # (SKIP|TODO)/i.test(line))
      fail(`${test}: ${line.trim().replace(/^not ok \d+ - /, "")}`)
  }
  const [code] = await ended
  clearTimeout(timer)
  process.removeListener("exit", end)
  if (failure === "" && (code !== 0 || !isOver)) failure = `the process ended with ${code}`
  if (failure !== "") on({ file, seconds: seconds(), failure, reached: [] })
}
