/**
 * The children of a process that starts several which serve one port: what is done when one of them is ready or ends, when a signal
 * comes, and when time has passed. Pure; run-family.ts carries it out.
 */
import type { LogLevelName } from "../log.ts"

/** A process that serves, or the place of one that has ended and is started again. */
interface Child {
  readonly number: number
  /** `waiting`: it has ended, and its time comes. `leaving`: it has been told to end. */
  readonly state: "starting" | "serving" | "leaving" | "waiting"
  /** Which of all starts was its: a number with another birth is another process. */
  readonly birth: number
  readonly startedAt: number
  /** Seconds for which its number has waited before it was started. */
  readonly waited: number
  /** Nothing of its number was ready yet: if it is refused, the settings are wrong. */
  readonly isFirst: boolean
}

/** All processes are being replaced, one after the other. */
interface Roll {
  /** Those born until then are replaced. */
  readonly until: number
  /** The one whose turn it is; null: it has ended by itself. */
  readonly old: number | null
  /** The one that takes its place; null once it serves. */
  readonly next: number | null
}

export interface Family {
  readonly wanted: number
  readonly births: number
  readonly children: ReadonlyArray<Child>
  /** The first one has been ready, so the others have been started. */
  readonly isComplete: boolean
  readonly roll: Roll | null
  /** The exit code of the parent, which ends when all have; null: it goes on. */
  readonly code: number | null
}

/** A state that shall not last. */
interface Awaited extends Pick<Child, "number" | "birth" | "state"> {}

export type FamilyEvent =
  | { readonly is: "ready"; readonly number: number }
  | { readonly is: "ended"; readonly number: number; readonly code: number | null; readonly how: string }
  | ({ readonly is: "due" } & Awaited)
  | { readonly is: "roll" }
  | { readonly is: "end" }

export type Order =
  /** `replace`: it is told that another one serves in its place. */
  | { readonly order: "start" | "replace" | "stop" | "kill"; readonly number: number }
  /** After so many seconds it is due. */
  | { readonly order: "wake"; readonly awaited: Awaited; readonly seconds: number }
  | { readonly order: "say"; readonly level: LogLevelName; readonly message: string }
  | { readonly order: "exit"; readonly code: number }

/** What has become of it, and what is to be done for that. */
export type Stepped = readonly [family: Family, orders: ReadonlyArray<Order>]

/** Waits before a start: the first, the longest, and the life after which the first applies again. */
const firstWait = 1
const longestWait = 30
const longLifeMilliseconds = 60_000
/** In a roll a process must be ready after this time: a start that migrates takes minutes. */
const readySeconds = 600
/** Beyond the time for leaving: connections are ended over ten seconds, requests in flight take no longer. */
const endSeconds = 60

/** The exit code of a start that is refused. */
const refused = 2

const then = ([family, orders]: Stepped, next: (family: Family) => Stepped): Stepped => {
  const [after, further] = next(family)
  return [after, [...orders, ...further]]
}

const say = (level: LogLevelName, message: string): Order => ({ order: "say", level, message })

const wake = ({ number, birth }: Pick<Child, "number" | "birth">, state: Child["state"], seconds: number): Order => ({
  order: "wake",
  awaited: { number, birth, state },
  seconds,
})

const find = ({ children }: Family, number: number): Child | undefined =>
  children.find((child) => child.number === number)

const without = (family: Family, number: number): Family => ({
  ...family,
  children: family.children.filter((child) => child.number !== number),
})

const put = (family: Family, child: Child): Family => ({
  ...family,
  children: [...without(family, child.number).children, child].sort((a, b) => a.number - b.number),
})

const freeNumber = (family: Family): number => {
  let number = 1
  while (find(family, number) !== undefined) number++
  return number
}

const start = (
  family: Family,
  now: number,
  { number, waited, isFirst }: Pick<Child, "number" | "waited" | "isFirst">,
): Stepped => {
  const birth = family.births + 1
  const child: Child = { number, waited, isFirst, birth, startedAt: now, state: "starting" }
  return [put({ ...family, births: birth }, child), [{ order: "start", number }]]
}

/** It ends without another start, and is killed where it does not. */
const dismiss = (family: Family, child: Child, leaveSeconds: number): Stepped => [
  put(family, { ...child, state: "leaving" }),
  [{ order: "replace", number: child.number }, wake(child, "leaving", leaveSeconds + endSeconds)],
]

export interface FamilySetup {
  readonly wanted: number
  /** For how long a process leaves before it ends. */
  readonly leaveSeconds: number
}

/** The first one alone: what is wrong for it is wrong for all, and what it makes of the database the others find. */
export const beginFamily = ({ wanted }: FamilySetup, now: number): Stepped =>
  start({ wanted, births: 0, children: [], isComplete: false, roll: null, code: null }, now, {
    number: 1,
    waited: 0,
    isFirst: true,
  })

/** The others, when the first one is ready. */
const complete = (family: Family, now: number): Stepped => {
  let stepped: Stepped = [{ ...family, isComplete: true }, []]
  for (let number = 2; number <= family.wanted; number++)
    stepped = then(stepped, (so) => start(so, now, { number, waited: 0, isFirst: true }))
  return stepped
}

/** The next one of a roll, or its end. */
const rollOn = (family: Family, now: number): Stepped => {
  const { roll } = family
  if (roll === null) return [family, []]
  const old = family.children.find(
    ({ state, birth }) => (state === "serving" || state === "starting") && birth <= roll.until,
  )
  if (old === undefined) return [{ ...family, roll: null }, [say("info", "the roll is over: all processes are new")]]
  const number = freeNumber(family)
  return then(start(family, now, { number, waited: 0, isFirst: false }), (so) => [
    { ...so, roll: { ...roll, old: old.number, next: number } },
    [wake({ number, birth: so.births }, "starting", readySeconds)],
  ])
}

