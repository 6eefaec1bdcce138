/**
 * The pages outside the API: whether the process lives, whether it can work, and what clients fetch by an address that
 * register tells them. Put into the server by src/app.ts.
 */
import { allEmoji } from "../chat/emoji/unicode-emoji.ts"
import type { PlainAnswer } from "./server.ts"

const alive: PlainAnswer = { status: 200, body: '{"status":"alive"}' }
const ready: PlainAnswer = { status: 200, body: '{"status":"ready"}' }
const cutOff: PlainAnswer = { status: 503, body: '{"status":"the database cannot be reached"}' }
/** Why is in the log only. */
const readOnly: PlainAnswer = { status: 503, body: '{"status":"writes fail, only reads are served"}' }
/** The names of each emoji, the one that is shown first, by its code. It changes with the program only. */
const emojiNames: PlainAnswer = {
  status: 200,
  cacheSeconds: 24 * 3600,
  body: JSON.stringify({
    code_to_names: Object.fromEntries(Array.from(allEmoji(), ({ code, name, aliases }) => [code, [name, ...aliases]])),
  }),
}

/** For a person who opens the server's address in a browser: there is no web client here. */
const welcome: PlainAnswer = {
  status: 200,
  contentType: "text/html; charset=utf-8",
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Parley</title>
<p>This is Parley, a team chat server that speaks the Zulip REST and events API. It has no web pages of its own: sign in
with a Zulip client, such as zulip-terminal, or with a bot, and give it the address of this page as the server's.</p>
</html>
`,
}

/** What `/ready` depends on, asked each time. */
export interface Readiness {
  readonly databaseUp: () => boolean
  readonly writesFail: () => boolean
}

export const plainPages = (on: Readiness): Readonly<Record<string, () => PlainAnswer>> => ({
  "/": () => welcome,
  "/health": () => alive,
  "/ready": () => (!on.databaseUp() ? cutOff : on.writesFail() ? readOnly : ready),
  "/static/emoji.json": () => emojiNames,
})
