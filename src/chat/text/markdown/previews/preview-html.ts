/** The HTML of previews, and which addresses have one. */
import { externalAddress } from "../../../ground/external-content/external-address.ts"
import { shownFormat, transcodedFormat } from "../../../ground/images/thumbnail-formats.ts"
import { longestUrl } from "../../../ground/outbound/url-limit.ts"
import {
  type LinkedFile,
  type PageInfo,
  type PreviewSources,
  uploadPath,
  uploadsPrefix,
} from "../context/preview-sources.ts"
import { escapeHtml } from "../rules/code-block.ts"

/** A link as it stands in a text. */
export interface PreviewLink {
  readonly href: string
  /** The title of previews: the link's, or its text unless that is the address. Empty: none. */
  readonly title: string
}

const attribute = (name: string, value: string): string => ` ${name}="${escapeHtml(value)}"`
const titleOf = ({ title }: PreviewLink): string => (title === "" ? "" : attribute("title", title))
const anchor = (link: PreviewLink): string => `<a${attribute("href", link.href)}${titleOf(link)}>`

const picture = (link: PreviewLink, source: string): string =>
  `<div class="message_inline_image">${anchor(link)}<img${attribute("src", source)}></a></div>`

const videos: ReadonlySet<string> = new Set(["video/mp4", "video/webm"])
const sounds = /^audio\/(?:aac|flac|mp4|mpeg|ogg|wav|webm|x-m4a|x-wav)$/

/** The mark by which clients know a picture that is not there yet, and the picture for clients that do not know it. */
const placeholder = `<img${attribute("class", "image-loading-placeholder")}`
const spinner = "/static/images/loading/loader-black.svg"

/** The element that shows an uploaded picture; undefined: what could not be decoded is none, whatever it is called. */
const pictureElement = (path: string, file: LinkedFile): string | undefined => {
  const { contentType, size, isAnimated, isPending } = file
  if (size === null) return undefined
  const picture = { contentType, ...size, isAnimated }
  const type = attribute("data-original-content-type", contentType)
  const dimensions = attribute("data-original-dimensions", `${size.width}x${size.height}`)
  if (isPending) return `${placeholder}${type}${dimensions}${attribute("src", spinner)}>`
  const animated = isAnimated ? attribute("data-animated", "true") : ""
  const name = transcodedFormat(picture)
  const transcoded = name === undefined ? "" : attribute("data-transcoded-image", name)
  const source = attribute("src", `${uploadsPrefix}thumbnail/${encodeURI(path)}/${shownFormat(picture)}`)
  return `<img${animated}${type}${dimensions}${transcoded}${source}>`
}

const ofFile = (link: PreviewLink, path: string, file: LinkedFile): string | undefined => {
  if (videos.has(file.contentType)) {
    const video = `<video preload="metadata"${attribute("src", link.href)}></video>`
    return `<div class="message_inline_image message_inline_video">${anchor(link)}${video}</a></div>`
  }
  const element = pictureElement(path, file)
  return element === undefined ? undefined : `<div class="message_inline_image">${anchor(link)}${element}</a></div>`
}

/** `![text](address)` of an uploaded sound; undefined if it is none. */
export const soundHtml = (link: PreviewLink, sources: PreviewSources): string | undefined => {
  const file = sources.files.get(uploadPath(link.href) ?? "")
  if (file === undefined || !sounds.test(file.contentType)) return undefined
  return `<audio controls preload="metadata"${attribute("src", link.href)}${titleOf(link)}></audio>`
}

const web = /^https?:\/\//i
const pictureEnding = /\.(?:png|jpe?g|gif|webp|avif)$/i
const videoId = /^[\w-]{11}$/

const findYouTube = ({ hostname, pathname, searchParams }: URL): string | undefined => {
  const host = hostname.replace(/^(?:www|m|music)\./, "")
  const [, first = "", second = ""] = pathname.split("/")
  if (host === "youtu.be") return videoId.test(first) ? first : undefined
  if (host !== "youtube.com" && host !== "youtube-nocookie.com") return undefined
  const id = first === "watch" ? (searchParams.get("v") ?? "") : /^(?:embed|shorts|live|v)$/.test(first) ? second : ""
  return videoId.test(id) ? id : undefined
}

