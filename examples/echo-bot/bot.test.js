import assert from "node:assert/strict"
import { test } from "node:test"
import { withServer } from "parley-server/testing"
import { startBot } from "./bot.js"

test("the bot says what it was told", () =>
  withServer(async (server) => {
    const bot = await startBot(server.as("bot"))
    try {
      const queue = await server.queue("hamlet", { event_types: ["message"], apply_markdown: false })
      await server.as("hamlet").send({ type: "direct", to: [server.person("bot").userId], content: "Who's there?" })
      const [told, said] = [await queue.next("message"), await queue.next("message")]
      assert.deepEqual(
        [told.message.sender_id, said.message.sender_id],
        [server.person("hamlet").userId, server.person("bot").userId],
      )
      assert.equal(said.message.content, "Who's there?")
    } finally {
      await bot.stop()
    }
  }))
