/**
 * What the server can say of itself in figures: all of it is read where it is kept anyway, at the moment in which somebody
 * asks. Nothing here names a person, a channel or a key; an organization is its number.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { counter, each, gauge, type MetricFamily } from "../../../api/metrics.ts"
import type { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { WriteHealth } from "../../../db/faults/write-health.ts"
import { packageVersion } from "../../../db/package-root.ts"
import { flushCounts } from "../../../events/flusher.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { Outbox } from "../../../jobs/outbox/outbox.ts"
import { expiredMessages } from "../../changing/message-expiry/expiry-counts.ts"
import { type RealmRuntime, Realms } from "../../ground/realm/realms.ts"
import { diskFigures } from "./disk-figures.ts"
import { watchLoop } from "./loop-delay.ts"

const ofRealms = (runtimes: ReadonlyArray<RealmRuntime>): ReadonlyArray<MetricFamily> => {
  const of = (type: "counter" | "gauge", name: string, help: string, read: (runtime: RealmRuntime) => number) =>
    each(
      type,
      name,
      help,
      "realm",
      runtimes.map((runtime) => [String(runtime.realm.id), read(runtime)]),
    )
  return [
    of(
      "gauge",
      "parley_log_position",
      "Position of the newest row that the organization in memory has.",
      ({ realm }) => realm.position,
    ),
    of("gauge", "parley_ring_bytes", "Bytes of the newest rows that are kept in memory.", ({ ring }) => ring.bytes),
    of("gauge", "parley_queues", "Event queues in memory.", ({ queues }) => queues.size()),
    of(
      "gauge",
      "parley_queues_live",
      "Queues that have read everything and get events at once.",
      ({ hub }) => hub.liveQueues,
    ),
    of("gauge", "parley_queues_connected", "Queues with a socket or a waiting poll.", ({ queues }) =>
      queues.countConnected(),
    ),
    of(
      "counter",
      "parley_commits_total",
      "Commits that were sent to the database.",
      ({ writer }) => writer.counts().commits,
    ),
    of(
      "counter",
      "parley_commands_total",
      "Commands in those commits: by commits, the size of a batch.",
      ({ writer }) => writer.counts().commands,
    ),
  ]
}

/** Answers what reads the figures. Watches the delay of the event loop until the scope closes. */
export const serverMetrics: Effect.Effect<
  () => ReadonlyArray<MetricFamily>,
  never,
  Config | Database | WriteHealth | Refusals | Jobs | Outbox | Realms | Scope.Scope
> = Effect.gen(function* () {
  const [database, health, refusals] = [yield* Database, yield* WriteHealth, yield* Refusals]
  const [jobs, outbox, realms] = [yield* Jobs, yield* Outbox, yield* Realms]
  const loop = yield* watchLoop
  const disk = yield* diskFigures

  const ofLoop = (): MetricFamily => {
    const help =
      "Delay of the event loop: how late so many of its turns were at most, with the 10 ms between two samples, in the worse of this half minute and the one before."
    return each("gauge", "parley_loop_delay_seconds", help, "share", loop())
  }

  const build: MetricFamily = {
    name: "parley_build_info",
    help: "Which program runs, on which Node: its labels say it, its value is 1.",
    type: "gauge",
    samples: [{ labels: { version: packageVersion(), node: process.versions.node }, value: 1 }],
  }

  const ofProcess = (): ReadonlyArray<MetricFamily> => {
    const { rss, heapUsed, external } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return [
      build,
      gauge("process_resident_memory_bytes", "Memory of the process.", rss),
      gauge("parley_heap_used_bytes", "Memory of JavaScript's objects.", heapUsed),
      gauge("parley_external_bytes", "Memory that those objects hold outside of their heap.", external),
      counter("process_cpu_seconds_total", "Time of all processors.", (user + system) / 1e6),
      gauge("process_start_time_seconds", "When it was started.", performance.timeOrigin / 1000),
    ]
  }

  /** Nothing where this process is alone. */
  const ofProcesses = (): ReadonlyArray<MetricFamily> => {
    const counts = realms.busCounts()
    if (counts === null) return []
    const { cluster } = database
    const living = cluster?.lastTick()?.processes.length ?? 0
    const bus = cluster?.bus ?? null
    return [
      ...(bus === null
        ? []
        : [gauge("parley_bus_up", "1 while the bus between processes is connected.", bus.isUp() ? 1 : 0)]),
      gauge("parley_processes", "Processes that serve the database and have said so within 15 seconds.", living),
      gauge(
        "parley_tick_age_seconds",
        "Since the database has last answered that this process lives.",
        (cluster?.sinceTick() ?? 0) / 1000,
      ),
      gauge(
        "parley_rows_behind",
        "Rows that others had committed at the last tick and that are not here yet.",
        realms.rowsBehind(),
      ),
      gauge(
        "parley_upgrade_under_way",
        "1 while processes of several programs serve the database.",
        cluster?.isOneProgram() === false ? 1 : 0,
      ),
      each(
        "counter",
        "parley_bus_messages_total",
        "Messages between processes; `forged` are those that cannot be opened.",
        "what",
        Object.entries(counts),
      ),
    ]
  }

  const ofJobs = (): ReadonlyArray<MetricFamily> => {
    const reports = jobs.report()
    const entries = outbox.report()
    return [
      each(
        "counter",
        "parley_job_runs_total",
        "Runs of jobs that have ended.",
        "job",
        reports.map(({ name, runs }) => [name, runs]),
      ),
      each(
        "counter",
        "parley_job_failures_total",
        "Runs that failed.",
        "job",
        reports.map(({ name, failures }) => [name, failures]),
      ),
      each(
        "counter",
        "parley_outbox_done_total",
        "Things of the outbox that were done.",
        "kind",
        entries.map(({ kind, done }) => [kind, done]),
      ),
      each(
        "counter",
        "parley_outbox_failed_attempts_total",
        "Attempts that failed.",
        "kind",
        entries.map(({ kind, failedAttempts }) => [kind, failedAttempts]),
      ),
      each(
        "counter",
        "parley_outbox_given_up_total",
        "Things that were given up.",
        "kind",
        entries.map(({ kind, givenUp }) => [kind, givenUp]),
      ),
      each(
        "gauge",
        "parley_outbox_under_way",
        "Things that are being done.",
        "kind",
        entries.map(({ kind, underWay }) => [kind, underWay]),
      ),
    ]
  }

  return () => [
    ...ofRealms(realms.loaded()),
    each("counter", "parley_refusals_total", "Requests that a limit refused.", "limit", refusals.counts()),
    counter("parley_flushes_total", "Turns in which queues were sent their events.", flushCounts.turns),
    counter("parley_flush_queues_total", "Queues that were served in them.", flushCounts.queues),
    counter("parley_flush_seconds_total", "Time that they took.", flushCounts.milliseconds / 1000),
    each(
      "counter",
      "parley_messages_expired_total",
      "Messages that were deleted for their age.",
      "place",
      Object.entries(expiredMessages),
    ),
    counter("parley_database_statements_total", "Statements sent to the database.", database.statements()),
    gauge("parley_database_up", "1 while the database is connected.", database.up() ? 1 : 0),
    gauge("parley_database_writes_fail", "1 while only reads are served.", health.fault() === null ? 0 : 1),
    ...ofProcesses(),
    ...ofJobs(),
    ofLoop(),
    ...disk(),
    ...ofProcess(),
  ]
})
