/** The client's process of `mentions`: it sends messages one after the other, each request timed. */
import * as Schema from "effect/Schema"
import { serveCommands } from "../remote.ts"
import { sendFirstMessage } from "./control.ts"
import { ask } from "./http.ts"

const Send = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    accounts: Schema.Array(Schema.Struct({ email: Schema.String, key: Schema.String })),
    channel: Schema.Struct({ id: Schema.Number, name: Schema.String }),
    /** The texts that are sent in turns. */
    contents: Schema.Array(Schema.String),
    rounds: Schema.Number,
  }),
)

const send = async ({ port, accounts, channel, contents, rounds }: ReturnType<typeof Send>) => {
  const [sender] = accounts
  if (sender === undefined) throw new Error("nobody can send")
  await sendFirstMessage(port, sender, channel.name)
  const forms = contents.map(
    (content) =>
      `type=channel&to=${encodeURIComponent(channel.name)}&topic=bench&content=${encodeURIComponent(content)}`,
  )
  const times = forms.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, form] of forms.entries()) {
      const began = performance.now()
      await ask(port, "/api/v1/messages", sender, form)
      times[index]?.push(performance.now() - began)
    }
  return { times }
}

serveCommands({ send: (wanted) => send(Send(wanted)) }, async () => {})
