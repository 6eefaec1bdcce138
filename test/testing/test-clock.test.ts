/** The manual clock: the order of its tasks, and the time that each sees. */
import t from "tap"
import { manualClock } from "../../src/testing/test-clock.ts"

t.test("the manual clock", async (t) => {
  const start = 1000
  /** A clock from 1000, and a way to make tasks that note their name and time. */
  const record = () => {
    const clock = manualClock(start)
    const ran: Array<string> = []
    return { clock, ran, note: (name: string) => () => void ran.push(`${name} ${clock.now()}`) }
  }

  t.test("runs by due time, then by creation, each at its own time", async (t) => {
    const { clock, ran, note } = record()
    clock.after(30, note("late"))
    clock.every(10, note("beat"))
    clock.after(20, note("tie"))
    clock.after(5, () => {
      note("outer")()
      clock.after(5, note("inner"))
      clock.after(100, note("beyond"))
    })
    clock.advance(30)
    t.strictSame(ran, ["outer 1005", "beat 1010", "inner 1010", "beat 1020", "tie 1020", "late 1030", "beat 1030"])
    t.equal(clock.now(), start + 30)
    t.equal(clock.pending(), 2, "the beat, and the one beyond")
  })

  t.test("cancelled timers do not run", async (t) => {
    const { clock, ran, note } = record()
    const beat = clock.every(10, () => {
      note("beat")()
      if (clock.now() === start + 20) beat.cancel()
    })
    const other = clock.after(15, note("other"))
    clock.after(15, note("kept"))
    clock.after(12, () => other.cancel())
    clock.advance(100)
    t.strictSame(ran, ["beat 1010", "kept 1015", "beat 1020"])
    t.equal(clock.pending(), 0)
    beat.cancel()
    t.equal(clock.pending(), 0, "a second cancel does nothing")
  })

  t.test("no wait is shorter than a millisecond, and none too long for the machine's timers", async (t) => {
    const { clock, ran, note } = record()
    clock.after(0, note("none"))
    clock.after(1.9, note("fraction"))
    clock.advance(0)
    t.strictSame(ran, [])
    clock.advance(1)
    t.strictSame(ran, ["none 1001", "fraction 1001"])
    t.throws(() => clock.after(2 ** 31, note("never")), RangeError)
    t.throws(() => clock.every(Number.NaN, note("never")), RangeError)
    t.throws(() => clock.advance(-1), RangeError)
    t.throws(() => clock.advance(0.5), RangeError)
    t.equal(clock.pending(), 0)
  })

  t.test("a task may fail but not advance the clock", async (t) => {
    const { clock, ran, note } = record()
    clock.after(10, () => clock.advance(1))
    clock.after(20, note("next"))
    t.throws(() => clock.advance(100), /cannot advance/)
    t.equal(clock.now(), start + 10, "it stands where the task failed")
    clock.advance(10)
    t.strictSame(ran, ["next 1020"])
  })
})
