/**
 * What is served beside the API where several processes serve one database: each looks at an organization only when it has all
 * that was committed before. Used by app.ts.
 */
import * as Effect from "effect/Effect"
import type { DownloadSource } from "../../api/downloads.ts"
import type { Unavailable } from "../../api/errors.ts"
import type { PictureSource } from "../../api/pages.ts"
import type { WebPage } from "../../api/web-page.ts"
import type { RealmId } from "../../ids.ts"

interface Sources<R> {
  readonly downloads: ReadonlyArray<DownloadSource<R>>
  readonly pictures: ReadonlyArray<PictureSource<R>>
  readonly webPages: ReadonlyArray<WebPage<R>>
}

interface Realms {
  readonly find: (host: string) => Effect.Effect<RealmId | null, Unavailable>
  readonly fresh: (realm: RealmId) => Effect.Effect<void, Unavailable>
}

export const freshSources = <R>(realms: Realms, sources: Sources<R>): Sources<R> => {
  const fresh = (realm: RealmId | null) => (realm === null ? Effect.void : realms.fresh(realm))
  return {
    downloads: sources.downloads.map(({ prefix, find }) => ({
      prefix,
      find: (who, path, query) => Effect.andThen(fresh(who.realm), find(who, path, query)),
    })),
    pictures: sources.pictures.map(({ find, ...rest }) => ({
      ...rest,
      find: (path, host, client) => Effect.andThen(Effect.flatMap(realms.find(host), fresh), find(path, host, client)),
    })),
    webPages: sources.webPages.map(({ run, ...rest }) => ({
      ...rest,
      run: (request) => Effect.andThen(fresh(request.realm), run(request)),
    })),
  }
}
