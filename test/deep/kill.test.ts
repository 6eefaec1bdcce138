/**
 * SIGKILL at random moments under load, also while the server starts up: every queue gets every event exactly once and
 * in order, every acknowledged message is stored once, and no refused one is.
 */
import t from "tap"
import { Dice } from "../faults/kill/dice.ts"
import { chooseSettings, killServer } from "../faults/kill/kills.ts"
import { play } from "../faults/kill/scene.ts"
import { adminUrl, createFolder, createPostgresDatabase } from "../kit/test-database.ts"
import { announceSeed, timeout, timer } from "./budget.ts"

t.test("I1 I3 I4 I8 I9: kills under load lose, double and invent nothing", { timeout }, async (t) => {
  const dice = new Dice(announceSeed("kill"))
  const { faults, ...counts } = await play({
    folder: await createFolder(t),
    url: adminUrl === undefined ? null : await createPostgresDatabase(t, adminUrl),
    dice,
    stillbirths: 1,
    temper: { leaves: 0.05, givesUp: 0.15 },
    settings: chooseSettings(dice, false),
    disturb: (scene) => killServer(timer())(scene),
  })
  process.stderr.write(`kill: ${JSON.stringify(counts)}\n`)
  t.same(faults, [], `seed ${dice.seed}`)
  t.ok(counts.acknowledged > 60 && counts.events > 500, "there was load")
  t.ok(counts.answers.refused + counts.answers.lost > 0 && counts.ephemerals > 0, "and the kills were felt")
})
