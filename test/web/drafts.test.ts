/** What was typed and sent does not come back as a draft, whatever the line does; what others wrote stays. */
import t from "tap"
import { Client } from "../../src/client/index.ts"
import { DraftStore } from "../../src/web/live/drafts.ts"
import { Observable } from "../../src/web/live/observable.ts"
import { droppedDraftText, isDroppedDraft, readDroppedDraft } from "../../src/web/state/dropped-drafts.ts"
import type { PageState } from "../../src/web/state/model.ts"
import { until } from "../kit/test-database.ts"
import { madeState, selfId } from "./kit.ts"

const here = { kind: "topic", channel: 1, topic: "castle" } as const
const pauses = { typing: 1, echo: 20, mostEcho: 40 }

const draft = (id: number, content: string, timestamp = 1_700_000_000) => ({
  id,
  type: "stream" as const,
  to: [1],
  topic: "castle",
  content,
  timestamp,
})

type Fault = "cut" | "lost" | "busy"

/** A server that keeps drafts, and a browser that keeps texts; `faults`: what becomes of the next calls that begin so. */
const scene = (...before: ReadonlyArray<ReturnType<typeof draft>>) => {
  const there = new Map(before.map((each) => [each.id, each]))
  const calls: Array<string> = []
  const faults = new Map<string, Array<Fault>>()
  const texts = new Map<string, string>()
  let next = 100
  const answer = (body: object, status = 200) => new Response(JSON.stringify(body), { status })
  const act = (method: string, path: string, form: URLSearchParams): Response => {
    const id = Number(path.split("/").pop())
    if (method === "POST") {
      const [given] = JSON.parse(form.get("drafts") ?? "[]")
      there.set(++next, { ...given, id: next })
      return answer({ result: "success", msg: "", ids: [next] })
    }
    if (!there.has(id)) return answer({ result: "error", msg: "No such draft.", code: "BAD_REQUEST" }, 404)
    if (method === "DELETE") there.delete(id)
    else there.set(id, { ...JSON.parse(form.get("draft") ?? "{}"), id })
    return answer({ result: "success", msg: "" })
  }
  const ask: typeof fetch = async (input, init) => {
    const method = init?.method ?? "GET"
    calls.push(method)
    const fault = faults.get(method)?.shift()
    if (fault === "cut") throw new TypeError("cut")
    if (fault === "busy")
      return answer({ result: "error", msg: "Later.", code: "RATE_LIMIT_HIT", "retry-after": 0.001 }, 429)
    const done = act(method, new URL(String(input)).pathname, new URLSearchParams(String(init?.body ?? "")))
    if (fault === "lost") throw new TypeError("lost")
    return done
  }
  const state = new Observable<PageState | null>(null)
  const client = new Client({
    server: "http://localhost",
    account: { email: "a@example.com", apiKey: "k" },
    fetch: ask,
    pauses: { firstMilliseconds: 1, mostMilliseconds: 2 },
  })
  const shelf = {
    keep: (name: string, text: string | null) => void (text === null ? texts.delete(name) : texts.set(name, text)),
    kept: (name: string) => texts.get(name) ?? null,
    names: (beginning: string) => [...texts.keys()].filter((name) => name.startsWith(beginning)),
  }
  /** What events bring. */
  const hear = () => state.change(() => madeState({ drafts: new Map(there) }))
  const open = () => {
    hear()
    const drafts = new DraftStore(client, state, selfId, shelf, pauses)
    drafts.again()
    return drafts
  }
  return { there, calls, faults, texts, hear, open }
}

const patience = 10_000

t.test("a draft whose end was cut off is ended again, and is not seen in between", async (t) => {
  const { there, calls, faults, texts, hear, open } = scene(draft(5, "mine"))
  faults.set("DELETE", ["cut", "cut"])
  const drafts = open()
  t.equal(drafts.read(here), "mine")
  drafts.write(here, "")
  await until("it is ended", patience, async () => there.size === 0)
  t.strictSame(calls, ["DELETE", "DELETE", "DELETE"])
  t.equal(drafts.read(here), "")
  t.equal(texts.size, 1, "as long as the page holds it for one of the server's")
  hear()
  await until("nothing is kept of it", patience, async () => texts.size === 0)
  t.equal(drafts.read(here), "")
})

t.test("a page that is closed before the draft has ended leaves that to the next", async (t) => {
  const { there, faults, texts, hear, open } = scene(draft(5, "mine"), draft(6, "of another device"))
  texts.set(`typed.${selfId}.1:castle`, droppedDraftText({ ids: [5], asked: [] }))
  faults.set("DELETE", ["cut"])
  const drafts = open()
  t.equal(drafts.read(here), "")
  await until("it is ended", patience, async () => !there.has(5))
  hear()
  await until("nothing is kept of it", patience, async () => texts.size === 0)
  t.equal(drafts.read(here), "of another device")
  t.strictSame([...there.keys()], [6])
})

t.test("a draft that was made without an answer is known by its time when it comes", async (t) => {
  const { there, calls, faults, texts, hear, open } = scene()
  faults.set("POST", ["lost"])
  const drafts = open()
  drafts.write(here, "made")
  await until("it is made", patience, async () => there.size === 1)
  drafts.write(here, "")
  hear()
  await until("it is ended", patience, async () => there.size === 0)
  t.equal(drafts.read(here), "")
  hear()
  await until("nothing is kept of it", patience, async () => texts.size === 0)
  t.strictSame(calls, ["POST", "DELETE"])
})

t.test("a server that is busy has not thrown the draft away", async (t) => {
  const { there, calls, faults, open } = scene(draft(5, "mine"))
  faults.set("PATCH", ["busy"])
  open().write(here, "mine, and more")
  await until("it is changed", patience, async () => there.get(5)?.content === "mine, and more")
  t.strictSame(calls, ["PATCH", "PATCH"])
  t.equal(there.size, 1)
})

t.test("one that is thrown away and cannot be comes back with what was typed", async (t) => {
  const { there, faults, texts, hear, open } = scene(draft(5, "mine"))
  const drafts = open()
  faults.set("DELETE", ["cut"])
  await t.rejects(drafts.drop(draft(5, "mine")))
  t.equal(drafts.read(here), "mine")
  t.equal(drafts.given.value.get("1:castle"), 2, "what shows it reads it again")
  await drafts.drop(draft(5, "mine"))
  t.equal(drafts.read(here), "")
  hear()
  await until("nothing is kept of it", patience, async () => texts.size === 0)
  t.equal(there.size, 0)
})

t.test("what stands in place of a text is told from texts", async (t) => {
  const gone = { ids: [1], asked: [2] }
  t.strictSame(readDroppedDraft(droppedDraftText(gone)), gone)
  t.equal(readDroppedDraft("{}"), null)
  t.equal(readDroppedDraft(null), null)
  t.strictSame(readDroppedDraft(""), { ids: [], asked: [] })
  t.strictSame(readDroppedDraft("\u0000broken"), { ids: [], asked: [] })
  t.ok(
    isDroppedDraft(gone, draft(1, "")) &&
      isDroppedDraft(gone, draft(9, "", 2)) &&
      !isDroppedDraft(gone, draft(2, "", 1)),
  )
})
