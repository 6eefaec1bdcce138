/** What a finger does with messages, in Chromium as a phone: a sheet from below with all that one may do, and what others see of it. */
import { readFileSync } from "node:fs"
import type { Locator, Page } from "playwright-core"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { until } from "../kit/test-database.ts"
import { arrives, closeDialog, messageOf, patience, skip, texts, withScene, write } from "./kit.ts"

const welcome = "#channel/1/topic/welcome"
const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }

const sheetOf = (page: Page): Locator => page.locator("dialog.below[open]")

/** A point of the message where there is nothing to press. */
const freePoint = async (message: Locator) => {
  await message.scrollIntoViewIfNeeded()
  const box = await message.locator(".body").boundingBox()
  if (box === null) throw new Error("the message is not shown")
  return { x: box.x + box.width - 12, y: box.y + box.height / 2 }
}

const tap = async (page: Page, text: string): Promise<void> => {
  const { x, y } = await freePoint(messageOf(page, text))
  await page.touchscreen.tap(x, y)
  await sheetOf(page).waitFor()
}

/** Rests on the message until the sheet is there. */
const longPress = async (page: Page, text: string): Promise<void> => {
  const { x, y } = await freePoint(messageOf(page, text))
  const session = await page.context().newCDPSession(page)
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] })
  await sheetOf(page).waitFor()
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
  await session.detach()
}

const choose = async (page: Page, text: string, label: string): Promise<void> => {
  await tap(page, text)
  await sheetOf(page)
    .locator("[role=menuitem]", { hasText: new RegExp(`^${label}$`) })
    .tap()
  await sheetOf(page).waitFor({ state: "detached" })
}

const close = async (page: Page): Promise<void> => {
  await page.keyboard.press("Escape")
  await sheetOf(page).waitFor({ state: "detached" })
}

const labels = (page: Page): Promise<ReadonlyArray<string>> =>
  sheetOf(page).locator("[role=menuitem]").allTextContents()

