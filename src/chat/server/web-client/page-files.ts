/**
 * The page that people chat in (src/web), as the build has made it: its scripts and one style sheet, named by what is in them, so
 * a browser keeps them for ever, and the frame that names the first ones, which it asks for each time. Nothing in it comes from elsewhere
 * or stands inline.
 */
import { existsSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import * as Schema from "effect/Schema"
import type { PlainAnswer, PlainPages } from "../../../api/pages.ts"
import { packageFile } from "../../../db/package-root.ts"

/** `parts`: scripts that the first one loads later. */
const Names = Schema.Struct({ script: Schema.String, style: Schema.String, parts: Schema.Array(Schema.String) })

/** Null in a program that was built without its page. */
const readNames = (): typeof Names.Type | null => {
  const index = packageFile("dist/page/index.json")
  return existsSync(index) ? Schema.decodeUnknownSync(Names)(JSON.parse(readFileSync(index, "utf8"))) : null
}

const prefix = "/page/"
const yearSeconds = 365 * 24 * 3600

const built = (name: string, contentType: string): (() => PlainAnswer) => {
  let made: PlainAnswer | undefined
  return () => {
    if (made !== undefined) return made
    const gzip = readFileSync(packageFile(`dist/page/${name}.gz`))
    const brotli = readFileSync(packageFile(`dist/page/${name}.br`))
    const body = gunzipSync(gzip)
    made = { status: 200, contentType, cacheSeconds: yearSeconds, isImmutable: true, gzip, brotli, body }
    return made
  }
}

/** Pictures of messages are fetched with the reader's key and shown as blobs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const frame = (script: string, style: string): PlainAnswer => ({
  status: 200,
  contentType: "text/html; charset=utf-8",
  headers: [
    ["Content-Security-Policy", policy],
    ["Referrer-Policy", "no-referrer"],
    ["X-Robots-Tag", "noindex, nofollow"],
  ],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Parley</title>
<link rel="icon" type="image/svg+xml" href="/favicon.ico">
<link rel="stylesheet" href="${prefix}${style}">
<script type="module" src="${prefix}${script}"></script>
<div id="app"><main class="waiting"><span class="mark"></span><span class="quiet">Parley</span></main></div>
<noscript>This page needs JavaScript. Any Zulip client works with this server, too.</noscript>
</html>
`,
})

interface WebClient {
  /** What stands at the server's address. */
  readonly frame: PlainAnswer
  readonly files: PlainPages
}

const make = (): WebClient | null => {
  const names = readNames()
  if (names === null) return null
  const files = {
    ...Object.fromEntries(
      [names.script, ...names.parts].map((name) => [`${prefix}${name}`, built(name, "text/javascript; charset=utf-8")]),
    ),
    [`${prefix}${names.style}`]: built(names.style, "text/css; charset=utf-8"),
  }
  return { frame: frame(names.script, names.style), files }
}

export const webClient: WebClient | null = make()
