/**
 * The sources of previews of links, looked up before a text is rendered: plain data, which a worker thread can be sent.
 */
import { parting, withoutTrailing } from "../../characters/address-end.ts"

/** An uploaded file that a text links. */
export interface LinkedFile {
  /** As its owner's client called it. */
  readonly contentType: string
  /** The size of a picture that can be decoded; null for all else. */
  readonly size: { readonly width: number; readonly height: number } | null
  readonly isAnimated: boolean
  /** Its thumbnails are not there yet. */
  readonly isPending: boolean
}

/** The title and description that a web page gives of itself; plain text. */
export interface PageInfo {
  readonly title: string
  readonly description: string
  /** The address of a picture at another server; empty if there is none. */
  readonly image: string
}

export interface PreviewSources {
  /** Whether pictures and uploaded videos are shown. */
  readonly showsPictures: boolean
  /** Whether pages are. */
  readonly showsPages: boolean
  /** For addresses of pictures of other servers (external-content). */
  readonly key: string
  /** By what follows `/user_uploads/` in their address. */
  readonly files: ReadonlyMap<string, LinkedFile>
  /** By the address of the link. Empty when a message is sent: they come later. */
  readonly pages: ReadonlyMap<string, PageInfo>
}

/** In a message. */
export const mostPreviews = 24
/** Pages that are fetched for a message. */
export const mostPages = 5

export const uploadsPrefix = "/user_uploads/"

/** The path of an uploaded file in the address of a link; undefined if it is none. */
export const uploadPath = (address: string): string | undefined => {
  if (!address.startsWith(uploadsPrefix)) return undefined
  const [path = ""] = address.slice(uploadsPrefix.length).split(/[?#]/, 1)
  try {
    const decoded = decodeURIComponent(path)
    // No database keeps it, and no name of a file has it.
    return decoded.includes("\u0000") ? undefined : decoded
  } catch {
    return undefined
  }
}

/** A name has 120 characters, each of which may be percent-encoded as twelve. */
const linked = /\/?user_uploads\/(\d{1,10}\/[0-9a-f]{2}\/[0-9a-f]{32}\/[^\s<>"`?#]{1,1500})/g
/** What no name of a file has, and may stand behind an address. */
const behindName = new RegExp(`[\\)\\]\\}'*&]|${parting}`, "v")
/** More files of a text are links only. */
const mostFiles = 2 * mostPreviews

/**
 * The paths of uploaded files that a text may link. Where a link ends is known when it is parsed, so there may be paths
 * of files that do not exist; none is missed among the first.
 */
export const uploadsIn = (content: string): ReadonlySet<string> => {
  const found = new Set<string>()
  if (!content.includes("user_uploads/")) return found
  for (const [, run = ""] of content.matchAll(linked)) {
    const name = run.slice(0, behindName.exec(run)?.index)
    for (const end of [run.length, name.length, withoutTrailing(name)]) {
      if (end <= 0 || found.size >= 3 * mostFiles) continue
      const path = uploadPath(`${uploadsPrefix}${run.slice(0, end)}`)
      if (path !== undefined) found.add(path)
    }
  }
  return found
}
