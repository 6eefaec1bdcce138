/** Messages that reach a queue of a server of the kit, whatever disturbs it meanwhile. */
import type { Test } from "tap"
import type { Event } from "../../src/client/index.ts"
import { isListenedTo } from "../../src/testing/find-leaks.ts"
import { withServer } from "../../src/testing/index.ts"
import type { TestServer } from "../../src/testing/types.ts"

export const wanted = { event_types: ["message"], apply_markdown: false }
export const general = { type: "channel", to: "general", topic: "tests" } as const

export const contentOf = (event: Event): string | undefined =>
  event.type === "message" ? event.message.content : undefined

/** By a channel in which hamlet writes numbers: each comes once. */
export const numbersCome = async (
  server: TestServer,
  numbers: ReadonlyArray<number>,
  disturb: () => Promise<void> | void,
) => {
  const queue = await server.queue("cordelia", wanted, { patienceMilliseconds: 30_000 })
  const sent = []
  for (const number of numbers) {
    if (number === 2) await disturb()
    sent.push(server.as("hamlet").send({ ...general, content: String(number) }))
  }
  await Promise.all(sent)
  const came = []
  while (came.length < numbers.length) came.push(contentOf(await queue.next("message")))
  return came.map(Number).sort((a, b) => a - b)
}

/** A server that is killed and restarted goes on at its place, with its queues. */
export const checkRestarts = async (t: Test, process: "this" | "child"): Promise<void> =>
  withServer({ process }, async (server) => {
    const { url } = server
    const came = await numbersCome(server, [1, 2, 3], async () => {
      await server.kill()
      // Not asked by `fetch`, which may take a connection that stood before the kill.
      t.notOk(await isListenedTo(Number(new URL(url).port)), "nobody answers")
      await t.rejects(server.kill(), /the server does not run/)
      await server.restart()
    })
    t.same(came, [1, 2, 3])
    t.same(await numbersCome(server, [1, 2, 3], () => server.restart()), [1, 2, 3], "in good order")
    t.equal(server.url, url)
  })
