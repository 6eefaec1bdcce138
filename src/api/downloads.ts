/**
 * What the server sends outside of the API to whoever signs the request as in the API: uploaded files, and faces by whose
 * they are. Features bring it by their definitions; http/downloads/serve-downloads.ts serves it.
 */
import type * as Effect from "effect/Effect"
import type { Caller, Visitor } from "./endpoint.ts"
import type { RequestFailure } from "./errors.ts"

/** A file that is to be sent. */
export interface DownloadFile {
  readonly size: number
  /** Quoted; another one for other bytes. */
  readonly etag: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** The bytes from `start` until before `end`. */
  readonly read: (part: { readonly start: number; readonly end: number }) => AsyncIterable<Uint8Array>
}

/** What is asked for is found at another address, which anybody may ask for. */
export interface DownloadRedirect {
  readonly location: string
}

/** Finds what is at a path for somebody; null where there is nothing for them. `query`: not decoded. */
export type FindDownload<R> = (
  who: Caller | Visitor,
  path: string,
  query: string,
) => Effect.Effect<DownloadFile | DownloadRedirect | null, RequestFailure, R>

export interface DownloadSource<R> {
  /** How its paths begin. Below the API they are asked for what is read only. */
  readonly prefix: string
  readonly find: FindDownload<R>
}
