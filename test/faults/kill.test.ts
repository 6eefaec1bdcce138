/**
 * kill -9 under load: whatever the moment, every queue gets every event exactly once and in order, every acknowledged
 * send stands once, and nothing that was refused does. The long form is `npm run chaos`.
 */
import t from "tap"
import { adminUrl, createFolder, createPostgresDatabase } from "../kit/test-database.ts"
import { Dice, seedFromEnvironment } from "./kill/dice.ts"
import { chooseSettings, killServer } from "./kill/kills.ts"
import { play } from "./kill/scene.ts"

t.test(
  "I1 I3 I4 I8 I9: three kills under load lose nothing, double nothing, invent nothing",
  { timeout: 170_000 },
  async (t) => {
    const dice = new Dice(seedFromEnvironment())
    t.comment(`PARLEY_SEED=${dice.seed}`)
    const { faults, ...counts } = await play({
      folder: await createFolder(t),
      url: adminUrl === undefined ? null : await createPostgresDatabase(t, adminUrl),
      dice,
      stillbirths: 1,
      temper: { leaves: 0.05, givesUp: 0.15 },
      settings: chooseSettings(dice, false),
      disturb: killServer(3),
    })
    t.comment(JSON.stringify(counts))
    t.same(faults, [], `seed ${dice.seed}`)
    t.ok(counts.acknowledged > 60 && counts.events > 500, "there was load")
    t.ok(counts.answers.refused > 0 && counts.ephemerals > 0, "and the kills were felt")
  },
)
