/**
 * Random requests to an organization, compared after each step with a model of plain sets: every answer, event and
 * register must show exactly what the model says that the user may see, for queues that are read at once, late and
 * after a restart; and the moved projection must equal one that is loaded (I12). Here with fixed seeds that make every
 * kind of request; with a fresh seed each time: test/deep/realm-model.test.ts.
 */
import t from "tap"
import { some } from "../kit/share.ts"
import { withServer } from "../kit/with-server.ts"
import { kinds } from "./model-realm/run.ts"
import { runSeed } from "./model-realm/seed.ts"

/** Each with the kinds of requests of which it makes none succeed. A quick run takes one. */
const seeds: ReadonlyArray<{ readonly seed: number; readonly lacking: ReadonlyArray<string> }> = [
  { seed: 1, lacking: ["take a choice away"] },
  { seed: 5, lacking: [] },
]
const steps = 55

for (const { seed, lacking } of some(seeds, 2, "realm-model"))
  t.test(`seed ${seed}`, async (t) => {
    const given = await runSeed(t, seed, steps)
    const missing = kinds.filter((kind) => !given.has(kind))
    t.same(missing, lacking, "of the other kinds some requests succeed")
  })

t.test("users who are unsubscribed together get events about each other, but not about themselves", (t) =>
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
    t.same(await toldOf("polonius"), [], "a guest who no longer sees the channel gets none")
  }),
)
