/** Presences in memory: a random run of what happens to them, compared with a plain list that is written anew each time. */
import t from "tap"
import {
  keptSeconds,
  type PresenceForm,
  type PresenceRange,
  shownAtOnce,
} from "../../../../src/chat/ground/presences/cached-lists.ts"
import { blockEntries } from "../../../../src/chat/ground/presences/latest-changes.ts"
import { offlineSeconds, type PresenceChange, Presences } from "../../../../src/chat/ground/presences/presences.ts"
import { UserId } from "../../../../src/ids.ts"
import { bytesOf, SharedPiece } from "../../../../src/json-pieces.ts"
import { isFull } from "../../../kit/share.ts"

/** How many times fewer people and steps the quick run has. */
const fewer = isFull ? 1 : 4

/** The same numbers in each run. */
const random = () => {
  let state = 12_345
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    return ((mixed ^ (mixed >>> 13)) >>> 0) % below
  }
}

const start = 1_700_000_000
/** Who is in no list. */
const nobody = 0

/** What is known of somebody, as a test keeps it. */
interface Known {
  readonly connected: number
  readonly id: number
}

const scene = () => {
  const presences = new Presences()
  const absent = new Set<number>()
  const written = { count: 0 }
  const form: PresenceForm = {
    number: 0,
    key: (person) => `"${person}"`,
    write: (person) => {
      written.count += 1
      const connected = presences.of(UserId(person))?.connected
      return absent.has(person) ? null : `"${person}":{"connected":${connected}}`
    },
  }
  const textFor = (requester: number, range: PresenceRange): string =>
    `{${Buffer.concat(presences.lists.list(form, range, requester).map(bytesOf)).toString()}}`
  /** Of all that there is by now. */
  const read = (range: PresenceRange): unknown => {
    presences.lists.showAll()
    return JSON.parse(textFor(nobody, range))
  }
  const expected = (known: ReadonlyMap<number, Known>, { after, since }: PresenceRange) =>
    Object.fromEntries(
      [...known]
        .filter(([person, { connected, id }]) => id > after && connected >= since && !absent.has(person))
        .map(([person, { connected }]) => [person, { connected }]),
    )
  return { presences, absent, written, form, textFor, read, expected }
}

t.test("lists say what a list that is written anew says, whatever happened", (t) => {
  const { presences, absent, form, read, expected } = scene()
  const known = new Map<number, Known>()
  const pick = random()
  let now = start
  let differing = 0
  for (let n = 0; n < 12_000 / fewer; n++) {
    now += pick(20)
    const person = 1 + pick((n < 6000 / fewer ? 2000 : 300) / fewer)
    const kind = pick(20)
    if (kind === 0) {
      if (!absent.delete(person)) absent.add(person)
      presences.lists.rewrite(person)
    } else if (kind === 1) {
      presences.turn(UserId(person), { active: now - 300, connected: now - 300 }, 1000 * now)
      known.set(person, { connected: now - 300, id: presences.last })
    } else if (kind === 2) {
      presences.leave(UserId(person))
      known.delete(person)
    } else {
      const before = presences.last
      presences.ping(UserId(person), 1000 * now, pick(2) === 0)
      if (presences.last > before) known.set(person, { connected: now, id: presences.last })
    }
    if (n % 50 !== 0) continue
    if (n % (5000 / fewer) === 0) presences.lists.rest()
    const range = {
      after: pick(3) === 0 ? -1 : presences.last - 10_000 * pick(1500 / fewer),
      since: pick(3) === 0 ? now - pick(40_000) : 0,
    }
    const want = expected(known, range)
    const isSame = JSON.stringify(read(range)) === JSON.stringify(want)
    const isEven = (each: number) => each % 2 === 0
    const some: unknown = JSON.parse(`{${presences.lists.listOf(form, range, nobody, isEven)}}`)
    const evenOnes = Object.fromEntries(Object.entries(want).filter(([id]) => isEven(Number(id))))
    if (!isSame || JSON.stringify(some) !== JSON.stringify(evenOnes)) differing += 1
  }
  t.equal(differing, 0)
  t.equal(presences.size, known.size)
  t.ok(known.size > 1500 / fewer)
  t.end()
})

