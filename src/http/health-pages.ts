/**
 * The server's own pages outside the API: whether the process lives, whether it can work, and what is shown while a
 * picture is not there yet. Put into the server by src/app.ts, together with those of the domain.
 */
import type { PlainAnswer, PlainPages } from "../api/pages.ts"
import { alivePath, aliveText } from "./network/answer-while-starting.ts"

/** Whether this server shall be sent requests. */
export const readyPath = "/ready"
/** What is said there by one that ends soon and serves on until then. */
export const leaving: PlainAnswer = {
  status: 503,
  body: '{"status":"this server leaves, and serves until it has left"}',
}

const alive: PlainAnswer = { status: 200, body: aliveText }
const ready: PlainAnswer = { status: 200, body: '{"status":"ready"}' }
/** Ready it is: an organization can be made while it runs, and is served at once. */
const readyForNobody: PlainAnswer = {
  status: 200,
  body: '{"status":"ready","note":"no organization is served yet: parley org create makes one"}',
}
/** Whoever watches a folder of its own sees it here: messages go on, so clients are not sent away. */
const readyWithoutFiles: PlainAnswer = {
  status: 200,
  body: '{"status":"ready","note":"files cannot be stored, uploads are refused: the log says why"}',
}
const cutOff: PlainAnswer = { status: 503, body: '{"status":"the database cannot be reached"}' }
/** Why is in the log only. */
const readOnly: PlainAnswer = { status: 503, body: '{"status":"writes fail, only reads are served"}' }

/**
 * The picture that messages show in place of one that is not there yet, to clients that do not know it by its class.
 */
const spinner: PlainAnswer = {
  status: 200,
  cacheSeconds: 24 * 3600,
  contentType: "image/svg+xml",
  body: `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" viewBox="0 0 40 40">
<circle cx="20" cy="20" r="15" fill="none" stroke="#000" stroke-width="4" stroke-linecap="round" stroke-dasharray="60 40">
<animateTransform attributeName="transform" type="rotate" from="0 20 20" to="360 20 20" dur="1s" repeatCount="indefinite"/>
</circle>
</svg>
`,
}

/** For a person who opens the server's address in a browser, where there is nothing to chat in. */
const welcomeTo = (next: string): PlainAnswer => ({
  status: 200,
  contentType: "text/html; charset=utf-8",
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Parley</title>
<p>This is Parley, a team chat server that speaks the Zulip REST and events API: ${next}</p>
</html>
`,
})

const welcomeWithoutPage = welcomeTo(`it was built without its page. Sign in
with a Zulip client, such as zulip-terminal, or with a bot, and give it the address of this page as the server's.`)

const welcomeNobody = welcomeTo(`it is
there for Zulip clients and bots. It serves no organization yet, so nobody can sign in: whoever runs this server makes one
with <code>parley org create</code>.`)

/** The mark of the page (src/web/style), also for browsers that ask for it by themselves. */
const icon: PlainAnswer = {
  status: 200,
  cacheSeconds: 24 * 3600,
  contentType: "image/svg+xml",
  body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22">
<path fill="#3f51c7" d="M7 0h8a7 7 0 0 1 7 7v8a7 7 0 0 1-7 7H2a2 2 0 0 1-2-2V7a7 7 0 0 1 7-7z"/>
</svg>
`,
}

/** Nothing here is for search engines: what is public is drawn by a script, and pages of links are for whom they were sent to. */
const robots: PlainAnswer = {
  status: 200,
  cacheSeconds: 24 * 3600,
  contentType: "text/plain; charset=utf-8",
  body: "User-agent: *\nDisallow: /\n",
}

/** What `/ready` and the page at `/` depend on, asked each time. */
export interface Readiness {
  readonly databaseUp: () => boolean
  readonly writesFail: () => boolean
  /** Nothing can be put into the folder for files: uploads are refused, all else goes on. */
  readonly filesFail: () => boolean
  /** There is no organization. */
  readonly servesNobody: () => boolean
  /** The page to chat in; null in a program that was built without. */
  readonly frame: PlainAnswer | null
}

const readiness = (on: Readiness): PlainAnswer => {
  if (!on.databaseUp()) return cutOff
  if (on.writesFail()) return readOnly
  if (on.servesNobody()) return readyForNobody
  return on.filesFail() ? readyWithoutFiles : ready
}

export const plainPages = (on: Readiness): PlainPages => ({
  "/": () => (on.servesNobody() ? welcomeNobody : (on.frame ?? welcomeWithoutPage)),
  [alivePath]: () => alive,
  [readyPath]: () => readiness(on),
  "/favicon.ico": () => icon,
  "/robots.txt": () => robots,
  "/static/images/loading/loader-black.svg": () => spinner,
})
