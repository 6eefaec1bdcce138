/** Heavy senders are counted by several processes together: when it is told, how much at a time, and what is no such note. */
import t from "tap"
import { longestNote, type NoteListener, type Notes } from "../../../src/events/peers/notes.ts"
import { makeRateCounter } from "../../../src/fairness/rate-counter.ts"
import { isAddress, isUser, makeSharedCounts } from "../../../src/http/senders/shared-counts.ts"
import type { Json } from "../../../src/json.ts"
import { manualClock } from "../../kit/manual-clock.ts"

/** Processes that hear what the others tell, with all of it. */
const makeProcesses = (limit: number, count = 2) => {
  const clock = manualClock()
  const told: Array<Json> = []
  const listeners: Array<NoteListener> = []
  const processes = Array.from({ length: count }, (_, own) => {
    const notes: Notes = {
      tell: (_subject, body) => {
        told.push(body)
        for (const [n, listener] of listeners.entries()) if (n !== own) listener(body, "another")
      },
      hear: (_subject, listener) => void listeners.push(listener),
    }
    const share = makeSharedCounts(clock, notes)
    const limits = { windowMs: 60_000, limit, mostKeys: 10_000 }
    return {
      users: share("users", isUser, makeRateCounter<number>(clock, limits)),
      addresses: share("addresses", isAddress, makeRateCounter<string>(clock, limits)),
    }
  })
  return { clock, told, listeners, processes }
}

t.test("who is above a tenth of the limit is told of once a second, and counts everywhere", async (t) => {
  const { clock, told, processes } = makeProcesses(100)
  const [one, two] = processes
  for (let n = 0; n < 9; n++) one?.users.count(7)
  clock.advance(1000)
  t.same(told, [], "below it nothing is told")
  one?.users.count(7)
  one?.users.count(8)
  one?.addresses.count("127.0.0.1")
  t.equal(two?.users.peek(7).remaining, 100)
  clock.advance(1000)
  t.same(told, [[["users", 7, 10]]], "with what was not told before")
  t.equal(two?.users.peek(7).remaining, 90)
  two?.users.count(7)
  clock.advance(1000)
  t.same(told.slice(1), [[["users", 7, 1]]], "what others told counts for the tenth, and is not told again")
  t.equal(one?.users.peek(7).remaining, 89)
  clock.advance(60_000)
  t.equal(told.length, 2)
})

t.test("a sender who goes to several processes may little more than at one", async (t) => {
  const { clock, processes } = makeProcesses(100, 3)
  let admitted = 0
  for (let second = 0; second < 40; second++) {
    for (const { users } of processes) if (users.count(7).waitSeconds === null) admitted += 1
    clock.advance(1000)
  }
  t.ok(admitted >= 100 && admitted <= 105, `${admitted}`)
})

t.test("notes are short and few, and the rest comes later", async (t) => {
  const { clock, told, processes } = makeProcesses(1)
  const [one, two] = processes
  const addresses = Array.from({ length: 2000 }, (_, n) => `2001:0db8:85a3:0000:0000:8a2e:0370:${n}`)
  for (const address of addresses) one?.addresses.count(address)
  clock.advance(1000)
  t.equal(told.length, 4)
  for (const note of told) t.ok(Buffer.byteLength(JSON.stringify(note)) <= longestNote)
  for (let n = 0; n < 10; n++) clock.advance(1000)
  const heard = addresses.filter((address) => two?.addresses.peek(address).remaining === 0)
  t.equal(heard.length, 1000, "and no more at a time than these")
})

t.test("what is no such note is ignored", async (t) => {
  const { listeners, processes } = makeProcesses(10)
  const [one] = processes
  for (const body of [null, 3, "users", {}, [3], [["users"]], [["users", 7, "3"]], [["users", null, 3]]])
    listeners[0]?.(body, "another")
  for (const entry of [
    ["others", 7, 3],
    ["users", "7", 3],
    ["users", 7.5, 3],
    ["users", 7, -3],
    ["users", 7, 0.5],
    ["addresses", 7, 3],
    ["addresses", "x".repeat(65), 3],
  ])
    listeners[0]?.([entry], "another")
  t.equal(one?.users.peek(7).remaining, 10)
  t.equal(one?.addresses.peek("7").remaining, 10)
  listeners[0]?.([["users", 7, 3]], "another")
  t.equal(one?.users.peek(7).remaining, 7)
})
