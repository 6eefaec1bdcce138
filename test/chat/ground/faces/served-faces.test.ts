/** What is kept of pictures in memory: those asked for last, within bounds. Serving is tested where pictures are uploaded. */
import t from "tap"
import { CachedFaces } from "../../../../src/chat/ground/faces/served-faces.ts"
import { fileName } from "../../../../src/chat/ground/files/files.ts"

const nameOf = (n: number) => fileName("1", "avatars", `${n}.png`)
const picture = (size: number) => ({ contentType: "image/png", bytes: new Uint8Array(size) })

t.test("the pictures that were asked for longest ago make room", async (t) => {
  const kept = new CachedFaces()
  const size = 64 * 1024
  for (let n = 0; n < 600; n++) {
    kept.keep(nameOf(n), picture(size))
    kept.find(nameOf(0))
  }
  t.equal(kept.bytes, 512 * size)
  t.ok(kept.find(nameOf(0)), "it is asked for again and again")
  t.equal(kept.find(nameOf(1)), undefined)
  t.ok(kept.find(nameOf(599)))
  kept.keep(nameOf(599), picture(10))
  t.equal(kept.bytes, 511 * size + 10, "what takes another's place takes its room")
  kept.forget(nameOf(599))
  kept.forget(nameOf(599))
  t.equal(kept.bytes, 511 * size)
  t.equal(kept.find(nameOf(599)), undefined)
})

t.test("large pictures are not kept", async (t) => {
  const kept = new CachedFaces()
  kept.keep(nameOf(1), picture(64 * 1024 + 1))
  t.same([kept.find(nameOf(1)), kept.bytes], [undefined, 0])
})
