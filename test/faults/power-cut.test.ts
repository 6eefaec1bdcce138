/** A few power cuts of a server with an embedded database: test/deep/power-cut.test.ts has hundreds of them. */
import { join } from "node:path"
import t from "tap"
import { seed } from "../kit/share.ts"
import { adminUrl, createFolder } from "../kit/test-database.ts"
import { Dice } from "./kill/dice.ts"
import { brokenPromises, cutAtEnd, cutPower } from "./power/cuts.ts"
import { record } from "./power/history.ts"

const skip = adminUrl === undefined ? false : "this run is on PostgreSQL"

t.test("the power is cut while a server syncs, and later while it does not", { skip }, async (t) => {
  const dice = new Dice(seed)
  const parent = await createFolder(t)
  const lives = [
    { sync: true, sends: 40, end: "kill" },
    { sync: false, sends: 20, end: "kill" },
  ] as const
  const history = await record(parent, lives, dice)
  const folder = join(parent, "image")
  const { runs, served, known } = history
  const first = { ...history, runs: runs.slice(0, 1), served: served.slice(0, 1) }
  const cuts = await cutPower({ history: first, folder, images: 4, dice })
  t.same(brokenPromises(cuts), [], `what was acknowledged is there once, and is trusted; seed ${seed}`)

  const { opened, trusted, lost } = await cutAtEnd(history, folder)
  const later = known.filter(({ kind, from }) => kind === "message" && from.run === 1)
  t.same(
    { opened, trusted, lost },
    { opened: true, trusted: false, lost: later.length },
    "what was not synced is lost, and the log has another epoch",
  )
})
