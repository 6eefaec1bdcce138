/**
 * Serves pictures of other servers under addresses of this one, to anybody who knows such an address. The bytes are
 * handed on as they came, once their beginning shows that they are a picture: to decode and encode each picture anew would
 * take a processor 100 ms, for what runs in no browser anyway. Those asked for last are kept for a while, and a picture
 * that several ask for is fetched once. Served by http/downloads/serve-pictures.ts.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Unavailable } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { pictureType } from "../images/picture-type.ts"
import { type NotFetched, Outbound } from "../outbound/outbound.ts"
import { Realms } from "../realm/realms.ts"
import { externalKey, readExternalAddress } from "./external-address.ts"

export interface ExternalPicture {
  readonly contentType: string
  readonly bytes: Uint8Array
}

interface ExternalContentShape {
  /**
   * The picture of an address of this server, for somebody who reached it by `host`; null where there is none. Fails where
   * it may be asked for again. `client`: the address of who asks, by which turns are taken: nobody signs these requests, and
   * one who asks for many pictures of slow servers keeps others of the organization waiting for none.
   */
  readonly find: (path: string, host: string, client: string) => Effect.Effect<ExternalPicture | null, Unavailable>
}

const mostBytes = 5 * 1024 * 1024
const keptBytes = 32 * 1024 * 1024
const mostKept = 2000
const keptMilliseconds = 10 * 60_000
/** That there is no picture is kept for less, but kept: else each look at a message would ask again. */
const failureMilliseconds = 60_000

type FoundPicture = ExternalPicture | null

interface CachedPicture {
  readonly picture: FoundPicture
  readonly until: number
}

/** Pictures by URL: a cache that gives up those whose last request is oldest (LRU), which are the first in the map. */
export class CachedPictures {
  readonly #kept = new Map<string, CachedPicture>()
  #bytes = 0

  /** Undefined: it has to be fetched. */
  find(url: string, now: number): FoundPicture | undefined {
    const kept = this.#kept.get(url)
    if (kept === undefined) return undefined
    this.#remove(url, kept)
    if (kept.until <= now) return undefined
    this.#put(url, kept)
    return kept.picture
  }

  keep(url: string, kept: CachedPicture): void {
    const known = this.#kept.get(url)
    if (known !== undefined) this.#remove(url, known)
    this.#put(url, kept)
    for (const [oldest, old] of this.#kept) {
      if (this.#bytes <= keptBytes && this.#kept.size <= mostKept) break
      this.#remove(oldest, old)
    }
  }

  #put(url: string, kept: CachedPicture): void {
    this.#kept.set(url, kept)
    this.#bytes += kept.picture?.bytes.byteLength ?? 0
  }

  #remove(url: string, kept: CachedPicture): void {
    this.#kept.delete(url)
    this.#bytes -= kept.picture?.bytes.byteLength ?? 0
  }
}

export class ExternalContent extends Context.Service<ExternalContent, ExternalContentShape>()(
  "parley/chat/ExternalContent",
) {
  static readonly layer = Layer.effect(
    ExternalContent,
    Effect.gen(function* () {
      const clock = yield* Clock
      const outbound = yield* Outbound
      const realms = yield* Realms
      const key = externalKey((yield* Config).secret)
      const kept = new CachedPictures()
      const underWay = new Map<string, Deferred.Deferred<FoundPicture, Unavailable>>()

      const fetch = Effect.fnUntraced(function* (owner: string, url: string) {
        const wanted = { url, types: ["image/*"], mostBytes, isCut: false }
        const fetched = yield* Effect.catchTag(outbound.fetch(owner, wanted), "NotFetched", ({ why }: NotFetched) =>
          why === "busy"
            ? Effect.fail(new Unavailable({ reason: "too many pictures are fetched" }))
            : Effect.succeed(null),
        )
        const contentType = fetched === null ? undefined : pictureType(fetched.bytes)
        const picture: FoundPicture =
          fetched === null || contentType === undefined ? null : { contentType, bytes: fetched.bytes }
        const milliseconds = picture === null ? failureMilliseconds : keptMilliseconds
        kept.keep(url, { picture, until: clock.elapsed() + milliseconds })
        return picture
      })

      const fetchOnce = Effect.fnUntraced(function* (owner: string, url: string) {
        const others = underWay.get(url)
        if (others !== undefined) return yield* Deferred.await(others)
        const mine = Deferred.makeUnsafe<FoundPicture, Unavailable>()
        underWay.set(url, mine)
        return yield* Effect.onExit(fetch(owner, url), (exit) =>
          Effect.sync(() => {
            underWay.delete(url)
            Deferred.doneUnsafe(mine, exit)
          }),
        )
      })

      return {
        find: Effect.fnUntraced(function* (path, host, client) {
          const url = readExternalAddress(key, path)
          if (url === undefined) return null
          const known = kept.find(url, clock.elapsed())
          if (known !== undefined) return known
          const realm = yield* realms.find(host)
          return realm === null ? null : yield* fetchOnce(`pictures for ${client}`, url)
        }),
      }
    }),
  )
}

/** Finds the picture at one of this server's addresses, by `ExternalContent.find`. */
export const findExternalPicture = (path: string, host: string, client: string) =>
  Effect.flatMap(ExternalContent, ({ find }) => find(path, host, client))
