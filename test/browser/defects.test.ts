/** What must not happen to what people write, in Chromium: doubled, lost, come back, kept for others; and a page that only waits. */
import t from "tap"
import { recordsIn } from "../kit/records.ts"
import { until } from "../kit/test-database.ts"
import { arrives, closeDialog, patience, skip, texts, withScene, write } from "./kit.ts"

const welcome = "#channel/1/topic/welcome"
const keptKeys = `Object.keys(localStorage).filter((key) => /^parley\\.(typed|outbox)\\./.test(key)).sort()`

t.test("what is written is sent once or stays", { skip, timeout: 6 * patience }, (t) =>
  withScene(t, async (scene) => {
    await t.test("what has waited for more than a day becomes a draft again", async (t) => {
      const member = await scene.person("member")
      const { user_id } = await member.must.get("/users/me")
      const page = await scene.signedIn("member", welcome)
      const old = (hours: number, localId: string, content: string) => ({
        localId,
        queueId: "page",
        conversation: { kind: "topic", channel: 1, topic: "welcome" },
        content,
        time: Date.now() / 1000 - hours * 3600,
        fault: null,
        id: null,
      })
      for (const each of [old(25, "1.1", "a day too late"), old(1, "2.2", "just in time")])
        await page.evaluate(`localStorage.setItem("parley.outbox.${String(user_id)}.${each.localId}",
          ${JSON.stringify(JSON.stringify(each))})`)
      await page.reload()
      await arrives(page, "just in time")
      await page.locator(".notice", { hasText: "waited for a day" }).waitFor()
      t.equal(await page.locator("#write").inputValue(), "a day too late")
      t.equal(await texts(page, "a day too late").count(), 0)
      t.equal(await page.locator(".pending", { hasText: "a day too late" }).count(), 0)
      await page.locator("#write").fill("")
      await page.context().close()
    })

    await t.test("where a message goes is said in so many words", async (t) => {
      const page = await scene.signedIn("owner", welcome)
      t.match(await page.locator(".compose .target").textContent(), /^To\s*#\s*general\s*›\s*welcome$/)
      await page.locator(".sidebar section[aria-labelledby=directs] a").first().click()
      await page.locator(".compose .target", { hasText: "Adam Admin, Mona Moderator" }).waitFor()
      await page.context().close()
    })

    await t.test("a draft does not come back after its text was sent", async (t) => {
      const person = await scene.person("guest")
      const drafts = async () => recordsIn((await person.must.get("/drafts"))["drafts"])
      const page = await scene.signedIn("guest", welcome)
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route("**/api/v1/drafts", async (route) => {
        await held
        await route.continue()
      })
      const asked = page.waitForRequest("**/api/v1/drafts")
      await page.locator("#write").fill("typed slowly, sent fast")
      await asked
      const answered = page.waitForResponse("**/api/v1/drafts")
      const gone = page.waitForResponse((response) => response.request().method() === "DELETE")
      await page.locator("#write").press("Enter")
      await arrives(page, "typed slowly, sent fast")
      release()
      await answered
      await gone
      t.strictSame(await drafts(), [])
      await page.reload()
      await page.locator("#write").waitFor()
      t.equal(await page.locator("#write").inputValue(), "")
      await page.context().close()
    })

    await t.test("two tabs keep what was sent in each", async (t) => {
      const one = await scene.signedIn("member", welcome)
      const two = await one.context().newPage()
      await two.goto(`${scene.origin}/${welcome}`)
      await two.locator("#write").waitFor()
      await scene.kill()
      await write(one, "from one tab")
      await write(two, "from the other tab")
      for (const page of [one, two]) await page.locator(".pending").waitFor()
      const outbox = `Object.keys(localStorage).filter((key) => key.startsWith("parley.outbox.")).length`
      t.equal(await one.evaluate(outbox), 2)
      // To sign out would lose it: that is asked first.
      await one.bringToFront()
      await one.locator(".sidebar [aria-label='Settings']").click()
      for (const label of [/^Sign out$/, /^Sign out everywhere$/]) {
        await one.locator("dialog .sheet button", { hasText: label }).click()
        const said = await one.locator(".question #question-text").textContent()
        t.match(said, /^2 messages have not been sent yet/, "those of the other tab, too")
        await one.locator(".question button", { hasText: "Cancel" }).click()
        await one.locator(".question").waitFor({ state: "detached" })
      }
      await closeDialog(one)
      await scene.startAgain()
      for (const text of ["from one tab", "from the other tab"]) {
        for (const page of [one, two]) await arrives(page, text)
        t.equal(await texts(one, text).count(), 1, text)
      }
      await until("nothing waits any more", patience, async () => (await one.evaluate(outbox)) === 0)
      await one.context().close()
    })

    await t.test(
      "a key that is good no more takes nothing along; whoever signs in instead does not get it",
      async (t) => {
        const page = await scene.signedIn("member", welcome)
        await page.locator("#write").fill("not finished")
        const refuse = JSON.stringify({ result: "error", msg: "Invalid API key", code: "UNAUTHORIZED" })
        await page.route("**/api/v1/register", (route) =>
          route.fulfill({ status: 401, contentType: "application/json", body: refuse }),
        )
        const signIn = async (name: RegExp) => {
          await page.locator(".demo button", { hasText: name }).click()
          await page.locator("#write").waitFor()
        }
        await page.reload()
        await page.locator(".sign-in form").waitFor()
        await page.unroute("**/api/v1/register")
        await page.goto(`${scene.origin}/${welcome}`)
        await signIn(/^member$/i)
        t.equal(await page.locator("#write").inputValue(), "not finished")
        await page.evaluate(`localStorage.removeItem("parley.account")`)
        await page.goto(`${scene.origin}/?again#channel/1/topic/welcome`)
        await signIn(/^guest$/i)
        t.equal(await page.locator("#write").inputValue(), "")
        t.strictSame(await page.evaluate(keptKeys), [])
        await page.context().close()
      },
    )

    await t.test("what one has muted is not in the feed of everything, after a reload neither", async (t) => {
      const polls = async (name: string) => {
        const page = await scene.signedIn(name, "#all")
        await page.locator(".message").first().waitFor()
        await page.reload()
        await page.locator(".message").first().waitFor()
        const shown = await page.locator(".place-bar", { hasText: "lunch on Friday" }).count()
        await page.context().close()
        return shown
      }
      t.equal(await polls("owner"), 1)
      t.equal(await polls("admin"), 0, "the demo's administrator has muted it")
    })

    await t.test("a server that is busy is asked for a picture again", async (t) => {
      const page = await scene.page()
      let refused = 0
      await page.route("**/user_uploads/**", async (route) => {
        if (refused++ < 2) await route.fulfill({ status: refused === 1 ? 429 : 503, headers: { "Retry-After": "0" } })
        else await route.continue()
      })
      await page.goto(`${scene.origin}/#channel/1/topic/statistics`)
      await page.locator(".demo button", { hasText: /^owner$/i }).click()
      await page.locator(".content img[src^='blob:']").first().waitFor()
      t.ok(refused > 2)
      t.equal(await page.locator(".content img.missing").count(), 0)
      await page.context().close()
    })

    await t.test("a register that is refused is told, and one can sign out; nothing typed stays", async (t) => {
      const page = await scene.signedIn("moderator", welcome)
      await page.locator("#write").fill("for my eyes only")
      t.equal((await page.evaluate<ReadonlyArray<string>>(keptKeys)).length, 1)
      const other = await page.context().newPage()
      await other.goto(`${scene.origin}/${welcome}`)
      await other.locator("#write").waitFor()
      const body = JSON.stringify({ result: "error", msg: "Not today.", code: "BAD_REQUEST" })
      await page.route("**/api/v1/register", (route) =>
        route.fulfill({ status: 400, contentType: "application/json", body }),
      )
      await page.reload()
      await page.locator(".waiting [role=alert]", { hasText: "Not today." }).waitFor()
      await page.locator(".waiting button", { hasText: "Sign out" }).click()
      await page.locator(".sign-in form").waitFor()
      await other.locator(".sign-in form").waitFor()
      t.strictSame(await page.evaluate(keptKeys), [])
      t.equal(await page.evaluate("localStorage.getItem('parley.account')"), null)
    })
  }),
)
