/** How messages look and are reached, in Chromium: what must not move, what is read out, and what is seen on small screens and paper. */
import type { Page } from "playwright-core"
import t from "tap"
import { act, arrives, messageOf, patience, skip, withScene, write } from "./kit.ts"

const welcome = "#channel/1/topic/welcome"
const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }

const heightOf = (page: Page, selector: string) =>
  page.evaluate<number>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].at(-1).getBoundingClientRect().height`,
  )
const styleOf = (page: Page, selector: string, name: string) =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(name)}]`)
const settled = async (page: Page, name: string) => {
  await page.locator(`dialog.below.${name}[open]`).waitFor()
  await page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))")
}
const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent")

t.test("messages as they are seen", { skip, timeout: 8 * patience }, (t) =>
  withScene(t, async (scene) => {
    const page = await scene.signedIn("member", welcome)
    const writer = await scene.person("member")
    const say = (content: string) => writer.must.post("/messages", { type: "stream", to: 1, topic: "welcome", content })

    await t.test("a message that is sent has its place and height from the first moment", async (t) => {
      let release = (): void => {}
      await page.route("**/api/v1/messages", async (route) => {
        if (route.request().method() === "POST")
          await new Promise<void>((resolve) => {
            release = resolve
          })
        await route.continue()
      })
      for (const [text, shown] of [
        ["the first of some", "the first of some"],
        ["and one that follows", "and one that follows"],
        ["two parts\n\nof one", "two parts\\s+of one"],
        ["two lines\nof one", "two lines\\s+of one"],
        ["/me waves", "waves"],
      ] as const) {
        await write(page, text)
        await page.locator(".message.pending").waitFor()
        const [height, list] = [await heightOf(page, ".message"), await heightOf(page, "#messages .column")]
        while (await page.locator(".message.pending").count()) {
          release()
          await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))")
        }
        await arrives(page, shown)
        t.equal(await heightOf(page, ".message"), height, text)
        t.equal(await heightOf(page, "#messages .column"), list, text)
      }
      await page.unroute("**/api/v1/messages")
    })

    await t.test("who does something is named in what they do", async (t) => {
      const message = page.locator(".message.is-me").last()
      t.match(await message.locator("header").textContent(), /^Max Member waves/)
      t.equal(await styleOf(page, ".is-me .content", "display"), "inline")
      t.equal(await styleOf(page, ".is-me .content", "fontStyle"), "italic")
    })

    await t.test("a spoiler is a button, and is heard once it is open", async (t) => {
      await say("```spoiler The **end**\nThey marry.\n```")
      const header = page.locator(".spoiler-header").last()
      const content = page.locator(".spoiler-content").last()
      await header.waitFor()
      t.equal(await header.getAttribute("role"), "button")
      const [arrow, text] = [await header.boundingBox(), await header.locator("p").boundingBox()]
      t.ok(arrow !== null && text !== null && text.height < 30 && arrow.height < 40, "the arrow has no line of its own")
      t.equal(await styleOf(page, ".spoiler-block", "borderTopWidth"), "1px")
      await header.focus()
      for (const [key, isOpen] of [
        ["Enter", true],
        ["Space", false],
        ["Space", true],
      ] as const) {
        await page.keyboard.press(key)
        t.equal(await content.isVisible(), isOpen)
        t.equal(await header.getAttribute("aria-expanded"), String(isOpen))
      }
      t.equal(await content.getAttribute("aria-hidden"), null)
    })

    await t.test("a time in a text looks like the text", async (t) => {
      await say("at <time:2031-05-06T10:00:00Z> sharp")
      await page.locator(".content time").waitFor()
      t.equal(await styleOf(page, ".content time", "fontSize"), "15px")
      t.equal(await styleOf(page, ".content time", "color"), await styleOf(page, ".content", "color"))
      t.equal(await styleOf(page, ".message header > time", "fontSize"), "11.25px", "the clock is small")
    })

    await t.test("a star and an edit move nothing", async (t) => {
      const { id } = await say("of one height")
      const one = `[data-id="${String(id)}"]`
      await page.locator(one).waitFor()
      const height = await heightOf(page, one)
      await writer.must.patch(`/messages/${String(id)}`, { content: "of same height" })
      await writer.must.post("/messages/flags", { messages: [id], op: "add", flag: "starred" })
      await page.locator(`${one} .star`).waitFor()
      await page.locator(`${one} [aria-label='edited']`).waitFor()
      t.equal(await heightOf(page, one), height)
    })

    await t.test("a long message is folded", async (t) => {
      await say(Array.from({ length: 90 }, (_, at) => `line ${at}`).join("\n"))
      const button = page.locator(".fold", { hasText: "Show more" })
      await button.waitFor()
      t.ok((await heightOf(page, ".message:has(.fold)")) < 800)
      await button.click()
      await page.locator(".fold", { hasText: "Show less" }).waitFor()
      t.ok((await heightOf(page, ".message:has(.fold)")) > 1800)
      await page.locator(".fold").click()
      await page.locator(".cut").waitFor()
      t.ok(await page.locator(".fold").isVisible())
    })

    await t.test("on paper there is all that is loaded, and only that", async (t) => {
      await page.emulateMedia({ media: "print" })
      const whole = await page.evaluate<number>(`document.documentElement.scrollHeight`)
      t.ok(whole > (await heightOf(page, "#messages .column")) && whole > 2000, "a folded message is whole")
      for (const hidden of [".sidebar", ".compose", ".place-header .tools", ".fold"])
        t.equal(await page.locator(hidden).first().isVisible(), false, hidden)
      await page.emulateMedia({ media: "screen" })
    })

    await t.test("the bar is one stop of the Tab key, and its menu one of arrow keys", async (t) => {
      await write(page, "by keys")
      await arrives(page, "by keys")
      await page.locator("#write").press("Escape")
      await page.keyboard.press("k")
      await page.keyboard.press("j")
      const bar = page.locator(".selected .message-actions")
      await bar.waitFor()
      t.equal(await bar.locator("button:not([tabindex='-1'])").count(), 1)
      await bar.locator("[tabindex='0']").focus()
      await page.keyboard.press("Home")
      t.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "React with thumbs up")
      await page.setViewportSize({ width: 600, height: 800 })
      await bar.locator("[tabindex='0']").focus()
      await page.keyboard.press("End")
      await page.keyboard.press("ArrowRight")
      t.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "Add a reaction")
      await page.setViewportSize({ width: 1280, height: 800 })
      await bar.locator("[tabindex='0']").focus()
      await page.keyboard.press("End")
      const more = bar.locator("[aria-label=More]")
      t.equal(await more.getAttribute("aria-expanded"), "false")
      await page.keyboard.press("Enter")
      await page.locator("[role=menu]").waitFor()
      t.equal(await focused(page), "Quote")
      await page.keyboard.press("ArrowDown")
      t.equal(await focused(page), "Star")
      await page.keyboard.press("End")
      t.equal(await focused(page), "Delete")
      await page.keyboard.press("ArrowDown")
      t.equal(await focused(page), "Quote")
      await page.keyboard.press("Escape")
      await page.locator("[role=menu]").waitFor({ state: "detached" })
      t.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "More", "the focus is back")
    })

    await t.test("a menu of the mouse stays while things happen, and its button closes it", async (t) => {
      const message = messageOf(page, "by keys")
      await message.hover()
      await message.locator("[aria-label=More]").click()
      await page.locator("[role=menu]").waitFor()
      const id = await message.getAttribute("data-id")
      await writer.must.patch(`/messages/${id}`, { content: "by more keys" })
      await arrives(page, "by more keys")
      await say("something new")
      await arrives(page, "something new")
      t.equal(await page.locator("[role=menu]").count(), 1)
      await page.locator("[aria-label=More][aria-expanded=true]").click()
      await page.locator("[role=menu]").waitFor({ state: "detached" })
    })

    await t.test("at 200 % menu and picker lie below, whole", async (t) => {
      await page.setViewportSize({ width: 640, height: 400 })
      const isWhole = `(() => { const { top, bottom, height } = document.querySelector("dialog.below").getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight && height > 100 })()`
      await messageOf(page, "something new").hover()
      await messageOf(page, "something new").locator("[aria-label=More]").click()
      await settled(page, "menu")
      t.equal(await page.evaluate(isWhole), true)
      await page.keyboard.press("Escape")
      await page.locator("dialog").waitFor({ state: "detached" })
      await act(page, "something new", "Star")
      await page.locator(".compose [aria-label=Emoji]").click()
      await settled(page, "picker")
      t.equal(await page.evaluate(isWhole), true)
      await page.keyboard.press("Escape")
      await page.setViewportSize({ width: 1280, height: 800 })
    })

    await t.test("a phone: whole words in tables, and a search that takes no room until it is asked for", async (t) => {
      await say(
        "| Fruit | Price | From | Until | Remarks |\n|--|--|--|--|--|\n| Apples | 1,20 | Wednesday | Thursday | uncomfortable |",
      )
      const small = await scene.signedIn("guest", welcome, phone)
      await small.locator("td", { hasText: "Apples" }).waitFor()
      t.equal(await small.evaluate(`document.querySelector("td").getBoundingClientRect().height < 40`), true)
      t.equal(
        await small.evaluate(
          `document.querySelector("table").scrollWidth > document.querySelector("table").clientWidth`,
        ),
        true,
      )
      t.equal(await small.evaluate("document.documentElement.scrollWidth <= innerWidth"), true)
      const header = await heightOf(small, ".place-header")
      t.ok(header < 70, "one row")
      await small.locator(".place-header [aria-label='Search messages']").first().tap()
      await small.locator("#search").fill("Apples")
      t.ok((await heightOf(small, ".place-header")) > header)
      await small.locator("#search").press("Enter")
      await small.locator("h1", { hasText: "Apples" }).waitFor()
      t.ok((await heightOf(small, ".place-header")) < 70)
      await small.keyboard.press("/")
      t.equal(await small.evaluate("document.activeElement.id"), "search")
    })
  }),
)
