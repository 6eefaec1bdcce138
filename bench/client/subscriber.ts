/**
 * The client's process of `subscribe-all`: it sends messages at a steady pace, each request timed, and meanwhile has
 * everybody subscribed to a new channel by one request.
 */
import * as Schema from "effect/Schema"
import { serveCommands } from "../remote.ts"
import { sendFirstMessage } from "./control.ts"
import { ask } from "./http.ts"

const Subscribe = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    accounts: Schema.Array(Schema.Struct({ email: Schema.String, key: Schema.String })),
    /** The channel of the messages. */
    channel: Schema.Struct({ id: Schema.Number, name: Schema.String }),
    /** The name of the new channel to which everybody is subscribed. */
    name: Schema.String,
    perSecond: Schema.Number,
    calmSeconds: Schema.Number,
  }),
)
const Subscribed = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      subscribed: Schema.Record(Schema.String, Schema.Unknown),
      already_subscribed: Schema.Record(Schema.String, Schema.Unknown),
    }),
  ),
)

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
const subscriptions = "/api/v1/users/me/subscriptions"

const subscribe = async (wanted: ReturnType<typeof Subscribe>) => {
  const { port, accounts, channel, name, perSecond, calmSeconds } = wanted
  const [founder, sender] = accounts
  if (founder === undefined || sender === undefined) throw new Error("two people are needed at least")
  const list = `subscriptions=${encodeURIComponent(JSON.stringify([{ name }]))}`
  await sendFirstMessage(port, sender, channel.name)
  await ask(port, subscriptions, founder, list)

  const text = `type=channel&to=${encodeURIComponent(channel.name)}&topic=bench&content=${"x".repeat(100)}`
  let times: Array<number> = []
  const sends: Array<Promise<void>> = []
  const send = async (into: Array<number>) => {
    const began = performance.now()
    await ask(port, "/api/v1/messages", sender, text)
    into.push(performance.now() - began)
  }
  const beat = setInterval(() => sends.push(send(times)), 1000 / perSecond)
  await wait(calmSeconds)
  const calm = times
  times = []
  const meanwhile = times
  const everybody = encodeURIComponent(JSON.stringify(accounts.map((_, n) => n + 1)))
  const began = performance.now()
  const answer = Subscribed(await ask(port, subscriptions, founder, `${list}&principals=${everybody}`))
  const seconds = (performance.now() - began) / 1000
  clearInterval(beat)
  await Promise.all(sends)
  const count = Object.keys(answer.subscribed).length + Object.keys(answer.already_subscribed).length
  if (count !== accounts.length) throw new Error(`${count} of ${accounts.length} are subscribed`)
  return { seconds, calm, meanwhile }
}

serveCommands({ subscribe: (wanted) => subscribe(Subscribe(wanted)) }, async () => {})
