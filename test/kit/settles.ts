/**
 * I13 as a check: register, act, apply the events to the state, register again; both states must be equal. Every view
 * registers several times, as several kinds of client. A quick run compares some of the views, others at each action.
 */
import type { Test } from "tap"
import { capabilityNames } from "../../src/events/client-capabilities.ts"
import type { Fields, Person } from "./client.ts"
import type { Appliers } from "./client-appliers.ts"
import { ClientState } from "./client-state.ts"
import { pairwise } from "./pairwise.ts"
import { Reader } from "./reader.ts"
import { recordsIn } from "./records.ts"
import { about, isFull } from "./share.ts"

/** A client of a user, and the parameters of its register. */
export interface View {
  readonly label: string
  readonly person: Person
  readonly port: number
  readonly user: number
  readonly fields: Fields
  /** For types of events that only one test knows. */
  readonly appliers?: Appliers
}

/** A register with the events applied so far. */
export class Watcher {
  readonly view: View
  readonly state: ClientState
  reader: Reader

  constructor(view: View, register: Fields) {
    this.view = view
    this.state = new ClientState(register, view.user, view.fields, view.appliers)
    this.reader = new Reader(view.person, view.port, register)
  }

  /** Applies all events that there are now. */
  async settle(): Promise<void> {
    for (const event of await this.reader.rest()) {
      this.state.apply(event)
      await this.place()
    }
  }

  /** Fetches the messages of which it knows only that they are starred. Those that are not shown by now are none of its. */
  async place(): Promise<void> {
    const message_ids = this.state.unplaced
    if (message_ids.length === 0) return
    const shown = recordsIn((await this.view.person.must.get("/messages", { message_ids }))["messages"])
    for (const message of shown) this.state.place(message)
    this.state.drop(this.state.unplaced)
  }
}

export const watch = async (view: View): Promise<Watcher> => {
  const watcher = new Watcher(view, await view.person.must.post("/register", view.fields))
  await watcher.place()
  return watcher
}

const comprehensive = {
  apply_markdown: true,
  client_gravatar: false,
  include_subscribers: true,
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    empty_topic_name: true,
    archived_channels: true,
    stream_typing_notifications: true,
  },
}

/**
 * Whoever reads the simplified events about presence reads lists of the same form. Without them these lists say more than the
 * events do.
 */
const slim = (capabilities: Fields): Fields => ({ slim_presence: capabilities["simplified_presence_events"] === true })

const able = (...names: ReadonlyArray<string>): Fields => ({
  client_capabilities: Object.fromEntries(names.map((name) => [name, true])),
})

/**
 * The kinds of clients: with all capabilities and with none; with the whole state, single sections, or sections that
 * differ from the types of events.
 */
export const kindsOfClients: ReadonlyArray<readonly [label: string, fields: Fields]> = [
  ["an old client", {}],
  ["a modern client", comprehensive],
  ["a client that can do everything", { ...able(...capabilityNames), slim_presence: true, include_subscribers: true }],
  ["a client that wants some subscribers", { ...comprehensive, include_subscribers: "partial" }],
  ["a client with subscriptions only", { include_subscribers: true, fetch_event_types: ["subscription"] }],
  ["a client with people and channels", { event_types: ["realm_user", "stream", "subscription", "message"] }],
  ["a client with channels only", { fetch_event_types: ["stream"] }],
  ["a client with groups only", { fetch_event_types: ["realm_user_groups"] }],
]

const offOrOn = [false, true] as const

/**
 * Clients that together cover every pair of choices: the user, the sections of its register, how many subscribers it
 * wants, and each of its options and capabilities.
 */
