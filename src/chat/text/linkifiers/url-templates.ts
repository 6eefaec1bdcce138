/** What a template of addresses (RFC 6570) may be, whoever writes one: its grammar, the names in it, how it must begin. */

/** The parts of a template: literal text, and expressions between braces. */
const templatePart =
  /[^{}]+|\{[+#./;?&]?([A-Za-z0-9_]+(?::[1-9]\d{0,3}|\*)?(?:,[A-Za-z0-9_]+(?::[1-9]\d{0,3}|\*)?)*)\}/y

/** The names in a template; undefined if it is not one. */
export const namesOf = (template: string): ReadonlyArray<string> | undefined => {
  const names: Array<string> = []
  for (templatePart.lastIndex = 0; templatePart.lastIndex < template.length; ) {
    const found = templatePart.exec(template)
    if (found === null) return undefined
    for (const one of found[1]?.split(",") ?? []) names.push(one.replace(/[:*].*$/, ""))
  }
  return names
}

/** Absolute, and of a scheme in which nothing is run: a template must not begin with what a message says. */
export const beginsSafely = (template: string): boolean => /^https?:\/\/[^{}/?#]/i.test(template)

export const unsafeBeginning = "The URL template must begin with http:// or https:// and a host"
