/** The rows of features: that the walks find them, and that none hides another. */
import t from "tap"
import { endpoints } from "../../src/chat/features.ts"
import { joined, rowsOfRooms } from "./walk-rows-of-features.ts"

t.test("the rows of rooms are found by the names of their files", async (t) => {
  const routes = rowsOfRooms.flatMap(({ hidden }) =>
    Object.keys(hidden.questions({ lobby: 1, own: 1, vault: 1, user: 1 })),
  )
  for (const route of ["GET /saved_snippets", "POST /users/me/apns_device_token"]) t.ok(routes.includes(route), route)
  const known = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
  const all = [...routes, ...rowsOfRooms.flatMap(({ leaks, garbage }) => Object.keys({ ...leaks, ...garbage.fields }))]
  t.same(
    all.filter((route) => !known.has(route)),
    [],
    "each is about an endpoint",
  )
})

t.test("rows that two have are a mistake", async (t) => {
  t.same(joined([{ a: 1 }, { b: 2 }]), { a: 1, b: 2 })
  t.throws(() => joined([{ a: 1 }, { b: 2, a: 1 }]), /two have rows for a/)
})
