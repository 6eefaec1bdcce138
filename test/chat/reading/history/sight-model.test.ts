/**
 * Sight: after random sends, moves, deletions, edits and changes of channels, groups and people everybody is shown and
 * told exactly what a plain model says, and all else is to them as if it did not exist. Long runs with fresh seeds:
 * test/deep/sight.test.ts.
 */
import t from "tap"
import { some } from "../../../kit/share.ts"
import { runVisibility } from "./model/run.ts"

for (const seed of some([1, 2], 2, "sight")) t.test(`sight, seed ${seed}`, (t) => runVisibility(t, seed, 60, 30, 0.4))
