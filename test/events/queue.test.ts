/**
 * The queue's transitions as a table: every event in every state, with and without a connection. A cell names the
 * fields that change; all others must stay as they were. The compiler refuses a table with a missing cell.
 */
import t from "tap"
import type { QueueState } from "../../src/events/queue.ts"
import { WireId } from "../../src/ids.ts"
import {
  at,
  behind,
  chain,
  ended,
  item,
  live,
  type Seen,
  type Subject,
  withoutConnection,
} from "./model/queue-subject.ts"

/** An ended queue has no connection. */
interface Situations {
  readonly live: "none" | "ready" | "stalled"
  readonly behind: "none" | "ready" | "stalled"
  readonly ended: "none"
}

const events = {
  "attach at sent": (s) => s.attach(3),
  "attach above sent": (s) => s.attach(5),
  "attach below sent": (s) => s.attach(2),
  "attach below start": (s) => s.queue.attach(s.connect(), WireId(-1)),
  offer: (s) => s.queue.offer([item(7)], at(7)),
  "offer of what it filters out": (s) => s.queue.offer([], at(7)),
  "offer of what is examined": (s) => s.queue.offer([item(2)], at(2)),
  "offer of a row that examined is inside": (s) => s.queue.offer([item(6), item(6, 1), item(6, 2)], at(6, 2)),
  "offer with overflow": (s) => s.queue.offer([item(7), item(7, 1), item(7, 2), item(7, 3)], at(7, 3)),
  flush: (s) => s.queue.flush(),
  serve: (s) => s.queue.serve(),
  drained: (s) => s.queue.drained(),
  detach: (s) => s.detach(),
  "detach of an older connection": (s) => s.queue.detach(s.connect()),
  "page read": (s) => s.queue.pageRead(s.reading, chain(item(4)), at(4)),
  "empty page read": (s) => s.queue.pageRead(s.reading, chain(), at(4)),
  "read to the end": (s) => s.readToEnd(s.reading),
  "an older reading": (s) => s.readToEnd(s.reading - 1),
  "a reading that another has replaced": (s) => {
    s.queue.beginReading()
    s.readToEnd(s.reading)
  },
  dismiss: (s) => s.queue.dismiss("waited"),
  disconnect: (s) => s.queue.disconnect("waited"),
  end: (s) => s.queue.end("gone"),
  acknowledge: (s) => s.acknowledge(3),
  "acknowledge above sent": (s) => s.acknowledge(5),
  "acknowledge what was never given": (s) => s.acknowledge(10),
} satisfies Record<string, (subject: Subject) => void>
type Event = keyof typeof events
type Cell = Partial<Seen>

/** A cell of the table: what is not as it was. */
const ignored: Cell = {}
const woken: Cell = { asked: ["wake"] }

interface Situation {
  readonly reach: () => Subject
  readonly cells: Readonly<Record<Event, Cell>>
}

