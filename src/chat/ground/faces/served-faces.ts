/**
 * The pictures of organizations and their people that anybody may fetch who knows their address: custom emoji, faces, icons,
 * logos. Files that were asked for last are kept in memory, within bounds; patterns are drawn anew. Served by
 * http/downloads/serve-pictures.ts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Unavailable } from "../../../api/errors.ts"
import type { ServedPicture } from "../../../api/pages.ts"
import { type FileName, Files, findFileName, readWhole } from "../files/files.ts"
import { drawIcon, drawPattern } from "./drawn-pattern.ts"
import { facePrefix, medium } from "./face-urls.ts"

const stored = /^\d{1,10}\/(?:emoji\/images|avatars|realm)\/[0-9a-z-]{1,60}\.(png|webp)$/
const drawn = /^([1-9]\d{0,9})\/drawn\/(?:(0|[1-9]\d{0,9})(-medium)?|icon|logo)\.png$/

const keptBytes = 32 * 2 ** 20
/** Larger ones are read from the disk each time: few ask for them, one at a time. */
const mostKeptBytes = 64 * 1024

/** Pictures by the names of their files: a cache that gives up those that were asked for longest ago, the first in the map. */
export class CachedFaces {
  readonly #kept = new Map<FileName, ServedPicture>()
  #bytes = 0

  find(name: FileName): ServedPicture | undefined {
    const picture = this.#kept.get(name)
    if (picture === undefined) return undefined
    this.#kept.delete(name)
    this.#kept.set(name, picture)
    return picture
  }

  keep(name: FileName, picture: ServedPicture): void {
    if (picture.bytes.byteLength > mostKeptBytes) return
    this.forget(name)
    this.#kept.set(name, picture)
    this.#bytes += picture.bytes.byteLength
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= keptBytes) break
      this.forget(oldest)
    }
  }

  forget(name: FileName): void {
    this.#bytes -= this.#kept.get(name)?.bytes.byteLength ?? 0
    this.#kept.delete(name)
  }

  get bytes(): number {
    return this.#bytes
  }
}

const findDrawn = (rest: string): ServedPicture | undefined => {
  const [all, realm, id, size] = drawn.exec(rest) ?? []
  if (all === undefined) return undefined
  const bytes = id === undefined ? drawIcon(Number(realm)) : drawPattern(Number(realm), Number(id), size === medium)
  return { contentType: "image/png", bytes }
}

interface ServedFacesShape {
  /** The picture at a path of this server; null where there is none. */
  readonly find: (path: string) => Effect.Effect<ServedPicture | null, Unavailable>
  /** Removes a file, from memory too. */
  readonly remove: (name: FileName) => Effect.Effect<void, Unavailable>
}

export class ServedFaces extends Context.Service<ServedFaces, ServedFacesShape>()("parley/chat/ServedFaces") {
  static readonly layer = Layer.effect(
    ServedFaces,
    Effect.map(Files, (files) => {
      const kept = new CachedFaces()
      let removals = 0

      const read = Effect.fnUntraced(function* (name: FileName, ending: string) {
        const before = removals
        const found = yield* files.find(name)
        if (found === null) return null
        const bytes = yield* Effect.promise(() => readWhole(found))
        const picture = { contentType: ending === "png" ? "image/png" : "image/webp", bytes }
        // What is removed while it is read is not kept.
        if (before === removals) kept.keep(name, picture)
        return picture
      })

      return {
        find: (path) =>
          Effect.suspend(() => {
            const rest = path.startsWith(facePrefix) ? path.slice(facePrefix.length) : ""
            const picture = findDrawn(rest)
            if (picture !== undefined) return Effect.succeed(picture)
            const name = findFileName(rest)
            const [, ending] = stored.exec(rest) ?? []
            if (name === undefined || ending === undefined) return Effect.succeed(null)
            const known = kept.find(name)
            return known === undefined ? read(name, ending) : Effect.succeed(known)
          }),
        remove: (name) =>
          Effect.suspend(() => {
            removals++
            kept.forget(name)
            return files.remove(name)
          }),
      }
    }),
  )
}

/** Finds a picture, by `ServedFaces.find`. */
export const findFace = (path: string) => Effect.flatMap(ServedFaces, ({ find }) => find(path))
