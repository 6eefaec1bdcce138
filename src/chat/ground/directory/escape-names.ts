/**
 * Names that people type as parts of what the directory reads: of a filter (RFC 4515) and of a distinguished name (RFC
 * 4514). Escaped, a name can only ever be a value: it neither ends the filter that it stands in nor makes it match more.
 */

/** The text that stands for the name in the operator's settings. */
const mark = "{name}"

const asHex = (character: string): string => `\\${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`

/** Not a name: no directory has one with control characters, and they are not escaped here. */
export const hasControls = (name: string): boolean => /\p{Cc}/u.test(name)

const special = /[\\*()]/g

export const filterFor = (filter: string, name: string): string =>
  filter.replaceAll(mark, () => name.replace(special, asHex))

/** Everywhere in a value; as its first character a space and `#`, as its last a space. */
const specialInDn = /[\\"+,;<=>]|^[ #]| $/g

export const dnFor = (template: string, name: string): string =>
  template.replaceAll(mark, () => name.replace(specialInDn, asHex))
