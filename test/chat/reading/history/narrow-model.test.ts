/**
 * Random narrows of all operators find in the database what the predicate says, and what they mean to a plain model of
 * messages. Long runs with fresh seeds: test/deep/sight.test.ts.
 */
import t from "tap"
import { some } from "../../../kit/share.ts"
import { runNarrows } from "./model/run.ts"

for (const seed of some([1, 2], 2, "narrows")) t.test(`narrows, seed ${seed}`, (t) => runNarrows(t, seed, 50, 8))
