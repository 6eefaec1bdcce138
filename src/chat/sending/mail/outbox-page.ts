/**
 * The mails that development mode would have sent, as a page for whoever tries it out on this machine: in each are links that
 * are as good as a password. For everybody else, and in production, there is no such page. Put into the server by src/app.ts.
 */
import * as Effect from "effect/Effect"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"
import { readKeptMails } from "./kept-mail-store.ts"
import type { StoredMail } from "./stored-mail.ts"

export const outboxPath = "/outbox"

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:50em;margin:2em auto;padding:0 1em}
article{border-top:1px solid #bbb;padding:1em 0}h2{font-size:1.1em;margin:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere}iframe{width:100%;height:24em;border:1px solid #bbb}`

/** A line of the text that is nothing but a web address is a link: that is how mailParts writes that of its button. */
const showLine = (line: string): string => {
  const text = escapeHtml(line)
  return /^https?:\/\/\S+$/.test(line) ? `<a href="${text}">${text}</a>` : text
}

const showMail = ({ to, subject, text, html }: StoredMail, keptAt: number): string => `<article>
<h2>${escapeHtml(subject)}</h2>
<div>To: ${escapeHtml(`${to.name} <${to.address}>`)}</div>
<div>${new Date(keptAt).toISOString()}</div>
<pre>${text.split("\n").map(showLine).join("\n")}</pre>
<details><summary>As HTML</summary><iframe sandbox title="The mail as HTML" srcdoc="${escapeHtml(html)}"></iframe></details>
</article>`

const pageOf = (mails: ReadonlyArray<string>, note: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Outbox of Parley</title>
<style>${style}</style>
<h1>Outbox</h1>
<p>${note}</p>
${mails.join("\n")}
</html>
`

const unsent = "In development mode mails are not sent but shown here, the newest 100, the newest first."

export const outboxPage = Effect.fnUntraced(function* (isLocal: boolean) {
  const { mode, mail } = yield* Config
  if (mode === "production" || !isLocal) return null
  const mails = yield* readKeptMails(yield* Database)
  const note = mail === null ? unsent : `Mails are handed to ${escapeHtml(mail.host)}. These were kept before.`
  return pageOf(
    mails.map(({ mail, kept_at }) => showMail(mail, kept_at)),
    mails.length === 0 ? `${note} There is none yet.` : note,
  )
})