const findVimeo = ({ hostname, pathname }: URL): string | undefined =>
  /^(?:www\.)?vimeo\.com$/.test(hostname) ? /^\/(\d{1,12})\/?$/.exec(pathname)?.[1] : undefined

export interface LinkPreview {
  readonly html: string
  /** It shows what the link leads to, and so may stand in its place. */
  readonly isWhole: boolean
}

/**
 * The preview of a link that needs nothing from elsewhere; undefined if it has none. A film of another server has none: to
 * show it would tell that server who reads.
 */
export const linkPreview = (link: PreviewLink, sources: PreviewSources): LinkPreview | undefined => {
  const { href } = link
  if (!web.test(href)) {
    const path = uploadPath(href)
    const file = path === undefined ? undefined : sources.files.get(path)
    const html = path === undefined || file === undefined ? undefined : ofFile(link, path, file)
    return html === undefined ? undefined : { html, isWhole: true }
  }
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  if (url.href.length > longestUrl) return undefined
  if (pictureEnding.test(url.pathname))
    return { html: picture(link, externalAddress(sources.key, url.href)), isWhole: true }
  const video = findYouTube(url)
  if (video === undefined) return undefined
  const still = externalAddress(sources.key, `https://i.ytimg.com/vi/${video}/mqdefault.jpg`)
  const open = `<a${attribute("data-id", video)}${attribute("href", href)}${titleOf(link)}>`
  const html = `<div class="youtube-video message_inline_image">${open}<img${attribute("src", still)}></a></div>`
  return { html, isWhole: false }
}

/** Whether a link may lead to a page that has a preview. */
export const isPage = (href: string): boolean => web.test(href) && URL.canParse(href)

/** The preview of a link to a page; undefined if the page says too little. */
export const pagePreview = (href: string, page: PageInfo, { key }: PreviewSources): string | undefined => {
  const { title, description, image } = page
  if (title === "") return undefined
  const source = image === "" ? "" : externalAddress(key, image)
  const vimeo = findVimeo(new URL(href))
  if (vimeo !== undefined && source !== "") {
    const open = `<a${attribute("data-id", vimeo)}${attribute("href", href)}${attribute("title", title)}>`
    return `<div class="embed-video message_inline_image">${open}<img${attribute("src", source)}></a></div>`
  }
  const address = attribute("href", href)
  const style = attribute("style", `background-image: url("${source}")`)
  const shown = source === "" ? "" : `<a class="message_embed_image"${address}${style}></a>`
  const name = `<a${address}${attribute("title", title)}>${escapeHtml(title)}</a>`
  return (
    `<div class="message_embed">${shown}<div class="data-container"><div class="message_embed_title">${name}</div>` +
    `<div class="message_embed_description">${escapeHtml(description)}</div></div></div>`
  )
}

/** The renderer makes previews in this form only, and escapes everything else. */
const pendingPreviews =
  /<div class="message_inline_image">(<a href="(\/user_uploads\/[^"]*)"(?: title="([^"]*)")?>)<img class="image-loading-placeholder"[^>]*><\/a><\/div>(\n?)/g

/** The paths of pictures that a message's HTML shows as not there yet. */
export const pendingPaths = (html: string): ReadonlySet<string> => {
  const found = new Set<string>()
  if (!html.includes(placeholder)) return found
  for (const [, , href = ""] of html.matchAll(pendingPreviews)) {
    const path = uploadPath(href)
    if (path !== undefined) found.add(path)
  }
  return found
}

/** The HTML of a message with those of its pictures that are there by now. One that turned out to be none is a link. */
export const placeThumbnails = (html: string, files: ReadonlyMap<string, LinkedFile>): string => {
  const placed = html.replace(
    pendingPreviews,
    (_whole, open: string, href: string, title: string | undefined, end: string) => {
      const path = uploadPath(href) ?? ""
      const file = files.get(path)
      const element = file === undefined ? undefined : pictureElement(path, file)
      if (element !== undefined) return `<div class="message_inline_image">${open}${element}</a></div>${end}`
      const isLinked = html.split(`<a href="${href}"`).length > 2
      return isLinked ? "" : `<p>${open}${title ?? href}</a></p>${end}`
    },
  )
  return placed.trimEnd()
}
