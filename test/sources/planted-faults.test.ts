/** The faults that `npm run planted` plants: whoever changes one of their lines plants it elsewhere. */
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { complaintsOf } from "../planted/fault.ts"
import { faults } from "../planted/faults.ts"

t.test("each is one line that stands once in what is run", async (t) => {
  t.same(complaintsOf(packageFile(""), faults), [])
  const [first] = faults
  if (first === undefined) return t.fail("there are none")
  const changed = { ...first, name: "changed", find: "a line that is nowhere" }
  const twice = { ...first, name: "twice", find: "const " }
  t.match(complaintsOf(packageFile(""), [first, first, changed, twice]), [
    /two faults are called/,
    /is not there any more/,
    /more than once/,
  ])
})
