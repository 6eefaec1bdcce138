/**
 * The names of uploaded files. A client's name for a file is never a name on the disk: it is shown, and a plainer form
 * of it ends the file's address, behind a token that nobody can guess.
 */
import { randomBytes } from "node:crypto"
import { type FileName, fileName } from "../../ground/files/files.ts"
import { formatsOf, type PictureFacts } from "../../ground/images/thumbnail-formats.ts"
import { unwantedCharacters } from "../../ground/realm/domain-values.ts"

/** Code points of a name, and of the end of an address. */
const longestName = 120
const longestEnding = 20

const ofLength = (name: string, most: number): string => [...name].slice(0, most).join("")

/** Without the half of a character that a cut between its two units leaves: no database takes that. */
const withoutHalves = (part: string): string => part.replace(/\p{Cs}/gu, "")

/** Cuts the middle out, so that the ending stays. */
const shortened = (name: string): string => {
  // Only the two ends of a long text can matter. It is normalized before it is cut: some characters become three.
  const ends =
    name.length > 4 * longestName
      ? withoutHalves(name.slice(0, 2 * longestName)) + withoutHalves(name.slice(-2 * longestName))
      : name
  const near = ends.normalize("NFC")
  if ([...near].length <= longestName) return near
  const dot = near.lastIndexOf(".")
  const ending = dot > 0 ? near.slice(dot) : ""
  return [...ending].length > longestEnding
    ? ofLength(near, longestName)
    : ofLength(near, longestName - [...ending].length) + ending
}

/** The name as people see it: the last part of a path, without control characters and such that turn a text around. */
export const shownName = (sent: string): string => {
  const last = sent.slice(Math.max(sent.lastIndexOf("/"), sent.lastIndexOf("\\")) + 1)
  const clean = shortened(last.toWellFormed().replace(unwantedCharacters, "")).trim()
  return clean === "" || /^\.+$/.test(clean) ? "file" : clean
}

/** What is called by nothing but one of these is no hidden file: its name was lost. */
const lonelyEnding =
  /^\.(?:png|jpe?g|gif|webp|avif|bmp|heic|svg|tiff?|pdf|mp[34]|m4[av]|webm|og[agv]|opus|wav|flac|aac)$/i

/** What cannot stand in an address becomes a hyphen, with the marks behind it. */
const cleanPart = (part: string): string =>
  part.replace(/[^\p{L}\p{M}\p{N}_-]+\p{M}*/gu, "-").replace(/^[-\p{M}]+/u, "")

/**
 * The end of the file's address: letters, digits, `_`, `-` and single dots between them, so that it stands in any text
 * and link as it is. The ending is kept whatever the name before it is: where nothing of that remains it is `file`.
 */
export const nameInAddress = (shown: string): string => {
  const named = lonelyEnding.test(shown) ? shown : shown.replace(/^\./, "")
  const [stem = "", ...endings] = named.split(".")
  const clean = endings.map((ending) => cleanPart(ending).replace(/-+$/, "")).filter((ending) => ending !== "")
  return [cleanPart(stem) || "file", ...clean].join(".")
}

/** 128 bits, in front of it two digits that divide the files of an organization into folders. */
const token = /^[0-9a-f]{2}\/[0-9a-f]{32}$/

const prefix = "/user_uploads/"
/** Most characters of an address, whose name may have characters of four bytes each, percent-encoded. */
const longestAddress = 12 * longestName + 200

/** `path_id` as clients see it: what follows `/user_uploads/` in the file's address. */
export const newPath = (realm: number, shown: string): string => {
  const random = randomBytes(16).toString("hex")
  return `${realm}/${random.slice(0, 2)}/${random}/${nameInAddress(shown)}`
}

export const addressOf = (path: string): string => `${prefix}${path}`

/** The path of the file at an address without the server's name; undefined where it is no file's. */
export const linkedPath = (address: string): string | undefined => {
  if (!address.startsWith(prefix) || address.length > longestAddress) return undefined
  try {
    const path = decodeURIComponent(address.slice(prefix.length).replace(/[?#].*$/s, ""))
    const [realm = "", shard, random, name, ...more] = path.split("/")
    const isPath = /^\d{1,10}$/.test(realm) && token.test(`${shard}/${random}`) && name !== undefined && name !== ""
    return isPath && more.length === 0 && path.isWellFormed() && !path.includes("\u0000") ? path : undefined
  } catch {
    return undefined
  }
}

/** The part of a path by which its file is stored. Null for a path that no file of this organization has. */
const tokenOf = (realm: number, path: string): readonly [shard: string, random: string] | null => {
  const [of, shard = "", random = "", name, ...more] = path.split("/")
  const isPath = of === String(realm) && name !== undefined && more.length === 0 && token.test(`${shard}/${random}`)
  return isPath ? [shard, random] : null
}

/** The place of a file's bytes: the name is no part of it. Null for a path that no file of this organization has. */
export const storedName = (realm: number, path: string): FileName | null => {
  const found = tokenOf(realm, path)
  return found === null ? null : fileName(String(realm), "uploads", ...found)
}

/** The place of a file's thumbnail, of a format that thumbnail-formats.ts names; null like `storedName`. */
export const thumbnailName = (realm: number, path: string, format: string): FileName | null => {
  const found = tokenOf(realm, path)
  return found === null ? null : fileName(String(realm), "thumbnails", found[0], `${found[1]}-${format}`)
}

/** Which bytes a stored name belongs to, whatever form of them it has: a path without the name at its end. */
export const pathBeginning = (stored: FileName): string =>
  stored.replace(/\/(?:uploads|thumbnails)\//, "/").replace(/-[^/]*$/, "")

/** A file as it is recorded, as far as it may be a picture. */
interface RecordedFile {
  readonly path_id: string
  readonly content_type: string
  readonly width: number | null
  readonly height: number | null
  readonly is_animated: boolean
}

/** A file as a picture; null if it is none that can be decoded. */
export const pictureOf = ({ content_type, width, height, is_animated }: RecordedFile): PictureFacts | null =>
  width === null || height === null ? null : { contentType: content_type, width, height, isAnimated: is_animated }

/** All that is stored of a file. */
export const storedNames = (realm: number, file: RecordedFile): ReadonlyArray<FileName> => {
  const picture = pictureOf(file)
  const formats = picture === null ? [] : formatsOf(picture)
  return [
    storedName(realm, file.path_id),
    ...formats.map((format) => thumbnailName(realm, file.path_id, format)),
  ].filter((name) => name !== null)
}