const onReady = (family: Family, number: number, now: number, { leaveSeconds }: FamilySetup): Stepped => {
  const child = find(family, number)
  if (child?.state !== "starting") return [family, []]
  const serving = put(family, { ...child, state: "serving", isFirst: false })
  if (!family.isComplete) return complete(serving, now)
  const { roll } = family
  const isLastOfFirst = child.isFirst && serving.children.every(({ state }) => state === "serving")
  if (roll?.next !== number)
    return [serving, isLastOfFirst ? [say("info", `${family.wanted} processes serve one port`)] : []]
  const old = roll.old === null ? undefined : find(serving, roll.old)
  if (old === undefined) return rollOn({ ...serving, roll: { ...roll, next: null } }, now)
  return dismiss({ ...serving, roll: { ...roll, next: null } }, old, leaveSeconds)
}

/** It is started again, after a wait that grows with each start that did not last. */
const restart = (family: Family, child: Child, how: string, now: number): Stepped => {
  const hasLasted = now - child.startedAt >= longLifeMilliseconds
  const seconds = hasLasted || child.waited === 0 ? firstWait : Math.min(longestWait, 2 * child.waited)
  const { number } = child
  return [
    put(family, { ...child, state: "waiting", waited: seconds, isFirst: false }),
    [
      say("warn", `process ${number} has ended (${how}), and is started again in ${seconds} s`),
      wake(child, "waiting", seconds),
    ],
  ]
}

const notReady = (number: number, why: string): Order =>
  say("error", `process ${number} was to take another's place and ${why}: the roll ends, those that serve go on`)

const exitIfNobodyIsLeft = (family: Family): Stepped =>
  family.code !== null && family.children.length === 0 ? [family, [{ order: "exit", code: family.code }]] : [family, []]

/** All are told to end, and killed where they do not; those that leave already need no telling. */
const endAll = (family: Family, code: number, leaveSeconds: number): Stepped => {
  const living = family.children.filter(({ state }) => state !== "waiting")
  const told = living.filter(({ state }) => state !== "leaving")
  return then(
    [
      {
        ...family,
        code,
        roll: null,
        children: living.map((child) => ({ ...child, state: "leaving" })),
      },
      told.flatMap((child) => [
        { order: "stop", number: child.number },
        wake(child, "leaving", leaveSeconds + endSeconds),
      ]),
    ],
    exitIfNobodyIsLeft,
  )
}

const onEnded = (
  family: Family,
  { number, code, how }: Extract<FamilyEvent, { is: "ended" }>,
  now: number,
  { leaveSeconds }: FamilySetup,
): Stepped => {
  const child = find(family, number)
  if (child === undefined || child.state === "waiting") return [family, []]
  const rest = without(family, number)
  if (family.code !== null) return exitIfNobodyIsLeft(rest)
  const { roll } = family
  if (child.state === "leaving") return roll?.old === number ? rollOn(rest, now) : [rest, []]
  if (child.isFirst && child.state === "starting" && code === refused) return endAll(rest, refused, leaveSeconds)
  if (roll?.next === number) {
    const ended = { ...rest, roll: null }
    const told = notReady(number, `was not ready (${how})`)
    return roll.old === null ? then([ended, [told]], (so) => restart(so, child, how, now)) : [ended, [told]]
  }
  if (roll?.old === number && roll.next !== null) {
    const message = `process ${number} has ended (${how}); ${roll.next} takes its place`
    return [{ ...rest, roll: { ...roll, old: null } }, [say("warn", message)]]
  }
  return restart(family, child, how, now)
}

const onDue = (family: Family, { number, birth, state }: Awaited, now: number): Stepped => {
  const child = find(family, number)
  if (child === undefined || child.birth !== birth || child.state !== state) return [family, []]
  if (child.state === "leaving")
    return [family, [say("warn", `process ${number} does not end, and is killed`), { order: "kill", number }]]
  if (child.state === "waiting") return start(family, now, child)
  if (family.roll?.next !== number) return [family, []]
  return [family, [say("warn", `process ${number} is not ready after ${readySeconds} s`), { order: "kill", number }]]
}

const onRoll = (family: Family, now: number): Stepped => {
  if (!family.isComplete || family.children.some(({ isFirst }) => isFirst))
    return [family, [say("warn", "SIGHUP: nothing is rolled, because not all processes have been ready yet")]]
  const until = family.births
  if (family.roll !== null)
    return [
      { ...family, roll: { ...family.roll, until } },
      [say("info", "SIGHUP: the roll goes on until all processes are new once more")],
    ]
  return then(
    [
      { ...family, roll: { until, old: null, next: null } },
      [say("info", "SIGHUP: another process takes the place of each, one after the other")],
    ],
    (so) => rollOn(so, now),
  )
}

export const step = (family: Family, event: FamilyEvent, now: number, setup: FamilySetup): Stepped => {
  if (event.is === "ended") return onEnded(family, event, now, setup)
  if (event.is === "due") return onDue(family, event, now)
  if (family.code !== null) return [family, []]
  switch (event.is) {
    case "ready":
      return onReady(family, event.number, now, setup)
    case "roll":
      return onRoll(family, now)
    case "end":
      return endAll(family, 0, setup.leaveSeconds)
  }
}
