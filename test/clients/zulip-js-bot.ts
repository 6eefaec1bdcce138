/**
 * A bot as users of zulip-js write them: it answers every message that mentions it, and knows that by the message's flags. Run by
 * zulip-js.test.ts in a thread of its own, as `callOnEachEvent` never ends: address, API key and the server's address are its
 * arguments.
 */
import * as Predicate from "effect/Predicate"
import zulip from "zulip-js"

const [username = "", apiKey = "", realm = ""] = process.argv.slice(2)
const client = await zulip({ username, apiKey, realm })

const onEvent = ({ message, flags }: Readonly<Record<string, unknown>>): void => {
  if (!Predicate.isObject(message) || !Array.isArray(flags) || !flags.includes("mentioned")) return
  const { display_recipient, subject } = { ...message }
  void client.messages.send({ type: "stream", to: display_recipient, topic: subject, content: "hello from the bot" })
}

await client.callOnEachEvent(onEvent, ["message"])
