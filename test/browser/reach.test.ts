/** The page by keyboard, enlarged and on narrow screens: what has the focus, and that nothing lies beside the page. */
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { until } from "../kit/test-database.ts"
import { act, agree, arrives, closeDialog, messageOf, patience, skip, withScene, write } from "./kit.ts"

const welcome = "#channel/1/topic/welcome"
const phone = { hasTouch: true, isMobile: true, viewport: { width: 320, height: 640 } }
/** As of a window of 1280 by 1024 that is enlarged four times: there is a mouse. */
const enlarged = { viewport: { width: 320, height: 256 } }

/** The control with the focus, as it is called. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(({ id, tagName, ariaLabel, textContent }) =>
    id || ariaLabel || textContent.trim().slice(0, 40) || tagName)(document.activeElement)`)

/** The focus is wherever it shall be once what happened was drawn. */
const focusIs = (page: Page, wanted: string): Promise<unknown> =>
  until(`the focus is on ${wanted}`, patience, async () => (await focused(page)) === wanted)

const isWhole = (page: Page): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth <= innerWidth && scrollX === 0")

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  if (box === null) throw new Error(`${selector} is not shown`)
  return { ...box, end: box.x + box.width, bottom: box.y + box.height }
}

const menu = "Channels and conversations"

t.test("narrow and enlarged", { skip, timeout: 8 * patience }, (t) =>
  withScene(t, async (scene) => {
    await t.test("the side bar by keyboard", async (t) => {
      const page = await scene.signedIn("member", "", enlarged)
      const opener = page.locator(`.place-header [aria-label='${menu}']`)
      const open = async () => {
        await opener.focus()
        await page.keyboard.press("Enter")
        await page.locator(".sidebar.open").waitFor()
        t.match(await focused(page), /^All messages/)
        t.equal(await opener.getAttribute("aria-expanded"), "true")
      }
      await open()
      t.equal(await page.evaluate(`document.querySelector("main").inert`), true)
      await page.keyboard.press("Escape")
      await focusIs(page, menu)
      t.equal(await opener.getAttribute("aria-expanded"), "false")
      await open()
      await page.locator(".sidebar [aria-label='Close']").press("Enter")
      await focusIs(page, menu)
      await open()
      await page.locator(".sidebar a", { hasText: "Starred" }).press("Enter")
      await page.locator(".place-header h1", { hasText: "Starred" }).waitFor()
      await focusIs(page, menu)
      await open()
      // With room beside the page it is no menu any more.
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.locator("main:not([inert])").waitFor()
      await page.context().close()
    })

    await t.test("what one may do with a place is in one menu, and its name has room", async (t) => {
      const page = await scene.signedIn("member", welcome, phone)
      const title = await boxOf(page, ".place-header .title")
      t.ok(title.width > 150, `${title.width} px for the name`)
      t.equal(await page.locator(".place-header .tools > button:visible").count(), 2)
      await page.locator(".place-header [aria-label='More']").tap()
      const sheet = page.locator("dialog.below[open]")
      await sheet.locator("[role=menuitemcheckbox]", { hasText: "Follow" }).tap()
      await sheet.waitFor({ state: "detached" })
      await focusIs(page, "More")
      await page.locator(".tools [aria-label='Follow'][aria-pressed=true]").waitFor({ state: "attached" })
      await page.context().close()
    })

    await t.test("a sheet gives the focus back", async (t) => {
      const page = await scene.signedIn("member", welcome, enlarged)
      await write(page, "to be opened")
      await arrives(page, "to be opened")
      await page.locator("#write").press("Escape")
      await page.keyboard.press("j")
      await page.locator(".message.selected [aria-label='More']").focus()
      await page.keyboard.press("Enter")
      await page.locator("dialog.below[open]").waitFor()
      await page.keyboard.press("Escape")
      await page.locator("dialog.below").waitFor({ state: "detached" })
      t.equal(await focused(page), "More")
      t.equal(await page.evaluate(`document.activeElement.closest(".message") !== null`), true)
      await page.context().close()
    })

    await t.test("messages have most of a page that is enlarged", async (t) => {
      const page = await scene.signedIn("member", welcome, enlarged)
      await page.locator("#write").press("Escape")
      await page.mouse.move(1, 1)
      const { height } = await boxOf(page, "#messages")
      t.ok(height > 120, `${height} px for messages`)
      await page.locator("#write").focus()
      await page.locator(".compose-tools .send").waitFor()
      t.ok(await isWhole(page))
      await page.context().close()
    })

    await t.test("Send later is a sheet in the page", async (t) => {
      const page = await scene.signedIn("member", welcome, phone)
      const opener = page.locator("button[aria-label='Send later']")
      await opener.tap()
      await page.locator("dialog.later[open] input").waitFor()
      t.equal(await opener.getAttribute("aria-expanded"), "true")
      const { x, end } = await boxOf(page, "dialog.later")
      t.ok(x >= 0 && end <= 320)
      t.ok(await isWhole(page))
      await page.keyboard.press("Escape")
      await page.locator("dialog.later").waitFor({ state: "detached" })
      await focusIs(page, "Send later")
      await page.context().close()
    })

    await t.test("nothing lies beside the page, and axe finds nothing", async (t) => {
      const page = await scene.signedIn("owner", "", { ...phone, hasTouch: false, isMobile: false })
      await page.evaluate(readFileSync(packageFile("node_modules/axe-core/axe.min.js"), "utf8"))
      const check = async (what: string) => {
        await page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))")
        t.ok(await isWhole(page), `${what} is whole`)
        const wide = `(dialog => dialog === null || dialog.scrollWidth <= dialog.clientWidth)(document.querySelector("dialog[open]"))`
        t.equal(await page.evaluate(wide), true, `${what} does not scroll sideways`)
        const found = `axe.run().then(({ violations }) => violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`
        t.strictSame(await page.evaluate(found), [], what)
      }
      await page.locator(".message").first().waitFor()
      await check("all messages")
      await page.locator(`.place-header [aria-label='${menu}']`).click()
      await check("the side bar")
      for (const name of ["Settings", "Organization", "Scheduled messages", "All channels"]) {
        await page.locator(`.sidebar [aria-label='${name}']`).click()
        await page.locator("dialog[open]").waitFor()
        await check(name)
        t.notMatch(await focused(page), /^Close$/, "what closes it is not what one has come for")
        await closeDialog(page)
      }
      await page.locator(".sidebar a", { hasText: "general" }).first().click()
      await page.locator(".place-header h1", { hasText: "general" }).waitFor()
      await page.locator("#topic").waitFor()
      await check("a channel")
      await page.locator(".place-header [aria-label='More']").click()
      await check("the menu of a channel")
      await page.locator("[role=menuitem]", { hasText: "Settings of the channel" }).click()
      await page.locator("dialog h2", { hasText: "#general" }).waitFor()
      await check("settings of a channel")
      await page.context().close()
    })
  }),
)

