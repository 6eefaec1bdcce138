/**
 * The page in Chromium: how it opens for somebody to whom 10,000 messages are unread, and reads them all at once; and at a channel with
 * a long history, where somebody scrolls back as fast as pages of it come, and goes to places all over it. What each frame took, and
 * what the page holds in the end.
 */
import { existsSync } from "node:fs"
import { chromium, type Page } from "playwright-core"
import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import { startServer } from "../bench.ts"
import { eventBytes, type Row, type Scenario, type Settings } from "../scenario.ts"
import { usePage } from "./page-use.ts"

const executablePath = process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium"
const places = 20
/** Pixels of a frame: a long wheel that is turned without rest. */
const pixels = 120

/** Runs in the page: scrolls up for so long; answers the milliseconds of each frame, and how many messages passed. */
const scroll = (milliseconds: number): string => `new Promise((resolve) => {
  const list = document.querySelector("#messages")
  const frames = []
  const seen = new Set()
  const begun = performance.now()
  let last = begun
  const step = (now) => {
    frames.push(now - last)
    last = now
    for (const row of list.querySelectorAll("[data-id]")) seen.add(row.dataset.id)
    if (now - begun > ${milliseconds}) return resolve({ frames: frames.slice(1), seen: seen.size })
    list.scrollTop -= ${pixels}
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
})`

/** Runs in each page before its own script: tasks that a person would feel. */
const noteTasks = `window.tasks = []
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) tasks.push(duration) })
  .observe({ type: "longtask", buffered: true })`

const longest = async (page: Page): Promise<number> =>
  Math.max(0, ...(await page.evaluate<ReadonlyArray<number>>("tasks.splice(0)")))

/** Chromium at a server of its own, signed in as the first of its people. */
const openPage = async (server: Awaited<ReturnType<typeof startServer>>["started"], prepare = "") => {
  const [account] = server.accounts
  if (account === undefined) throw new Error("nobody is there")
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const kept = JSON.stringify({ email: account.email, apiKey: account.key })
  await context.addInitScript(`localStorage.setItem("parley.account", ${JSON.stringify(kept)});${prepare}`)
  return { browser, page: await context.newPage(), origin: `http://127.0.0.1:${server.port}` }
}

const unreadRows = /unread|as read/
const scrolled = /^(as it opens|scrolled|at places)/
const unread = { channels: 200, messages: 10_000, topics: 5 }
const opens = 5

/** Opens it some times, then marks all as read. */
const openUnread = async (settings: Settings): Promise<ReadonlyArray<Row>> => {
  const wanted = { databaseUrl: await settings.fresh(), people: 20, furniture: null, unread, eventBytes }
  const { server, started } = await startServer("parley", wanted)
  const { browser, page, origin } = await openPage(started, noteTasks)
  const paints: Array<number> = []
  const tasks: Array<number> = []
  const there: Array<number> = []
  for (let n = 0; n < opens; n++) {
    await page.goto(`${origin}/?${n}#all`)
    await page.locator(".message").first().waitFor()
    there.push(await page.evaluate<number>("performance.now()"))
    paints.push(await page.evaluate<number>(`performance.getEntriesByName("first-contentful-paint")[0].startTime`))
    tasks.push(await longest(page))
  }
  const opened = { "first paint ms": median(paints), "messages ms": median(there), "longest task ms": median(tasks) }
  const remarks = [`${unread.messages} unread in ${unread.channels} channels`, `median of ${opens}`]
  await page.locator("[aria-label='Mark all as read']").click()
  await page.locator(".sidebar .count").first().waitFor({ state: "detached" })
  const read = { "longest task ms": await longest(page) }
  await browser.close()
  await server.stop()
  return [
    { label: "opened, much unread", figures: opened, remarks },
    { label: "all marked as read", figures: read, remarks: [] },
  ]
}

