/** Which of some places the code of this thread has run through, as V8 counts. */
import { readFile } from "node:fs/promises"
import { Session } from "node:inspector/promises"
import { pathToFileURL } from "node:url"

/** A place in a compiled file, by its number of characters. */
export interface Place {
  readonly name: string
  readonly path: string
  readonly at: number
}

interface Ranges {
  readonly ranges: ReadonlyArray<{ readonly startOffset: number; readonly endOffset: number; readonly count: number }>
}

export class Coverage {
  readonly #session = new Session()
  readonly #places: ReadonlyArray<Place>

  private constructor(places: ReadonlyArray<Place>) {
    this.#places = places
    this.#session.connect()
  }

  /** `file` holds the places as JSON. */
  static async begin(file: string): Promise<Coverage> {
    const coverage = new Coverage(JSON.parse(await readFile(file, "utf8")))
    await coverage.#session.post("Profiler.enable")
    await coverage.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
    return coverage
  }

  /** The names of the places that were run through since the last call; none that are outside of functions. */
  async take(): Promise<ReadonlyArray<string>> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage")
    const functionsOf = new Map(result.map(({ url, functions }) => [url, functions]))
    return this.#places
      .filter(({ path, at }) => isCounted(functionsOf.get(pathToFileURL(path).href) ?? [], at))
      .map(({ name }) => name)
  }
}

/** By the innermost range around the place. That of the whole module is counted for the first who imports it only. */
const isCounted = (functions: ReadonlyArray<Ranges>, at: number): boolean => {
  const [innermost] = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
    .sort((one, other) => one.endOffset - one.startOffset - (other.endOffset - other.startOffset))
  return innermost !== undefined && innermost.startOffset > 0 && innermost.count > 0
}
