/** Standard output whose reader is slow, stands still or goes away, by a named pipe that the test reads. */
import { spawnSync } from "node:child_process"
import { closeSync, constants, openSync, readSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { makeOutput } from "../src/output.ts"
import { manualClock } from "./kit/manual-clock.ts"

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

const readAll = (descriptor: number): string => {
  const buffer = Buffer.alloc(1024 * 1024)
  let text = ""
  try {
    for (let got = readSync(descriptor, buffer); got > 0; got = readSync(descriptor, buffer))
      text += buffer.toString("utf8", 0, got)
  } catch {
    // The pipe is empty.
  }
  return text
}

t.test("lines that nobody takes wait, then are dropped and counted; a new reader gets them", (t) => {
  const path = join(t.testdir(), "pipe")
  spawnSync("mkfifo", [path])
  const open = (flags: number) => openSync(path, flags | O_NONBLOCK)
  let reader = open(O_RDONLY)
  const writer = open(O_WRONLY)
  const clock = manualClock()
  const output = makeOutput(writer, clock, 100_000)
  const line = (n: number) => `${String(n).padStart(999, " ")}\n`
  const writeLines = (from: number, to: number) => {
    for (let n = from; n < to; n++) output.write(line(n))
  }
  const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i)).join("")

  writeLines(0, 10)
  t.equal(readAll(reader), lines(0, 10), "at once")

  // Nobody reads: the pipe holds some, 100 lines wait, the rest is dropped. None of these writes blocks.
  writeLines(0, 1000)
  t.ok(output.waiting() > 99_000 && output.waiting() <= 100_000, `${output.waiting()} bytes wait`)
  let text = ""
  for (let look = 0; look < 20; look++) {
    text += readAll(reader)
    clock.advance(200)
  }
  t.equal(output.waiting(), 0)
  const told = /parley: (\d+) lines of this log were dropped, because nothing took them\n$/.exec(text)
  const written = 1000 - Number(told?.[1])
  t.equal(text, lines(0, written) + (told?.[0] ?? ""), "in order, each whole, and how many are missing")

  closeSync(reader)
  writeLines(0, 3)
  t.ok(output.waiting() > 0, "there is no reader, which is no error")
  reader = open(O_RDONLY)
  clock.advance(200)
  t.equal(readAll(reader), lines(0, 3))
  t.equal(clock.pending(), 0)

  closeSync(reader)
  closeSync(writer)
  t.end()
})
