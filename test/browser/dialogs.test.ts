/** What dialogs say, ask and keep, in Chromium: faults, notices, questions, the focus, and what is unsaved. */
import type { Page } from "playwright-core"
import t from "tap"
import { agree, patience, type Scene, skip, withScene, write } from "./kit.ts"

const welcome = "#channel/1/topic/welcome"
const hasFocus = (page: Page, selector: string) => page.locator(selector).first().and(page.locator(":focus")).waitFor()
const question = (page: Page) => page.locator("dialog.question[open]")

/** Whether what is seen at the middle of an element is the element. */
const isOnTop = (page: Page, selector: string) =>
  page.evaluate<boolean>(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)})
    const { left, top, width, height } = element.getBoundingClientRect()
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })()`)

const roleOf = async (scene: Scene, name: string): Promise<unknown> =>
  (await (await scene.person(name)).must.get("/users/me"))["role"]

const open = async (page: Page, name: string): Promise<void> => {
  await page.locator(`.sidebar [aria-label='${name}']`).click()
  await page.locator("dialog[open]").waitFor()
}

t.test("dialogs", { skip, timeout: 6 * patience }, (t) =>
  withScene(t, async (scene) => {
    const owner = await scene.signedIn("owner", welcome, { viewport: { width: 1280, height: 500 } })

    await t.test("a fault stands beside its field, which has the focus", async (t) => {
      await open(owner, "Organization")
      const field = owner.locator("[aria-label='Addresses, as you copied them']")
      await field.fill("not an address")
      await owner.locator("dialog .primary", { hasText: "Invite" }).click()
      const fault = owner.locator(".field .fault", { hasText: "Not invited: not an address." })
      await fault.waitFor()
      t.equal(await field.getAttribute("aria-invalid"), "true")
      t.equal(await field.getAttribute("aria-describedby"), await fault.getAttribute("id"))
      await hasFocus(owner, "[aria-label='Addresses, as you copied them']")
      await field.fill("")
      await fault.waitFor({ state: "detached" })
    })

    await t.test("a notice is seen above the dialog, and read out in it", async (t) => {
      await owner.locator("dialog form", { hasText: "Save" }).locator("button").click()
      await owner.locator("dialog .notice[role=status] p", { hasText: "Saved." }).waitFor()
      // It lets presses through: for the test it does not.
      await owner.evaluate(`document.querySelector("dialog .notice").style.pointerEvents = "auto"`)
      t.equal(await isOnTop(owner, "dialog .notice p"), true)
    })

    await t.test(
      "a press on the scrollbar closes nothing; Escape asks before what is unsaved is thrown away",
      async (t) => {
        const box = await owner.locator("dialog").boundingBox()
        t.equal(
          await owner.evaluate(
            `(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(document.querySelector("dialog"))`,
          ),
          true,
        )
        // As a browser with wide scrollbars says it: on the dialog itself, within it.
        const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) - 4, (box?.y ?? 0) + 100]
        await owner.evaluate(`for (const type of ["pointerdown", "click"])
          document.querySelector("dialog").dispatchEvent(
            new PointerEvent(type, { bubbles: true, clientX: ${x}, clientY: ${y} }))`)
        const name = owner.locator("dialog [aria-label='Name']")
        await name.fill("Another name")
        for (const leave of [
          () => owner.keyboard.press("Escape"),
          () => owner.keyboard.press("Escape"),
          () => owner.mouse.click(5, 250),
          () => owner.locator("dialog header [aria-label='Close']").click(),
        ]) {
          await leave()
          await question(owner).locator("h2", { hasText: "Discard your changes?" }).waitFor()
          await hasFocus(owner, ".question button")
          await owner.keyboard.press("Escape")
          await question(owner).waitFor({ state: "detached" })
          t.equal(await name.inputValue(), "Another name")
        }
        await owner.keyboard.press("Escape")
        await agree(owner)
        await owner.locator("dialog").waitFor({ state: "detached" })
        await hasFocus(owner, ".sidebar [aria-label='Organization']")
      },
    )

    await t.test("the focus goes back to what has opened a dialog", async () => {
      for (const close of [
        () => owner.keyboard.press("Escape"),
        () => owner.locator("dialog [aria-label='Close']").click(),
      ]) {
        await open(owner, "Settings")
        await owner.locator("dialog button", { hasText: "Keyboard" }).click()
        await owner.locator("dialog .keys").waitFor()
        await close()
        await owner.locator("dialog").waitFor({ state: "detached" })
        await hasFocus(owner, ".sidebar [aria-label='Settings']")
      }
      const message = owner.locator(".message").last()
      await message.hover()
      await message.locator("[aria-label='More']").click()
      await message.locator("[role=menuitem]", { hasText: "Delete" }).click()
      await owner.locator("dialog[open]").waitFor()
      await owner.keyboard.press("Escape")
      await owner.locator(":focus").waitFor()
    })

    await t.test("no key makes somebody an administrator without a question", async (t) => {
      await open(owner, "Organization")
      const role = owner.locator("[aria-label='Role: Max Member']")
      await role.focus()
      for (const key of ["ArrowUp", "ArrowUp", "Escape"]) await owner.keyboard.press(key)
      t.equal(await roleOf(scene, "member"), 400)
      await role.selectOption({ label: "Administrator" })
      await question(owner).locator("p", { hasText: "Administrators manage people, channels" }).waitFor()
      t.equal(await role.inputValue(), "400", "nothing has changed yet")
      await question(owner).locator("button", { hasText: "Cancel" }).click()
      await hasFocus(owner, "[aria-label='Role: Max Member']")
      t.equal(await roleOf(scene, "member"), 400)
      await role.selectOption({ label: "Moderator" })
      await agree(owner)
      await owner.locator("[aria-label='Role: Max Member']:has([value='300']:checked)").waitFor()
      t.equal(await roleOf(scene, "member"), 300)
    })

    await t.test("who is deactivated stays in their place, and comes back", async (t) => {
      const names = () => owner.locator("dialog .rows:last-of-type li .grow").allTextContents()
      const row = owner.locator("dialog li", { hasText: "guest@demo.example" })
      const before = (await names()).findIndex((name) => name.startsWith("Greta"))
      await row.locator("button", { hasText: "Deactivate" }).click()
      await question(owner).locator("p", { hasText: "signed out everywhere" }).waitFor()
      await owner.keyboard.press("Escape")
      await question(owner).waitFor({ state: "detached" })
      await row.locator("button", { hasText: "Deactivate" }).click()
      await agree(owner)
      await row.locator("button", { hasText: "Reactivate" }).waitFor()
      t.equal(
        (await names()).findIndex((name) => name.startsWith("Greta")),
        before,
      )
      await row.locator("button", { hasText: "Reactivate" }).click()
      await agree(owner)
      await row.locator("button", { hasText: "Deactivate" }).waitFor()
      await owner.keyboard.press("Escape")
      await owner.locator("dialog").waitFor({ state: "detached" })
    })

    await t.test("a name that is taken is said beside the name, in German too", async (t) => {
      const page = await scene.signedIn("admin", welcome, { locale: "de-DE", viewport: { width: 390, height: 700 } })
      await page.locator(".place-header [aria-label='Kanäle und Unterhaltungen']").click()
      await page.locator(".sidebar [aria-label='Alle Kanäle']").click()
      await page.locator("dialog button", { hasText: "Neuer Kanal" }).click()
      const name = page.locator("dialog label", { hasText: "Name" }).locator("input")
      await name.fill("general")
      await page.locator("dialog button[type=submit]").click()
      await page.locator(".field .fault", { hasText: "Einen Kanal mit diesem Namen gibt es schon." }).waitFor()
      t.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true)
      await page.locator("dialog [aria-label='Schließen']").click()
      await agree(page)
      await page.locator(".sidebar [aria-label='Organisation']").click()
      const person = page.locator("dialog li .grow", { hasText: "member@demo.example" })
      t.ok(((await person.boundingBox())?.width ?? 0) > 150, "a name has room beside what can be done")
      await page.context().close()
    })

    await t.test("Enter starts with the only one found", async () => {
      await open(owner, "New direct message")
      await owner.locator("dialog [type=search]").fill("max mem")
      await owner.keyboard.press("Enter")
      await owner.locator(".place-header h1", { hasText: /^Max Member$/ }).waitFor()
      await owner.locator("dialog").waitFor({ state: "detached" })
      await write(owner, "found by name")
    })
  }),
)
