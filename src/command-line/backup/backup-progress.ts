/** What an operator sees of a backup or a restore while it runs: a line when something begins, and every few seconds. */

const betweenMilliseconds = 2_000

const grouped = (count: number): string => count.toLocaleString("en-US")

/** `2 files`, `1 file`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : several}`

export const megabytes = (bytes: number): string =>
  `${(bytes / 1024 / 1024).toLocaleString("en-US", { maximumFractionDigits: 1, minimumFractionDigits: 1 })} MB`

export class BackupProgress {
  readonly #tell: (line: string) => void
  #toldAt = 0
  rows = 0
  files = 0

  /** `tell` writes a line of the log. */
  constructor(tell: (line: string) => void) {
    this.#tell = tell
  }

  begin(what: string): void {
    this.#tell(what)
    this.#toldAt = performance.now()
  }

  /** `more`: what is known beside rows and files. */
  note(more = ""): void {
    if (performance.now() - this.#toldAt < betweenMilliseconds) return
    const files = this.files === 0 ? "" : `, ${counted(this.files, "file")}`
    this.begin(`${counted(this.rows, "row")}${files}${more}`)
  }
}
