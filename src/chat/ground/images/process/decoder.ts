/**
 * A process that decodes pictures, one at a time: started with the first one, ended when none has come for a while. What
 * a hostile file does to the image library, it does there, and the process that dies of it is replaced for the next one.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { getPriority, setPriority } from "node:os"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { ByteReader } from "./byte-reader.ts"
import type { DecoderTaskName } from "./decoder-tasks.ts"
import { headerOf, type ProcessFrame, takeFrame } from "./process-frames.ts"

const file = new URL(import.meta.url.endsWith(".ts") ? "./decoder-process.ts" : "./decoder-process.js", import.meta.url)

/** Until it has the image library: a third of a second, and much more where the machine is busy. */
const startMilliseconds = 60_000
/** For one file. The process itself counts what the file takes of the processor, which is a tenth of this. */
const workMilliseconds = 100_000
const idleMilliseconds = 30_000
const heapMegabytes = 64

export interface FileToDecode {
  readonly size: number
  readonly read: () => AsyncIterable<Uint8Array>
}

export interface Decoder {
  /** null where the file cannot be read or decoded, or takes too much. Fails where the process cannot be started. */
  readonly run: (work: DecoderTaskName, file: FileToDecode) => Promise<ProcessFrame | null>
  readonly close: () => void
}

interface RunningDecoder {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly reader: ByteReader
}

const lowestPriority = 19

/** `niceness`: how much it stands back behind the server, from 0 to 19. */
const start = (niceness: number): RunningDecoder => {
  // Nothing of the server's environment, where its secrets are.
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, fileURLToPath(file)], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { MALLOC_ARENA_MAX: "2" },
  })
  const { pid } = child
  // A process that is gone has closed its output, by which all of this is known.
  for (const source of [child, child.stdin, child.stdout]) source.on("error", () => {})
  try {
    if (pid !== undefined) setPriority(pid, Math.min(lowestPriority, getPriority() + niceness))
  } catch {
    // It is over already, or the system knows no priorities.
  }
  return { child, reader: new ByteReader(child.stdout) }
}

/** Waits until more can be written, or never again. */
const drained = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      stream.off("drain", go)
      stream.off("close", go)
      resolve()
    }
    stream.on("drain", go)
    stream.on("close", go)
  })

/** Writes the job as it is read. Fails where the file has other bytes than it says. */
const send = async ({ child }: RunningDecoder, work: DecoderTaskName, { size, read }: FileToDecode) => {
  const { stdin } = child
  stdin.write(headerOf({ work }, [size]))
  let sent = 0
  for await (const part of read()) {
    sent += part.byteLength
    if (stdin.destroyed) return
    if (!stdin.write(part)) await drained(stdin)
  }
  if (sent !== size) throw new Error(`a file of ${size} bytes has ${sent}`)
}

export const makeDecoder = (niceness: number): Decoder => {
  let running: RunningDecoder | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  const end = (): void => {
    running?.child.kill("SIGKILL")
    running = undefined
  }

  /** Ends the process where the answer does not come in time: then it is null. */
  const within = async (milliseconds: number, answer: Promise<ProcessFrame | null>): Promise<ProcessFrame | null> => {
    const timer = setTimeout(end, milliseconds)
    const found = await answer.catch(() => null)
    clearTimeout(timer)
    if (found === null) end()
    return found
  }

  const started = async (): Promise<RunningDecoder> => {
    if (running !== undefined) return running
    if (isClosed) throw new Error("the server ends")
    const begun = start(niceness)
    running = begun
    begun.child.on("exit", () => {
      if (running === begun) running = undefined
    })
    if ((await within(startMilliseconds, takeFrame(begun.reader))) === null) throw new Error("it did not start")
    return begun
  }

  const decode: Decoder["run"] = async (work, file) => {
    clearTimeout(idle)
    const process = await started()
    const answer = within(workMilliseconds, takeFrame(process.reader))
    // With half a file it would wait for the rest.
    await send(process, work, file).catch(end)
    const found = await answer
    idle = setTimeout(end, idleMilliseconds)
    idle.unref()
    return found
  }

  return {
    run: (work, file) => {
      const next = last.then(() => decode(work, file))
      last = next.catch(() => {})
      return next
    },
    close: () => {
      isClosed = true
      clearTimeout(idle)
      end()
    },
  }
}