/** Two channels with many messages, of which one is shown; a second person writes to a third topic. */
const useIt = async (settings: Settings): Promise<ReadonlyArray<Row>> => {
  const history = { channels: 2, messages: 2_000, topics: 1 }
  const wanted = { databaseUrl: await settings.fresh(), people: 20, furniture: null, history, eventBytes }
  const { server, started } = await startServer("parley", wanted)
  const { browser, page, origin } = await openPage(started, noteTasks)
  await page.goto(`${origin}/#channel/1`)
  await page.locator(".message").first().waitFor()
  await page.locator("[aria-label='Mark as read']").click()
  await page.evaluate("document.querySelector('#messages').scrollTop = 0")
  const [, other] = started.accounts
  const authorization = `Basic ${Buffer.from(`${other?.email}:${other?.key}`).toString("base64")}`
  const send = async () => {
    const body = new URLSearchParams({ type: "channel", to: JSON.stringify(2), topic: "storm", content: "a message" })
    const answer = await fetch(`${origin}/api/v1/messages`, { method: "POST", body, headers: { authorization } })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const rows = await usePage(page, send)
  await browser.close()
  await server.stop()
  return rows
}

interface Scrolled {
  readonly frames: ReadonlyArray<number>
  readonly seen: number
}

const held = async (page: Page): Promise<{ readonly heap: number; readonly nodes: number }> => {
  const session = await page.context().newCDPSession(page)
  await session.send("HeapProfiler.enable")
  await session.send("HeapProfiler.collectGarbage")
  await session.send("Performance.enable")
  const { metrics } = await session.send("Performance.getMetrics")
  await session.detach()
  const of = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN
  return { heap: of("JSHeapUsedSize") / 1e6, nodes: of("Nodes") }
}

export const page: Scenario = {
  name: "page",
  about: `the page in Chromium: opened with 10,000 unread messages; scrolling back through a channel of N messages, and ${places} places all over it`,
  targets: {
    "first paint ms": { most: 300, of: /^opened/ },
    "longest task ms": { most: 200, of: unreadRows },
    "frame p50 ms": { most: 16.8, of: scrolled },
    "heap MB": { most: 40, of: scrolled },
    "key to frame ms": { most: 16.8, of: /key/ },
    "switch ms": { most: 200, of: /switched/ },
    "long tasks ms": { most: 500, of: /storm/ },
  },
  run: async (settings) => {
    if (!existsSync(executablePath)) return [{ label: "no Chromium here", figures: {}, remarks: [executablePath] }]
    settings.progress("unread messages")
    const rows: Array<Row> = [...(await openUnread(settings))]
    settings.progress("use")
    rows.push(...(await useIt(settings)))
    for (const messages of settings.sizes ?? [100_000]) {
      settings.progress(`${messages} messages: seeding`)
      const { server, started } = await startServer("parley", {
        databaseUrl: await settings.fresh(),
        people: 20,
        furniture: null,
        history: { channels: 1, messages, topics: 1 },
        eventBytes,
      })
      const { browser, page: at, origin } = await openPage(started)
      const add = async (label: string, { frames, seen }: Scrolled) => {
        const { heap, nodes } = await held(at)
        const figures = {
          "frame p50 ms": median(frames),
          "frame p99 ms": quantile(frames, 0.99),
          "messages seen": seen,
          "heap MB": heap,
          nodes,
        }
        rows.push({ label, figures, remarks: [`${messages} messages`] })
      }
      await at.goto(`${origin}/#channel/1`)
      await at.locator(".message").first().waitFor()
      await add("as it opens", await at.evaluate<Scrolled>(scroll(500)))
      settings.progress(`${messages} messages: scrolling`)
      await add("scrolled", await at.evaluate<Scrolled>(scroll(settings.seconds * 1000)))
      settings.progress(`${messages} messages: places`)
      const frames: Array<number> = []
      let seen = 0
      for (let n = 1; n <= places; n++) {
        const near = Math.max(1, Math.floor((messages * n) / (places + 1)))
        await at.evaluate(`location.hash = "#channel/1/near/${near}"`)
        await at.locator(`[data-id="${near}"]`).waitFor()
        const part = await at.evaluate<Scrolled>(scroll(500))
        frames.push(...part.frames)
        seen += part.seen
      }
      await add("at places all over", { frames, seen })
      await browser.close()
      await server.stop()
    }
    return rows
  },
}
