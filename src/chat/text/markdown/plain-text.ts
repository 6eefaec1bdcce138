/**
 * A line in which no rule of Markdown finds anything to do, as most messages are. To find that out and to write its HTML
 * takes a microsecond, where the parser takes thirty, and as much again to clear away what it makes on the way.
 */

/** Letters, digits and a few signs without a meaning, begun by a letter. A full stop ends a word: else it may be a domain's. */
const plainLine = /^[A-Za-z](?:[A-Za-z0-9 ,;!?()'=%-]|\.(?=[ .]|$))*$/

/** The HTML of a plain line; undefined for everything else. Linkifiers find what they like, so there must be none. */
export const plainHtml = (content: string): string | undefined =>
  plainLine.test(content) && !content.endsWith(" ") ? `<p>${content}</p>` : undefined
