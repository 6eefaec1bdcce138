/**
 * Read state as ranges and floors is what it would be with a row for each message of each user. Long runs with fresh
 * seeds: test/deep/flags.test.ts.
 */
import t from "tap"
import { some } from "../../../kit/share.ts"
import { runSeed } from "./model/run.ts"

const steps = 120
for (const seed of some([1, 2], 2, "flags")) t.test(`flags, seed ${seed}`, (t) => runSeed(t, seed, steps))
