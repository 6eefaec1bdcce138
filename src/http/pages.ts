/**
 * The pages outside the API: whether the process lives, whether it can work, and what clients fetch by an address that
 * register tells them. Put into the server by src/app.ts.
 */
import type { PlainAnswer } from "./server.ts"

const alive: PlainAnswer = { status: 200, body: '{"status":"alive"}' }
const ready: PlainAnswer = { status: 200, body: '{"status":"ready"}' }
const cutOff: PlainAnswer = { status: 503, body: '{"status":"the database cannot be reached"}' }
/** Why is in the log only. */
const readOnly: PlainAnswer = { status: 503, body: '{"status":"writes fail, only reads are served"}' }
/** Names nothing: clients draw from their own tables what it does not name. */
const noEmoji: PlainAnswer = { status: 200, body: '{"code_to_names":{}}' }

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
  "/static/emoji.json": () => noEmoji,
})
