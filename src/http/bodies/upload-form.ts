/**
 * Reads a `multipart/form-data` body as it comes, for the one file in it. The parser is effect's, which keeps nothing of
 * a file; other fields are small and are not used. A form that is cut short, has a second file or no proper frame fails
 * the file that is being read, at its end at the latest. Used by upload-requests.ts.
 */
import * as Effect from "effect/Effect"
import type * as MultipartParser from "effect/http/MultipartParser"
import { ApiError, badRequest, noUpload } from "../../api/errors.ts"
import type { SentUpload } from "../../api/sent-request.ts"
import { inSlice } from "../../slices.ts"
import { unescapeName } from "../request/multipart.ts"
import type { BodyStream } from "./body-stream.ts"

const noFile = noUpload()
const twoFiles = badRequest("You may only upload one file at a time")
const badForm = badRequest("The form in the request body cannot be read")

/** Most parts of a form, and most bytes of one that is no file: what clients send beside a file is small. */
const mostParts = 20
const mostFieldBytes = 64 * 1024
/** Bytes of a body that are not the file's: the frame, fields, what follows the end. */
const mostSurplusBytes = 256 * 1024

/** Bytes that are parsed in one turn of the loop: where they are nothing but boundaries, that takes a few milliseconds. */
const parsedAtOnce = 32 * 1024

const isForm = (contentType: string): boolean => /^multipart\/form-data *;/i.test(contentType)

type UploadBody = Pick<BodyStream, "parts" | "finish" | "discard">

interface FoundFile {
  readonly name: string
  readonly contentType: string
}

/** Parts that lie one behind the other in memory, as one each: not copied, and each part costs a write to the disk. */
const joined = (parts: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const runs: Array<Uint8Array> = []
  for (const part of parts) {
    const last = runs.at(-1)
    const isNext = last?.buffer === part.buffer && last.byteOffset + last.length === part.byteOffset
    if (last === undefined || !isNext) runs.push(part)
    else runs[runs.length - 1] = new Uint8Array(part.buffer, last.byteOffset, last.length + part.length)
  }
  return runs
}

class UploadForm {
  readonly #parts: AsyncIterator<Uint8Array>
  readonly #finish: () => void
  readonly #parser: MultipartParser.Parser
  file: FoundFile | undefined
  /** Parts of the file that have come and were not taken. */
  readonly pending: Array<Uint8Array> = []
  isOver = false
  #isFramed = false
  #fault: ApiError | undefined
  #surplus = 0

  constructor(make: typeof MultipartParser.make, body: UploadBody, contentType: string) {
    this.#parts = body.parts[Symbol.asyncIterator]()
    this.#finish = body.finish
    this.#parser = make({
      headers: { "content-type": contentType },
      maxParts: mostParts,
      maxFieldSize: mostFieldBytes,
      isFile: ({ filename }) => filename !== undefined,
      onField: () => {},
      onFile: ({ name, filename = "", contentType, contentDispositionParameters: written }) => {
        // The parser undoes what stands for other characters only in the form `filename*`.
        const given = written["filename*"] === undefined ? unescapeName(filename) : filename
        if (this.file === undefined) this.file = { name: given === "" ? unescapeName(name) : given, contentType }
        else this.#fault ??= twoFiles
        return (chunk) => {
          if (chunk !== null && this.#fault === undefined) {
            this.pending.push(chunk)
            this.#surplus -= chunk.length
          }
        }
      },
      onError: () => {
        // An error behind the end of the form does not matter.
        if (!this.#isFramed) this.#fault ??= badForm
      },
      onDone: () => {
        this.#isFramed = true
      },
    })
  }

  /** Reads the next part of the body. Throws ApiError where there is something wrong with it. */
  async next(): Promise<void> {
    const { done = false, value } = await this.#parts.next().catch(() => {
      throw badForm
    })
    if (done) {
      this.isOver = true
      this.#parser.end()
    } else await this.#parse(value)
    if (!done) this.#surplus += value.length
    if (this.#surplus > mostSurplusBytes) this.#fault ??= badForm
    if (this.#fault !== undefined) throw this.#fault
  }

  async #parse(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#isFramed && this.#fault === undefined; at += parsedAtOnce) {
      if (at > 0) await new Promise<void>(inSlice)
      this.#parser.write(bytes.subarray(at, at + parsedAtOnce))
    }
  }

  /** The file's parts. Whoever asks for the next one has used the one before. */
  async *bytes(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      if (this.pending.length > 0) yield* joined(this.pending.splice(0))
      else if (this.isOver) return this.#finish()
      else await this.next()
    }
  }
}

/** `declared`: the body's length by its header; null where it has none. */
export const readUploadForm = (body: UploadBody, contentType: string, declared: number | null): SentUpload => ({
  declared,
  discard: Effect.promise(body.discard),
  file: Effect.suspend(() => {
    if (!isForm(contentType)) return Effect.fail(noFile)
    const find = async () => {
      // Loaded when the first upload comes.
      const { make } = await import("effect/http/MultipartParser")
      const form = new UploadForm(make, body, contentType)
      while (form.file === undefined && !form.isOver) await form.next()
      return form.file === undefined ? noFile : { ...form.file, bytes: form.bytes() }
    }
    return Effect.flatMap(
      Effect.tryPromise({ try: find, catch: (fault) => (fault instanceof ApiError ? fault : badForm) }),
      (found) => ("code" in found ? Effect.fail(found) : Effect.succeed(found)),
    )
  }),
})
