/**
 * Backups and restores by the program's commands: beside a server that is written meanwhile and without one, from each
 * database to each.
 */
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import t from "tap"
import { type Person, personOf } from "../../kit/client.ts"
import { originOf, signIn } from "../../kit/program.ts"
import { pluck, recordsIn } from "../../kit/records.ts"
import { basic } from "../../kit/rows.ts"
import { createFolder, until } from "../../kit/test-database.ts"
import { formBytes, formType } from "../../kit/uploads.ts"
import { checkSame, findFreePort, makeDemoPlace, makePlace, ownKind, rowsOf } from "./places.ts"

const names = ["owner", "admin", "moderator", "member", "guest", "visitor", "bot"]

/** What differs from one register to the next. */
const ofTheMoment = ["queue_id", "server_timestamp", "last_event_id", "presence_last_update_id"]

const registerOf = async (person: Person) => {
  const state = await person.must.post("/register")
  return Object.fromEntries(Object.entries(state).filter(([key]) => !ofTheMoment.includes(key)))
}

const registersOf = async (port: number) => {
  const found: Record<string, unknown> = {}
  for (const name of names) found[name] = await registerOf(await signIn(port, name))
  return found
}

const upload = async (port: number, { account }: Person, text: string): Promise<string> => {
  const answer = await fetch(`${originOf(port)}/api/v1/user_uploads`, {
    method: "POST",
    headers: { Authorization: basic(account), "Content-Type": formType },
    body: new Uint8Array(formBytes({ bytes: text })),
  })
  const [body] = recordsIn([await answer.json()])
  return String(body?.["url"])
}

/** Sends one message after the other until it is ended; each is its number. */
const sendOn = (person: Person, topic: string) => {
  const state = { answered: 0, isOver: false }
  const sending = (async () => {
    while (!state.isOver) {
      await person.send("general", String(state.answered + 1), { topic })
      state.answered += 1
    }
  })()
  const end = async () => {
    state.isOver = true
    await sending
  }
  return { state, end }
}

const textsOf = async (person: Person, topic: string): Promise<ReadonlyArray<unknown>> => {
  const narrow = [
    { operator: "channel", operand: "general" },
    { operator: "topic", operand: topic },
  ]
  const fields = { narrow, anchor: "oldest", num_before: 0, num_after: 5000, apply_markdown: false }
  const { messages, found_newest } = await person.must.get("/messages", fields)
  if (found_newest !== true) throw new Error("the topic is longer than a page")
  return pluck(messages, "content")
}

const countTo = (last: number) => Array.from({ length: last }, (_, n) => String(n + 1))

