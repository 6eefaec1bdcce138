/** A bot that says in a direct message what it was told in one. */

/**
 * Begins to listen; resolves when the bot misses nothing any more.
 * @param {import("parley-server/client").Client} client of the bot's account
 */
export const startBot = async (client) => {
  const { user_id } = await client.call("GET /users/me")
  const reader = client.read({ event_types: ["message"], apply_markdown: false })
  const items = reader[Symbol.asyncIterator]()
  // The state: the queue is there.
  await items.next()

  const listen = async () => {
    for (let { done, value } = await items.next(); !done; { done, value } = await items.next()) {
      if (value.kind !== "event" || value.event.type !== "message") continue
      const { message } = value.event
      if (message.type !== "private" || message.sender_id === user_id) continue
      await client.send({ type: "direct", to: [message.sender_id], content: message.content })
    }
  }
  const listening = listen()
  return {
    /** Resolves when it has stopped; rejects with what went wrong. */
    stop: () => {
      reader.close()
      return listening
    },
  }
}
