/**
 * The server's answers outside of the API: pages that are the same for everybody, and pictures that clients fetch
 * without signing the request. Features bring them by their definitions; http serves them.
 */
import type * as Effect from "effect/Effect"
import type { Unavailable } from "./errors.ts"

export interface PlainAnswer {
  readonly status: number
  readonly body: string | Uint8Array
  /** `application/json` if absent. */
  readonly contentType?: string
  /** Seconds for which it may be kept; it may not if absent. */
  readonly cacheSeconds?: number
  /** What is at its address never changes: it is not even asked whether it has. */
  readonly isImmutable?: boolean
  /** The body compressed, for clients that take it. */
  readonly gzip?: Uint8Array
  readonly brotli?: Uint8Array
  /** Further ones. */
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
}

/** Pages by their path. */
export type PlainPages = Readonly<Record<string, () => PlainAnswer>>

/** Makes a page's HTML; null where it does not exist for whoever asks. `isLocal`: a program on this machine does. */
export type MakePage<R> = (isLocal: boolean) => Effect.Effect<string | null, Unavailable, R>

/** Pages that are made anew for each request, by their path. */
export type LivePages<R> = Readonly<Record<string, MakePage<R>>>

export interface ServedPicture {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** `host`: by which the client reached this server, without its port, in lower case. `client`: its address. */
type FindPicture<R> = (
  path: string,
  host: string,
  client: string,
) => Effect.Effect<ServedPicture | null, Unavailable, R>

export interface PictureSource<R> {
  /** How its paths begin. */
  readonly prefix: string
  readonly find: FindPicture<R>
  /** Seconds for which a browser may keep a picture; null: for ever, because what is at an address never changes. */
  readonly keptSeconds: number | null
}
