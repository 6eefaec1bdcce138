/** What a request brings to its endpoint: parameters, files of its body, an upload that is read as it comes, a web hook. */
import type * as Effect from "effect/Effect"
import type { ApiError } from "./errors.ts"
import type { Decoded, ParamSet } from "./params.ts"
import type { WebhookBody } from "./webhook-body.ts"

/** A file in a request's body, under any name. Its bytes are the request's own. */
export interface SentFile {
  /** The name of its field. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** A body with one file in it, which is read while the endpoint runs. */
export interface SentUpload {
  /** Bytes of the whole body as its client announced them; null where it did not. */
  readonly declared: number | null
  /** Reads up to the file's beginning; to be run once. Fails where there is no file. */
  readonly file: Effect.Effect<UploadedFile, ApiError>
  /** Reads what is left, or some of it, and drops it, so that the client gets to reading the answer. */
  readonly discard: Effect.Effect<void>
}

export interface UploadedFile {
  /** As the client named it, or else its field. */
  readonly name: string
  readonly contentType: string
  /**
   * Its bytes as they come; no more are read before these are taken. Throws ApiError where the body is cut short or
   * wrong, or has a further file, which may show behind the file's end.
   */
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface SentRequest<P extends ParamSet> {
  readonly params: Decoded<P>
  /** Empty where the route takes none. */
  readonly files: ReadonlyArray<SentFile>
  readonly upload: SentUpload | undefined
  readonly webhook: WebhookBody | undefined
}
