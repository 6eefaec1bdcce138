import { join } from "node:path"
import t from "tap"
import { Dice } from "../faults/kill/dice.ts"
import { type Cut, cutPower } from "../faults/power/cuts.ts"
import { record } from "../faults/power/history.ts"
import { createFolder } from "../kit/test-database.ts"
import { announceSeed } from "./budget.ts"

const images = Number(process.env["PARLEY_POWER_CUTS"] ?? 200)

t.test("power cuts", { timeout: 3_600_000 }, async (t) => {
  const dice = new Dice(announceSeed("power-cut"))
  const parent = await createFolder(t)
  const history = await record(
    parent,
    [
      { sync: true, sends: 300, end: "stop" },
      { sync: true, sends: 200, end: "kill" },
      { sync: true, sends: 200, end: "stop" },
    ],
    dice,
  )
  t.comment(JSON.stringify({ known: history.known.length, ends: history.ends }))
  const cuts: Array<Cut> = []
  const began = performance.now()
  await cutPower(
    history,
    join(parent, "image"),
    images,
    dice,
    (cut) => {
      cuts.push(cut)
      if (cut.faults.length > 0 || cut.trusted === false) process.stderr.write(`${JSON.stringify(cut)}\n`)
    },
    process.env["KEEP"],
  )
  t.comment(`${Math.round((performance.now() - began) / images)} ms each`)
  t.comment(
    JSON.stringify({
      opened: cuts.filter((c) => c.opened).length,
      trusted: cuts.filter((c) => c.trusted).length,
      faulty: cuts.filter((c) => c.faults.length).length,
    }),
  )
})
