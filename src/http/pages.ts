/**
 * The pages outside the API: whether the process lives, whether it can work, and what clients fetch by an address that
 * register tells them. Put into the server by src/app.ts.
 */
import type { PlainAnswer } from "./server.ts"

const alive: PlainAnswer = { status: 200, body: '{"status":"alive"}' }
const ready: PlainAnswer = { status: 200, body: '{"status":"ready"}' }
const cutOff: PlainAnswer = { status: 503, body: '{"status":"the database cannot be reached"}' }
/** Names nothing: clients draw from their own tables what it does not name. */
const noEmoji: PlainAnswer = { status: 200, body: '{"code_to_names":{}}' }

/** `databaseUp`: whether the database can be reached now. */
export const plainPages = (databaseUp: () => boolean): Readonly<Record<string, () => PlainAnswer>> => ({
  "/health": () => alive,
  "/ready": () => (databaseUp() ? ready : cutOff),
  "/static/emoji.json": () => noEmoji,
})