const table: { readonly [S in QueueState]: Readonly<Record<Situations[S], Situation>> } = {
  // Handed 3; 5 is pending; the hub has shown it all up to 6.
  live: {
    none: {
      reach: () => withoutConnection(live(false)),
      cells: {
        "attach at sent": { connection: "ready", ...woken },
        "attach above sent": { connection: "ready", sent: "5", acked: "5", pending: 0 },
        "attach below sent": {
          state: "behind",
          connection: "ready",
          sent: "2",
          examined: "2",
          pending: 0,
          asked: ["leave", "wake"],
        },
        "attach below start": {
          state: "behind",
          connection: "ready",
          sent: "1",
          examined: "1",
          pending: 0,
          asked: ["leave", "wake"],
        },
        offer: { examined: "7", pending: 2 },
        "offer of what it filters out": { examined: "7" },
        "offer of what is examined": ignored,
        "offer of a row that examined is inside": { examined: "6.2", pending: 3 },
        "offer with overflow": { state: "behind", examined: "3", pending: 0, asked: ["leave"] },
        flush: ignored,
        serve: ignored,
        drained: ignored,
        detach: ignored,
        "detach of an older connection": ignored,
        "page read": ignored,
        "empty page read": ignored,
        "read to the end": ignored,
        "an older reading": ignored,
        "a reading that another has replaced": ignored,
        dismiss: ignored,
        disconnect: ignored,
        end: { state: "ended", pending: 0, asked: ["leave"] },
        acknowledge: { answer: true },
        "acknowledge above sent": { answer: true },
        "acknowledge what was never given": { answer: false },
      },
    },
    ready: {
      reach: () => live(false),
      cells: {
        "attach at sent": { told: ["replaced"], ...woken },
        "attach above sent": { sent: "5", acked: "5", pending: 0, told: ["replaced"] },
        "attach below sent": {
          state: "behind",
          sent: "2",
          examined: "2",
          pending: 0,
          told: ["replaced"],
          asked: ["leave", "wake"],
        },
        "attach below start": {
          state: "behind",
          sent: "1",
          examined: "1",
          pending: 0,
          told: ["replaced"],
          asked: ["leave", "wake"],
        },
        offer: { examined: "7", pending: 2, ...woken },
        "offer of what it filters out": { examined: "7", ...woken },
        "offer of what is examined": ignored,
        "offer of a row that examined is inside": { examined: "6.2", pending: 3, ...woken },
        "offer with overflow": { state: "behind", examined: "3", pending: 0, asked: ["leave", "wake"] },
        flush: { sent: "5", pending: 0, out: ["5"] },
        serve: { sent: "5", pending: 0, out: ["5"] },
        drained: ignored,
        detach: { connection: "none" },
        "detach of an older connection": ignored,
        "page read": ignored,
        "empty page read": ignored,
        "read to the end": ignored,
        "an older reading": ignored,
        "a reading that another has replaced": ignored,
        dismiss: woken,
        disconnect: { connection: "none", told: ["waited"] },
        end: { state: "ended", connection: "none", pending: 0, told: ["gone"], asked: ["leave"] },
        acknowledge: { answer: true },
        "acknowledge above sent": { answer: true },
        "acknowledge what was never given": { answer: false },
      },
    },
    stalled: {
      reach: () => live(true),
      cells: {
        "attach at sent": { connection: "ready", acked: "3", told: ["replaced"], ...woken },
        "attach above sent": {
          connection: "ready",
          sent: "5",
          acked: "5",
          pending: 0,
          told: ["replaced"],
        },
        "attach below sent": {
          state: "behind",
          connection: "ready",
          sent: "2",
          examined: "2",
          pending: 0,
          told: ["replaced"],
          asked: ["leave", "wake"],
        },
        "attach below start": {
          state: "behind",
          connection: "ready",
          sent: "1",
          examined: "1",
          pending: 0,
          told: ["replaced"],
          asked: ["leave", "wake"],
        },
        offer: { examined: "7", pending: 2 },
        "offer of what it filters out": { examined: "7" },
        "offer of what is examined": ignored,
        "offer of a row that examined is inside": { examined: "6.2", pending: 3 },
        "offer with overflow": { state: "behind", examined: "3", pending: 0, asked: ["leave"] },
        flush: ignored,
        serve: ignored,
        drained: { connection: "ready", ...woken },
        detach: { connection: "none" },
        "detach of an older connection": ignored,
        "page read": ignored,
        "empty page read": ignored,
        "read to the end": ignored,
        "an older reading": ignored,
        "a reading that another has replaced": ignored,
        dismiss: woken,
        disconnect: { connection: "none", told: ["waited"] },
        end: { state: "ended", connection: "none", pending: 0, told: ["gone"], asked: ["leave"] },
        acknowledge: { acked: "3", answer: true },
        "acknowledge above sent": { acked: "3", answer: true },
        "acknowledge what was never given": { answer: false },
      },
    },
  },
  // Read up to 3, and that was handed out.
  behind: {
    // Its reading ended with its connection.
    none: {
      reach: () => withoutConnection(behind(false)),
      cells: {
        "attach at sent": { connection: "ready", ...woken },
        "attach above sent": { connection: "ready", sent: "5", examined: "5", acked: "5", ...woken },
        "attach below sent": { connection: "ready", sent: "2", examined: "2", ...woken },
        "attach below start": { connection: "ready", sent: "1", examined: "1", ...woken },
        offer: ignored,
        "offer of what it filters out": ignored,
        "offer of what is examined": ignored,
        "offer of a row that examined is inside": ignored,
        "offer with overflow": ignored,
        flush: ignored,
        serve: ignored,
        drained: ignored,
        detach: ignored,
        "detach of an older connection": ignored,
        "page read": ignored,
        "empty page read": ignored,
        "read to the end": ignored,
        "an older reading": ignored,
        "a reading that another has replaced": ignored,
        dismiss: ignored,
        disconnect: ignored,
        end: { state: "ended" },
        acknowledge: { answer: true },
        "acknowledge above sent": { answer: true },
        "acknowledge what was never given": { answer: false },
      },
    },
    // A reading is under way.
    ready: {
      reach: () => behind(false),
      cells: {
        "attach at sent": { told: ["replaced"], ...woken },
        "attach above sent": { sent: "5", examined: "5", acked: "5", told: ["replaced"], ...woken },
        "attach below sent": { sent: "2", examined: "2", told: ["replaced"], ...woken },
        "attach below start": { sent: "1", examined: "1", told: ["replaced"], ...woken },
        offer: ignored,
        "offer of what it filters out": ignored,
        "offer of what is examined": ignored,
        "offer of a row that examined is inside": ignored,
        "offer with overflow": ignored,
        flush: ignored,
        serve: { asked: ["read"] },
        drained: ignored,
        detach: { connection: "none" },
        "detach of an older connection": ignored,
        "page read": { examined: "4", pending: 1, ...woken },
        "empty page read": { examined: "4" },
        "read to the end": { state: "live", examined: "6", pending: 1, asked: ["wake", "enter"] },
        "an older reading": ignored,
        "a reading that another has replaced": ignored,
        dismiss: woken,
        disconnect: { connection: "none", told: ["waited"] },
        end: { state: "ended", connection: "none", told: ["gone"] },
        acknowledge: { answer: true },
        "acknowledge above sent": { answer: true },
        "acknowledge what was never given": { answer: false },
      },
    },
    // It was given the page that made it stall.
    stalled: {
      reach: () => behind(true),
      cells: {
        "attach at sent": { connection: "ready", acked: "3", told: ["replaced"], ...woken },
        "attach above sent": {
          connection: "ready",
          sent: "5",
          examined: "5",
          acked: "5",
          told: ["replaced"],
          ...woken,
        },
        "attach below sent": { connection: "ready", sent: "2", examined: "2", told: ["replaced"], ...woken },
        "attach below start": { connection: "ready", sent: "1", examined: "1", told: ["replaced"], ...woken },
        offer: ignored,
        "offer of what it filters out": ignored,
        "offer of what is examined": ignored,
        "offer of a row that examined is inside": ignored,
        "offer with overflow": ignored,
        flush: ignored,
        serve: ignored,
        drained: { connection: "ready", ...woken },
        detach: { connection: "none" },
        "detach of an older connection": ignored,
        "page read": { examined: "4", pending: 1, ...woken },
        "empty page read": { examined: "4" },
        "read to the end": { state: "live", examined: "6", pending: 1, asked: ["wake", "enter"] },
        "an older reading": ignored,
        "a reading that another has replaced": ignored,
        dismiss: woken,
        disconnect: { connection: "none", told: ["waited"] },
        end: { state: "ended", connection: "none", told: ["gone"] },
        acknowledge: { acked: "3", answer: true },
        "acknowledge above sent": { acked: "3", answer: true },
        "acknowledge what was never given": { answer: false },
      },
    },
  },
  ended: {
    none: {
      reach: () => ended(live(false)),
      cells: {
        "attach at sent": { told: ["gone"] },
        "attach above sent": { told: ["gone"] },
        "attach below sent": { told: ["gone"] },
        "attach below start": { told: ["gone"] },
        offer: ignored,
        "offer of what it filters out": ignored,
        "offer of what is examined": ignored,
        "offer of a row that examined is inside": ignored,
        "offer with overflow": ignored,
        flush: ignored,
        serve: ignored,
        drained: ignored,
        detach: ignored,
        "detach of an older connection": ignored,
        "page read": ignored,
        "empty page read": ignored,
        "read to the end": ignored,
        "an older reading": ignored,
        "a reading that another has replaced": ignored,
        dismiss: ignored,
        disconnect: ignored,
        end: ignored,
        acknowledge: { answer: true },
        "acknowledge above sent": { answer: true },
        "acknowledge what was never given": { answer: false },
      },
    },
  },
}