t.test("what is written of many is written once, until one of them changes", (t) => {
  const { presences, written, form, read } = scene()
  const everybody = { after: -1, since: 0 }
  for (let person = 1; person <= 5000; person++) presences.ping(UserId(person), 1000 * start, true)
  for (const _step of presences.lists.prepare(form, everybody)) {
  }
  t.equal(written.count, 5000)
  read(everybody)
  t.equal(written.count, 5000, "all is kept")
  const kept = () => presences.lists.list(form, everybody, nobody).filter((piece) => piece instanceof SharedPiece)
  const before = kept()
  t.equal(before.length, Math.ceil(5000 / blockEntries) - 1, "all but the last block are shared")
  presences.ping(UserId(1), 1000 * (start + 60), true)
  read(everybody)
  t.ok(written.count <= 5000 + 2 * blockEntries, "two blocks are written anew")
  t.equal(kept().filter((piece) => before.includes(piece)).length, before.length - 1)
  read({ after: 1000 * start + 4700, since: 0 })
  t.ok(written.count <= 5000 + 3 * blockEntries, "and of the first of those who are newer a part")
  presences.lists.rest()
  presences.lists.rest()
  read(everybody)
  t.ok(written.count >= 10_000, "what nobody reads is not kept")
  t.end()
})

t.test("lists of many show changes a moment later; whoever goes on from list to list misses none", (t) => {
  const { presences, absent, form, textFor, expected } = scene()
  const pick = random()
  const known = new Map<number, Known>()
  const clients = Array.from({ length: 12 }, (_, n) => ({
    id: 1 + n * (60 / fewer),
    last: -1,
    has: new Map<number, unknown>(),
  }))
  let now = start
  const ping = (person: number) => {
    const before = presences.last
    presences.ping(UserId(person), 1000 * now, true)
    if (presences.last > before) known.set(person, { connected: now, id: presences.last })
  }
  const faults = new Set<string>()
  /** Who was not listed for a while. */
  const hidden = new Set<number>()
  const ask = ({ id, last, has }: (typeof clients)[number]) => {
    presences.lists.renew(now)
    const range = { after: last, since: 0 }
    const text = textFor(id, range)
    const whole = new Map<number, unknown>(
      Object.entries<unknown>(JSON.parse(text)).map(([person, times]) => [Number(person), times]),
    )
    if (text.split(":{").length - 1 !== whole.size) faults.add("somebody is in a list twice")
    for (const [person, times] of Object.entries(expected(known, { after: last, since: 0 }))) {
      const isShown = (known.get(Number(person))?.id ?? 0) <= presences.shown || Number(person) === id
      if (isShown && JSON.stringify(whole.get(Number(person))) !== JSON.stringify(times)) faults.add("one is missing")
    }
    for (const person of whole.keys())
      if ((known.get(person)?.id ?? 0) <= last) faults.add("somebody is listed who has not changed")
    const isKnown = (person: number) => person % 3 === 0 || person === id
    const some: unknown = JSON.parse(`{${presences.lists.listOf(form, range, id, isKnown)}}`)
    const ofWhole = Object.fromEntries([...whole].filter(([person]) => isKnown(person)))
    // What is written of a person anew is as they are now; a part that was written before has them as they were.
    if (Object.keys(Object(some)).join() !== Object.keys(ofWhole).join()) faults.add("a limited list has others")
    for (const [person, times] of whole) has.set(person, times)
  }
  let late = 0
  for (let n = 0; n < 15_000 / fewer; n++) {
    if (pick(12) === 0) now += pick(3)
    const kind = pick(60)
    const person = 1 + pick(2000 / fewer)
    if (kind === 0 && !clients.some(({ id }) => id === person)) {
      presences.leave(UserId(person))
      known.delete(person)
    } else if (kind === 1) presences.turn(UserId(person), { active: now - 300, connected: now - 300 }, 1000 * now)
    else if (kind > 2) ping(person)
    if (kind === 2) {
      hidden.add(person)
      if (!absent.delete(person)) absent.add(person)
      presences.lists.rewrite(person)
    }
    if (kind === 1) known.set(person, { connected: now - 300, id: presences.last })
    if (kind === 3) presences.takeUnsaved(10)
    if (kind < 50) continue
    const client = clients[pick(clients.length)]
    if (client === undefined) continue
    ping(client.id)
    ask(client)
    client.last = presences.shown
    if (presences.shown < presences.last) late += 1
  }
  now += keptSeconds
  for (const client of clients) {
    ask(client)
    for (const [person, times] of Object.entries(expected(known, { after: -1, since: 0 }))) {
      // Whoever was not listed when they changed is told of when they change again.
      if (hidden.has(Number(person))) continue
      if (JSON.stringify(client.has.get(Number(person))) !== JSON.stringify(times))
        faults.add("a client has something else in the end")
    }
  }
  t.same([...faults], [])
  t.equal(presences.shown, presences.last)
  t.ok(late > 1000 / fewer, "most lists were a moment late")
  t.end()
})

