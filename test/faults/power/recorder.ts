/**
 * Loaded before a server (`--import` in NODE_OPTIONS), and with it into PGlite's thread: notes every change below a folder and
 * every sync, in the order in which they were done, in a journal (journal.ts). Each note is one append by the kernel,
 * so the threads of a process share one order. A change is noted when it is done: at a moment between two notes it may
 * be under way, which for the disk is no different from being done without a sync. A process that were killed in between
 * would leave a file that its journal never made, so it ends by `endAtOnce`, when nothing is.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { relative, resolve, sep } from "node:path"
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads"
import type { Change } from "./journal.ts"

const root = resolve(process.env["PARLEY_TEST_POWER_ROOT"] ?? "")
const { writeSync, openSync } = fs
const journal = openSync(process.env["PARLEY_TEST_POWER_JOURNAL"] ?? "", "a")

/** What the threads of the process share: how many changes are done and not noted, and whether it ends. */
const shared: unknown = getEnvironmentData("recorder")
const state = new Int32Array(shared instanceof SharedArrayBuffer ? shared : new SharedArrayBuffer(8))
const [underWay, ending] = [0, 1]
if (isMainThread) setEnvironmentData("recorder", state.buffer)

/** In a process that ends it comes back on the main thread only, which ends it between two of its own. */
const begin = (): void => {
  Atomics.add(state, underWay, 1)
  if (isMainThread || Atomics.load(state, ending) === 0) return
  end()
  Atomics.wait(state, ending, 1)
}
const end = (): void => void Atomics.sub(state, underWay, 1)

/** As a kill does, but not between a change and its note. */
export const endAtOnce = async (): Promise<never> => {
  Atomics.store(state, ending, 1)
  while (Atomics.load(state, underWay) > 0) await new Promise((resolve) => setImmediate(resolve))
  process.kill(process.pid, "SIGKILL")
  return new Promise(() => {})
}

const none = Buffer.alloc(0)
/** Node's own functions call each other: what is inside of a noted one is not noted again. */
let depth = 0

const note = (change: Change, bytes: Uint8Array = none): void => {
  const head = Buffer.from(`${JSON.stringify({ ...change, size: bytes.length })}\n`)
  writeSync(journal, Buffer.concat([head, bytes]))
}

/** The path below the root, with `/`; null for what lies elsewhere. */
const below = (path: unknown): string | null => {
  const full = resolve(path instanceof URL ? path.pathname : String(path))
  return full === root || full.startsWith(`${root}${sep}`) ? relative(root, full).replaceAll(sep, "/") : null
}

/** Open files below the root: where the next write without a position goes. */
const positions = new Map<number, number>()

type Arguments = ReadonlyArray<unknown>
type Watch = (given: Arguments, answer: unknown) => void

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise

const watch = (target: object, name: string, seen: Watch): void => {
  const original: (...given: Arguments) => unknown = Reflect.get(target, name)
  Reflect.set(target, name, (...given: Arguments): unknown => {
    if (depth > 0) return original.apply(target, [...given])
    begin()
    depth++
    let answer: unknown
    try {
      answer = original.apply(target, [...given])
      if (!isPromise(answer)) seen(given, answer)
    } finally {
      depth--
      if (!isPromise(answer)) end()
    }
    if (!isPromise(answer)) return answer
    return answer
      .then((value) => {
        seen(given, value)
        return value
      })
      .finally(end)
  })
}

const { O_CREAT, O_TRUNC, O_EXCL } = fs.constants
const flagsOf = (given: unknown): number => {
  if (typeof given === "number") return given
  const text = String(given ?? "r")
  const base = text.startsWith("w") ? O_CREAT | O_TRUNC : text.startsWith("a") ? O_CREAT : 0
  return base | (text.includes("x") ? O_EXCL : 0)
}

const seeOpened = (descriptor: number, path: unknown, flags: unknown): void => {
  const name = below(path)
  // The number may have been that of a file below the root.
  if (name === null) return void positions.delete(descriptor)
  const bits = flagsOf(flags)
  positions.set(descriptor, 0)
  note({ kind: "open", descriptor, path: name, creates: (bits & O_CREAT) !== 0, empties: (bits & O_TRUNC) !== 0 })
}

