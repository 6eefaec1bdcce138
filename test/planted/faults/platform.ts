/** Faults below the chat part, and in what clients are made of: events, database, jobs, HTTP, the client, the page. */
import type { Fault } from "../fault.ts"

const eventFaults: ReadonlyArray<Fault> = [
  {
    name: "an acknowledgement counts beyond what was sent",
    file: "src/events/queue.ts",
    find: "const counted = id < this.#sent ? id : this.#sent;",
    replace: "const counted = id;",
  },
  {
    name: "whoever has left a private channel hears of its messages",
    file: "src/events/event.ts",
    find: "if (was.isPrivate && !isIn)",
    replace: "if (was.isPrivate && was.historyShared && !isIn)",
  },
  {
    name: "the first event behind the state of a register is left out of the poll",
    file: "src/events/queue-spec.ts",
    find: "row.position <= contained.through &&",
    replace: "row.position <= contained.through + 1 &&",
  },
  {
    name: "a page of old rows that is being read is kept though one of them changes",
    file: "src/events/past/row-pages.ts",
    find: "reading.isStale = true;",
    replace: "reading.isStale = false;",
  },
]

const databaseFaults: ReadonlyArray<Fault> = [
  {
    name: "one user's reads take all places",
    file: "src/db/reads.ts",
    find: "perOwner: Math.max(1, database.readsAtOnce - 1),",
    replace: "perOwner: database.readsAtOnce,",
  },
  {
    name: "a function of SQL that has changed is not created anew",
    file: "src/db/sql/migrate.ts",
    find: "known.get(file.name) !== file.digest",
    replace: "!known.has(file.name)",
  },
  {
    name: "a commit is done though the rules have changed since it was judged",
    file: "src/events/log.sql",
    find: "if v_lock.rules_position > p_judged_at then",
    replace: "if v_lock.rules_position > v_head then",
  },
]

const jobFaults: ReadonlyArray<Fault> = [
  {
    name: "what is behind a work of its lane that failed does not wait for it",
    file: "src/jobs/outbox/outbox.ts",
    find: "if (!isOver)",
    replace: "if (!isOver && left.length === 0)",
  },
  {
    name: "a claim takes one lane more than it may",
    file: "src/jobs/outbox/outbox.sql",
    find: "order by o.next_at, o.id limit p_lanes for update of o skip locked",
    replace: "order by o.next_at, o.id limit p_lanes + 1 for update of o skip locked",
  },
  {
    name: "who wakes a job while it runs is not heard",
    file: "src/jobs/jobs.ts",
    find: "if (this.isWoken)",
    replace: "if (this.isWoken && wait !== null)",
  },
]

const httpFaults: ReadonlyArray<Fault> = [
  {
    name: "a part of a file lacks its last byte",
    file: "src/http/downloads/byte-ranges.ts",
    find: "Math.min(size, Number(to) + 1)",
    replace: "Math.min(size, Number(to))",
  },
  {
    name: "a user may make one request more in a minute",
    file: "src/fairness/rate-counter.ts",
    find: "const isAdmitted = window.used < limit;",
    replace: "const isAdmitted = window.used <= limit;",
  },
  {
    name: "a bot that may only post may ask for everything",
    file: "src/http/entrance/admit-account.ts",
    find: "if (account.isWebhookBot && forWebhookBots === undefined)",
    replace: "if (account.isWebhookBot && forWebhookBots === null)",
  },
  {
    name: "a client says itself which address it has",
    file: "src/http/connections/client-address.ts",
    find: "hop < mostHops && end > 0 && isTrusted(client); hop++",
    replace: "hop < mostHops && end > 0; hop++",
  },
]

const clientFaults: ReadonlyArray<Fault> = [
  {
    name: "the client gives an event twice",
    file: "src/client/reader.ts",
    find: "if (event.id <= queue.lastId)",
    replace: "if (event.id < queue.lastId)",
  },
  {
    name: "a deleted message stays starred in the page",
    file: "src/web/state/reduce/messages.ts",
    find: "starred: without(state.starred, ids),",
    replace: "starred: state.starred,",
  },
]

export const platformFaults: ReadonlyArray<Fault> = [
  ...eventFaults,
  ...databaseFaults,
  ...jobFaults,
  ...httpFaults,
  ...clientFaults,
]
