/**
 * The program of Guide, a bot of the demo organization: it answers whoever mentions it in a channel or writes to it alone. It
 * knows no more of the server than any other program does: by the client that the package exports it registers a queue,
 * reads it, and sends what it has to say. main.ts runs it beside a server in development mode that serves the demo. It ends
 * where the server takes its key no more, because somebody has deactivated the bot or given it another key; the next start
 * looks again.
 */
import { randomInt } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { App } from "./app.ts"
import { ownAddress } from "./banner.ts"
import { listRealms } from "./chat/ground/realm/realm-store.ts"
import { Realms } from "./chat/ground/realm/realms.ts"
import { apiKey } from "./chat/ground/sign-in/sign-in.ts"
import { demoHost } from "./chat/server/setup/demo.ts"
import { guideBot } from "./chat/server/setup/demo-bots.ts"
import { Client } from "./client/client.ts"
import { Refused, Unanswered } from "./client/errors.ts"
import type { Params } from "./client/operations.ts"
import type { Item } from "./client/reader.ts"
import type { ConfigShape } from "./config/config.ts"
import { Database } from "./db/database.ts"

type MessageEvent = Extract<Extract<Item, { kind: "event" }>["event"], { type: "message" }>

const mentionOfIt = new RegExp(`@\\*\\*${guideBot.fullName}(\\|\\d+)?\\*\\*`, "g")
const roll = /^roll(?:\s+(\d{1,4}))?\b/i
const sidesOfDie = 6

/** `name`: of whom it answers, in Markdown. */
const wordsFor = (content: string, name: string): string => {
  const rolled = roll.exec(content.replace(mentionOfIt, " ").trim())
  if (rolled === null)
    return [
      `Hello ${name}. I am a program that reads its event queue and answers, as your own bots can.`,
      `Try \`@**${guideBot.fullName}** roll 20\`, in any topic or to me alone. Messages that mention nobody I do not even get.`,
    ].join("\n\n")
  const sides = Math.max(2, Number(rolled[1] ?? sidesOfDie))
  return `${name} rolls **${randomInt(1, sides + 1)}** of ${sides}.`
}

/** Where an answer goes: to where the message is. */
const placeOf = ({ message }: MessageEvent): Pick<Params<"POST /messages">, "type" | "to" | "topic"> =>
  message.type === "stream"
    ? { type: "channel", to: message.stream_id, topic: message.subject }
    : { type: "direct", to: message.display_recipient.map(({ id }) => id) }

/** Two bots that answer each other would never end, so it asks who has written. */
const answer = async (client: Client, event: MessageEvent, signal: AbortSignal): Promise<void> => {
  const { sender_id, sender_full_name, content } = event.message
  const { user } = await client.call("GET /users/{user_id}", { user_id: sender_id }, { signal })
  if (user.is_bot) return
  const said = wordsFor(content, `@_**${sender_full_name}|${sender_id}**`)
  await client.send({ ...placeOf(event), content: said }, { signal })
}

const isForIt = ({ message, flags }: MessageEvent): boolean =>
  (message.type === "private" && message.display_recipient.length === 2) || flags.includes("mentioned")

/** Answers until `signal` ends it, or the server refuses the bot itself. */
const answerAll = async (client: Client, self: number, signal: AbortSignal): Promise<void> => {
  const register = {
    event_types: ["message"],
    apply_markdown: false,
    client_capabilities: { empty_topic_name: true },
    // Nobody comes back to the queue: it ends soon after the reader.
    idle_queue_timeout: 60,
  }
  for await (const item of client.read(register, { signal, keepQueue: true })) {
    if (item.kind !== "event" || item.event.type !== "message") continue
    if (item.event.message.sender_id === self || !isForIt(item.event)) continue
    await answer(client, item.event, signal).catch((error: unknown) => {
      // This one cannot be answered: the bot may not write there, or the server ends.
      if (!(error instanceof Refused || error instanceof Unanswered || signal.aborted)) throw error
    })
  }
}

const run = Effect.fnUntraced(function* ({ host, secret }: ConfigShape, { services, server }: App) {
  const stored = yield* listRealms(Context.get(services, Database))
  const demo = stored.find((realm) => realm.host === demoHost)
  if (demo === undefined) return
  const { realm } = yield* Context.get(services, Realms).get(demo.id)
  const bot = realm.findUserByEmail(guideBot.email)
  if (bot === undefined || !realm.isActive(bot.id)) return
  const account = { email: bot.email, apiKey: apiKey(secret, demo.id, bot) }
  const client = new Client({ server: ownAddress(host, server.port), account })
  yield* Effect.tryPromise((signal) => answerAll(client, bot.id, signal))
})

/** Runs it until it is interrupted. Where the demo is not served, or has lost the bot, nothing is done. */
export const runGuide = (config: ConfigShape, app: App): Effect.Effect<void> =>
  run(config, app).pipe(Effect.catchCause((cause) => Effect.logWarning(`${guideBot.fullName} answers no more`, cause)))