t.test("who asks in the same moment shares all but their own", (t) => {
  const { presences, written, form, textFor } = scene()
  for (let person = 1; person <= 3000; person++) presences.ping(UserId(person), 1000 * start, true)
  const missing: Array<number> = []
  /** Some come, one after the other in one moment, and ask; what of their lists is shared, and bytes that are not. */
  const come = (first: number, last: number, now: number, after: number) => {
    const range = { after, since: 0 }
    const lists = Array.from({ length: 1 + last - first }, (_, n) => {
      presences.ping(UserId(first + n), 1000 * now, true)
      presences.lists.renew(now)
      if (!textFor(first + n, range).includes(`"${first + n}":{"connected":${now}}`)) missing.push(first + n)
      const pieces = presences.lists.list(form, range, first + n)
      const isShared = (piece: (typeof pieces)[number]) => piece instanceof SharedPiece
      const own = pieces.filter((piece) => !isShared(piece)).reduce((sum, piece) => sum + bytesOf(piece).length, 0)
      return { shared: pieces.filter(isShared), own }
    })
    return { lists, after: presences.shown }
  }
  const { after } = come(1, 400, start + 60, -1)
  t.equal(after, 1000 * (start + 60), "all but the first are to be shown a moment later")
  const before = written.count
  const { lists } = come(401, 600, start + 60 + keptSeconds, after)
  // The first one has it all shown, and is among the others.
  const [first, ...others] = lists.slice(1)
  const blocks = Math.floor((3000 + 400) / blockEntries) - Math.floor(3000 / blockEntries) + 1
  t.equal(first?.shared.length, blocks, "400 people, in blocks")
  // Each of them writes their own twice, once for each list that is made here.
  t.ok(written.count - before <= blocks * blockEntries + 2 * 200)
  t.ok(others.every(({ shared }) => shared.every((piece, n) => piece === first?.shared[n])))
  t.ok(others.every(({ shared, own }) => shared.length === blocks && own < 100))
  const again = come(2, 100, start + 120, after)
  const most = Math.max(...again.lists.slice(1).map(({ own }) => own))
  t.ok(most < blockEntries * 40, "of those who were in it a block is not shared")
  t.equal(again.lists.at(-1)?.shared.length, again.lists[1]?.shared.length)
  t.same(missing, [], "each is in their own list")
  t.end()
})

t.test("in lists of few each change shows at once", (t) => {
  const { presences, textFor } = scene()
  for (let person = 1; person < shownAtOnce; person++) presences.ping(UserId(person), 1000 * start, true)
  presences.lists.renew(start)
  const { last } = presences
  presences.ping(UserId(7), 1000 * (start + 60), true)
  t.same(JSON.parse(textFor(8, { after: last, since: 0 })), { 7: { connected: start + 60 } })
  t.equal(presences.shown, presences.last)
  t.end()
})

t.test("a ping that says nothing new changes nothing; whoever comes is news", (t) => {
  const { presences } = scene()
  const ping = (at: number, isActive: boolean) => {
    const before = presences.last
    return [
      presences.ping(UserId(7), 1000 * (start + at), isActive),
      Number(presences.last > before),
      presences.of(UserId(7)),
    ]
  }
  t.same(ping(0, false), [true, 1, { active: 0, connected: start }], "idle at first")
  t.same(ping(10, true), [true, 1, { active: start + 10, connected: start + 10 }], "active at once")
  t.same(ping(20, true), [false, 0, { active: start + 10, connected: start + 10 }], "another window")
  t.same(ping(30, false), [false, 0, { active: start + 10, connected: start + 10 }])
  t.same(ping(66, true), [false, 1, { active: start + 66, connected: start + 66 }], "the next ping")
  t.same(ping(130, false), [false, 1, { active: start + 66, connected: start + 130 }], "idle")
  t.same(ping(140, true), [false, 1, { active: start + 140, connected: start + 140 }], "active again, soon")
  const later = 140 + offlineSeconds
  t.same(ping(later, true), [false, 1, { active: start + later, connected: start + later }], "just in time")
  const late = later + offlineSeconds + 1
  t.same(ping(late, false), [true, 1, { active: start + later, connected: start + late }], "idle after a while")
  t.same(ping(late + 1, true), [true, 1, { active: start + late + 1, connected: start + late + 1 }])
  t.same(ping(-5000, true), [false, 1, { active: start - 5000, connected: start - 5000 }], "the clock was set back")
  t.end()
})

