/**
 * Standard output and standard error that never stop the server, whatever becomes of their readers. One that goes away
 * would end the process by an error that nobody handles, one that stands still would gather all later lines in memory,
 * a full disk under a log file would silence the server for good. Here a line that cannot be written waits; past a
 * bound further ones are dropped and counted, and the count is written where they would have been. Used by main.ts.
 */
import { Console } from "node:console"
import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs"
import { Writable } from "node:stream"
import { type ClockShape, systemClock, type Timer } from "./clock.ts"

export interface Output {
  /** Writes whole lines, at once where it can. Never blocks on a reader and never throws. */
  readonly write: (text: string) => void
  /** Number of bytes that wait. */
  readonly waiting: () => number
  /** How the line says that so many were dropped before it; until then in words for people. */
  readonly setDroppedFormatter: (format: (lines: number) => string) => void
}

const defaultMostBytes = 1024 * 1024
const retryMilliseconds = 200

/** The output to `descriptor`, which never blocks (see `nonBlockingDescriptor`). Waiting lines take at most `mostBytes`. */
export const makeOutput = (descriptor: number, clock: ClockShape, mostBytes = defaultMostBytes): Output => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  let dropped = 0
  let retry: Timer | undefined
  let formatDropped = (lines: number): string =>
    `parley: ${lines} lines of this log were dropped, because nothing took them\n`

  const add = (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
  }

  /** Writes as much as goes now. Any error is a reason to try again: a disk has room again, a named pipe a reader. */
  const flush = (): void => {
    retry = undefined
    try {
      for (let first = chunks[0]; first !== undefined; first = chunks[0]) {
        const written = writeSync(descriptor, first)
        bytes -= written
        if (written === first.length) chunks.shift()
        else chunks[0] = first.subarray(written)
        if (chunks.length > 0 || dropped === 0) continue
        add(Buffer.from(formatDropped(dropped)))
        dropped = 0
      }
    } catch {
      retry = clock.after(retryMilliseconds, flush)
    }
  }

  return {
    write: (text) => {
      const chunk = Buffer.from(text)
      if (dropped > 0 || (bytes > 0 && bytes + chunk.length > mostBytes)) dropped += 1
      else add(chunk)
      if (retry === undefined) flush()
    },
    waiting: () => bytes,
    setDroppedFormatter: (given) => {
      formatDropped = given
    },
  }
}

/**
 * A descriptor of the same pipe or terminal on which writes never wait. An own one where the system can open it again:
 * the flag belongs to what all processes with the same standard output share, and any of them may take it away.
 */
const nonBlockingDescriptor = (stream: typeof process.stdout | typeof process.stderr): number => {
  // Node has set the flag on pipes and sockets when it made the stream.
  const { fd } = stream
  try {
    const status = fstatSync(fd)
    if (!status.isFIFO() && !status.isCharacterDevice()) return fd
    const own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    if (fstatSync(own).ino === status.ino) return own
    closeSync(own)
    return fd
  } catch {
    return fd
  }
}

const streamTo = (output: Output): Writable =>
  new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _encoding, done) => {
      output.write(String(chunk))
      done()
    },
  })

export interface ProcessOutput {
  readonly out: Output
  readonly err: Output
  /** Resolves when nothing waits any more, after some time at the latest: for the end of the process. */
  readonly settled: () => Promise<void>
}

const settleMilliseconds = 1000
const pollIntervalMilliseconds = 20

/** Takes over this process's output, that of `console` too, which the logger writes to. */
export const takeOutput = (): ProcessOutput => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
  const out = makeOutput(nonBlockingDescriptor(process.stdout), systemClock)
  const err = makeOutput(nonBlockingDescriptor(process.stderr), systemClock)
  globalThis.console = new Console({ stdout: streamTo(out), stderr: streamTo(err) })
  const settled = async () => {
    const giveUpAt = performance.now() + settleMilliseconds
    while (out.waiting() + err.waiting() > 0 && performance.now() < giveUpAt)
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMilliseconds))
  }
  return { out, err, settled }
}
