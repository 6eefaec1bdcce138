/**
 * The page in a real browser, Chromium, with a server of its own in a process. Where there is no Chromium the tests are passed
 * over, and say so: PARLEY_CHROMIUM names another program.
 */
import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import type { Test } from "tap"
import { findFreePort } from "../../src/testing/free-port.ts"
import type { Person } from "../kit/client.ts"
import { makeFlags, originOf, Program, signIn } from "../kit/program.ts"

const executablePath = process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium"

export const skip = existsSync(executablePath) ? false : `there is no Chromium at ${executablePath}`
/** Generous: the machine may do other things. */
export const patience = 60_000

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

export const write = async (page: Page, text: string): Promise<void> => {
  await page.locator("#write").fill(text)
  await page.locator("#write").press("Enter")
}

/** Messages of which the whole text is this. */
export const texts = (page: Page, text: string) =>
  page.locator(".message:not(.pending) .content", { hasText: new RegExp(`^\\s*${text}\\s*$`) })

/** The whole message, by its text. */
export const messageOf = (page: Page, text: string) =>
  page.locator(".message:not(.pending)", {
    has: page.locator(".content", { hasText: new RegExp(`^\\s*${text}\\s*$`) }),
  })

export const arrives = (page: Page, text: string) => texts(page, text).first().waitFor()

/** Chooses from what can be done with the message that has this text. */
export const act = async (page: Page, text: string, label: string): Promise<void> => {
  const message = page.locator(".message", { hasText: text }).first()
  await message.hover()
  await message.locator("[aria-label='More']").click()
  await message.locator("[role=menuitem]", { hasText: new RegExp(`^${label}$`) }).click()
}

export const closeDialog = async (page: Page): Promise<void> => {
  await page.keyboard.press("Escape")
  await page.locator("dialog").waitFor({ state: "detached" })
}

/** Answers the page's own question, by the button that does what is asked. */
export const agree = (page: Page): Promise<void> => page.locator(".question .row button").last().click()

export class Scene {
  readonly #t: Test
  readonly #browser: Browser
  readonly #flags: (port: number) => ReadonlyArray<string>
  readonly port: number
  #program: Program
  /** What the pages complained of: the policy's refusals, errors of scripts. */
  readonly complaints: Array<string> = []

  constructor(t: Test, browser: Browser, flags: (port: number) => ReadonlyArray<string>, port: number) {
    this.#t = t
    this.#browser = browser
    this.#flags = flags
    this.port = port
    this.#program = new Program(t, flags(port))
  }

  get origin(): string {
    return originOf(this.port)
  }

  /** One of the demo's people, who asks the server without a page. */
  person(name: string): Promise<Person> {
    return signIn(this.port, name)
  }

  async ready(): Promise<void> {
    await this.#program.listens()
  }

  async kill(): Promise<void> {
    await this.#program.kill()
  }

  async startAgain(): Promise<void> {
    this.#program = new Program(this.#t, this.#flags(this.port))
    await this.ready()
  }

  async page(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context: BrowserContext = await this.#browser.newContext({
      viewport: { width: 1280, height: 800 },
      ...options,
    })
    context.setDefaultTimeout(patience)
    const page = await context.newPage()
    page.on("pageerror", (error) => this.complaints.push(error.message))
    page.on("console", (message) => {
      // A server that is away is what the tests want to see.
      if (message.type() === "error" && !/Failed to load resource|WebSocket connection/.test(message.text()))
        this.complaints.push(message.text())
    })
    return page
  }

  /** Signed in by one click, at the feed of everything or at another place. */
  async signedIn(name: string, hash = "", options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const page = await this.page(options)
    await this.enter(page, name, hash)
    return page
  }

  /** `origin`: of a proxy before the server, for example. */
  async enter(page: Page, name: string, hash = "", origin = this.origin): Promise<void> {
    await page.goto(`${origin}/${hash}`)
    await page.locator(".demo button", { hasText: new RegExp(`^${name}$`, "i") }).click()
    await page.locator(".compose").waitFor()
  }
}

/** `further`: flags of the program. */
export const withScene = async (
  t: Test,
  run: (scene: Scene) => Promise<void>,
  ...further: ReadonlyArray<string>
): Promise<void> => {
  const flags = await makeFlags(t)
  const browser = await chromium.launch({ executablePath, args })
  t.teardown(() => browser.close())
  const scene = new Scene(t, browser, (port) => [...flags(port), ...further], await findFreePort())
  await scene.ready()
  await run(scene)
  t.strictSame(scene.complaints, [], "the pages complained of nothing")
}
