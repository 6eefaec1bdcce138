/** Forms that are parsed as they come: none holds the loop up. */
import * as Effect from "effect/Effect"
import t from "tap"
import { readUploadForm } from "../../../src/http/bodies/upload-form.ts"

t.test("a body of nothing but boundaries is parsed in several turns of the loop", async (t) => {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  async function* parts() {
    turn()
    yield Buffer.alloc(512 * 1024, "\r\n--x")
  }
  const body = { parts: parts(), finish: () => {}, discard: async () => {} }
  const { file } = readUploadForm(body, "multipart/form-data; boundary=x", null)
  t.match(await Effect.runPromise(Effect.flip(file)), { code: "BAD_REQUEST" })
  isOver = true
  t.ok(turns > 8, `${turns} turns`)
})
