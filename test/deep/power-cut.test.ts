/**
 * The power is cut at many moments of the lives of a server with an embedded database. Whatever a cut may leave of a
 * life with sync opens, holds every acknowledged message once, and is trusted. Of a life without sync it may not, and
 * then the log's epoch is another. PARLEY_POWER_CUTS is the number of images of each test, six for each of the
 * PARLEY_DEEP_SECONDS by default; with PARLEY_POWER_KEEP=<folder> those with faults are kept.
 */
import { join } from "node:path"
import t from "tap"
import { Dice } from "../faults/kill/dice.ts"
import { brokenPromises, countsOf, cutAtEnd, cutPower } from "../faults/power/cuts.ts"
import { record } from "../faults/power/history.ts"
import { isBefore, type Moment } from "../faults/power/recorded-server.ts"
import { adminUrl, createFolder } from "../kit/test-database.ts"
import { announceSeed, deepSeconds, inTime, sized, timeout } from "./budget.ts"

const images = Number(process.env["PARLEY_POWER_CUTS"] ?? 6 * deepSeconds)
const keep = process.env["PARLEY_POWER_KEEP"]
const parts = ["with sync", "mixed"] as const
const tried = inTime(parts, "power-cut")
const optionsOf = (part: (typeof parts)[number]) => {
  const elsewhere = adminUrl === undefined ? false : "this run is on PostgreSQL"
  return { skip: tried.includes(part) ? elsewhere : "tried by another short run", timeout: timeout + images * 10_000 }
}
const dice = new Dice(announceSeed("power-cut"))

t.test(
  "whatever a power cut leaves of a server that syncs holds all that was acknowledged",
  optionsOf("with sync"),
  async (t) => {
    const parent = await createFolder(t)
    const lives = [
      { sync: true, sends: sized(300, 40), end: "stop" },
      { sync: true, sends: sized(200, 40), end: "kill" },
      { sync: true, sends: sized(200, 40), end: "stop" },
    ] as const
    const history = await record(parent, lives, dice)
    const cutting = { history, folder: join(parent, "image"), images, dice: dice.fork("sync"), keep }
    const cuts = await cutPower(cutting)
    process.stderr.write(`power-cut, with sync: ${countsOf(cuts)}\n`)
    t.same(brokenPromises(cuts), [], `seed ${dice.seed}`)
  },
)

t.test("lives with and without sync: what is trusted has lost nothing", optionsOf("mixed"), async (t) => {
  const parent = await createFolder(t)
  const [few, more] = [sized(80, 40), sized(120, 60)]
  const lives = [
    { sync: true, sends: few, end: "stop" },
    { sync: false, sends: more, end: "kill" },
    { sync: true, sends: few, end: "kill" },
    { sync: false, sends: few, end: "stop" },
    { sync: true, sends: few, end: "stop" },
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
  const trusting = without.filter(({ trusted }) => trusted === true)
  t.same(trusting, [], "a run without sync is never trusted")
  const killed = { ...history, runs: history.runs.slice(0, 2), end: { run: 1, length: Number.POSITIVE_INFINITY } }
  const { opened, trusted, lost } = await cutAtEnd(killed, join(parent, "image"))
  t.ok(opened && trusted === false && lost >= more, `and may have lost all that it acknowledged: ${lost}`)
})
