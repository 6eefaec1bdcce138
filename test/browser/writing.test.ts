/** What one writes goes where one has chosen, and is not lost on the way, in Chromium. */
import type { Page } from "playwright-core"
import t from "tap"
import { until } from "../kit/test-database.ts"
import { arrives, patience, skip, texts, withScene, write } from "./kit.ts"

const welcome = "#channel/1/topic/welcome"

/** Drops a text file of this name on what the selector finds. */
const dropFile = (page: Page, selector: string, name: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer()
    data.items.add(new File(["x"], ${JSON.stringify(name)}, { type: "text/plain" }))
    const at = document.querySelector(${JSON.stringify(selector)})
    const events = ["dragover", "drop"].map((type) => new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }))
    return events.map((event) => !at.dispatchEvent(event))
  })()`)

t.test("what one writes", { skip, timeout: 6 * patience }, (t) =>
  withScene(t, async (scene) => {
    await t.test("the box of a feed is closed until a message is chosen, and keeps its recipient", async (t) => {
      const page = await scene.signedIn("member", "#all")
      await page.locator(".message").first().waitFor()
      t.equal(await page.locator("#write").count(), 0)
      const owner = await scene.person("owner")
      const { user_id } = await (await scene.person("member")).must.get("/users/me")
      await page.locator("#new-message").click()
      await page.locator(".compose select").selectOption({ label: "general" })
      await page.locator(".compose input").fill("chosen")
      await page.locator(".compose [type=submit]").click()
      const target = page.locator(".compose .target")
      await target.waitFor()
      t.match(await target.textContent(), /general\s*›\s*chosen/)
      await owner.must.post("/messages", {
        type: "direct",
        to: JSON.stringify([user_id]),
        content: "between you and me",
      })
      await arrives(page, "between you and me")
      t.match(await target.textContent(), /general\s*›\s*chosen/)
      await write(page, "to the chosen topic")
      await arrives(page, "to the chosen topic")
      await page.locator(".compose .leave").click()
      await page.locator("#new-message").waitFor()
      await page.context().close()
    })

    await t.test("an edit is there after one has looked elsewhere and loaded the page again", async (t) => {
      const page = await scene.signedIn("member", welcome)
      await write(page, "half right")
      await arrives(page, "half right")
      await page.locator("#write").press("ArrowUp")
      const field = page.locator(".edit-box textarea:enabled")
      await field.fill("wholly rig")
      await page.locator(".sidebar a", { hasText: "Mentions" }).click()
      await page.locator(".place-header h1", { hasText: "Mentions" }).waitFor()
      await page.goBack()
      await field.waitFor()
      await page.reload()
      await field.waitFor()
      t.equal(await field.inputValue(), "wholly rig")
      await field.focus()
      await field.evaluate(
        "(at) => at.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true }))",
      )
      t.equal(await field.inputValue(), "wholly rig", "an input method has its own Escape")
      await (await scene.person("member")).must.patch("/settings", { enter_sends: "false" })
      await field.fill("wholly right")
      await field.press("Enter")
      await until("Enter begins a line", patience, async () => (await field.inputValue()) === "wholly right\n")
      await field.press("Control+Enter")
      await arrives(page, "wholly right")
      await (await scene.person("member")).must.patch("/settings", { enter_sends: "true" })
      await page.context().close()
    })

    await t.test("a file is taken wherever it is dropped, and nowhere the page is left", async (t) => {
      const page = await scene.signedIn("member", welcome)
      await page.locator("#write").waitFor()
      for (const [n, selector] of ["main", ".sidebar", ".place-header"].entries()) {
        t.strictSame(await dropFile(page, selector, `dropped-${n}.txt`), [true, true], selector)
        await until("the link is there", patience, async () =>
          (await page.locator("#write").inputValue()).includes(`dropped-${n}.txt`),
        )
      }
      await page.locator("#write").fill("")
      await page.goto(`${scene.origin}/#all`)
      await page.locator("#new-message").waitFor()
      t.strictSame(await dropFile(page, "main", "lost.txt"), [true, true])
      await page.locator(".notice", { hasText: "Choose first" }).waitFor()
      await page.context().close()
    })

    await t.test("what one tab has sent is in no box of the other", async (t) => {
      const one = await scene.signedIn("guest", welcome)
      await one.locator("#write").fill("sent once")
      const two = await one.context().newPage()
      await two.goto(`${scene.origin}/${welcome}`)
      await two.locator("#write").waitFor()
      t.equal(await two.locator("#write").inputValue(), "sent once")
      await one.locator("#write").press("Enter")
      await arrives(two, "sent once")
      await until("the other box is empty", patience, async () => (await two.locator("#write").inputValue()) === "")
      await two.locator("#write").press("Enter")
      t.equal(await texts(two, "sent once").count(), 1)
      await one.context().close()
    })

    await t.test("a send that was refused is seen from everywhere", async (t) => {
      const page = await scene.signedIn("member", welcome)
      await page.route("**/api/v1/messages", (route) =>
        route.request().method() === "POST"
          ? route.fulfill({
              status: 400,
              contentType: "application/json",
              body: JSON.stringify({ result: "error", msg: "Not here.", code: "BAD_REQUEST" }),
            })
          : route.continue(),
      )
      await write(page, "refused words")
      await page.locator(".pending.refused").waitFor()
      await page.locator(".sidebar a", { hasText: "Starred" }).click()
      await page.locator(".place-header h1", { hasText: "Starred" }).waitFor()
      const mark = page.locator(".sidebar a.fault", { hasText: "Not sent" })
      t.match(await mark.textContent(), /1/)
      await mark.click()
      await page.locator(".pending.refused button", { hasText: "Discard" }).click()
      await mark.waitFor({ state: "detached" })
      await page.context().close()
    })
  }),
)
