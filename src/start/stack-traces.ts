/**
 * Stack traces of the bundle name the lines of the sources. Node's own way reads all maps when the program is loaded, 60 ms
 * and 10 MB of each start; here the map of a file is read when a trace through it is asked for, by whoever prints an error.
 * Used by main.ts.
 */
import { readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"

/** The bundle, which this file is a part of. */
const folder = new URL(".", import.meta.url).href

const readMap = (file: string): SourceMap | null => {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, "utf8")))
  } catch {
    return null
  }
}

/** By the file's URL. Kept: to decode a large one takes 20 ms. */
const maps = new Map<string, SourceMap | null>()
const mapOf = (file: string): SourceMap | null => {
  const known = maps.get(file)
  if (known !== undefined) return known
  const map = file.startsWith(folder) ? readMap(file) : null
  maps.set(file, map)
  return map
}

const place = (frame: NodeJS.CallSite): string => {
  const text = String(frame)
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
  if (file == null || line === null || column === null) return text
  const entry = mapOf(file)?.findEntry(line - 1, column - 1)
  if (entry === undefined || !("originalSource" in entry)) return text
  const source = fileURLToPath(new URL(entry.originalSource, file))
  return text.replace(`${file}:${line}:${column}`, `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`)
}

/** From now on, for errors of this thread. A trace is made when it is read first, so an error that nobody prints costs nothing. */
export const nameSources = (): void => {
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${place(frame)}`)].join("\n")
}
