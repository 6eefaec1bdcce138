/** Slack's own markup (mrkdwn) as Markdown: `*bold*`, `_italic_`, `~struck~`, code, and `<address|text>`. */
import { code, link, plain, plainLines } from "./markup.ts"

/** Characters of one text. */
const longest = 8000

const decoded = (text: string): string => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** `<...>`, which is an address, a person, a channel, or a word of Slack's. */
const angle = (inner: string): string => {
  const bar = inner.indexOf("|")
  const [target, label] = bar < 0 ? [inner, ""] : [inner.slice(0, bar), inner.slice(bar + 1)]
  if (target.startsWith("@")) return plain(`@${label === "" ? target.slice(1) : label.replace(/^@/, "")}`)
  if (target.startsWith("#")) return plain(`#${label === "" ? target.slice(1) : label.replace(/^#/, "")}`)
  if (target.startsWith("!")) return plain(label === "" ? `@${target.slice(1)}` : label)
  if (target.startsWith("mailto:")) return plain(label === "" ? target.slice(7) : label)
  if (label === "" || label === target) return /^https?:\/\//i.test(target) ? link(target, target) : plain(target)
  return link(label, decoded(target))
}

/** Characters for private use stand for marks while all else is escaped. */
const [boldMark, italicMark, strikeMark] = ["\uE000", "\uE001", "\uE002"]
const marks: ReadonlyArray<readonly [RegExp, string]> = [
  [/(^|[\s(>])\*{1,2}([^*\s](?:[^*\n]{0,500}[^*\s])?)\*{1,2}(?=$|[\s).,!?:;<])/gm, boldMark],
  [/(^|[\s(>])_([^_\s](?:[^_\n]{0,500}[^_\s])?)_(?=$|[\s).,!?:;<])/gm, italicMark],
  [/(^|[\s(>])~([^~\s](?:[^~\n]{0,500}[^~\s])?)~(?=$|[\s).,!?:;<])/gm, strikeMark],
]

const inline = (text: string): string => {
  const marked = marks.reduce(
    (sofar, [pattern, mark]) => sofar.replace(pattern, `$1${mark}$2${mark}`),
    text.replace(/[\uE000-\uE002]/g, ""),
  )
  return plainLines(decoded(marked), longest)
    .replaceAll(boldMark, "**")
    .replaceAll(italicMark, "*")
    .replaceAll(strikeMark, "~~")
}

/** Code, code between fences, and what stands between angle brackets. */
const parts = /```([\s\S]*?)```|`([^`\n]+)`|<([^<>\n]+)>/g

export const slackText = (raw: string): string => {
  const text = raw.slice(0, longest)
  let [made, last] = ["", 0]
  for (const match of text.matchAll(parts)) {
    const [whole, fenced, span, inner] = match
    made += inline(text.slice(last, match.index))
    if (fenced !== undefined)
      made += `\n~~~~\n${decoded(fenced)
        .replace(/^\n|\n$/g, "")
        .replace(/~{4,}/g, "~~~")}\n~~~~\n`
    else if (span !== undefined) made += code(decoded(span))
    else if (inner !== undefined) made += angle(inner)
    last = match.index + whole.length
  }
  return (made + inline(text.slice(last))).trim()
}
