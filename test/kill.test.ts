/**
 * kill -9 under load: whatever the moment, every queue gets every event exactly once and in order, every acknowledged
 * send stands once, and nothing that was refused does. The long form is `npm run chaos`.
 */
import t from "tap"
import { Dice, seedFromEnvironment } from "./kill/dice.ts"
import { chooseSettings, killServer } from "./kill/kills.ts"
import { play } from "./kill/scene.ts"
import { adminUrl, createFolder, createPostgresDatabase } from "./test-database.ts"

t.test(
  "I1 I3 I4 I8 I9: three kills under load lose nothing, double nothing, invent nothing",
  { timeout: 170_000 },
  async (t) => {
    const dice = new Dice(seedFromEnvironment())
    t.comment(`PARLEY_SEED=${dice.seed}`)
    const report = await play({
      folder: await createFolder(t),
      url: adminUrl === undefined ? null : await createPostgresDatabase(t, adminUrl),
      dice,
      queues: 20,
      impatience: 0.05,
      settings: chooseSettings(dice),
      disturb: killServer(3),
    })
    const { faults, output, ...counts } = report
    t.comment(JSON.stringify(counts))
    t.same(faults, [], `seed ${dice.seed}`)
    t.ok(report.acknowledged > 60 && report.events > 500, "there was load")
    t.ok(report.answers.refused > 0 && report.ephemerals > 0, "and the kills were felt")
  },
)
