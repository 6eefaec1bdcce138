/** Queues that read their past do so in turns, in short slices, and stop while their owner has too much unread. */
import t from "tap"
import { type CatchUp, CatchUpLine } from "../../../src/events/past/catch-up-line.ts"
import { Queue } from "../../../src/events/queue.ts"
import { QueueId, UserId, WireId } from "../../../src/ids.ts"
import { queueHost } from "../../kit/queue-host.ts"
import { renderings } from "../model/model-events.ts"

const host = queueHost()
const queueNamed = (name: string): Queue =>
  new Queue(
    {
      id: QueueId(name),
      user: UserId(1),
      clientOptions: { rendering: renderings[0], openToPublic: false, wants: () => true, terms: 0, passes: () => true },
      start: WireId(-1),
      contained: null,
      idleMilliseconds: 1000,
    },
    host,
    WireId(-1),
  )

/** A line in the test's hand: the work of a queue takes `steps` of so many milliseconds each. */
const stage = ({ milliseconds = 1, steps = 1, expects = false } = {}) => {
  const worked: Array<string> = []
  const tasks: Array<() => void> = []
  const delays: Array<{ readonly milliseconds: number; readonly task: () => void }> = []
  const faults: Array<unknown> = []
  const full = new Set<string>()
  let now = 0
  const line = new CatchUpLine({
    defer: (task) => void tasks.push(task),
    after: (delay, task) => void delays.push({ milliseconds: delay, task }),
    elapsed: () => now,
    expects: () => expects,
    onFault: (fault) => void faults.push(fault),
  })
  const enter = (name: string, queue = queueNamed(name), throws = false): CatchUp => {
    let left = steps
    const each: CatchUp = {
      queue,
      owner: name.charAt(0),
      hasRoom: () => !full.has(name.charAt(0)),
      work: () => {
        worked.push(name)
        now += milliseconds
        if (throws) throw new Error(name)
        left -= 1
        if (left > 0) line.again(each)
        else line.leave(queue)
      },
    }
    line.enter(each)
    return each
  }
  const turn = () => {
    for (const task of tasks.splice(0)) task()
    return worked.splice(0)
  }
  return { line, enter, turn, delays, full, faults }
}

t.test("they work a few milliseconds in a turn of the loop", async (t) => {
  const { enter, turn, delays } = stage()
  for (let n = 0; n < 7; n++) enter(`${n}`)
  t.same([turn(), turn(), turn(), turn(), turn()], [["0", "1"], ["2", "3"], ["4", "5"], ["6"], []])
  t.same(delays, [])
})

t.test("while a commit is under way they rest for longer than they worked", async (t) => {
  const { enter, turn, delays } = stage({ milliseconds: 5, expects: true })
  enter("a")
  enter("b")
  t.same(turn(), ["a"])
  t.same([turn(), delays.map(({ milliseconds }) => milliseconds)], [[], [15]])
  for (const { task } of delays.splice(0)) task()
  t.same([turn(), delays.length], [["b"], 0])
})

t.test("an owner with many queues has a few turns at a time", async (t) => {
  const { enter, turn } = stage({ milliseconds: 0, steps: 2 })
  for (let n = 0; n < 100; n++) enter(`a${n}`)
  enter("b0")
  const order = turn()
  t.ok(order.indexOf("b0") < 9, `b0 is number ${order.indexOf("b0")}`)
  t.equal(new Set(order).size, 101)
  t.equal(order.length, 202)
})

t.test("a queue is in the line once", async (t) => {
  const { enter, turn } = stage()
  const queue = queueNamed("a")
  enter("a1", queue)
  enter("a2", queue)
  t.same([turn(), turn()], [["a1"], []])
  enter("a3", queue)
  t.same(turn(), ["a3"])
})

t.test("one that has no room gives its turn away and comes again", async (t) => {
  const { enter, turn, delays, full } = stage({ milliseconds: 0 })
  full.add("a")
  for (let n = 0; n < 100; n++) enter(`a${n}`)
  enter("b")
  t.same(turn(), ["b"])
  t.equal(delays.length, 1, "one timer for all")
  delays.shift()?.task()
  t.same([turn(), delays.length], [[], 1])
  full.clear()
  const came: Array<number> = []
  while (delays.length > 0) {
    delays.shift()?.task()
    came.push(turn().length)
  }
  t.same(came, [64, 36], "as many as can be under way")
})

t.test("an error in the work for one queue does not stop the others", async (t) => {
  const { enter, turn, faults } = stage()
  enter("a", queueNamed("a"), true)
  enter("b")
  t.same(turn(), ["a", "b"])
  t.match(faults, [{ message: "a" }])
  enter("a")
  t.same(turn(), ["a"], "its turn has been given back")
})
