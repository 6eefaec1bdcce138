/** The delay of the loop as several programs read it: none takes from another what it has not seen. */
import t from "tap"
import { loopWindows } from "../../../../src/chat/server/runtime/loop-delay.ts"

t.test("what is read stays for the present window and the next one, however often it is read", async (t) => {
  let values: Array<number> = []
  const windows = loopWindows({
    get count() {
      return values.length
    },
    percentile: (percent) => (percent === 100 ? Math.max(...values) : Math.min(...values)) * 1e6,
    reset: () => {
      values = []
    },
  })
  const longest = () => windows.read().find(([share]) => share === "1")?.[1]
  t.same(windows.read(), [
    ["0.5", 0],
    ["0.99", 0],
    ["1", 0],
  ])
  values.push(10, 400)
  t.equal(longest(), 0.4)
  t.equal(longest(), 0.4, "the second one to ask sees it, too")
  windows.turn()
  values.push(10)
  t.equal(longest(), 0.4, "and who comes a little later")
  windows.turn()
  t.equal(longest(), 0.01, "then it is over")
})
