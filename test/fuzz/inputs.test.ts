/** Inputs of a seed are the same each time, so that one that finds a fault can be sent again; and their kinds are all there. */
import t from "tap"
import { inputOf } from "./fuzz.ts"
import type { Scene } from "./input.ts"

const scene: Scene = {
  keys: { owner: "Basic b3duZXI6eA==", member: "Basic bTp4", guest: "Basic Zzp4", bot: "Basic Yjp4" },
  host: "127.0.0.1:1",
  channels: [1, 2],
  users: [1, 2],
  messages: [3, 4],
  queue: { id: "q", last: 5 },
  emails: ["owner@demo.example"],
}

t.test("input n of a seed is always the same", async (t) => {
  const kinds = new Set<string>()
  const whats = new Set<string>()
  for (let number = 0; number < 400; number++) {
    const input = inputOf(1, number, scene)
    t.same(input, inputOf(1, number, scene), `${number}`)
    kinds.add(input.kind)
    whats.add(input.what)
  }
  t.same([...kinds].sort(), ["bytes", "request", "socket"])
  t.ok(whats.size > 150, `${whats.size} different things are asked for`)
  t.notSame(inputOf(1, 1, scene), inputOf(2, 1, scene))
})
