/**
 * Previews of the pages that messages link, made beside the sends: a message is sent as it is, its pages are fetched, and
 * then it is rendered anew with what they say. Nothing waits for it. Messages wait in a bounded line, in turns by
 * sender, and whatever is too much stays without previews, as do those under way when the server ends. What a page
 * says is kept for a while, so that a link that many post is fetched once.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock } from "../../../clock.ts"
import { UserReads } from "../../../db/reads.ts"
import { awaitTurn, FairTurns } from "../../../fairness/fair-turns.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import type { RealmId } from "../../../ids.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { Outbound } from "../../ground/outbound/outbound.ts"
import type { Realms } from "../../ground/realm/realms.ts"
import type { PageInfo } from "../../text/markdown/context/preview-sources.ts"
import { findLinkedFiles } from "../../text/markdown/previews/linked-files-store.ts"
import { LinkedPages, type LinkingText } from "../../text/markdown/previews/linked-pages.ts"
import { pendingPaths, placeThumbnails } from "../../text/markdown/previews/preview-html.ts"
import { RenderWorker } from "../../text/markdown/thread/render-worker-client.ts"
import { type Rerendered, rerender } from "../message-edits/rerender.ts"
import { readPage } from "./page-info.ts"

/** Most bytes that are read of a page: its head is at the beginning. */
const mostBytes = 512 * 1024
const types = ["text/html", "application/xhtml+xml"]
const mostKept = 2000
const keptMilliseconds = 60 * 60_000
const failureMilliseconds = 5 * 60_000
/** Messages whose pages are fetched at a time, and that wait. */
const lineLimits = { capacity: 4, perOwner: 2, ownerWaiting: 100, allWaiting: 400 }
const waitMilliseconds = 60_000

interface CachedPage {
  readonly page: PageInfo | null
  readonly until: number
}

/** Renders anew a message whose uploaded pictures have been shown meanwhile, which is no edit of it. */
const showWithThumbnails = Effect.fnUntraced(function* (realm: RealmId, shown: Rerendered) {
  const paths = pendingPaths(shown.before)
  if (paths.size === 0) return
  const files = yield* findLinkedFiles((yield* UserReads).begin(`previews for realm ${realm}`), realm, paths)
  const before = placeThumbnails(shown.before, files)
  yield* rerender(realm, { ...shown, before, after: placeThumbnails(shown.after, files) })
})

const make = Effect.gen(function* () {
  const clock = yield* Clock
  const outbound = yield* Outbound
  const refusals = yield* Refusals
  const worker = yield* RenderWorker
  const turns = new FairTurns(lineLimits)
  const kept = new Map<string, CachedPage>()
  const inBackground = yield* (yield* Jobs).inBackground<Realms | UserReads>("previews of pages")

  const keep = (url: string, page: PageInfo | null): void => {
    kept.delete(url)
    kept.set(url, { page, until: clock.elapsed() + (page === null ? failureMilliseconds : keptMilliseconds) })
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break
      kept.delete(oldest)
    }
  }

  const findPage = Effect.fnUntraced(function* (owner: string, url: string) {
    const known = kept.get(url)
    if (known !== undefined && known.until > clock.elapsed()) return known.page
    const fetched = yield* Effect.result(outbound.fetch(owner, { url, types, mostBytes, isCut: true }))
    if (fetched._tag === "Failure") {
      if (fetched.failure.why !== "busy") keep(url, null)
      return null
    }
    const { bytes, contentType, url: base } = fetched.success
    const page = yield* readPage(bytes, contentType, base)
    const found = page.title === "" ? null : page
    keep(url, found)
    return found
  })

  /** The message's HTML with its previews; null if there is none of them. */
  const renderAnew = Effect.fnUntraced(function* (owner: string, { job, html, pages }: LinkingText) {
    const { previews } = job.names
    const known = new Map<string, PageInfo>()
    for (const url of pages) {
      const page = yield* findPage(owner, url)
      if (page !== null) known.set(url, page)
    }
    if (previews === null || known.size === 0) return null
    const names = { ...job.names, previews: { ...previews, pages: known } }
    const rendered = yield* worker.render(owner, { content: job.content, names })
    return rendered.html === html ? null : rendered.html
  })

  const note: LinkedPages["Service"]["note"] = (realm: RealmId, sender, message, text) => {
    const owner = `pages for user ${sender} of realm ${realm}`
    const work = Effect.acquireUseRelease(
      Effect.tapError(awaitTurn(turns, clock, { owner, cost: 1 }, waitMilliseconds), () =>
        Effect.sync(() => refusals.note("page previews", owner)),
      ),
      () =>
        Effect.gen(function* () {
          const after = yield* renderAnew(owner, text)
          if (after === null) return
          const shown = { message, sender, content: text.job.content, before: text.html, after }
          yield* Effect.catchTag(rerender(realm, shown), "ApiError", () => showWithThumbnails(realm, shown))
        }),
      (turn) => Effect.sync(() => turns.leave(turn)),
    )
    inBackground(work)
  }
  return { note }
})

export const pagePreviews = Layer.effect(LinkedPages, make)
