/** The service that runs jobs, on a test clock. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import t, { type Test } from "tap"
import { Unavailable } from "../../src/api/errors.ts"
import { Clock } from "../../src/clock.ts"
import { periodic, type ServerJob, woken } from "../../src/jobs/job.ts"
import { Jobs } from "../../src/jobs/jobs.ts"
import { manualClock } from "../kit/manual-clock.ts"

/** A run that ends when the test says so. */
class Held {
  runs = 0
  interrupted = 0
  readonly #held: Array<(outcome: Effect.Effect<void, Unavailable>) => void> = []

  readonly run = Effect.callback<void, Unavailable>((resume) => {
    this.runs += 1
    this.#held.push(resume)
    return Effect.sync(() => {
      this.interrupted += 1
    })
  })

  end(outcome: Effect.Effect<void, Unavailable> = Effect.void): void {
    for (const resume of this.#held.splice(0)) resume(outcome)
  }
}

/** Lets everything run that can without the clock. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const startJobs = async (t: Test, list: ReadonlyArray<ServerJob>) => {
  const clock = manualClock()
  const lines: Array<string> = []
  const log = Logger.make(({ message }) => void lines.push(String(Array.isArray(message) ? message[0] : message)))
  const started = Layer.effectDiscard(Effect.flatMap(Jobs, (jobs) => jobs.start(list)))
  const runtime = ManagedRuntime.make(
    started.pipe(
      Layer.provideMerge(Jobs.layer),
      Layer.provide(Layer.succeed(Clock, clock)),
      Layer.provideMerge(Logger.layer([log])),
    ),
  )
  t.teardown(() => runtime.dispose())
  const jobs = await runtime.runPromise(Jobs)
  await settle()
  return { clock, jobs, lines, run: runtime.runPromise, stop: () => runtime.dispose() }
}

t.test("a periodic job runs by the clock, and not again while it runs", async (t) => {
  const held = new Held()
  const { clock, jobs } = await startJobs(t, [periodic({ name: "one", everyMilliseconds: 100, run: held.run })])
  t.equal(held.runs, 0, "not at the start")
  clock.advance(100)
  await settle()
  t.match(jobs.report(), [{ name: "one", runs: 0, isAwake: true }])
  clock.advance(250)
  await settle()
  t.equal(held.runs, 1, "it is still running")
  held.end()
  await settle()
  t.match(jobs.report(), [{ runs: 1, failures: 0, isAwake: false }])
  clock.advance(50)
  await settle()
  t.equal(held.runs, 2)
  held.end()
})

t.test("one that is wanted at the start runs then, too", async (t) => {
  const held = new Held()
  await startJobs(t, [periodic({ name: "one", everyMilliseconds: 100, isAtStart: true, run: held.run })])
  t.equal(held.runs, 1)
  held.end()
})

t.test("a run that fails or dies is logged with its name, and tried again", async (t) => {
  const held = new Held()
  const other = new Held()
  const { clock, jobs, lines } = await startJobs(t, [
    periodic({ name: "frail", everyMilliseconds: 1000, run: held.run }),
    periodic({ name: "sound", everyMilliseconds: 1000, run: other.run }),
  ])
  const round = async (outcome: Effect.Effect<void, Unavailable>) => {
    clock.advance(1000)
    await settle()
    held.end(outcome)
    other.end()
    await settle()
  }
  const lost = Effect.fail(new Unavailable({ reason: "the database is away" }))
  await round(lost)
  t.same(lines, ['the job "frail" failed and is tried again: the database is away'])
  for (let n = 0; n < 30; n++) await round(lost)
  t.equal(lines.length, 1, "what stays the same is said once in a minute")
  await round(Effect.die(new Error("a bug")))
  t.same(lines.slice(1), ['the job "frail" failed and is tried again: a bug'])
  for (let n = 0; n < 60; n++) await round(Effect.die(new Error("a bug")))
  t.equal(lines.length, 3)
  await round(Effect.void)
  t.match(jobs.report(), [
    { name: "frail", runs: 93, failures: 92, isAwake: false },
    { name: "sound", runs: 93, failures: 0 },
  ])
})

t.test("a woken job runs when it is woken, when it has asked for it, and by its fallback", async (t) => {
  const wanted: Array<number | null> = []
  const times: Array<number> = []
  const job = woken({
    name: "woken",
    fallbackMilliseconds: 60_000,
    run: Effect.suspend(() => {
      times.push(clock.elapsed())
      return Effect.succeed(wanted.shift() ?? null)
    }),
  })
  const { clock, jobs } = await startJobs(t, [])
  jobs.wake(job)
  jobs.wake(job)
  await Effect.runPromise(
    Effect.scoped(
      Effect.andThen(
        jobs.start([job]),
        Effect.promise(async () => {
          await settle()
          t.same(times, [0], "all wakes before its run are one")
          clock.advance(59_999)
          await settle()
          t.equal(times.length, 1)
          wanted.push(500)
          clock.advance(1)
          await settle()
          t.same(times, [0, 60_000], "nobody has woken it")
          wanted.push(100_000)
          clock.advance(500)
          await settle()
          t.same(times, [0, 60_000, 60_500], "it has asked for it")
          jobs.wake(job)
          jobs.wake(job)
          await settle()
          t.same(times, [0, 60_000, 60_500, 60_500])
          clock.advance(60_000)
          await settle()
          t.same(times.at(-1), 120_500, "never later than by its fallback")
        }),
      ),
    ),
  )
})

t.test("a wake during a run has it run once more", async (t) => {
  const held = new Held()
  const job = woken({ name: "woken", fallbackMilliseconds: 60_000, run: Effect.as(held.run, null) })
  const { jobs } = await startJobs(t, [job])
  t.equal(held.runs, 1)
  for (let n = 0; n < 5; n++) jobs.wake(job)
  await settle()
  t.equal(held.runs, 1)
  held.end()
  await settle()
  t.equal(held.runs, 2)
  held.end()
  await settle()
  t.equal(held.runs, 2)
})

t.test("the end waits for what is running, and begins nothing more", async (t) => {
  const held = new Held()
  const job = woken({ name: "woken", fallbackMilliseconds: 60_000, run: Effect.as(held.run, null) })
  const { clock, jobs, stop } = await startJobs(t, [job])
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  await settle()
  t.equal(jobs.isEnding(), true)
  t.equal(isStopped, false, "it waits")
  jobs.wake(job)
  held.end()
  await stopped
  t.equal(held.runs, 1)
  t.equal(held.interrupted, 0)
  t.equal(clock.pending(), 0, "no timer is left")
})

t.test("a run that does not end is interrupted", async (t) => {
  const held = new Held()
  const { stop, lines } = await startJobs(t, [
    periodic({ name: "stuck", everyMilliseconds: 100, isAtStart: true, run: held.run }),
  ])
  await stop()
  t.equal(held.interrupted, 1)
  t.same(lines, [])
})

t.test("what cannot be interrupted does not hold up the end of what follows the jobs", async (t) => {
  const clock = manualClock()
  const held = new Held()
  let isSaved = false
  const started = Layer.effectDiscard(
    Effect.gen(function* () {
      const jobs = yield* Jobs
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          isSaved = true
          held.end()
        }),
      )
      yield* jobs.start<never>([])
      const beside = yield* jobs.inBackground("errands")
      beside(Effect.uninterruptible(held.run))
    }),
  )
  const runtime = ManagedRuntime.make(
    started.pipe(Layer.provide(Jobs.layer), Layer.provide(Layer.succeed(Clock, clock))),
  )
  await runtime.runPromise(Effect.void)
  await settle()
  await runtime.dispose()
  t.equal(isSaved, true)
})

t.test("a failure that cannot be told as text is one, too", async (t) => {
  const held = new Held()
  const { clock, lines } = await startJobs(t, [periodic({ name: "frail", everyMilliseconds: 1000, run: held.run })])
  clock.advance(1000)
  await settle()
  held.end(Effect.die(Object.create(null)))
  await settle()
  t.equal(lines.length, 1)
  clock.advance(1000)
  await settle()
  t.equal(held.runs, 2)
  held.end()
})

t.test("what is done beside: a failure is dropped, a defect logged, and the end interrupts it", async (t) => {
  const { jobs, lines, run, stop } = await startJobs(t, [])
  const beside = await run(jobs.inBackground("errands"))
  const held = new Held()
  beside(held.run)
  beside(Effect.fail("refused"))
  beside(Effect.die(new Error("a bug")))
  await settle()
  t.same(lines, ["errands failed"])
  await stop()
  t.equal(held.interrupted, 1)
  beside(held.run)
  t.equal(held.runs, 1, "nothing begins after the end")
})

t.test("two jobs of one name are a mistake", async (t) => {
  const job = periodic({ name: "one", everyMilliseconds: 100, run: Effect.void })
  await t.rejects(startJobs(t, [job, job]), /two jobs of the name one/)
  const { clock, jobs, run } = await startJobs(t, [])
  await t.rejects(run(Effect.scoped(jobs.start([job, job]))), /two jobs of the name one/)
  t.equal(clock.pending(), 0, "the one that was started is stopped")
})
