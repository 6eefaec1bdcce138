/** Coming in and being sent out, in Chromium: what the sign-in page offers and says. */
import type { Page } from "playwright-core"
import t from "tap"
import { patience, skip, withScene } from "./kit.ts"

const welcome = "#channel/1/topic/welcome"

const settingsWith = async (page: Page, change: object): Promise<void> => {
  await page.route("**/api/v1/server_settings", async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: Object.assign(await answer.json(), change) })
  })
}

t.test("coming in and being sent out", { skip, timeout: 6 * patience }, (t) =>
  withScene(t, async (scene) => {
    await t.test("a forgotten password has a way, and there is none to what is not there", async (t) => {
      const page = await scene.page()
      await page.goto(scene.origin)
      await page.locator(".demo button").first().waitFor()
      t.equal(await page.locator("a", { hasText: "Start an organization" }).count(), 0)
      t.equal(await page.locator("input[type=email][autocomplete=username]").count(), 1)
      await page.locator("a", { hasText: "Forgot your password?" }).click()
      await page.locator("h1", { hasText: "Another password" }).waitFor()
      await page.locator("input[name=email]").waitFor()
      await page.route("**/new/", (route) => route.fulfill({ status: 200, contentType: "text/html", body: "" }))
      await settingsWith(page, { email_auth_enabled: false })
      await page.goto(scene.origin)
      await page.locator("a", { hasText: "Start an organization" }).waitFor()
      t.equal(await page.locator("a", { hasText: "Forgot your password?" }).count(), 0)
      await page.context().close()
    })

    await t.test("where a directory knows people, its names can be typed", async (t) => {
      const page = await scene.page()
      await settingsWith(page, { require_email_format_usernames: false })
      await page.goto(scene.origin)
      const name = page.locator("label", { hasText: "Name or email" }).locator("input[autocomplete=username]")
      await name.fill("olive")
      t.equal(await page.evaluate("document.querySelector('[autocomplete=username]').validity.valid"), true)
      await page.context().close()
    })

    await t.test("a sign-in that takes long is shown, and is sent once", async (t) => {
      const page = await scene.page()
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      let asked = 0
      await page.route("**/api/v1/fetch_api_key", async (route) => {
        asked++
        await held
        await route.continue()
      })
      await page.goto(scene.origin)
      await page.locator("input[type=email]").fill("owner@demo.example")
      await page.locator("input[type=password]").fill("wrong")
      await page.evaluate(`(() => {
        const form = document.querySelector(".sign-in form")
        form.requestSubmit()
        form.requestSubmit()
      })()`)
      await page.locator(".sign-in .primary[disabled]", { hasText: "Signing in" }).waitFor()
      t.equal(await page.locator(".demo button[disabled]").count(), await page.locator(".demo button").count())
      release()
      await page.locator("[role=alert]", { hasText: "or the password is wrong." }).waitFor()
      await page.locator(".sign-in .primary:not([disabled])").waitFor()
      t.equal(await page.evaluate("document.activeElement.type"), "password")
      t.equal(asked, 1)
      await page.context().close()
    })

    await t.test("whoever is signed out by another key reads it, and comes back to where they were", async (t) => {
      const page = await scene.signedIn("moderator", welcome)
      const other = await page.context().newPage()
      await other.goto(`${scene.origin}/#channel/1/topic/lunch on Friday`)
      await other.locator("#write").waitFor()
      await (await scene.person("moderator")).must.post("/users/me/api_key/regenerate")
      for (const each of [page, other])
        await each.locator(".sign-in [role=status]", { hasText: "your key is no longer valid" }).waitFor()
      t.match(page.url(), /#channel\/1\/topic\/welcome$/)
      await page.locator(".demo button", { hasText: /^moderator$/i }).click()
      await page.locator(".place-header h1", { hasText: "welcome" }).waitFor()
      // Whoever leaves by themselves is told nothing, and nothing of the place stays.
      await page.locator(".sidebar [aria-label='Settings']").click()
      await page.locator("dialog button", { hasText: /^Sign out$/ }).click()
      await page.locator(".sign-in form").waitFor()
      t.equal(new URL(page.url()).hash, "")
      t.equal(await page.locator(".sign-in .why").count(), 0)
      await page.context().close()
    })

    await t.test("to sign out everywhere is asked, and said what it does", async (t) => {
      const page = await scene.signedIn("admin", welcome)
      await page.locator(".sidebar [aria-label='Settings']").click()
      await page.locator("dialog button", { hasText: "Sign out everywhere" }).click()
      await page.locator(".question p", { hasText: "Your key is replaced" }).waitFor()
      await page.keyboard.press("Escape")
      await page.locator(".question").waitFor({ state: "detached" })
      t.equal(await page.locator(".sign-in").count(), 0)
      await page.locator("dialog button", { hasText: "Sign out everywhere" }).click()
      await page.locator(".question .danger").click()
      await page.locator(".sign-in form").waitFor()
      await page.context().close()
    })

    await t.test("whoever is deactivated reads that", async (t) => {
      const page = await scene.signedIn("guest", welcome)
      const guest = (await (await scene.person("guest")).must.get("/users/me"))["user_id"]
      await (await scene.person("owner")).must.delete(`/users/${String(guest)}`)
      await page.locator(".sign-in [role=status]", { hasText: "this account is deactivated" }).waitFor()
      t.match(page.url(), /#channel\/1\/topic\/welcome$/)
      await page.locator(".demo button").first().waitFor()
    })
  }),
)
