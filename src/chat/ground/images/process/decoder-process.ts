/**
 * The decoder's own process: takes one file after the other from its input, and answers what it was asked about each.
 * Started by decoder.ts, with whose process it ends. Nothing stops a decoder that is at work, so a file that takes too much
 * ends the whole process (decoder-watch.ts).
 */
import { Worker } from "node:worker_threads"
import * as Predicate from "effect/Predicate"
import { loadLibrary } from "../image-library.ts"
import { ByteReader } from "./byte-reader.ts"
import { decoderTasks, isDecoderTaskName } from "./decoder-tasks.ts"
import { headerOf, takeFrame } from "./process-frames.ts"

const watch = new URL(import.meta.url.endsWith(".ts") ? "./decoder-watch.ts" : "./decoder-watch.js", import.meta.url)

// The server ends it; a signal for a whole terminal would end it while the server still needs it.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {})
process.stdin.on("end", () => process.exit())
process.stdout.on("error", () => process.exit())

const say = (value: Parameters<typeof headerOf>[0], files: ReadonlyArray<Uint8Array>): void => {
  const sizes = files.map(({ byteLength }) => byteLength)
  process.stdout.write(headerOf(value, sizes))
  for (const file of files) process.stdout.write(file)
}

/** Read by decoder-watch.ts. */
const allowed = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT))
new Worker(watch, { workerData: [allowed] }).unref()

const watched = async <A>(mostSeconds: number, work: () => Promise<A>): Promise<A> => {
  const { user, system } = process.cpuUsage()
  allowed[0] = user + system + mostSeconds * 1e6
  try {
    return await work()
  } finally {
    allowed[0] = 0
  }
}

const reader = new ByteReader(process.stdin)
const library = await loadLibrary()
say("ready", [])
for (let frame = await takeFrame(reader); frame !== null; frame = await takeFrame(reader)) {
  const work = Predicate.hasProperty(frame.value, "work") ? frame.value.work : undefined
  const [bytes] = frame.files
  if (!Predicate.isString(work) || !isDecoderTaskName(work) || bytes === undefined)
    throw new Error(`no work: ${String(work)}`)
  const { run, mostSeconds } = decoderTasks[work]
  const made = await watched(mostSeconds, () => run(library, bytes).catch(() => ({ value: null, files: [] })))
  say(made.value, made.files)
}
