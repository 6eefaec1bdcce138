/**
 * Renders a message for its sender: finds the names that it speaks of, looks up what the sender may see of them, and
 * renders at once what is short and plain, the rest in the worker. Called before a message is sent or changed, and by
 * POST /messages/render.
 */
import * as Effect from "effect/Effect"
import { type Caller, requesterName } from "../../../api/endpoint.ts"
import { Config } from "../../../config/config.ts"
import { UserReads } from "../../../db/reads.ts"
import type { ChannelId, MessageId } from "../../../ids.ts"
import { externalKey } from "../../ground/external-content/external-address.ts"
import { FileClaims } from "../../ground/files/file-claims.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { type MarkdownNames, type NamesInText, namesIn } from "./context/markdown-names.ts"
import { type LinkedFile, type PageInfo, type PreviewSources, uploadsIn } from "./context/preview-sources.ts"
import { noMentions, type Rendered, type RenderJob } from "./context/rendered.ts"
import { authorVisibility, findNames, wantedTopics } from "./find-names.ts"
import { NewestTopics } from "./newest-topics.ts"
import { plainHtml } from "./plain-text.ts"
import { findLinkedFiles } from "./previews/linked-files-store.ts"
import type { LinkingText } from "./previews/linked-pages.ts"
import { linkifiersOf } from "./realm-markup.ts"
import { tryAtOnce } from "./rendering/render.ts"
import { isLight } from "./rendering/render-weight.ts"
import { RenderWorker } from "./thread/render-worker-client.ts"

const noTopicsByChannel: ReadonlyMap<ChannelId, ReadonlyMap<string, MessageId>> = new Map()
const noFiles: ReadonlyMap<string, LinkedFile> = new Map()
const noPages: ReadonlyMap<string, PageInfo> = new Map()
const noTopics: ReadonlyMap<string, MessageId> = new Map()

/** The newest messages of the topics that a text speaks of. Most speak of none, and cost no statement. */
const findTopics = Effect.fnUntraced(function* (caller: Caller, spoken: NamesInText) {
  const { realm, user } = yield* requireAccount(caller)
  const wanted = wantedTopics(realm, user, spoken)
  if (wanted.length === 0) return noTopicsByChannel
  const newest = yield* (yield* NewestTopics).find(caller, wanted)
  const found = new Map<ChannelId, Map<string, MessageId>>()
  for (const [at, id] of newest.entries()) {
    const topic = wanted[at]
    if (topic === undefined || id === undefined) continue
    const known = found.get(topic.channel) ?? new Map<string, MessageId>()
    found.set(topic.channel, known.set(topic.folded, id))
  }
  return found
})

/** The worker is sent only those custom emoji that the content may hold. */
const emojiIn = (content: string, all: MarkdownNames["customEmoji"]): MarkdownNames["customEmoji"] => {
  const found = new Map<string, string>()
  if (all.size === 0) return found
  for (const [, name = ""] of content.matchAll(/:([\w+-]{1,100})(?=:)/g)) {
    const address = all.get(name)
    if (address !== undefined) found.set(name, address)
  }
  return found
}

/** The beginnings that an address with a preview may have: most messages hold none. */
const mayLink = /:\/\/|\.[a-z]|user_uploads\//i

/**
 * The sources of previews; null where there are none, or the server or the organization wants none. Sounds are no
 * previews: they stand in the text itself, so the files that it links are looked up anyway.
 */
const findSources = Effect.fnUntraced(function* (caller: Caller, content: string) {
  if (!mayLink.test(content)) return null
  const { realm } = yield* requireAccount(caller)
  const { imagePreviews, pagePreviews, secret } = yield* Config
  const { inline_image_preview, inline_url_embed_preview } = realm.settings
  const showsPictures = imagePreviews && inline_image_preview
  const showsPages = pagePreviews && inline_url_embed_preview
  const paths = uploadsIn(content)
  if (!showsPictures && !showsPages && paths.size === 0) return null
  // A preview of a file that the sender may not read, or no more, would tell that it is there, and what it is.
  const readable = paths.size === 0 ? paths : yield* (yield* FileClaims).readable(caller, paths)
  const files =
    readable.size === 0
      ? noFiles
      : yield* findLinkedFiles((yield* UserReads).begin(requesterName(caller)), realm.id, readable)
  return { showsPictures, showsPages, key: externalKey(secret), files, pages: noPages } satisfies PreviewSources
})

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)

/** A message as it is rendered for its sender. */
export interface RenderedMessage extends Rendered {
  /** The text to be rendered anew when the pages that it links are known; null where it links none. */
  readonly linking: LinkingText | null
}

const withLinking = (rendered: Rendered, job: () => RenderJob): RenderedMessage => {
  const { html, pages } = rendered
  return { ...rendered, linking: pages.length === 0 ? null : { job: job(), html, pages } }
}

/** HTML and mentions of a message. Fails with 400 if it cannot be rendered. */
export const renderMessage = Effect.fnUntraced(function* (caller: Caller, content: string) {
  const plain = plainHtml(content)
  if (plain !== undefined && linkifiersOf((yield* requireAccount(caller)).realm).length === 0) {
    const rendered: RenderedMessage = { html: plain, mentions: noMentions, pages: [], linking: null }
    return rendered
  }
  const spoken = namesIn(content)
  const newest = spoken.references.size === 0 ? noTopicsByChannel : yield* findTopics(caller, spoken)
  const previews = yield* findSources(caller, content)
  const { realm, user } = yield* requireAccount(caller)
  const ofChannel = (channel: ChannelId) => newest.get(channel) ?? noTopics
  const names = {
    ...findNames(realm, authorVisibility(realm, user), spoken, hostOf(caller.origin), ofChannel),
    previews,
  }
  const atOnce = isLight(content, names.codeLanguage) ? tryAtOnce(content, names) : undefined
  const job = () => ({ content, names: { ...names, customEmoji: emojiIn(content, names.customEmoji) } })
  if (atOnce !== undefined) return withLinking(atOnce, job)
  return withLinking(yield* (yield* RenderWorker).render(requesterName(caller), job()), job)
})