watch(fs, "openSync", ([path, flags], answer) => seeOpened(Number(answer), path, flags))
watch(fs.promises, "open", ([path, flags], answer) => {
  const handle = answer
  if (typeof handle !== "object" || handle === null) return
  const descriptor = Number(Reflect.get(handle, "fd"))
  seeOpened(descriptor, path, flags)
  watch(handle, "sync", () => seeSynced([descriptor]))
  watch(handle, "writeFile", ([data]) => {
    const at = positions.get(descriptor)
    const bytes = typeof data === "string" ? Buffer.from(data) : data
    if (at === undefined || !ArrayBuffer.isView(bytes)) return
    positions.set(descriptor, at + bytes.byteLength)
    note({ kind: "write", descriptor, at }, bytesOf(bytes, 0, bytes.byteLength))
  })
})
watch(fs, "closeSync", ([descriptor]) => void positions.delete(Number(descriptor)))

const seeSynced = ([descriptor]: Arguments): void => {
  if (positions.has(Number(descriptor))) note({ kind: "sync", descriptor: Number(descriptor) })
}
watch(fs, "fsyncSync", seeSynced)
watch(fs, "fdatasyncSync", seeSynced)

const bytesOf = (data: unknown, offset: number, length: number): Uint8Array =>
  typeof data === "string"
    ? Buffer.from(data).subarray(0, length)
    : ArrayBuffer.isView(data)
      ? Buffer.from(data.buffer, data.byteOffset + offset, length)
      : none

watch(fs, "writeSync", ([file, data, offset, , position], answer) => {
  const descriptor = Number(file)
  const at = positions.get(descriptor)
  if (at === undefined) return
  const written = Number(answer)
  const from = typeof position === "number" ? position : at
  if (typeof position !== "number") positions.set(descriptor, at + written)
  note({ kind: "write", descriptor, at: from }, bytesOf(data, Number(offset ?? 0), written))
})
watch(fs, "ftruncateSync", ([file, length]) => {
  const descriptor = Number(file)
  if (positions.has(descriptor)) note({ kind: "cut", descriptor, length: Number(length ?? 0) })
})

/** Those that name a path: noted where it lies below the root. */
const watchPath = (name: string, change: (path: string, given: Arguments) => readonly [Change, Uint8Array?]): void => {
  const seen: Watch = (given) => {
    const path = below(given[0])
    if (path !== null) note(...change(path, given))
  }
  watch(fs, `${name}Sync`, seen)
  watch(fs.promises, name, seen)
}

watchPath("truncate", (path, [, length]) => [{ kind: "cut-path", path, length: Number(length ?? 0) }])
watchPath("writeFile", (path, [, data]) => [
  { kind: "put", path },
  bytesOf(data, 0, typeof data === "string" ? Buffer.byteLength(data) : ArrayBuffer.isView(data) ? data.byteLength : 0),
])
watchPath("rename", (path, [, to]) => [{ kind: "rename", path, to: below(to) ?? "" }])
watchPath("link", (path, [, to]) => [{ kind: "link", path, to: below(to) ?? "" }])
watchPath("unlink", (path) => [{ kind: "remove", path }])
watchPath("rm", (path) => [{ kind: "remove", path }])
watchPath("rmdir", (path) => [{ kind: "remove", path }])

/** With `recursive` it answers the outermost folder that it has made, undefined where there was nothing to make. */
const seeMade: Watch = ([path, options], answer) => {
  const isRecursive = typeof options === "object" && options !== null && Reflect.get(options, "recursive") === true
  const last = below(path)
  if (last === null || (isRecursive && answer === undefined)) return
  const parts = last.split("/")
  const first = isRecursive ? (below(answer) ?? last).split("/").length : parts.length
  for (let count = first; count <= parts.length; count++) note({ kind: "mkdir", path: parts.slice(0, count).join("/") })
}
watch(fs, "mkdirSync", seeMade)
watch(fs.promises, "mkdir", seeMade)

// Modules of the program have their functions of node:fs by name.
syncBuiltinESMExports()
