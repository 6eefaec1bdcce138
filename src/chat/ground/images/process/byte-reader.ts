/** Takes numbers of bytes from a stream. What comes meanwhile is kept: whoever writes waits for an answer before more. */
import type { Readable } from "node:stream"

export class ByteReader {
  readonly #parts: Array<Uint8Array> = []
  #isOver = false
  #wake = (): void => {}

  constructor(stream: Readable) {
    const end = (): void => {
      this.#isOver = true
      this.#wake()
    }
    stream.on("data", (part: Uint8Array) => {
      this.#parts.push(part)
      this.#wake()
    })
    for (const event of ["end", "close", "error"]) stream.on(event, end)
  }

  /** null where the stream ends before; nobody else may be taking meanwhile. */
  async take(size: number): Promise<Buffer | null> {
    const taken = Buffer.allocUnsafeSlow(size)
    for (let at = 0; at < size; ) {
      const [part] = this.#parts
      if (part === undefined) {
        if (this.#isOver) return null
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      const used = part.subarray(0, size - at)
      taken.set(used, at)
      at += used.length
      if (used.length < part.length) this.#parts[0] = part.subarray(used.length)
      else this.#parts.shift()
    }
    return taken
  }
}