t.test("what is not stored is known; pages that are loaded make the same", (t) => {
  const { presences, form } = scene()
  const pick = random()
  const table = new Map<number, PresenceChange>()
  const save = (most: number) => {
    while (presences.hasUnsaved) for (const change of presences.takeUnsaved(most).changes) table.set(change[0], change)
  }
  for (let n = 0; n < 3000; n++) {
    presences.ping(UserId(1 + pick(900)), 1000 * (start + n * 30), pick(2) === 0)
    if (n % 400 === 399) save(150)
    if (n % 500 === 499) presences.putBack(presences.takeUnsaved(70))
  }
  save(1000)
  t.same(presences.takeUnsaved(10), { changes: [], gone: [] })
  presences.leave(UserId(901))
  t.notOk(presences.hasUnsaved, "who was never there leaves nothing")
  const loaded = new Presences()
  const stored = [...table.values()].sort(([a], [b]) => a - b)
  for (let from = 0; from < stored.length; from += 100)
    loaded.load(stored.slice(from, from + 100).sort((a, b) => a[3] - b[3]))
  t.equal(loaded.size, presences.size)
  t.equal(loaded.last, presences.last)
  t.notOk(loaded.hasUnsaved)
  presences.lists.showAll()
  const all = { after: -1, since: 0 }
  const textOf = (of: Presences) => Buffer.concat(of.lists.list(form, all, nobody).map(bytesOf)).toString()
  t.equal(textOf(loaded), textOf(presences), "in the order of their changes")
  const newest = { after: presences.last - 3_000_000, since: 0 }
  t.equal(
    loaded.lists.listOf(form, newest, nobody, () => true),
    presences.lists.listOf(form, newest, nobody, () => true),
  )
  t.end()
})

t.test("ids are the times of changes, and rise where time does not", (t) => {
  const { presences } = scene()
  const at = 1000 * start + 999
  const idAfter = (act: () => unknown) => {
    act()
    return presences.last
  }
  t.equal(
    idAfter(() => presences.ping(UserId(1), at + 0.75, true)),
    at,
  )
  t.equal(
    idAfter(() => presences.ping(UserId(2), at, true)),
    at + 1,
    "in the same moment",
  )
  t.equal(
    idAfter(() => presences.hear(UserId(3), { active: 0, connected: start - 100 }, at - 5000)),
    at + 2,
    "a clock that was set back",
  )
  t.equal(
    idAfter(() => presences.turn(UserId(1), { active: 5, connected: 5 }, at + 1000)),
    at + 1000,
  )
  t.equal(
    idAfter(() => presences.ping(UserId(2), at + 1, true)),
    at + 1000,
    "what changes nothing has none",
  )
  const older = new Presences()
  older.load([[UserId(9), start, start, 70_000]])
  older.ping(UserId(1), at, true)
  t.equal(older.last, at, "above those that were counted once")
  t.end()
})

t.test("of what several processes know the newest counts, and each stores what it has taken itself", (t) => {
  const { presences } = scene()
  const id = UserId(7)
  const hear = (active: number, connected: number) => {
    const before = presences.last
    return [presences.hear(id, { active, connected }, 1000 * start), presences.last > before, presences.of(id)]
  }
  const old = start - 500
  t.same(hear(old, old + 60), [true, true, { active: old, connected: old + 60 }])
  t.same(hear(old - 1, old + 59), [false, false, { active: old, connected: old + 60 }], "it comes late")
  t.same(hear(old - 1, old + 120), [false, true, { active: old, connected: old + 120 }], "each time by itself")
  t.same(hear(start, start), [true, true, { active: start, connected: start }], "again after a while")
  t.notOk(presences.hasUnsaved)
  presences.ping(id, 1000 * (start + 60), false)
  presences.hear(id, { active: start + 61, connected: start + 61 }, 1000 * start)
  t.match(presences.takeUnsaved(5).changes, [[id, start + 61, start + 61, 1000 * (start + 60) + 1]])
  presences.ping(id, 1000 * (start + 120), false)
  const taken = presences.takeUnsaved(5)
  presences.leave(id)
  presences.putBack(taken)
  t.same(presences.takeUnsaved(5), { changes: [], gone: [id] }, "who has left meanwhile is not stored")
  presences.putBack({ changes: [], gone: [id] })
  t.ok(presences.hasUnsaved)
  presences.hear(id, { active: start, connected: start }, 1000 * start)
  t.notOk(presences.hasUnsaved, "they are there again")
  t.end()
})
