/**
 * Run by hold-loop.ts: takes and lets go of the folder in argv until it is killed, and notes both in a file that all
 * starters append to. The order of the lines in that file is the order in which things happened.
 */
import { appendFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { holdFolder } from "../../src/db/folder-lock.ts"

const [, , folder = "", journal = "", name = ""] = process.argv
const note = (event: string) => appendFileSync(journal, `${name} ${event}\n`)

const holdOnce = Effect.scoped(
  Effect.gen(function* () {
    const asked = performance.now()
    yield* holdFolder(folder)
    note(`holds ${Math.round(performance.now() - asked)}`)
    yield* Effect.promise(() => sleep(Math.random() * 10))
    note("releases")
  }),
)

note("starts")
for (;;) await Effect.runPromise(Effect.ignore(holdOnce))
