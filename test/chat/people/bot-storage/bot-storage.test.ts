/** What bots keep for themselves: under keys, all or none, bounded, their own alone, and after a restart. */
import t from "tap"
import { refusal } from "../../../kit/rows.ts"
import { withServer } from "../../../kit/with-server.ts"

const path = "/bot_storage"

t.test("texts are stored under keys, all or none", (t) =>
  withServer(t, {}, async (server) => {
    for (const [n, who] of (["hamlet", "cordelia"] as const).entries())
      await server.as(who).must.post("/bots", { full_name: `Bot ${n}`, short_name: `b${n}` })
    const host = server.realm.realm.host
    const [bot, other] = [server.asEmail(`b0-bot@${host}`), server.asEmail(`b1-bot@${host}`)]
    const stored = async (keys?: ReadonlyArray<string>) => (await bot.must.get(path, { keys }))["storage"]
    t.same(await stored(), {})
    t.same(await stored([]), {})
    await bot.must.put(path, { storage: { a: "1", b: "", __proto: "x", ключ: "два" } })
    await bot.must.put(path, { storage: { a: "2" } })
    await bot.must.put(path, { storage: {} })
    t.same(await stored(), { a: "2", b: "", __proto: "x", ключ: "два" })
    t.same(await stored(["b", "a", "a"]), { a: "2", b: "" })
    t.same((await other.must.get(path))["storage"], {}, "of another bot")
    const gone = refusal("Key does not exist.")
    t.match(await bot.get(path, { keys: ["a", "c"] }), gone)
    t.match(await bot.delete(path, { keys: ["a", "c"] }), gone)
    t.match(await other.get(path, { keys: ["a"] }), gone)
    t.match(await other.delete(path, { keys: ["a"] }), gone)
    t.match(await stored(["a"]), { a: "2" }, "nothing was removed")
    await bot.must.delete(path, { keys: ["a"] })
    t.match(await bot.get(path, { keys: ["a"] }), gone)
    await server.restart()
    const again = server.asEmail(`b0-bot@${host}`).must
    t.same((await again.get(path))["storage"], { b: "", __proto: "x", ключ: "два" }, "after a restart")
    await again.delete(path)
    t.same((await again.get(path))["storage"], {})
    t.match(await server.as("hamlet").must.get(path), { storage: {} }, "people have a storage, too")
  }),
)

t.test("the storage has an end, and what does not fit changes nothing", (t) =>
  withServer(t, {}, async (server) => {
    const { put, must } = server.as("hamlet")
    const full = refusal(/at most 400000 characters/)
    await must.put(path, { storage: { a: "x".repeat(399_000) } })
    t.match(await put(path, { storage: { b: "y", c: "x".repeat(2000) } }), full)
    t.same(Object.keys(Object((await must.get(path))["storage"])), ["a"])
    await must.put(path, { storage: { a: "", c: "x".repeat(2000) } })
    t.match(await put(path, { storage: { [`k${"x".repeat(500)}`]: "" } }), refusal(/storage key is too long/))
    t.match(await put(path, { storage: ["a"] }), refusal("storage is not a dict"))
    t.match(await put(path, { storage: { a: 1 } }), refusal('storage["a"] is not a string'))
    t.match(await put(path, { storage: { a: "\u0000" } }), refusal('storage["a"] must not contain null bytes'))
    t.match(await put(path), refusal("Missing 'storage' argument", "REQUEST_VARIABLE_MISSING"))
    const { put: fill, must: filled } = server.as("cordelia")
    for (let from = 0; from < 5000; from += 1000)
      await filled.put(path, {
        storage: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${from + n}`, ""])),
      })
    t.match(await fill(path, { storage: { 4999: "", 5000: "" } }), refusal(/at most 5000 keys/))
    await filled.put(path, { storage: { 4999: "kept" } })
  }),
)
