/**
 * Renders Markdown to the HTML that clients show. So far: paragraphs, line breaks and links of bare web addresses;
 * everything else stays text. Whatever the content, the result has no other markup, and the time is linear in the
 * length. Messages and descriptions of channels are rendered when they are written; only the organization's description
 * is rendered when it is read (server-settings.ts).
 */

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character)

const trailing: ReadonlySet<string> = new Set('.,;:!?"')

/**
 * The web address at the start of a run of non-space characters: it ends before a closing parenthesis that was opened
 * before the address, as in "(see https://example.com/a_(b))", and before the punctuation that ends the sentence.
 */
const addressIn = (run: string): string => {
  let depth = 0
  let end = 0
  for (; end < run.length; end++) {
    if (run[end] === "(") depth++
    else if (run[end] === ")" && --depth < 0) break
  }
  while (trailing.has(run[end - 1] ?? "")) end--
  return run.slice(0, end)
}

/** The most characters before the path: a longer name of a host does not exist, and 10,000 take 150 ms to check. */
const longestHost = 253

/** The host, with a user and a port if there are any. The check of an address skips any number of slashes before it. */
const host = /^https?:[/\\]*([^/\\?#]*)/i

const isAddress = (text: string): boolean => (host.exec(text)?.[1] ?? "").length <= longestHost && URL.canParse(text)

// Each run is looked at once, whether it becomes a link or not, so that the time stays linear.
const run = /(?<![A-Za-z0-9_])https?:\/\/[^\s<>"]*/gi

const renderInline = (text: string): string => {
  let html = ""
  let done = 0
  for (const { 0: found, index } of text.matchAll(run)) {
    const address = addressIn(found)
    if (!isAddress(address)) continue
    const shown = escapeHtml(address)
    html += `${escapeHtml(text.slice(done, index))}<a href="${shown}">${shown}</a>`
    done = index + address.length
  }
  return html + escapeHtml(text.slice(done))
}

/** Safe HTML of a message or description. Blank lines separate paragraphs; the end of a line becomes `<br>`. */
export const renderMarkdown = (content: string): string => {
  const paragraphs: Array<Array<string>> = []
  let between = true
  for (const line of content.split(/\r\n?|\n/)) {
    const blank = line.trim() === ""
    if (!blank && between) paragraphs.push([])
    if (!blank) paragraphs.at(-1)?.push(line)
    between = blank
  }
  return paragraphs.map((lines) => `<p>${renderInline(lines.join("\n")).replaceAll("\n", "<br>\n")}</p>`).join("\n")
}
