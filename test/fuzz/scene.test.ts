/** The long run of inputs goes on after an input that changes the address, key or role of a person by whom it asks. */
import t from "tap"
import { startServer } from "../../src/testing/index.ts"
import { makeScene, nextScene, stillWorks } from "./scene.ts"

t.test("a person whose key is void, or who has another role, is replaced", async (t) => {
  const server = await startServer({ settings: { PARLEY_MODE: "development" } })
  t.teardown(() => server.close())
  const at = { origin: server.url, port: server.port }
  let scene = await makeScene(at)
  const owner = server.as("owner")
  const idOf = (name: string) => server.person(name).userId
  await stillWorks(at, scene, 0)

  await owner.call("PATCH /users/{user_id}", { user_id: idOf("member"), new_email: "elsewhere@demo.example" })
  await owner.call("PATCH /users/{user_id}", { user_id: idOf("owner"), new_email: "away@demo.example" })
  scene = await nextScene(at, scene)
  await stillWorks(at, scene, 1)
  const again = await nextScene(at, scene)
  t.same(again.keys, scene.keys, "they stay while they work")
  t.not(again.queue.id, scene.queue.id)
})
