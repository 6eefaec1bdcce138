/**
 * Title, description and picture that a web page gives of itself at its beginning: Open Graph, else its title and
 * description, in whichever encoding they are (page-encoding.ts). Read by htmlparser2 as events, so nothing is built of
 * the page, until its body begins; in slices of the loop, because it may be long. Only texts are taken, which are
 * escaped where they are shown, and the address of a picture. Nothing that a page asks for is done, such as a refresh.
 */
import * as Effect from "effect/Effect"
import { Parser } from "htmlparser2"
import { nextSlice } from "../../../slices.ts"
import { longestUrl } from "../../ground/outbound/url-limit.ts"
import { unwantedCharacters } from "../../ground/realm/domain-values.ts"
import type { PageInfo } from "../../text/markdown/context/preview-sources.ts"
import {
  decoderOf,
  encodingSaid,
  guessedEncoding,
  labelOfMeta,
  namedWithin,
  type PageEncoding,
  sureEncoding,
} from "./page-encoding.ts"

/** Elements that may stand before the body. With any other one the body has begun. */
const ofHead: ReadonlySet<string> = new Set("html head title meta link script style base noscript template".split(" "))
/** Elements within each other that a head may have. */
const deepest = 20
/** Names of encodings that are looked up: it takes 10 us to see that one is unknown. */
const mostLabels = 20
/** Characters that are parsed in one turn of the loop: a millisecond. */
const chunk = 16 * 1024
/** UTF-16 units that are looked at of one text, and code points that are shown. */
const longestRead = 4000
const longestTitle = 200
const longestDescription = 500

/** The properties that count, the first of a row before the others. */
const names = {
  title: ["og:title", "twitter:title"],
  description: ["og:description", "twitter:description", "description"],
  image: ["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"],
} as const
const wantedKeys: ReadonlySet<string> = new Set(Object.values(names).flat())

const plain = (text: string, most: number): string => {
  const clean = text.slice(0, longestRead).toWellFormed().replace(/\s+/g, " ").replace(unwantedCharacters, "").trim()
  const points = [...clean]
  return points.length <= most ? clean : `${points.slice(0, most - 1).join("")}…`
}

const addressOf = (text: string, base: string): string => {
  if (text === "" || text.length > longestUrl || !URL.canParse(text, base)) return ""
  const url = new URL(text, base)
  const isPlain = /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  return isPlain && url.href.length <= longestUrl ? url.href : ""
}

/** The address that the page's others start from: what its element `base` says, else its own. */
const rootOf = (href: string, base: string): string => {
  if (href.length > longestUrl || !URL.canParse(href, base)) return base
  const url = new URL(href, base)
  return /^(?:data|javascript):$/.test(url.protocol) ? base : url.href
}

class HeadReader {
  readonly #found = new Map<string, string>()
  readonly #parser: Parser
  #title = ""
  #titles = 0
  #isTitle = false
  #depth = 0
  #root: string | undefined
  #labels = 0
  /** What the page says of its encoding. */
  encoding: PageEncoding | undefined
  isOver = false

  constructor() {
    const end = () => this.#end()
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => {
          this.#depth += 1
          if (!ofHead.has(name) || this.#depth > deepest) end()
          else if (name === "meta") this.#meta(attributes)
          else if (name === "base") this.#root ??= attributes["href"]
          else if (name === "title") this.#isTitle = ++this.#titles === 1
        },
        ontext: (text) => {
          if (this.#isTitle && this.#title.length < longestRead) this.#title += text.slice(0, longestRead)
        },
        onclosetag: (name) => {
          this.#depth -= 1
          if (name === "title") this.#isTitle = false
          else if (name === "head") end()
        },
      },
      { decodeEntities: true },
    )
  }

  write(text: string): void {
    if (!this.isOver) this.#parser.write(text)
  }

  #end(): void {
    this.isOver = true
    this.#parser.pause()
  }

  #meta(attributes: Readonly<Record<string, string>>): void {
    const label = labelOfMeta(attributes)
    if (label !== undefined && this.#labels++ < mostLabels) this.encoding ??= namedWithin(label)
    const { property, name, content = "" } = attributes
    for (const given of [property, name]) {
      const key = given?.slice(0, 50).trim().toLowerCase()
      if (key !== undefined && wantedKeys.has(key) && content !== "" && !this.#found.has(key))
        this.#found.set(key, content)
    }
  }

  #first(keys: ReadonlyArray<string>): string {
    for (const key of keys) {
      const found = this.#found.get(key)
      if (found !== undefined) return found
    }
    return ""
  }

  info(base: string): PageInfo {
    return {
      title: plain(this.#first(names.title), longestTitle) || plain(this.#title, longestTitle),
      description: plain(this.#first(names.description), longestDescription),
      image: addressOf(this.#first(names.image).trim(), rootOf(this.#root ?? "", base)),
    }
  }
}

const readHead = Effect.fnUntraced(function* (bytes: Uint8Array, encoding: PageEncoding) {
  const reader = new HeadReader()
  const decoder = decoderOf(encoding)
  for (let at = 0; at < bytes.byteLength && decoder !== undefined && !reader.isOver; at += chunk) {
    yield* nextSlice
    // As a stream even where there is one piece: else some versions of Node read windows-1252 as ISO 8859-1.
    reader.write(decoder.decode(bytes.subarray(at, at + chunk), { stream: true }))
  }
  return reader
})

/** `base`: the page's address. */
export const readPage = Effect.fnUntraced(function* (bytes: Uint8Array, contentType: string, base: string) {
  const known = sureEncoding(bytes, contentType) ?? encodingSaid(bytes, contentType)
  const encoding = known ?? guessedEncoding(bytes)
  const reader = yield* readHead(bytes, encoding)
  // Some say it further down only: then the page is read again.
  const late = known === undefined ? reader.encoding : undefined
  const right = late === undefined || late === encoding ? reader : yield* readHead(bytes, late)
  return right.info(base)
})