const names = Object.keys(events) as ReadonlyArray<Event>

t.test("every event in every state, with and without a connection", async (t) => {
  for (const [state, situations] of Object.entries(table)) {
    for (const [connection, { reach, cells }] of Object.entries<Situation>(situations)) {
      for (const name of names) {
        const subject = reach()
        const before = subject.look()
        t.match(before, { state, connection }, `${state}, ${connection} is reached`)
        events[name](subject)
        const expected = { ...before, out: [], told: [], asked: [], answer: null, ...cells[name] }
        t.strictSame(subject.look(), expected, `${state}, ${connection}: ${name}`)
      }
    }
  }
})

t.test("a dismissed connection ends only after it has been sent every event", async (t) => {
  const rest = live(false)
  rest.queue.dismiss("realm-deactivated")
  rest.queue.serve()
  t.match(rest.look(), { out: ["5"], told: ["realm-deactivated"], connection: "none", state: "live" })

  const slow = live(true)
  slow.queue.dismiss("realm-deactivated")
  slow.queue.serve()
  t.match(slow.look(), { out: [], told: [], connection: "stalled" }, "not while its socket has no room")
  slow.queue.drained()
  slow.queue.serve()
  t.match(slow.look(), { out: ["5"], told: ["realm-deactivated"], connection: "none" })

  const reading = behind(false)
  reading.look()
  reading.queue.dismiss("realm-deactivated")
  reading.queue.serve()
  t.match(
    reading.look(),
    { out: [], told: [], connection: "ready", asked: ["wake", "read"] },
    "it reads to the end first",
  )
  reading.readToEnd(reading.reading)
  t.same(reading.look().asked, ["wake", "enter", "wake"])
  reading.queue.serve()
  t.match(reading.look(), { out: ["4"], told: ["realm-deactivated"], connection: "none" })

  const newer = live(false)
  newer.queue.dismiss("realm-deactivated")
  newer.attach(3)
  newer.queue.serve()
  t.match(newer.look(), { out: ["5"], told: ["replaced"], connection: "ready" }, "a newer connection is not meant")
})
