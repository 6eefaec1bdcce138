/**
 * What may stand in the headers of a mail, and in the commands that hand it over. Names and subjects are of people: whatever
 * could end a line, hide, or turn the writing around becomes a space. An address is used as it is or not at all.
 */

/** The longest path of RFC 5321, and of what is before the @. */
export const longestAddress = 254
const longestLocalPart = 64
const longestName = 100
const longestSubject = 200

/** Unquoted (RFC 5322, dot-atom), letters of any language in it (RFC 6531): quotes, commas, brackets and spaces are refused. */
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const label = "[\\p{L}\\p{N}]([\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?"
const domain = new RegExp(`^${label}(\\.${label})*$`, "u")

/** Whether mail can be sent to it. */
export const isMailAddress = (text: string): boolean => {
  if (text.length > longestAddress) return false
  const [local = "", host = "", surplus] = text.split("@")
  return surplus === undefined && local.length <= longestLocalPart && localPart.test(local) && domain.test(host)
}

/** Control, format (also marks of direction), separators and halves of characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu

export const oneLine = (text: string, longest: number): string =>
  Array.from(text.replace(unprintable, " ").trim()).slice(0, longest).join("")

/**
 * A text that programs show as it is, where it reads as a word in another encoding (RFC 2047), also those that decode what is
 * quoted. A word joiner, which is not seen, parts the signs; because of it the library encodes the whole text.
 */
export const withoutEncoded = (text: string): string => text.replaceAll("=?", "=\u2060?")

export const headerName = (name: string): string => oneLine(name, longestName)
export const headerSubject = (subject: string): string => oneLine(subject, longestSubject)
