/** Who copies an embedded database for a backup, and when: servers come and go meanwhile. */
import * as Effect from "effect/Effect"
import t from "tap"
import { copyInTurn } from "../../../src/command-line/backup/copy-turn.ts"
import { DatabaseHeld } from "../../../src/db/open-failures.ts"

const second = 1000
const held = new DatabaseHeld({ message: "held" })

/** What there is at a time, in seconds since the beginning. */
type Standing = "free" | "held" | "served"

/** Each look takes a second. Answers what was done, and when. */
const done = async (isSeen: boolean, standingAt: (seconds: number) => Standing): Promise<string> => {
  let seconds = 0
  let isCopied = ""
  const standing = Effect.sync(() => standingAt(seconds))
  const requireFree = Effect.flatMap(standing, (now) => (now === "free" ? Effect.void : Effect.fail(held)))
  const note = (what: string) =>
    Effect.sync(() => {
      isCopied = `${what} at ${seconds}`
    })
  const copying = copyInTurn({
    isSeen,
    byServer: Effect.flatMap(standing, (now) =>
      now === "served" ? Effect.as(note("served"), true) : Effect.succeed(false),
    ),
    requireFree,
    byItself: Effect.andThen(requireFree, note("copied")),
    pause: Effect.sync(() => {
      seconds += 1
    }),
    elapsed: () => seconds * second,
  })
  const refused = Effect.catchTag(copying, "DatabaseHeld", ({ message }) => note(message))
  await Effect.runPromise(refused)
  return isCopied
}

t.test("a backup's lock keeps no server from starting again", async (t) => {
  t.equal(await done(false, () => "free"), "copied at 0", "nobody is there: at once")
  t.equal(await done(true, () => "served"), "served at 0")
  t.equal(await done(true, () => "free"), "copied at 15", "a sign of one that was killed: it may come again")
  const restarting = (at: number): Standing => (at < 12 ? "free" : at < 20 ? "held" : "served")
  t.equal(await done(true, restarting), "served at 20")
  const stopping = (at: number): Standing => (at < 3 ? "held" : at < 10 ? "free" : at < 12 ? "held" : "served")
  t.equal(await done(false, stopping), "served at 12", "one that is held at first is seen")
  t.equal(await done(false, (at) => (at < 3 ? "held" : "free")), "copied at 18", "one that ends while it is looked at")
  t.equal(await done(true, () => "held"), "held at 15", "one that takes no commands")
  t.equal(await done(true, (at) => (at % 10 < 5 ? "held" : "free")), "held at 60", "one that starts again and again")
})

t.test("a server that is quicker than the copy goes on", async (t) => {
  let looks = 0
  // Free when it is looked at, and held when the copy wants it.
  const standing = (at: number): Standing => (at === 0 ? (++looks > 2 ? "held" : "free") : at < 4 ? "held" : "served")
  t.equal(await done(false, standing), "served at 4")
})
