/**
 * The messages that the directory sends, whole and of the forms that the client library expects (RFC 4511). It believes
 * the lengths in them: one that reaches beyond its message has it read for ever, and some thousand in one piece are
 * more than the stack holds. So it gets them one by one, and those only that are what they say. Controls are left out:
 * none is asked for.
 */

interface LdapElement {
  readonly tag: number
  /** Positions where it starts, and where its content begins and ends. */
  readonly start: number
  readonly begin: number
  readonly end: number
}

const tags = { integer: 0x02, text: 0x04, enumeration: 0x0a, sequence: 0x30, set: 0x31 }
const operations = { bind: 0x61, entry: 0x64, done: 0x65, reference: 0x73, extended: 0x78 }

/** The part that starts there; undefined as long as its head is not all there, null if it is none. */
const readPart = (bytes: Uint8Array, start: number): LdapElement | null | undefined => {
  const [tag, first] = [bytes[start], bytes[start + 1]]
  if (tag === undefined || first === undefined) return undefined
  if (first < 0x80) return { tag, start, begin: start + 2, end: start + 2 + first }
  const digits = first - 0x80
  if (digits < 1 || digits > 4) return null
  const begin = start + 2 + digits
  if (begin > bytes.length) return undefined
  const length = bytes.subarray(start + 2, begin).reduce((sum, byte) => sum * 256 + byte, 0)
  return { tag, start, begin, end: begin + length }
}

/** The parts that fill it to its end; undefined if they do not. */
const partsOf = (bytes: Uint8Array, { begin, end }: LdapElement): ReadonlyArray<LdapElement> | undefined => {
  const parts: Array<LdapElement> = []
  for (let at = begin; at < end; ) {
    const part = readPart(bytes, at)
    if (part === undefined || part === null || part.end > end) return undefined
    parts.push(part)
    at = part.end
  }
  return parts
}

const areTexts = (parts: ReadonlyArray<LdapElement> | undefined): boolean =>
  parts?.every(({ tag }) => tag === tags.text) ?? false

const isNumber = (part: LdapElement | undefined, tag: number): boolean =>
  part?.tag === tag && part.end - part.begin >= 1 && part.end - part.begin <= 4

const isAttribute = (bytes: Uint8Array, attribute: LdapElement): boolean => {
  const [name, values, ...others] = partsOf(bytes, attribute) ?? []
  if (attribute.tag !== tags.sequence || name?.tag !== tags.text || others.length > 0) return false
  return values?.tag === tags.set && areTexts(partsOf(bytes, values))
}

const isExpected = (bytes: Uint8Array, operation: LdapElement): boolean => {
  const parts = partsOf(bytes, operation)
  if (parts === undefined) return false
  const [first, second, third] = parts
  switch (operation.tag) {
    case operations.bind:
    case operations.done:
    case operations.extended:
      return isNumber(first, tags.enumeration) && second?.tag === tags.text && third?.tag === tags.text
    case operations.reference:
      return areTexts(parts)
    case operations.entry:
      if (parts.length !== 2 || first?.tag !== tags.text || second?.tag !== tags.sequence) return false
      return partsOf(bytes, second)?.every((attribute) => isAttribute(bytes, attribute)) ?? false
    default:
      return false
  }
}

/** A message without its controls; undefined if it is none that is expected. */
const readMessage = (bytes: Uint8Array, message: LdapElement): Buffer | undefined => {
  const [id, operation] = partsOf(bytes, message) ?? []
  if (id === undefined || operation === undefined) return undefined
  if (!isNumber(id, tags.integer) || !isExpected(bytes, operation)) return undefined
  const content = bytes.subarray(id.start, operation.end)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([Buffer.from([tags.sequence, 0x84]), length, content])
}

/**
 * Takes pieces as they come; answers the messages that are whole by now. Null: what came is no message, or more than
 * `most` bytes in all.
 */
export const makeMessages = (most: number): ((piece: Uint8Array) => ReadonlyArray<Buffer> | null) => {
  let waiting: Uint8Array = Buffer.alloc(0)
  let received = 0
  return (piece) => {
    received += piece.length
    if (received > most) return null
    waiting = Buffer.concat([waiting, piece])
    const messages: Array<Buffer> = []
    for (let part = readPart(waiting, 0); part !== undefined; part = readPart(waiting, 0)) {
      if (part?.tag !== tags.sequence || part.end > most) return null
      if (part.end > waiting.length) break
      const message = readMessage(waiting, part)
      if (message === undefined) return null
      messages.push(message)
      waiting = waiting.subarray(part.end)
    }
    return messages
  }
}