export const clientsOf = <Name extends string>(
  names: ReadonlyArray<Name>,
): ReadonlyArray<{ readonly name: Name; readonly label: string; readonly fields: Fields }> =>
  pairwise({
    name: names,
    sections: [
      ["everything", {}],
      ["subscriptions", { fetch_event_types: ["subscription"] }],
      ["channels", { fetch_event_types: ["stream"] }],
      ["groups", { fetch_event_types: ["realm_user_groups"] }],
      ["people and channels", { event_types: ["realm_user", "stream", "subscription", "message"] }],
    ] as const,
    include_subscribers: [false, true, "partial"] as const,
    apply_markdown: offOrOn,
    client_gravatar: offOrOn,
    ...Object.fromEntries(capabilityNames.map((capability) => [capability, offOrOn])),
  }).map(({ name, sections: [section, types], include_subscribers, apply_markdown, client_gravatar, ...others }) => {
    const client_capabilities: Fields = others
    const able = capabilityNames.filter((capability) => client_capabilities[capability] === true)
    const label = `${name} with ${section}, subscribers ${include_subscribers}, able to ${able.join(" ") || "nothing"}`
    const asked = { include_subscribers, apply_markdown, client_gravatar, client_capabilities }
    const fields = { ...types, ...asked, ...slim(client_capabilities) }
    return { name, label, fields }
  })

/** `newest`: the highest channel id at the earlier registers; nobody was ever subscribed to a newer channel before. */
const compare = (
  t: Test,
  what: string,
  moved: ReadonlyArray<Watcher>,
  fresh: ReadonlyArray<Watcher>,
  newest: number,
): void => {
  for (const [n, { view, state }] of moved.entries()) {
    const either = new Set([...state.shown].filter((id) => id <= newest))
    const [is, must] = [state.plain(either), fresh[n]?.state.plain(either)]
    // The text is quicker to compare than to describe, and nearly always the same.
    if (JSON.stringify(is) === JSON.stringify(must)) t.pass(`${what}: ${view.label}`)
    else t.same(is, must, `${what}: ${view.label}`)
  }
}
const newestOf = (watchers: ReadonlyArray<Watcher>): number =>
  Math.max(...watchers.map(({ state }) => state.newestChannel))

/** About so many views of a list are compared by a quick run. */
const viewsAtOnce = 3

/** After so many actions others are compared, which begin with registers of their own. */
const actionsAlike = 3

const isShared = (views: ReadonlyArray<View>): boolean => !isFull && views.length > viewsAtOnce

/**
 * Two clients of each person, able to do everything and nothing. They are not compared: they get the kinds of events that any
 * view gets, and see the channels that any view sees, so neither depends on the views that a run compares.
 */
const witnessesOf = (views: ReadonlyArray<View>): ReadonlyArray<View> => {
  const byUser = new Map(views.map((view) => [view.user, view]))
  const everything = { ...able(...capabilityNames), slim_presence: true }
  return [...byUser.values()].flatMap((view) =>
    [everything, {}].map((fields) => ({
      ...view,
      label: `${view.user} as a witness`,
      fields: { fetch_event_types: ["stream"], ...fields },
    })),
  )
}

/** Compares what the events said of messages with what a request for them shows. */
const compareAdded = async (t: Test, what: string, watchers: ReadonlyArray<Watcher>): Promise<void> => {
  for (const { view, state } of watchers) {
    if (!state.added.isTold) continue
    const [known, shown] = await state.added.compared(view.person)
    t.same(known, shown, `messages, ${what}: ${view.label}`)
  }
}

/** Each message that the older queue got is either in the younger register or in its events, and never in both. */
const compareMessages = (t: Test, what: string, older: ReadonlyArray<Watcher>, younger: ReadonlyArray<Watcher>) => {
  for (const [n, { view, state }] of younger.entries()) {
    const { since } = state
    if (since === null) continue
    const expected = older[n]?.state.messages.filter((id) => id > since)
    t.same(state.messages, expected, `messages, ${what}: ${view.label}`)
  }
}

/**
 * A further check after each action, when no events are left. The views know only the address of a server, which may be
 * another process; a test with the server in its process compares the projection with the tables here (afresh.ts).
 */
export type Check = (what: string) => Promise<unknown>
const nothingElse: Check = async () => {}

