/** What the page says of whoever is in front of it, and what keys and marks do while one goes from place to place, in Chromium. */
import t from "tap"
import { until } from "../kit/test-database.ts"
import { act, arrives, patience, type Scene, skip, withScene } from "./kit.ts"

const say = async (scene: Scene, topic: string, content: string): Promise<void> => {
  await (await scene.person("owner")).must.post("/messages", { type: "channel", to: "general", topic, content })
}

const minutes = 60_000

t.test("keys, marks, presence", { skip, timeout: 6 * patience }, (t) =>
  withScene(t, async (scene) => {
    await t.test("keys go on from place to place, and nothing is typed by them", async (t) => {
      await (await scene.person("moderator")).must.post("/mark_all_as_read")
      for (const topic of ["first", "second", "third"]) await say(scene, topic, `unread in ${topic}`)
      const page = await scene.signedIn("moderator", "#starred")
      await page.locator(".place-header h1", { hasText: "Starred" }).waitFor()
      const seen: Array<string> = []
      for (const topic of ["third", "second", "first"]) {
        await page.keyboard.press("n")
        await page.locator(".place-header h1", { hasText: topic }).waitFor()
        await arrives(page, `unread in ${topic}`)
        seen.push(await page.locator("#write").inputValue())
      }
      t.strictSame(seen, ["", "", ""])
      await page.keyboard.press("a")
      await page.locator(".place-header h1", { hasText: "All messages" }).waitFor()
      await page.keyboard.press("@")
      await page.locator(".place-header h1", { hasText: "Mentions" }).waitFor()
      await page.context().close()
    })

    await t.test("the list scrolls by its keys wherever one is", async (t) => {
      for (let n = 0; n < 40; n++) await say(scene, "pages", `line ${n}`)
      const page = await scene.signedIn("member", "#channel/1/topic/pages")
      await page.locator(".message").first().waitFor()
      await page.locator(".sidebar a", { hasText: "Starred" }).focus()
      const top = () => page.evaluate<number>(`Math.round(document.querySelector("#messages").scrollTop)`)
      await page.keyboard.press("Home")
      await until("it is at its beginning", patience, async () => (await top()) === 0)
      await page.keyboard.press("PageDown")
      await until("a page further", patience, async () => (await top()) > 100)
      await page.keyboard.press("End")
      const rest = () =>
        page.evaluate<number>(`(() => {
          const list = document.querySelector("#messages")
          return list.scrollHeight - list.clientHeight - list.scrollTop
        })()`)
      await until("it is at its end", patience, async () => (await rest()) < 2)
      t.ok((await top()) > 100)
      await page.context().close()
    })

    await t.test("Escape of an input method is its own; an address that is no place says so", async (t) => {
      const page = await scene.signedIn("member", "#channel/1/topic/pages")
      await page.locator("#write").focus()
      await page.locator("#write").evaluate(`(field) => {
        field.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", isComposing: true, bubbles: true }))
      }`)
      t.equal(await page.evaluate("document.activeElement.id"), "write")
      await page.evaluate(`location.hash = "#nonsense"`)
      await page.locator(".notice", { hasText: "This address leads nowhere." }).waitFor()
      t.equal(new URL(page.url()).hash, "#channel/1/topic/pages")
      await page.context().close()
    })

    await t.test("what one marks as unread stays so until one has left", async (t) => {
      await say(scene, "later", "to be read again")
      const page = await scene.signedIn("member", "#channel/1/topic/later")
      await arrives(page, "to be read again")
      const unread = page.locator(".message.is-unread", { hasText: "to be read again" })
      await unread.waitFor({ state: "detached" })
      await act(page, "to be read again", "Mark as unread")
      await unread.waitFor()
      const told: Array<string> = []
      page.on("request", (request) => {
        if (request.url().endsWith("/messages/flags")) told.push(request.postData() ?? "")
      })
      await page.evaluate(`dispatchEvent(new Event("focus"))`)
      // Whatever the focus set off has been drawn after two frames; marks are told a quarter of a second later.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 600)))")
      t.strictSame(told, [])
      t.equal(await unread.count(), 1)
      await page.locator(".sidebar a", { hasText: "Starred" }).click()
      await page.locator(".place-header h1", { hasText: "Starred" }).waitFor()
      await page.goBack()
      await unread.waitFor({ state: "detached" })
      await page.context().close()
    })

    await t.test("nobody at the machine is nobody active", async (t) => {
      const page = await scene.page()
      await page.clock.install()
      const said: Array<string> = []
      page.on("request", (request) => {
        if (request.url().endsWith("/users/me/presence"))
          said.push(new URLSearchParams(request.postData() ?? "").get("status") ?? "")
      })
      await scene.enter(page, "guest", "#channel/1/topic/welcome")
      await page.mouse.move(50, 50)
      await page.clock.runFor(4 * minutes)
      t.ok(said.length > 2)
      t.strictSame([...new Set(said)], ["active"])
      said.length = 0
      await page.clock.runFor(3 * minutes)
      t.equal(said.at(-1), "idle")
      said.length = 0
      await page.mouse.move(90, 90)
      await until("who comes back is seen at once", patience, async () => said.includes("active"))
      await page.context().close()
    })
  }),
)
