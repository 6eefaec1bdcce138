/** The HTML of previews (contract 7), and which addresses have one. */
import { externalAddress } from "../../external-content/external-address.ts"
import { escapeHtml } from "../rules/code-block.ts"
import { type LinkedFile, type PageInfo, type PreviewSources, uploadPath, uploadsPrefix } from "./preview-sources.ts"

/** A link as it stands in a text. */
export interface Link {
  readonly href: string
  /** What previews are called: the link's title, or its text unless that is the address. Empty: nothing. */
  readonly title: string
}

const attribute = (name: string, value: string): string => ` ${name}="${escapeHtml(value)}"`
const titleOf = ({ title }: Link): string => (title === "" ? "" : attribute("title", title))
const anchor = (link: Link): string => `<a${attribute("href", link.href)}${titleOf(link)}>`

const picture = (link: Link, source: string, further = ""): string =>
  `<div class="message_inline_image">${anchor(link)}<img${further}${attribute("src", source)}></a></div>`

/** Formats that browsers show, so that the original can be opened too. */
const pictures: ReadonlySet<string> = new Set(["png", "jpeg", "gif", "webp", "avif"].map((each) => `image/${each}`))
const videos: ReadonlySet<string> = new Set(["video/mp4", "video/webm"])
const sounds = /^audio\/(?:aac|flac|mp4|mpeg|ogg|wav|webm|x-m4a|x-wav)$/
const thumbnail = "840x560.webp"

const ofFile = (link: Link, path: string, { contentType, size, isAnimated }: LinkedFile): string | undefined => {
  if (videos.has(contentType)) {
    const video = `<video preload="metadata"${attribute("src", link.href)}></video>`
    return `<div class="message_inline_image message_inline_video">${anchor(link)}${video}</a></div>`
  }
  // What could not be decoded is no picture, whatever it is called.
  if (!pictures.has(contentType) || size === null) return undefined
  const animated = isAnimated ? attribute("data-animated", "true") : ""
  const type = attribute("data-original-content-type", contentType)
  const dimensions = attribute("data-original-dimensions", `${size.width}x${size.height}`)
  const source = `${uploadsPrefix}thumbnail/${encodeURI(path)}/${thumbnail}`
  return picture(link, source, `${animated}${type}${dimensions}`)
}

/** `![text](address)` of an uploaded sound; undefined if it is none. */
export const soundHtml = (link: Link, sources: PreviewSources): string | undefined => {
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

/** The preview of a link that needs nothing from elsewhere; undefined if it has none. */
export const linkPreview = (link: Link, sources: PreviewSources): string | undefined => {
  const { href } = link
  if (!web.test(href)) {
    const path = uploadPath(href)
    const file = path === undefined ? undefined : sources.files.get(path)
    return path === undefined || file === undefined ? undefined : ofFile(link, path, file)
  }
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  if (pictureEnding.test(url.pathname)) return picture(link, externalAddress(sources.key, url.href))
  const video = findYouTube(url)
  if (video === undefined) return undefined
  const still = externalAddress(sources.key, `https://i.ytimg.com/vi/${video}/mqdefault.jpg`)
  const open = `<a${attribute("data-id", video)}${attribute("href", href)}${titleOf(link)}>`
  return `<div class="youtube-video message_inline_image">${open}<img${attribute("src", still)}></a></div>`
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
