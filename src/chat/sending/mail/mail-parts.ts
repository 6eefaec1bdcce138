/**
 * The two parts of a mail that say the same, as text and as HTML, from paragraphs and at most one button. Whatever is given is
 * text: it is escaped, and links nothing. The HTML brings its style in its elements and loads nothing from anywhere.
 */
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"

export interface MailContent {
  readonly paragraphs: ReadonlyArray<string>
  readonly button?: { readonly label: string; readonly url: string }
  /** In small letters at the end: why one gets this mail. */
  readonly footer?: string
}

/** Mail programs make lines of their own; those that show text as it is need them. */
const longestLine = 76

/** Breaks between words; a word that is longer, such as a link, stays whole. */
const wrap = (text: string): string => {
  const lines: Array<string> = []
  for (const line of text.split("\n")) {
    let last = ""
    for (const word of line.split(" ")) {
      if (last !== "" && last.length + 1 + word.length > longestLine) {
        lines.push(last)
        last = word
      } else last = last === "" ? word : `${last} ${word}`
    }
    lines.push(last)
  }
  return lines.join("\n")
}

/** Of the characters below a space only line feed and tab mean something in a mail. */
const control = /(?![\t\n])[\p{Cc}\p{Cs}\u2028\u2029]/gu
const clean = (text: string): string => text.replace(/\r\n?/g, "\n").replace(control, " ").trim()

const font = "font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const asLines = (text: string): string => escapeHtml(text).replaceAll("\n", "<br>\n")
const paragraph = (text: string): string => `<p style="margin:0 0 16px">${asLines(text)}</p>`

const buttonStyle =
  "display:inline-block;padding:10px 20px;border-radius:4px;background:#1f5fbf;color:#ffffff;text-decoration:none"
const address = "margin:0 0 16px;font-size:13px;color:#666666;word-break:break-all"

const webAddress = (url: string): string => {
  const { protocol, href } = new URL(url)
  if (protocol !== "https:" && protocol !== "http:") throw new Error("the button of a mail links a web address")
  return href
}

export const mailParts = ({ paragraphs, button, footer }: MailContent): { text: string; html: string } => {
  const said = paragraphs.map(clean).filter((each) => each !== "")
  const why = footer === undefined ? [] : [clean(footer)]
  const link = button === undefined ? undefined : { label: clean(button.label), url: webAddress(button.url) }
  const text = [
    ...said.map(wrap),
    ...(link === undefined ? [] : [`${wrap(link.label)}:\n${link.url}`]),
    ...why.map((each) => `-- \n${wrap(each)}`),
  ]
  const html = [
    ...said.map(paragraph),
    ...(link === undefined
      ? []
      : [
          `<p style="margin:24px 0"><a href="${escapeHtml(link.url)}" style="${buttonStyle}">${escapeHtml(link.label)}</a></p>`,
          `<p style="${address}">${escapeHtml(link.url)}</p>`,
        ]),
    ...why.map((each) => `<p style="margin:24px 0 0;font-size:13px;color:#666666">${asLines(each)}</p>`),
  ]
  return {
    text: `${text.join("\n\n")}\n`,
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<body style="margin:0;padding:24px;background:#ffffff;color:#222222;${font}">
<div style="max-width:560px;margin:0 auto">
${html.join("\n")}
</div>
</body>
</html>
`,
  }
}
