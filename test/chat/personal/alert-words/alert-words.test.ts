/** Alert words: list, add, remove; their event and section; the flag of messages that contain one. */
import t from "tap"
import type { Appliers } from "../../../kit/client-appliers.ts"
import type { Reader } from "../../../kit/reader.ts"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/users/me/alert_words"
const type = "alert_words"

const add = (server: TestServer, name: Name, ...alert_words: ReadonlyArray<string>) =>
  server.as(name).must.post(path, { alert_words })
const remove = (server: TestServer, name: Name, ...alert_words: ReadonlyArray<string>) =>
  server.as(name).must.delete(path, { alert_words })
const wordsOf = async (server: TestServer, name: Name) => (await server.as(name).must.get(path))[type]

t.test("words are added and removed, whatever their case", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("hamlet")
    t.same(queue.state[type], [])
    t.same((await add(server, "hamlet", " Elsinore ", "ghost", "", "GHOST"))[type], ["Elsinore", "ghost"])
    t.same((await add(server, "hamlet", "elsinore"))[type], ["Elsinore", "ghost"], "known already")
    t.same((await remove(server, "hamlet", "GHOST", "nothing"))[type], ["Elsinore"])
    t.same((await remove(server, "hamlet", "ghost"))[type], ["Elsinore"], "gone already")
    const seen = await queue.rest()
    t.match(seen, [
      { type, [type]: ["Elsinore", "ghost"] },
      { type, [type]: ["Elsinore"] },
    ])
    t.equal(seen.length, 2, "what changes nothing makes no event")
    t.same((await server.queue("hamlet")).state[type], ["Elsinore"])
    t.same(await wordsOf(server, "cordelia"), [], "they are the user's own")
    await server.restart()
    t.same(await wordsOf(server, "hamlet"), ["Elsinore"])
    t.same((await remove(server, "hamlet", "Elsinore"))[type], [])
  }),
)

t.test("many requests at once lose no word, and a user has at most 100", (t) =>
  withServer(t, {}, async (server) => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(server, "hamlet", `word ${n}`)))
    const words = await wordsOf(server, "hamlet")
    t.equal(Array.isArray(words) && new Set(words).size, 20)
    const many = Array.from({ length: 81 }, (_, n) => `further ${n}`)
    await refuses(
      t,
      [
        { when: "too many", fields: { alert_words: many }, msg: "You can have at most 100 alert words." },
        {
          when: "a long word",
          fields: { alert_words: ["x".repeat(101)] },
          msg: "alert_words[0] is too long (limit: 100 characters)",
        },
        { when: "not a list", fields: { alert_words: '"word"' }, msg: "alert_words is not a list" },
      ],
      (fields) => server.as("hamlet").post(path, fields),
    )
    t.same(await wordsOf(server, "hamlet"), words, "a refused request added none")
    await add(server, "hamlet", ...many.slice(0, 80))
  }),
)

t.test("a message that contains a word has the flag, for the word's owners who receive it", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "cordelia", "iago"] }] }, async (server) => {
    await add(server, "hamlet", "ghost", "to be", "c++")
    await add(server, "cordelia", "Ghost")
    await add(server, "polonius", "ghost")
    const hamlet = await server.queue("hamlet")
    const cordelia = await server.queue("cordelia")
    const flagsIn = async (reader: Reader) => (await reader.until((event) => event.type === "message"))["flags"]
    const flagsAfter = async (content: string) => {
      await server.as("iago").must.post("/messages", { type: "channel", to: "lobby", topic: "t", content })
      return [await flagsIn(hamlet), await flagsIn(cordelia)]
    }
    const alerted = ["has_alert_word"]
    t.same(await flagsAfter("A GHOST!"), [alerted, alerted], "whatever the case")
    t.same(await flagsAfter("ghosts, aghast"), [[], []], "a word is a whole word")
    t.same(await flagsAfter("`ghost` in code, and (ghost)"), [alerted, alerted], "in code too")
    t.same(await flagsAfter("whether to be or not"), [alerted, []], "a phrase")
    t.same(await flagsAfter("write it in C++, please"), [alerted, []], "signs are part of a word")
    t.same(await flagsAfter("nothing of the kind"), [[], []])
    await add(server, "hamlet", "東京", "サーバー", "กรุงเทพ", "cafe", "дом", "घर")
    for (const content of [
      "私は東京に住む",
      "東京",
      "（東京）",
      "新サーバーです",
      "ไปกรุงเทพกัน",
      "看ghost。",
      "❤️ghost",
      "в дом.",
    ])
      t.same(await flagsAfter(content), [alerted, content.includes("ghost") ? alerted : []], content)
    for (const content of [
      "ghost\u0301",
      "e\u0301ghost",
      "cafe\u0301",
      "my_ghost",
      "ghost٣",
      "домой",
      "घरों",
      "घरि",
      "京東",
    ])
      t.same(await flagsAfter(content), [[], []], content)
    await remove(server, "hamlet", "ghost")
    t.same(await flagsAfter("the ghost again"), [[], alerted])
    await server.as("iago").must.post("/messages", { type: "direct", to: ["hamlet@test.example"], content: "to be?" })
    t.same(await flagsIn(hamlet), alerted, "in direct messages")
  }),
)

const appliers: Appliers = { [type]: { key: type, apply: (_known, event) => event[type] } }

t.test("I13: alert words settle", (t) =>
  withServer(t, {}, async (server) => {
    const views = viewsOf(server, undefined, ["hamlet", "polonius"]).map((view) => ({ ...view, appliers }))
    const seen = await settles(t, views, "words come and go", async () => {
      await add(server, "hamlet", "one", "two")
      await add(server, "polonius", "a guest's")
      await remove(server, "hamlet", "one")
    })
    t.ok(seen.has(type))
  }),
)
