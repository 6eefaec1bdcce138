/** What a person feels of the page as they use it: a key, a switch of places, and a hundred messages that come at once elsewhere. */
import type { Page } from "playwright-core"
import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import type { Row } from "../scenario.ts"

const keys = 60
const switches = 20
const burst = 100

/** Runs in the page: how long each key takes until the frame after it. */
const noteKeys = `window.keyTimes = []
document.querySelector("#write").addEventListener("keydown", () => {
  const pressed = performance.now()
  requestAnimationFrame(() => setTimeout(() => keyTimes.push(performance.now() - pressed)))
})`

/** The page forbids what playwright would wait by. */
const waitFor = async (page: Page, what: string): Promise<void> => {
  // Marks of what is read may change a count meanwhile: it is not waited for without end.
  for (let n = 0; n < 200 && !(await page.evaluate<boolean>(what)); n++) await page.waitForTimeout(50)
}

const pressKeys = async (page: Page): Promise<Row> => {
  const field = page.locator("#write")
  await field.waitFor()
  await page.evaluate(noteKeys)
  await field.focus()
  for (let n = 0; n < keys; n++) await page.keyboard.press(n % 7 === 6 ? "Space" : "x")
  await waitFor(page, `keyTimes.length === ${keys}`)
  const times = await page.evaluate<ReadonlyArray<number>>("keyTimes")
  await field.fill("")
  const figures = { "key to frame ms": median(times), "key to frame p95 ms": quantile(times, 0.95) }
  return { label: "a key is pressed", figures, remarks: [`${keys} keys, 240 messages in the list`] }
}

/** Runs in the page: goes to a channel, and answers the milliseconds until its messages are drawn. */
const goTo = (channel: number): string => `new Promise((resolve) => {
  const begun = performance.now()
  const before = document.querySelector("#messages")
  location.hash = "#channel/${channel}"
  const look = () => {
    const list = document.querySelector("#messages")
    if (list === null || list === before || list.querySelector("[data-id]") === null) return requestAnimationFrame(look)
    setTimeout(() => resolve(performance.now() - begun))
  }
  requestAnimationFrame(look)
})`

const switchPlaces = async (page: Page): Promise<Row> => {
  const times: Array<number> = []
  for (let n = 0; n < switches; n++) times.push(await page.evaluate<number>(goTo(2 - (n % 2))))
  const figures = { "switch ms": median(times), "switch p95 ms": quantile(times, 0.95) }
  return { label: "places are switched", figures, remarks: [`${switches} times`] }
}

/** `send`: one message to a topic that is not shown. */
const bearStorm = async (page: Page, send: () => Promise<unknown>): Promise<Row> => {
  const count = `Number(/\\((\\d+)\\)/.exec(document.title)?.[1] ?? 0)`
  const before = await page.evaluate<number>(count)
  await page.evaluate("tasks.splice(0)")
  await Promise.all(Array.from({ length: burst }, send))
  await waitFor(page, `${count} === ${before + burst}`)
  const tasks = await page.evaluate<ReadonlyArray<number>>("tasks.splice(0)")
  const figures = {
    "long tasks": tasks.length,
    "long tasks ms": tasks.reduce((sum, each) => sum + each, 0),
    "longest task ms": Math.max(0, ...tasks),
  }
  return { label: "a storm of messages elsewhere", figures, remarks: [`${burst} messages`] }
}

/** At a page that is open at the first of two channels, and notes its long tasks. */
export const usePage = async (page: Page, send: () => Promise<unknown>): Promise<ReadonlyArray<Row>> => [
  await pressKeys(page),
  await switchPlaces(page),
  await bearStorm(page, send),
]
