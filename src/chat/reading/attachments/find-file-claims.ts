/** Finds the uploaded files that a message links, for those who store messages (files/file-claims.ts). */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Caller, requesterName } from "../../../api/endpoint.ts"
import { UserReads } from "../../../db/reads.ts"
import { type ClaimedFile, FileClaims } from "../../ground/files/file-claims.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { findReadableFiles } from "./file-access.ts"
import { addressOf, linkedPath } from "./file-names.ts"

/** How the addresses of all files begin, after the server's own. */
const uploads = addressOf("")
const noPaths: ReadonlyArray<string> = []

/** The renderer makes attributes in this form only, and escapes everything else. */
const addresses = /\s(?:href|src)="([^"]*)"/g

/** The paths of all files that the HTML links, under their own address or the server's. */
export const linkedPaths = (html: string, origin: string): ReadonlyArray<string> => {
  // Nearly every message: without looking at each of its links.
  if (!html.includes(uploads)) return noPaths
  const found = new Set<string>()
  for (const [, address = ""] of html.matchAll(addresses)) {
    const path = linkedPath(address.startsWith(`${origin}/`) ? address.slice(origin.length) : address)
    if (path !== undefined) found.add(path)
  }
  return [...found]
}

const noFiles: Effect.Effect<ReadonlyArray<ClaimedFile>> = Effect.succeed([])

export const fileClaims = Layer.effect(
  FileClaims,
  Effect.gen(function* () {
    const reads = yield* UserReads
    const realms = yield* Realms
    const findReadable = Effect.fnUntraced(function* (caller: Caller, paths: ReadonlyArray<string>) {
      if (paths.length === 0) return []
      const { realm } = yield* realms.get(caller.realm)
      const user = yield* Effect.fromResult(requireActor(realm, caller))
      const readable = findReadableFiles(reads.begin(requesterName(caller)), realm, user, paths)
      return yield* Effect.provideService(readable, Realms, realms)
    })
    return {
      find: (caller, html) => {
        const paths = linkedPaths(html, caller.origin)
        if (paths.length === 0) return noFiles
        return Effect.map(findReadable(caller, paths), (files) =>
          files.map(({ id, owner_id }) => ({ id, owner: owner_id })),
        )
      },
      readable: Effect.fnUntraced(function* (caller, paths) {
        const files = yield* findReadable(caller, [...paths])
        return new Set(files.map(({ path_id }) => path_id))
      }),
    }
  }),
)