t.test("what has the focus once a control has gone", { skip, timeout: 8 * patience }, (t) =>
  withScene(t, async (scene) => {
    const page = await scene.signedIn("admin", welcome)
    const press = (name: string, within = "main") => page.locator(`${within} [aria-label='${name}']`).press("Enter")

    await t.test("a message that is edited takes it, and has no bar meanwhile", async (t) => {
      await write(page, "to be changed")
      await arrives(page, "to be changed")
      await act(page, "to be changed", "Delete")
      await closeDialog(page)
      const message = page.locator(".message", { has: page.locator(".edit-box") })
      const isOnMessage = `document.activeElement.matches(".message") && !document.activeElement.querySelector(".edit-box")`
      const edit = async () => {
        await messageOf(page, "to be changed").hover()
        await messageOf(page, "to be changed").locator("[aria-label='Edit']").click()
        await message.locator("textarea:enabled").waitFor()
        t.equal(await message.locator(".message-actions").count(), 0)
      }
      await edit()
      await message.locator("textarea").press("Escape")
      await until("leaving it gives the focus back", patience, () => page.evaluate(isOnMessage))
      await edit()
      await message.locator("button", { hasText: "Save" }).press("Enter")
      await until("saving it gives the focus back", patience, () => page.evaluate(isOnMessage))
      await page.keyboard.press("j")
      const text = `document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent.trim()`
      await until("it is described by its text", patience, () => page.evaluate(`${text} !== ""`))
    })

    await t.test("the picker of the box closes by the button that opens it", async (t) => {
      const opener = page.locator(".compose-tools [aria-label='Emoji']")
      await opener.click()
      await page.locator(".popup.picker").waitFor()
      await opener.click()
      await page.locator(".popup.picker").waitFor({ state: "detached" })
      t.equal(await opener.getAttribute("aria-expanded"), "false")
    })

    await t.test("Escape in Send later", async () => {
      await press("Send later")
      await focusIs(page, "INPUT")
      await page.keyboard.press("Escape")
      await focusIs(page, "Send later")
    })

    await t.test("drafts and messages for later, one deleted after the other", async () => {
      const admin = await scene.person("admin")
      const soon = Math.floor(Date.now() / 1000) + 3_600
      for (const content of ["one", "two"]) {
        const type = "stream"
        await admin.must.post("/drafts", { drafts: JSON.stringify([{ type, to: [1], topic: content, content }]) })
        const later = { type: "channel", to: "1", topic: content, content, scheduled_delivery_timestamp: soon }
        await admin.must.post("/scheduled_messages", later)
      }
      for (const [name, control] of [
        ["drafts", ".sidebar button:has-text('Drafts')"],
        ["scheduled", ".sidebar [aria-label='Scheduled messages']"],
      ] as const) {
        await page.locator(control).press("Enter")
        const rows = page.locator("dialog .rows li")
        await until(`both ${name} are there`, patience, async () => (await rows.count()) === 2)
        await rows.first().locator("button", { hasText: "Delete" }).press("Enter")
        await until("one is there", patience, async () => (await rows.count()) === 1)
        await focusIs(page, "Delete")
        await page.keyboard.press("Enter")
        await until("none is there", patience, async () => (await rows.count()) === 0)
        await until("the dialog has it", patience, () => page.evaluate(`document.activeElement.matches("dialog")`))
        await closeDialog(page)
      }
    })

    await t.test("somebody is taken out of a channel", async (t) => {
      await page.evaluate(`location.hash = "#channel/1"`)
      await page.locator(".place-header [aria-label='Settings of the channel']").press("Enter")
      const rows = page.locator("dialog .people li button")
      await rows.first().waitFor()
      const before = await rows.count()
      await page.locator("dialog [aria-label^='Remove: Max']").press("Enter")
      await agree(page)
      await until("the row has gone", patience, async () => (await rows.count()) === before - 1)
      t.match(await focused(page), /^Remove: /)
      await closeDialog(page)
    })

    await t.test("the form for a new message, and the box of an answer", async (t) => {
      await page.evaluate(`location.hash = "#all"`)
      await page.locator("#new-message").press("Enter")
      await focusIs(page, "Choose a channel")
      for (const leave of ["Escape", "Cancel"]) {
        if (leave === "Escape") await page.keyboard.press("Escape")
        else await page.locator(".compose button", { hasText: "Cancel" }).press("Enter")
        await focusIs(page, "new-message")
        await page.keyboard.press("Enter")
        await focusIs(page, "Choose a channel")
      }
      await page.keyboard.press("Escape")
      await page.keyboard.press("j")
      await page.keyboard.press("r")
      await focusIs(page, "write")
      await page.locator(".compose .leave").press("Enter")
      await focusIs(page, "new-message")
      t.match(await page.title(), /All messages/)
    })

    await t.test("Subscribe", async () => {
      await page.evaluate(`location.hash = "#channel/1"`)
      const admin = await scene.person("admin")
      await admin.must.delete("/users/me/subscriptions", { subscriptions: JSON.stringify(["general"]) })
      await page.locator(".place-header button", { hasText: "Subscribe" }).press("Enter")
      await focusIs(page, "Add people")
    })

    await t.test("the way to the newest lies in the middle, off the box", async (t) => {
      const admin = await scene.person("admin")
      for (let n = 0; n < 40; n++)
        await admin.must.post("/messages", { type: "channel", to: "1", topic: "long", content: `${n}\n\n.\n\n.` })
      await page.evaluate(`location.hash = "#channel/1/topic/long"`)
      await arrives(page, "39\\s+\\.\\s+\\.")
      await page.locator("#write").press("Escape")
      await page.keyboard.press("Home")
      await page.locator(".to-newest").waitFor()
      const [button, box, list] = [
        await boxOf(page, ".to-newest"),
        await boxOf(page, ".box"),
        await boxOf(page, "#messages"),
      ]
      t.ok(button.bottom <= box.y - 12)
      t.ok(Math.abs((button.x + button.end) / 2 - (list.x + list.end) / 2) < 12)
    })

    await t.test("a channel that is lost is one message, and can be skipped to", async (t) => {
      await page.evaluate(`location.hash = "#channel/999/topic/x"`)
      await page.locator(".place-header h1", { hasText: "Unknown channel" }).waitFor()
      await page.locator(".skip").press("Enter")
      await focusIs(page, "messages")
      t.equal(await page.getByText("You may not see this channel").count(), 1)
    })
  }),
)
