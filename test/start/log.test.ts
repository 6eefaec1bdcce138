/** The server's log: its two forms, its levels, what it names of a request, and what is kept out of it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import t from "tap"
import { ClientPresence } from "../../src/fairness/client-presence.ts"
import { type LogForm, type LogLevelName, makeLog } from "../../src/start/log.ts"

const secret = 'a "secret" of the server'

const makeScene = (form: LogForm, level: LogLevelName = "info") => {
  const written: Array<string> = []
  const log = makeLog({
    form,
    level,
    secrets: [secret, "abc"],
    write: (text) => written.push(text),
    now: () => new Date(2026, 0, 1, 12, 3, 4, 56),
  })
  const run = (effect: Effect.Effect<void>) => Effect.runSync(Effect.provide(effect, log.layer))
  return { written, log, run }
}

const parsed = (line: string | undefined): Record<string, unknown> => {
  if (line === undefined || !line.endsWith("\n") || line.slice(0, -1).includes("\n"))
    throw new Error(`no line: ${line}`)
  return { ...JSON.parse(line) }
}

t.test("in production a line is an object, whatever is in it", async (t) => {
  const { written, log, run } = makeScene("json")
  log.say("info", "it serves\nnow", { port: 1, limits: { a: 2 } })
  run(Effect.logWarning("a", "b", 3))
  run(Effect.logError("it failed", Cause.die(new Error("boom"))))
  run(
    Effect.annotateLogs(Effect.logError("of a request", new Error("bang")), {
      request: "r1",
      level: "x",
      gone: undefined,
    }),
  )
  t.equal(written.length, 4)
  t.same(parsed(written[0]), {
    port: 1,
    limits: { a: 2 },
    time: new Date(2026, 0, 1, 12, 3, 4, 56).toISOString(),
    level: "info",
    message: "it serves\nnow",
  })
  t.match(parsed(written[1]), { level: "warn", message: "a b 3", time: /^20\d\d-/ })
  t.match(parsed(written[2]), { level: "error", message: "it failed", error: /^Error: boom\n {2}at / })
  t.match(parsed(written[3]), { level: "error", message: "of a request", error: /^Error: bang/, request: "r1" })
  t.notOk("gone" in parsed(written[3]))
})

t.test("in development a line is for people, and an error has some more", async (t) => {
  const { written, log, run } = makeScene("text")
  log.say("info", "it\u001b[2J serves\nnow", { port: 1, named: "a\nb" })
  t.equal(written[0], '12:03:04.056 INFO  it [2J serves now port=1 named="a\\nb"\n')
  run(Effect.logError("it failed", Cause.die(new Error("boom"))))
  t.match(written[1], /^\d\d:\d\d:\d\d\.\d{3} ERROR it failed\n {4}Error: boom\n( {6}at .*\n)+$/)
})

t.test("each line says which of several processes it is of", async (t) => {
  const written: Array<string> = []
  const write = (text: string) => written.push(text)
  const log = makeLog({ form: "json", level: "info", secrets: [], write, about: { child: 2 } })
  log.say("info", "it serves", { port: 1 })
  Effect.runSync(Effect.provide(Effect.annotateLogs(Effect.logWarning("of a request"), { request: "r1" }), log.layer))
  written.push(log.dropped(3))
  t.match(written.map(parsed), [
    { child: 2, port: 1, message: "it serves" },
    { child: 2, request: "r1", message: "of a request" },
    { child: 2, lines: 3 },
  ])
})

t.test("from its level on", async (t) => {
  for (const [level, wanted] of [
    ["debug", ["debug", "info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
  ] as const) {
    const { written, log, run } = makeScene("json", level)
    run(Effect.logDebug("x"))
    log.say("info", "x")
    log.say("warn", "x")
    run(Effect.logError("x"))
    t.same(
      written.map((line) => parsed(line)["level"]),
      wanted,
      level,
    )
  }
})

t.test("what an endpoint logs names its request, without its doing anything", async (t) => {
  const { written, run } = makeScene("json")
  const about = () => ({ request: "r7", endpoint: "POST /messages", organization: 2 })
  const presence = { isGone: () => false, onGone: () => {}, about }
  run(Effect.provideService(Effect.logWarning("a file could not be kept"), ClientPresence, presence))
  t.match(parsed(written[0]), { request: "r7", endpoint: "POST /messages", organization: 2, level: "warn" })
})

t.test("the server's own secrets are in no line, wherever they come from", async (t) => {
  for (const form of ["json", "text"] as const) {
    const { written, log, run } = makeScene(form)
    log.hide("one that was found later")
    // One that lies where a long line is cut.
    log.say("warn", `${"x".repeat(15_990)}${secret}`)
    log.say("warn", `with ${secret}`, { url: `postgres://x:${secret}@y`, list: [secret], fine: "abc" })
    run(Effect.logError(`one that was found later`, new Error(`why: ${secret}`)))
    run(Effect.annotateLogs(Effect.logError("x"), { deep: { er: secret } }))
    const all = written.join("")
    t.notOk(all.includes("secret"), all)
    t.notOk(all.includes("found later"), all)
    t.ok(all.includes("***"))
    t.ok(all.includes("abc"), "a few letters are no secret")
  }
})

t.test("what is said of lines that were lost is a line of the same form", async (t) => {
  t.match(parsed(makeScene("json").log.dropped(3)), {
    lines: 3,
    level: "warn",
    message: /^3 lines of this log were dropped/,
  })
  t.match(
    makeScene("text").log.dropped(3),
    /WARN {2}3 lines of this log were dropped, because nothing took them lines=3\n$/,
  )
})