t.test("messages under a finger", { skip, timeout: 8 * patience }, (t) =>
  withScene(t, async (scene) => {
    const member = await scene.signedIn("member", welcome)
    const page = await scene.signedIn("owner", welcome, {
      ...phone,
      permissions: ["clipboard-read", "clipboard-write"],
    })
    // Signing in has left a mouse on the page.
    await page.mouse.move(1, 1)
    await write(member, "from the desk")
    for (const text of ["by hand", "to keep", "to move", "to lose"]) {
      await write(page, text)
      await arrives(member, text)
    }
    await arrives(page, "to lose")

    await t.test("a tap and a long press open the sheet; Escape and a tap beside it close it", async (t) => {
      await page.evaluate(`window.menus = 0
        addEventListener("contextmenu", (event) => { if (!event.defaultPrevented) window.menus++ })`)
      for (const open of [tap, longPress]) {
        await open(page, "by hand")
        await sheetOf(page).waitFor()
        t.equal(await page.locator(".message-actions").count(), 0, "the bar is for the mouse")
        t.equal(await page.evaluate(`document.activeElement.closest("dialog.below") !== null`), true)
        await close(page)
        t.match(await page.evaluate("document.activeElement.textContent"), /by hand/)
      }
      t.equal(await page.evaluate("window.menus"), 0, "the browser's own menu does not come")
      await longPress(page, "by hand")
      await page.touchscreen.tap(195, 60)
      await sheetOf(page).waitFor({ state: "detached" })
      t.equal(await page.evaluate("getSelection().isCollapsed"), true)
    })

    await t.test("it lies below, whole, and offers what one may do", async (t) => {
      await tap(page, "from the desk")
      t.strictSame(await labels(page), [
        ...["Reply", "Quote", "Star", "Mark as unread", "Copy link", "Copy text"],
        ...["Who has read it", "Move", "Delete"],
      ])
      await page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))")
      const box = await sheetOf(page).boundingBox()
      t.equal(box !== null && Math.round(box.y + box.height), 844)
      t.ok(box !== null && box.y > 0)
      await page.keyboard.press("End")
      t.equal(await page.evaluate("document.activeElement.textContent"), "Delete")
      await close(page)
      await tap(page, "by hand")
      t.ok((await labels(page)).includes("Edit"))
      await close(page)
    })

    await t.test("axe finds nothing in the sheet", async (t) => {
      await page.evaluate(readFileSync(packageFile("node_modules/axe-core/axe.min.js"), "utf8"))
      await tap(page, "by hand")
      await page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))")
      const found = `axe.run("dialog.below").then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))`
      t.strictSame(await page.evaluate(found), [])
      await close(page)
    })

    await t.test("what is in a message is pressed as ever", async (t) => {
      await write(member, "look at [this](https://example.com/x)\n\n```spoiler riddle\nanswer\n```")
      const message = page.locator(".message", { hasText: "riddle" })
      await message.locator(".spoiler-header").tap()
      await message.locator(".spoiler-content", { hasText: "answer" }).waitFor()
      const opened = page.context().waitForEvent("page")
      await message.locator("a", { hasText: "this" }).tap()
      await (await opened).close()
      t.equal(await sheetOf(page).count(), 0)
      await member.locator(".message", { hasText: "by hand" }).hover()
      await member.locator(".message", { hasText: "by hand" }).locator("[aria-label='React with heart']").click()
      await messageOf(page, "by hand").locator(".reaction").tap()
      await messageOf(member, "by hand").locator(".reaction", { hasText: "2" }).waitFor()
      t.equal(await sheetOf(page).count(), 0)
    })

    await t.test("an open sheet stays while things happen", async (t) => {
      const writer = await scene.person("member")
      await tap(page, "from the desk")
      const id = await messageOf(page, "from the desk").getAttribute("data-id")
      await writer.must.post(`/messages/${id}/reactions`, { emoji_name: "tada" })
      await page.locator(`[data-id="${id}"] .reaction`).waitFor()
      await writer.must.patch(`/messages/${id}`, { content: "from the chair" })
      await texts(page, "from the chair").waitFor({ state: "attached" })
      await write(member, "meanwhile")
      await texts(page, "meanwhile").waitFor({ state: "attached" })
      t.equal(await sheetOf(page).count(), 1)
      t.ok((await labels(page)).includes("History of edits"))
      await close(page)
    })

    await t.test("reply, quote, react, edit", async (t) => {
      await choose(page, "from the chair", "Reply")
      await until("the box has the focus", patience, () => page.evaluate(`document.activeElement.id === "write"`))
      await choose(page, "from the chair", "Quote")
      await until("it is quoted", patience, async () =>
        /from the chair/.test(await page.locator("#write").inputValue()),
      )
      await page.locator("#write").fill("")
      await tap(page, "from the chair")
      await sheetOf(page).locator("[aria-label='React with thumbs up']").tap()
      await messageOf(member, "from the chair").locator(".reaction", { hasText: "👍" }).waitFor()
      await tap(page, "from the chair")
      await sheetOf(page).locator("[aria-label='Add a reaction']").tap()
      await page.locator("dialog.picker [aria-label='eyes']").tap()
      await messageOf(member, "from the chair").locator(".reaction", { hasText: "👀" }).waitFor()
      t.equal(await page.locator("dialog.picker").count(), 0)
      await choose(page, "by hand", "Edit")
      await page.locator(".edit-box textarea:enabled").fill("by two hands")
      await page.locator(".edit-box .primary").tap()
      await arrives(member, "by two hands")
    })

    await t.test("star, copy, mark as unread", async (t) => {
      const owner = await scene.person("owner")
      await choose(page, "to keep", "Star")
      await messageOf(page, "to keep").locator(".star").waitFor()
      await choose(page, "to keep", "Copy link")
      await page.locator(".notice", { hasText: "The link was copied." }).waitFor()
      const id = await messageOf(page, "to keep").getAttribute("data-id")
      t.match(await page.evaluate("navigator.clipboard.readText()"), new RegExp(`#channel/1/topic/welcome/near/${id}$`))
      await choose(page, "to keep", "Copy text")
      await page.locator(".notice", { hasText: "The text was copied." }).waitFor()
      t.equal(await page.evaluate("navigator.clipboard.readText()"), "to keep")
      await choose(page, "to keep", "Mark as unread")
      await messageOf(page, "to keep").and(page.locator(".is-unread")).waitFor()
      const { message } = await owner.must.get(`/messages/${id}`)
      t.notMatch(JSON.stringify(message), /"read"/)
    })

    await t.test("who has read it, history, move, delete", async () => {
      await choose(page, "to move", "Who has read it")
      await page.locator("dialog h2", { hasText: "Who has read it" }).waitFor()
      await closeDialog(page)
      await choose(page, "by two hands", "History of edits")
      await page.locator("dialog .history", { hasText: "by hand" }).waitFor()
      await closeDialog(page)
      await choose(page, "to move", "Move")
      await page
        .locator("dialog label", { hasText: /^Topic/ })
        .locator("input")
        .fill("elsewhere")
      await page.locator("dialog .primary", { hasText: "Move" }).tap()
      await texts(member, "to move").waitFor({ state: "detached" })
      await choose(page, "to lose", "Delete")
      await page.locator("dialog .danger").tap()
      await texts(member, "to lose").waitFor({ state: "detached" })
    })
  }),
)
