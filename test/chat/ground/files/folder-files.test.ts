/** Files in a folder: names, parts, replacing, listing, and what a failed write leaves. */
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import t from "tap"
import { fileName, findFileName, readWhole } from "../../../../src/chat/ground/files/files.ts"
import { makeFolderFiles } from "../../../../src/chat/ground/files/folder-files.ts"
import { until } from "../../../kit/test-database.ts"

t.test("names lead nowhere else", async (t) => {
  for (const name of ["a", "1/emoji/5-ab_c.webp", "a.b", "a/b/c/d/e/f/g/h"]) t.equal(findFileName(name), name)
  const bad = [
    "",
    "/",
    "a/",
    "/a",
    "..",
    "a/..",
    "../a",
    "a//b",
    ".a",
    "a/.b",
    "a.b.c",
    "A",
    "a b",
    "a\\b",
    "a\u0000",
    "ä",
  ]
  for (const name of [...bad, "a/b/c/d/e/f/g/h/i", "x".repeat(101)]) t.equal(findFileName(name), undefined, name)
  t.throws(() => fileName("1", ".."))
})

t.test("a file is stored, read whole and in parts, replaced and removed", async (t) => {
  const folder = join(t.testdir({}), "files")
  const files = makeFolderFiles(folder, true)
  const name = fileName("1", "emoji", "2.png")
  const run = Effect.runPromise
  t.equal(await run(files.find(name)), null)
  t.same(await run(files.list(fileName("1"))), [])
  await run(files.remove(name))
  await run(files.put(name, Buffer.from("first")))
  await run(files.put(name, Buffer.from("the second")))
  const found = await run(files.find(name))
  if (found === null) return t.fail("it is there")
  t.equal(found.size, 10)
  t.same(Buffer.from(await readWhole(found)).toString(), "the second")
  const part = async (start: number, end: number): Promise<string> => {
    const parts: Array<Uint8Array> = []
    for await (const bytes of found.read({ start, end })) parts.push(bytes)
    return Buffer.concat(parts).toString()
  }
  t.same([await part(4, 7), await part(4, 4), await part(9, 10)], ["sec", "", "d"])
  t.same(readdirSync(join(folder, "1", "emoji")), ["2.png"], "nothing is left beside it")
  t.match(await run(files.list(fileName("1"))), [{ name, storedAt: Number }])
  t.equal(await run(files.find(fileName("1", "emoji"))), null, "a folder is no file")
  await run(files.remove(name))
  t.equal(await run(files.find(name)), null)
})

t.test("what was never finished is no file, and goes when its writer is long gone", async (t) => {
  const folder = t.testdir({ a: { ".unfinished-1": "x", ".unfinished-2": "x", "b.png": "x", "Other.txt": "x" } })
  utimesSync(join(folder, "a", ".unfinished-1"), 1, 1)
  const files = makeFolderFiles(folder, false)
  t.match(await Effect.runPromise(files.list(fileName("a"))), [{ name: "a/b.png" }])
  t.same(readdirSync(join(folder, "a")).sort(), [".unfinished-2", "Other.txt", "b.png"])
})

t.test("a file that cannot be written is refused, and leaves nothing", async (t) => {
  const folder = t.testdir({ a: "a file where a folder should be" })
  const files = makeFolderFiles(folder, false)
  const put = await Effect.runPromise(Effect.result(files.put(fileName("a", "b"), Buffer.from("x"))))
  t.ok(Result.isFailure(put))
  t.equal(await Effect.runPromise(files.find(fileName("a", "b"))), null)
  mkdirSync(join(folder, "c", "d"), { recursive: true })
  writeFileSync(join(folder, "c", "d", "e"), "x")
  const over = await Effect.runPromise(Effect.result(files.put(fileName("c", "d"), Buffer.from("x"))))
  t.ok(Result.isFailure(over), "a folder is not replaced")
  t.same(readdirSync(join(folder, "c")), ["d"])
})

t.test("files that are removed while a folder is looked through are not listed", async (t) => {
  const folder = t.testdir({ "1": { ab: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, ""])) } })
  const listing = Effect.runPromise(makeFolderFiles(folder, false).list(fileName("1", "ab")))
  // Its names have been read by then, and few of its files have been asked about.
  const names = await readdir(join(folder, "1", "ab"))
  for (const name of names.slice(1)) rmSync(join(folder, "1", "ab", name))
  const listed = await listing
  t.equal(listed[0]?.name, fileName("1", "ab", names[0] ?? ""))
  t.ok(listed.length < 500)
})

t.test("files that cannot be written are told in few lines, whoever reads meanwhile", async (t) => {
  const lines: Array<string> = []
  const log = Logger.make(({ message }) => void lines.push(String(Array.isArray(message) ? message[0] : message)))
  const files = makeFolderFiles(t.testdir({ a: "a file where a folder should be" }), false)
  const run = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.provide(Effect.result(effect), Logger.layer([log])))
  for (let n = 0; n < 20; n++) {
    await run(files.put(fileName("a", `b${n}`), Buffer.from("x")))
    await run(files.find(fileName("c")))
  }
  t.match(lines, [/^a file could not be kept or read: storing a\/b0: /])
  t.equal(lines.length, 1)
  for (let n = 0; n < 2; n++) await run(files.put(fileName("d"), Buffer.from("x")))
  t.match(lines.at(-1), /^files can be kept and read again, after 0 s$/)
  t.equal(lines.length, 2)
})

t.test("that files cannot be stored is known until one can be again", async (t) => {
  const files = makeFolderFiles(t.testdir({ a: "a file where a folder should be" }), false)
  const put = (...name: ReadonlyArray<string>) =>
    Effect.runPromise(Effect.result(files.put(fileName(...name), Buffer.from("x"))))
  t.equal(files.isFailing(), false)
  await put("a", "b")
  t.equal(files.isFailing(), true)
  await Effect.runPromise(files.find(fileName("c")))
  t.equal(files.isFailing(), true, "a read tells nothing of it")
  await put("c")
  t.equal(files.isFailing(), false)
})

t.test("whether files can be stored again is tried when it is asked, and not too often", async (t) => {
  const folder = t.testdir({ a: "a file where a folder should be" })
  let now = 1000
  const files = makeFolderFiles(folder, false, () => now)
  await Effect.runPromise(Effect.result(files.put(fileName("a", "b"), Buffer.from("x"))))
  now += 9_000
  t.equal(files.isFailing(), true)
  now += 2_000
  t.equal(files.isFailing(), true, "it is being tried")
  await until("it has been tried", 10_000, async () => !files.isFailing())
  await until("nothing is left of that", 10_000, async () => readdirSync(folder).join() === "a")
})
