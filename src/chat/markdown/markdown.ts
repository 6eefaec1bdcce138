/**
 * From what a person typed to the HTML that clients show. So far: paragraphs, line breaks and bare web addresses, and
 * everything else as text. The result holds no markup but what is written here, whatever the content, and takes time
 * linear in its length. Called where a message or a channel's description is written, not where it is read; an
 * organization's description alone is rendered for whoever asks (server-settings.ts).
 */

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character)

const trailing: ReadonlySet<string> = new Set('.,;:!?"')

/**
 * The part of a run of non-space that is the address: up to a parenthesis that was opened before it, as in
 * "(see https://example.com/a_(b))", and without the punctuation that ends the sentence around it.
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

// A run is looked at once, linked or not: what begins inside it is not tried again, so the time stays linear.
const run = /(?<![A-Za-z0-9_])https?:\/\/[^\s<>"]*/gi

const renderInline = (text: string): string => {
  let html = ""
  let done = 0
  for (const { 0: found, index } of text.matchAll(run)) {
    const address = addressIn(found)
    if (!URL.canParse(address)) continue
    const shown = escapeHtml(address)
    html += `${escapeHtml(text.slice(done, index))}<a href="${shown}">${shown}</a>`
    done = index + address.length
  }
  return html + escapeHtml(text.slice(done))
}

/** Safe HTML of a message's or description's source. Blank lines part paragraphs; a line's end is a `<br>`. */
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