t.test("a backup beside a server that is written, and what is restored from it", async (t) => {
  const source = await makeDemoPlace(t)
  const port = await findFreePort()
  const server = await source.serve(port)
  const owner = await signIn(port, "owner")
  const [linked, lost] = [await upload(port, owner, "the linked file"), await upload(port, owner, "the lost file")]
  await owner.send("general", `[a](${linked}) [b](${lost})`)
  await rm(join(source.folder, "files", "1", "uploads", ...lost.split("/").slice(-3, -1)))
  const { queue_id: oldQueue } = await owner.must.post("/register")

  const archives = await createFolder(t)
  const file = join(archives, "beside.tar.gz")
  const writers = [sendOn(owner, "by the owner"), sendOn(await signIn(port, "member"), "by a member")]
  await until("both write", 30_000, () => writers.every(({ state }) => state.answered > 20))
  const before = writers.map(({ state }) => state.answered)
  const backup = await source.runApart(["backup", file])
  const after = writers.map(({ state }) => state.answered + 1)
  t.match(backup, {
    code: 0,
    out: /^Backed up to .+beside\.tar\.gz\n[\d,]+ rows, \d+ files, [\d.]+ MB\ndemo\.example, up to position \d+/,
  })
  t.match(backup.err, /^parley: backup: not in the backup, because not there: 1 file that .+: 1\/uploads\/[\w/-]+$/m)
  t.same(await readdir(archives), ["beside.tar.gz"])
  const answered = writers.map(({ state }) => state.answered)
  await until("both write on", 30_000, () => writers.every(({ state }, n) => state.answered > (answered[n] ?? 0) + 5))
  for (const { end } of writers) await end()
  t.match(await source.run(["backup", file]), {
    code: 2,
    out: "",
    err: /^parley: There is .+ already: choose another name\n$/,
  })

  const elsewhere = ["backup", join(archives, "none.tar.gz"), "--files-dir", join(source.folder, "none")]
  t.match(await source.run(elsewhere), {
    code: 2,
    out: "",
    err: /^parley: \d+ files should be in .+none, which is not there/m,
  })
  t.same(await readdir(archives), ["beside.tar.gz"])

  const target = await makePlace(t)
  t.match(await source.run(["restore", file]), {
    code: 2,
    err: /^parley: Another server is using .+: end it before a restore$/m,
  })
  server.signal("SIGTERM")
  await server.ended
  t.match(await source.run(["restore", file]), {
    code: 2,
    err: /^parley: The database is not empty \(there are rows in .*\bmessage\b/m,
  })
  t.match(await target.runApart(["restore", file]), {
    code: 0,
    out: /^Restored from .+\ndemo\.example, up to position \d+ of its log\nMissing when it was made: 1 file/,
  })

  await target.serve(port)
  const back = personOf(originOf(port), owner.account)
  for (const [n, topic] of ["by the owner", "by a member"].entries()) {
    const texts = await textsOf(back, topic)
    t.same(texts, countTo(texts.length), "each once, in order")
    t.ok(texts.length >= (before[n] ?? 0), "all that were answered before the backup began")
    t.ok(texts.length <= (after[n] ?? 0), "none that were sent after it had ended")
  }
  t.match(await back.get("/events", { queue_id: oldQueue, last_event_id: -1, dont_block: true }), {
    status: 400,
    body: { code: "BAD_EVENT_QUEUE_ID" },
  })
  const { url } = await back.must.get(linked.replace(/^\//, "/"))
  t.equal(await (await fetch(`${originOf(port)}${String(url)}`)).text(), "the linked file")
  const { messages } = await back.must.get("/messages", { anchor: "newest", num_before: 1, num_after: 0 })
  const next = await back.send("general", "goes on")
  t.ok(next > Number(pluck(messages, "id")[0]), "ids go on")
})

t.test("at rest, every table and every register is the same, from each database to each", async (t) => {
  const source = await makeDemoPlace(t)
  const port = await findFreePort()
  const server = await source.serve(port)
  const owner = await signIn(port, "owner")
  await owner.send("general", `[a](${await upload(port, owner, "a file")}) ~!@#$%^&*()_+ "\\n" 'ä' \u{1f600} \t end`)
  await (await signIn(port, "guest")).send("general", "hello **there**")
  const registers = await registersOf(port)
  server.signal("SIGTERM")
  await server.ended

  const folder = await createFolder(t)
  const [file, again] = [join(folder, "first.tar.gz"), join(folder, "second.tar.gz")]
  const files = await readdir(source.folder)
  t.match(await source.run(["backup", file]), { code: 0, out: /^Backed up to/ })
  t.same(await readdir(source.folder), files)
  const rows = await rowsOf(t, source)
  const embedded = await makePlace(t, "pglite")
  t.match(await embedded.run(["restore", file]), { code: 0 })
  await checkSame(t, rows, embedded)
  // Of the embedded database into that of this run, which may be PostgreSQL.
  t.match(await embedded.run(["backup", again]), { code: 0 })
  const target = await makePlace(t, ownKind)
  t.match(await target.run(["restore", again]), { code: 0 })
  await checkSame(t, rows, target)
  const direct = await makePlace(t, ownKind)
  t.match(await direct.run(["restore", file]), { code: 0 })
  await checkSame(t, rows, direct)

  for (const place of ownKind === "pglite" ? [target] : [target, embedded]) {
    const restored = await place.serve(port)
    const found = await registersOf(port)
    for (const name of names) t.same(found[name], registers[name], `${name}, ${place.kind}`)
    t.notMatch(restored.err, /void/)
    restored.signal("SIGTERM")
    await restored.ended
  }
})
