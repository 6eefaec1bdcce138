/**
 * Random organizations in which people do random things, beside a model of plain sets that is asked anew after each
 * step: every response, event and register must be what the model says that each may see, for queues that are read at
 * once, late and after a restart; and the projection moved forward is the one loaded afresh (I12). Here with fixed seeds
 * that make every kind of request; with a fresh seed each time: test/deep/realm-model.test.ts.
 */
import t from "tap"
import { withServer } from "../kit/with-server.ts"
import { kinds } from "./model-realm/run.ts"
import { runSeed } from "./model-realm/seed.ts"

const seeds = [1, 2]
const steps = 40

const given = new Set<string>()

for (const seed of seeds) {
  t.test(`seed ${seed}`, async (t) => {
    for (const kind of await runSeed(t, seed, steps)) given.add(kind)
  })
}

t.test("each kind of request is given", async (t) => {
  t.same(
    kinds.filter((kind) => !given.has(kind)),
    [],
  )
})

t.test("people who are unsubscribed together hear of each other, and nobody of themselves", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "cordelia", "polonius"] }] }, async (server) => {
    const [hamlet, cordelia, polonius] = [server.idOf("hamlet"), server.idOf("cordelia"), server.idOf("polonius")]
    const leaving = [hamlet, cordelia, polonius].sort((a, b) => a - b)
    const readers = {
      hamlet: await server.queue("hamlet", { event_types: ["subscription"] }),
      cordelia: await server.queue("cordelia", { event_types: ["subscription"] }),
      polonius: await server.queue("polonius", { event_types: ["subscription"] }),
      othello: await server.queue("othello", { event_types: ["subscription"] }),
    }
    await server.as("iago").must.delete("/users/me/subscriptions", { subscriptions: ["lobby"], principals: leaving })
    const toldOf = async (name: keyof typeof readers) =>
      (await readers[name].rest()).filter(({ op }) => op === "peer_remove").map(({ user_ids }) => user_ids)
    t.same(await toldOf("othello"), [leaving])
    t.same(await toldOf("hamlet"), [leaving.filter((id) => id !== hamlet)])
    t.same(await toldOf("cordelia"), [leaving.filter((id) => id !== cordelia)])
    t.same(await toldOf("polonius"), [], "a guest who sees the channel no more")
  }),
)
