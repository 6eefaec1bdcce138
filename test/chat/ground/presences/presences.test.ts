/** Presences in memory: a random run of what happens to them, compared with a plain list that is written anew each time. */
import t from "tap"
import type { Form, Range } from "../../../../src/chat/ground/presences/kept-lists.ts"
import { type Change, offlineSeconds, Presences } from "../../../../src/chat/ground/presences/presences.ts"
import { UserId } from "../../../../src/ids.ts"
import { bytesOf, SharedPiece } from "../../../../src/json-pieces.ts"

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

/** What is known of somebody, as a test keeps it. */
interface Known {
  readonly connected: number
  readonly id: number
}

const scene = () => {
  const presences = new Presences()
  presences.addIds(1_000_000)
  const absent = new Set<number>()
  const written = { count: 0 }
  const form: Form = {
    number: 0,
    write: (person) => {
      written.count += 1
      return absent.has(person) ? null : `"${person}":${presences.of(UserId(person))?.connected}`
    },
  }
  const read = (range: Range): unknown =>
    JSON.parse(`{${Buffer.concat(presences.lists.list(form, range).map(bytesOf)).toString()}}`)
  const expected = (known: ReadonlyMap<number, Known>, { after, since }: Range) =>
    Object.fromEntries(
      [...known]
        .filter(([person, { connected, id }]) => id > after && connected >= since && !absent.has(person))
        .map(([person, { connected }]) => [person, connected]),
    )
  return { presences, absent, written, form, read, expected }
}

t.test("lists say what a list that is written anew says, whatever happened", (t) => {
  const { presences, absent, form, read, expected } = scene()
  const known = new Map<number, Known>()
  const pick = random()
  let now = start
  let differing = 0
  for (let n = 0; n < 12_000; n++) {
    now += pick(20)
    const person = 1 + pick(n < 6000 ? 2000 : 300)
    const kind = pick(20)
    if (kind === 0) {
      if (!absent.delete(person)) absent.add(person)
      presences.lists.rewrite(person)
    } else if (kind === 1) {
      presences.turn(UserId(person), { active: now - 300, connected: now - 300 })
      known.set(person, { connected: now - 300, id: presences.last })
    } else if (kind === 2) {
      presences.leave(UserId(person))
      known.delete(person)
    } else {
      const before = presences.last
      presences.ping(UserId(person), now, pick(2) === 0)
      if (presences.last > before) known.set(person, { connected: now, id: presences.last })
    }
    if (n % 50 !== 0) continue
    if (n % 5000 === 0) presences.lists.rest()
    const range = {
      after: pick(3) === 0 ? -1 : presences.last - pick(1500),
      since: pick(3) === 0 ? now - pick(40_000) : 0,
    }
    const want = expected(known, range)
    const isEven = (each: number) => each % 2 === 0
    const some: unknown = JSON.parse(`{${presences.lists.listOf(form, range, isEven)}}`)
    const evenOnes = Object.fromEntries(Object.entries(want).filter(([id]) => isEven(Number(id))))
    const isSame = JSON.stringify(read(range)) === JSON.stringify(want)
    if (!isSame || JSON.stringify(some) !== JSON.stringify(evenOnes)) differing += 1
  }
  t.equal(differing, 0)
  t.equal(presences.size, known.size)
  t.ok(known.size > 1500)
  t.end()
})

t.test("what is written of many is written once, until one of them changes", (t) => {
  const { presences, written, form, read } = scene()
  const everybody = { after: -1, since: 0 }
  for (let person = 1; person <= 5000; person++) presences.ping(UserId(person), start, true)
  for (const _step of presences.lists.prepare(form, everybody)) {
  }
  t.equal(written.count, 5000)
  read(everybody)
  t.equal(written.count, 5000, "all is kept")
  const kept = () => presences.lists.list(form, everybody).filter((piece) => piece instanceof SharedPiece)
  const before = kept()
  t.equal(before.length, 39, "all but the last block are shared")
  presences.ping(UserId(1), start + 60, true)
  read(everybody)
  t.ok(written.count <= 5000 + 2 * 128, "two blocks are written anew")
  t.equal(kept().filter((piece) => before.includes(piece)).length, 38)
  read({ after: presences.last - 300, since: 0 })
  t.ok(written.count <= 5000 + 3 * 128, "and of the first of those who are newer a part")
  presences.lists.rest()
  presences.lists.rest()
  read(everybody)
  t.ok(written.count >= 10_000, "what nobody reads is not kept")
  t.end()
})

t.test("a ping that says nothing new changes nothing; whoever comes is news", (t) => {
  const { presences } = scene()
  const ping = (at: number, isActive: boolean) => {
    const before = presences.last
    return [presences.ping(UserId(7), start + at, isActive), presences.last - before, presences.of(UserId(7))]
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

t.test("what is not stored is known by its id; pages that are loaded make the same", (t) => {
  const { presences, form } = scene()
  const pick = random()
  const table = new Map<number, Change>()
  for (let n = 0; n < 3000; n++) {
    presences.ping(UserId(1 + pick(900)), start + n * 30, pick(2) === 0)
    if (n % 400 !== 399) continue
    while (presences.hasUnsaved) {
      const changes = presences.unsaved(150)
      for (const change of changes) table.set(change[0], change)
      const last = changes.at(-1)
      if (last !== undefined) presences.saved(last[3], [])
    }
  }
  while (presences.hasUnsaved) {
    for (const change of presences.unsaved(1000)) {
      table.set(change[0], change)
      presences.saved(change[3], [])
    }
  }
  t.same(presences.unsaved(10), [])
  presences.leave(UserId(901))
  t.same([presences.hasUnsaved, presences.gone], [false, []], "who was never there leaves nothing")
  const loaded = new Presences()
  const stored = [...table.values()].sort(([a], [b]) => a - b)
  for (let from = 0; from < stored.length; from += 100) {
    const page = stored.slice(from, from + 100).sort((a, b) => a[3] - b[3])
    loaded.load(page, 5000)
  }
  t.equal(loaded.size, presences.size)
  t.equal(loaded.last, 5000, "ids go on above all that may have been given")
  t.equal(loaded.ids, 0)
  t.notOk(loaded.hasUnsaved)
  t.throws(() => loaded.ping(UserId(1), start + 1e6, true), { message: /needs an id/ })
  const all = { after: -1, since: 0 }
  const textOf = (of: Presences) => Buffer.concat(of.lists.list(form, all).map(bytesOf)).toString()
  t.equal(textOf(loaded), textOf(presences), "in the order of their changes")
  const newest = { after: presences.last - 100, since: 0 }
  t.equal(
    loaded.lists.listOf(form, newest, () => true),
    presences.lists.listOf(form, newest, () => true),
  )
  loaded.addIds(10)
  t.equal(loaded.ping(UserId(1), start + 1e6, true), true)
  t.match(loaded.unsaved(10), [[1, start + 1e6, start + 1e6, 5001]])
  t.end()
})
