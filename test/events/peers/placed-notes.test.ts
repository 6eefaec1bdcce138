/** Notes that wait until their listener's projection has come as far as their teller's. */
import t from "tap"
import type { NoteListener } from "../../../src/events/peers/notes.ts"
import { makePlacedNotes } from "../../../src/events/peers/placed-notes.ts"
import type { Json } from "../../../src/json.ts"

const scene = () => {
  const told: Array<readonly [subject: string, body: Json]> = []
  const listeners = new Map<string, NoteListener>()
  const heard: Array<unknown> = []
  let position = 5
  let elapsed = 0
  const notes = makePlacedNotes({
    peers: {
      tell: (...note) => void told.push(note),
      hear: (subject, listener) => void listeners.set(subject, listener),
    },
    position: () => position,
    elapsed: () => elapsed,
  })
  notes.hear("said", (body) => void heard.push(body))
  return {
    notes,
    told,
    come: (body: unknown) => listeners.get("said")?.(body, "other"),
    heard: () => heard.splice(0),
    moveTo: (next: number, ms = 0) => {
      position = next
      elapsed += ms
      notes.moved()
    },
  }
}

t.test("a note is heard at its position, in order, and a late one not at all", (t) => {
  const { notes, told, come, heard, moveTo } = scene()
  notes.tell("said", { a: 1 })
  t.same(told, [["said", [5, { a: 1 }]]])
  come([4, "before"])
  come([5, "now"])
  t.same(heard(), ["before", "now"])
  come([7, "first"])
  come([6, "sooner"])
  come([7, "second"])
  t.same(heard(), [])
  moveTo(6, 500)
  t.same(heard(), ["sooner"])
  moveTo(8, 500)
  t.same(heard(), ["first", "second"])
  come([9, "late"])
  moveTo(9, 1001)
  t.same(heard(), [])
  for (const odd of [null, "x", [], [1], ["1", "x"], [1.5, "x"], [Number.NaN, "x"], { 0: 1, 1: "x" }]) come(odd)
  t.same(heard(), [], "what is none is ignored")
  t.end()
})

t.test("a thousand wait at most, and those that are late make room", (t) => {
  const { come, heard, moveTo } = scene()
  for (let n = 0; n < 1200; n++) come([10, n])
  moveTo(6, 600)
  come([10, "another"])
  moveTo(10)
  t.equal(heard().length, 1000)
  for (let n = 0; n < 1000; n++) come([20, n])
  moveTo(11, 600)
  moveTo(12, 600)
  come([20, "another"])
  moveTo(20)
  t.same(heard(), ["another"])
  t.end()
})
