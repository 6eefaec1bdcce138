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
import { isBefore } from "../faults/power/recorded-server.ts"
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

t.test("after a life without sync the past is not trusted, until it is synced as a whole", { timeout }, async (t) => {
  const parent = await createFolder(t)
  const lives = [
    { sync: true, sends: 100, end: "stop" },
    { sync: false, sends: 200, end: "kill" },
    { sync: true, sends: 100, end: "stop" },
  ] as const
  const history = await record(parent, lives, dice)
  const [, unsynced, last] = history.served
  if (unsynced === undefined || last === undefined) throw new Error("there were three lives")
  const cutting = { history, folder: join(parent, "image"), images, dice: dice.fork("without"), keep }
  const cuts = await cutPower(cutting)
  process.stderr.write(`power-cut, without sync in between: ${countsOf(cuts)}\n`)
  const isSynced = ({ moment }: (typeof cuts)[number]) => moment.run === 0 || isBefore(last, moment)
  t.same(brokenPromises(cuts.filter(isSynced)), [], `seed ${dice.seed}`)
  const opened = cuts.filter((cut) => cut.opened && cut.trusted === true)
  t.same(brokenPromises(opened), [], "what is trusted has lost nothing")
  const within = cuts.filter(({ moment }) => moment.run === 1 && isBefore(unsynced, moment))
  t.ok(
    within.every(({ trusted }) => trusted !== true),
    "it is never trusted while the server runs without sync",
  )
  t.ok(
    within.some(({ lost }) => lost > 0),
    "and has lost something: this test can fail",
  )
})
