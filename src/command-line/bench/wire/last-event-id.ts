/** The id at the end of a frame or response of events: the digits before the closing brackets. */

const digit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

/** `end`: the index after the last byte. Answers -1 if there is no id. */
export const idAt = (bytes: Uint8Array, end: number): number => {
  let at = end - 1
  while (at >= 0 && at > end - 8 && !digit(bytes[at] ?? 0)) at--
  let id = 0
  let scale = 1
  const last = at
  for (; at >= 0 && digit(bytes[at] ?? 0); at--) {
    id += scale * ((bytes[at] ?? 0) - 0x30)
    scale *= 10
  }
  return at === last ? -1 : id
}

/** Bytes at the end of a frame that hold the id for certain. */
export const tailBytes = 32
