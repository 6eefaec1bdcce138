/**
 * Random organizations in which people do random things, beside a model of plain sets that is asked anew after each
 * step: every response, event and register must be what the model says that each may see, for queues that are read at
 * once, late and after a restart; and the projection moved forward is the one loaded afresh (I12). A seed of one's own:
 * PARLEY_REALM_SEED=n, with PARLEY_REALM_RUNS=n runs from there on.
 */
import t from "tap"
import { withServer } from "../kit/with-server.ts"
import { Difference, kinds, Run } from "./model-realm/run.ts"

const chosen = process.env["PARLEY_REALM_SEED"]
const runs = Number(process.env["PARLEY_REALM_RUNS"] ?? 1)
const seeds =
  chosen === undefined ? [1, 2, 3, 4, 5, 6, 7, 8] : Array.from({ length: runs }, (_, n) => Number(chosen) + n)
const steps = Number(process.env["PARLEY_REALM_STEPS"] ?? 60)

const given = new Set<string>()

for (const seed of seeds) {
  t.test(`seed ${seed}`, (t) =>
    withServer(t, {}, async (server) => {
      const run = new Run(server, seed)
      let taken = 0
      try {
        await run.begin()
        for (; taken < steps; taken++) {
          await run.step()
          if (taken === Math.floor(steps / 2)) await run.restart()
        }
        await run.settle()
        await run.wake("late")
        await run.sameAfresh()
        await run.restart()
        await run.wake("asleep")
        await run.settle()
        await run.sameAfresh()
        t.ok(run.given.size > 0 && run.refused > 0, `seed ${seed}: ${run.given.size} kinds given`)
        for (const kind of run.given) given.add(kind)
      } catch (error) {
        if (!(error instanceof Difference)) throw error
        t.same(error.message.split("\n"), [], `seed ${seed}, step ${taken + 1}`)
      }
    }),
  )
}

t.test("each kind of request is given", async (t) => {
  const missing = kinds.filter((kind) => !given.has(kind))
  // One short run of one's own seed need not come to all of them; the suite's eight do.
  if (chosen === undefined) t.same(missing, [])
  else t.ok(given.size > 0, `not given: ${missing.join(", ")}`)
})

t.test("those who leave together hear of each other, and nobody of themselves", (t) =>
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
