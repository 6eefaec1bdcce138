/** Texts of users within notices. */

/** Each line is marked by itself, so no text can end its quote and pass for the notice's own words. */
export const quoted = (text: string): string => withPlainLines(text).replaceAll(/^/gm, "> ")

// markdown-it takes these for line ends, too.
const withPlainLines = (text: string): string => text.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")

/** Characters of a notice: it is rendered while other commands wait. */
export const longestNotice = 10_000
