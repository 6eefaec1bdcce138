/**
 * The power is cut at many moments of the lives of a server with an embedded database. Whatever a cut may leave of a
 * life with sync opens, holds every acknowledged message once, and is trusted. Of a life without sync it may not, and
 * then the log's epoch is another. PARLEY_POWER_CUTS is the number of images, a second or less each; with
 * PARLEY_POWER_KEEP=<folder> those with faults are kept.
 */
import { join } from "node:path"
import t from "tap"
import { Dice } from "../faults/kill/dice.ts"
import { brokenPromises, countsOf, cutPower } from "../faults/power/cuts.ts"
import { record } from "../faults/power/history.ts"
import { isBefore, type Moment } from "../faults/power/recorded-server.ts"
import { createFolder } from "../kit/test-database.ts"
import { announceSeed } from "./budget.ts"

const images = Number(process.env["PARLEY_POWER_CUTS"] ?? 120)
const keep = process.env["PARLEY_POWER_KEEP"]
const timeout = 120_000 + images * 10_000
const dice = new Dice(announceSeed("power-cut"))

t.test("whatever a power cut leaves of a server that syncs holds all that was acknowledged", { timeout }, async (t) => {
  const parent = await createFolder(t)
  const lives = [
    { sync: true, sends: 300, end: "stop" },
    { sync: true, sends: 200, end: "kill" },
    { sync: true, sends: 200, end: "stop" },
  ] as const
  const history = await record(parent, lives, dice)
  const cutting = { history, folder: join(parent, "image"), images, dice: dice.fork("sync"), keep }
  const cuts = await cutPower(cutting)
  process.stderr.write(`power-cut, with sync: ${countsOf(cuts)}\n`)
  t.same(brokenPromises(cuts), [], `seed ${dice.seed}`)
  t.ok(cuts.some(({ acknowledged }) => acknowledged > 500))
})

t.test("lives with and without sync: what is trusted has lost nothing", { timeout }, async (t) => {
  const parent = await createFolder(t)
  const lives = [
    { sync: true, sends: 80, end: "stop" },
    { sync: false, sends: 120, end: "kill" },
    { sync: true, sends: 80, end: "kill" },
    { sync: false, sends: 80, end: "stop" },
    { sync: true, sends: 80, end: "stop" },
  ] as const
  const history = await record(parent, lives, dice)
  const [, second, third] = history.served
  if (second === undefined || third === undefined) throw new Error("there were five lives")
  const cuts = await cutPower({ history, folder: join(parent, "image"), images, dice: dice.fork("mixed") })
  process.stderr.write(`power-cut, with and without sync: ${countsOf(cuts)}\n`)
  // The third run syncs what the second one left, before it serves; the fourth does so at its end.
  const isSynced = ({ run }: Moment) => run === 0 || run === 2 || run === 4
  const promised = cuts.filter(({ moment }) => isSynced(moment) && (moment.run !== 2 || isBefore(third, moment)))
  t.same(brokenPromises(promised), [], `seed ${dice.seed}`)
  t.same(brokenPromises(cuts.filter(({ trusted }) => trusted === true)), [], "what is trusted has lost nothing")
  const without = cuts.filter(({ moment }) => moment.run === 1 && isBefore(second, moment))
  t.same(
    without.filter(({ trusted }) => trusted === true),
    [],
    "a run without sync is never trusted",
  )
  t.ok(
    without.some(({ lost }) => lost > 0),
    "and has lost something: this test can fail",
  )
})