/** Runs actions one after the other: the registers after one are those before the next. */
export class Settling {
  readonly #test: Test
  readonly #views: ReadonlyArray<View>
  readonly #check: Check
  /** The name of the first action. */
  #name: string | undefined
  #actions = 0
  #watchers: ReadonlyMap<View, Watcher> = new Map()
  #witnesses: ReadonlyArray<Watcher> = []
  /** The kinds of events that came in any view. */
  readonly seen = new Set<string>()

  constructor(t: Test, views: ReadonlyArray<View>, check = nothingElse) {
    this.#test = t
    this.#views = views
    this.#check = check
  }

  /** The views that are compared after the next action. */
  #next(what: string): ReadonlyArray<View> {
    this.#name ??= what
    if (!isShared(this.#views)) return this.#views
    const from = Math.floor(this.#actions++ / actionsAlike) % this.#views.length
    return about([...this.#views.slice(from), ...this.#views.slice(0, from)], viewsAtOnce, this.#name)
  }

  /** Answers the kinds of events that came in any view. */
  async after(what: string, act: () => Promise<unknown>): Promise<ReadonlySet<string>> {
    if (isShared(this.#views) && this.#witnesses.length === 0)
      this.#witnesses = await Promise.all(witnessesOf(this.#views).map(watch))
    const views = this.#next(what)
    const moved = await Promise.all(views.map((view) => this.#watchers.get(view) ?? watch(view)))
    const newest = newestOf([...moved, ...this.#witnesses])
    // Every other queue is live during the action; the others read its events afterwards.
    for (const [n, watcher] of moved.entries()) if (n % 2 === 0) await watcher.settle()
    await act()
    for (const watcher of [...moved, ...this.#witnesses]) await watcher.settle()
    const fresh = await Promise.all(views.map(watch))
    this.#watchers = new Map(fresh.map((watcher) => [watcher.view, watcher]))
    compare(this.#test, what, moved, fresh, newest)
    await compareAdded(this.#test, what, moved)
    const seen = new Set(moved.flatMap(({ state }) => state.seen))
    for (const { state } of this.#witnesses) for (const kind of state.seen.splice(0)) seen.add(kind)
    for (const kind of seen) this.seen.add(kind)
    await this.#check(what)
    return seen
  }
}

/** Runs one action; answers the kinds of events that came in any view. For several a `Settling` costs half as much. */
export const settles = async (
  t: Test,
  views: ReadonlyArray<View>,
  what: string,
  act: () => Promise<unknown>,
  check = nothingElse,
): Promise<ReadonlySet<string>> => {
  return await new Settling(t, views, check).after(what, act)
}

/**
 * The same while others write: `disturb` writes until `running` is false. Registers before, during and after the action
 * must all lead to the same final state. `interrupt` runs between the registers and the first read of their queues.
 */
export const settlesUnderLoad = async (
  t: Test,
  views: ReadonlyArray<View>,
  what: string,
  act: () => Promise<unknown>,
  disturb: (running: () => boolean) => Promise<unknown>,
  { interrupt = async () => {}, check = nothingElse }: { interrupt?: () => Promise<unknown>; check?: Check } = {},
): Promise<void> => {
  let running = true
  const disturbing = disturb(() => running)
  const registerAll = () => Promise.all(views.map(watch))
  const observe = async () => {
    try {
      const before = await registerAll()
      const acting = act()
      const during = await registerAll()
      await acting
      const after = await registerAll()
      await interrupt()
      for (const watcher of [...before, ...after]) await watcher.settle()
      return { before, during, after }
    } finally {
      running = false
      await disturbing
    }
  }
  const { before, during, after } = await observe()
  for (const watcher of [...before, ...during, ...after]) await watcher.settle()
  const quiet = await registerAll()
  const newest = newestOf(quiet)
  compare(t, `${what}, registered before`, before, quiet, newest)
  compare(t, `${what}, registered meanwhile`, during, quiet, newest)
  compare(t, `${what}, registered after`, after, quiet, newest)
  await compareAdded(t, what, before)
  compareMessages(t, `${what}, registered meanwhile`, before, during)
  compareMessages(t, `${what}, registered after`, before, after)
  for (const { state } of before) t.ok(state.seen.length > 0, "there was something to apply")
  await check(what)
}
