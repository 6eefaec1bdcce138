/** Dialogs over what others change meanwhile, in Chromium: nothing of theirs is undone, and nothing of one's own is thrown away unasked. */
import t from "tap"
import { until } from "../kit/test-database.ts"
import { act, agree, arrives, closeDialog, patience, skip, withScene } from "./kit.ts"

t.test("what others change meanwhile", { skip, timeout: 6 * patience }, (t) =>
  withScene(t, async (scene) => {
    const guest = await scene.person("guest")
    const owner = await scene.person("owner")
    const idOf = async (name: string) => Number((await (await scene.person(name)).must.get("/users/me"))["user_id"])
    const fieldOf = (page: Awaited<ReturnType<typeof scene.page>>, label: string) =>
      page.locator("dialog label", { hasText: label }).locator("input[maxlength]")

    await t.test("settings save only what was touched", async (t) => {
      const page = await scene.signedIn("guest", "#starred")
      await page.locator(".sidebar [aria-label='Settings']").click()
      await guest.must.post("/users/me/status", { status_text: "set elsewhere" })
      await until("it is shown", patience, async () => (await fieldOf(page, "Status").inputValue()) === "set elsewhere")
      await fieldOf(page, "Full name").fill("Greta the Guest")
      await page.locator("dialog .primary", { hasText: "Save" }).click()
      await page.locator(".notice", { hasText: "Saved" }).waitFor()
      t.match(await guest.must.get(`/users/${await idOf("guest")}/status`), {
        status: { status_text: "set elsewhere" },
      })
      await closeDialog(page)
      await page.context().close()
    })

    await t.test("Back asks before it throws away what is typed", async (t) => {
      const page = await scene.signedIn("guest", "#starred")
      await page.locator(".sidebar a", { hasText: "Mentions" }).click()
      await page.locator(".place-header h1", { hasText: "Mentions" }).waitFor()
      await page.locator(".sidebar [aria-label='Settings']").click()
      await fieldOf(page, "Status").fill("half a sta")
      await page.goBack()
      await page.locator("dialog button", { hasText: "Cancel" }).last().click()
      await until("one is where one was", patience, async () => new URL(page.url()).hash === "#mentions")
      t.equal(await fieldOf(page, "Status").inputValue(), "half a sta")
      await page.goBack()
      await agree(page)
      await page.locator(".place-header h1", { hasText: "Starred" }).waitFor()
      await page.locator("dialog").waitFor({ state: "detached" })
      await page.context().close()
    })

    await t.test("to move a message that somebody has moved undoes nothing", async (t) => {
      const topic = { type: "channel", to: "general", topic: "mv", content: "carried about" }
      const id = Number((await owner.must.post("/messages", topic))["id"])
      const page = await scene.signedIn("moderator", "#channel/1/topic/mv")
      await arrives(page, "carried about")
      await act(page, "carried about", "Move")
      await owner.must.patch(`/messages/${id}`, { topic: "mv by the owner", propagate_mode: "change_all" })
      await until(
        "it is shown",
        patience,
        async () => (await fieldOf(page, "Topic").inputValue()) === "mv by the owner",
      )
      await page.locator("dialog .primary").click()
      await page.locator("dialog").waitFor({ state: "detached" })
      const { message } = Object(await owner.must.get(`/messages/${id}`))
      t.equal(Object(message)["subject"], "mv by the owner")
      await page.context().close()
    })

    await t.test("what was typed over a message that is deleted is a draft where it stood", async (t) => {
      const moderator = await scene.person("moderator")
      const sent = { type: "channel", to: "general", topic: "short-lived", content: "soon gone" }
      const id = Number((await moderator.must.post("/messages", sent))["id"])
      const page = await scene.signedIn("moderator", "#all")
      await arrives(page, "soon gone")
      await page.locator(".message", { hasText: "soon gone" }).hover()
      await page.locator(".message", { hasText: "soon gone" }).locator("[aria-label='Edit']").click()
      await page.locator(".edit-box textarea:enabled").fill("worth keeping")
      await owner.must.delete(`/messages/${id}`)
      await page.locator(".notice", { hasText: "Your text is a draft" }).waitFor()
      await page.goto(`${scene.origin}/#channel/1/topic/short-lived`)
      await page.locator("#write").waitFor()
      t.equal(await page.locator("#write").inputValue(), "worth keeping")
      await page.context().close()
    })

    await t.test("a question about somebody who has changed since is not answered by it", async (t) => {
      const page = await scene.signedIn("owner", "#starred")
      await page.locator(".sidebar [aria-label='Organization']").click()
      await page.locator("[aria-label^='Role: Greta']").selectOption("300")
      await page.locator("dialog", { hasText: "Moderator" }).last().waitFor()
      await owner.must.patch(`/users/${await idOf("guest")}`, { role: 200 })
      await until(
        "the page knows",
        patience,
        async () => (await page.locator("[aria-label^='Role: Greta']").inputValue()) === "200",
      )
      await agree(page)
      await page.locator(".notice", { hasText: "changed meanwhile" }).waitFor()
      const { user } = Object(await owner.must.get(`/users/${await idOf("guest")}`))
      t.equal(Object(user)["role"], 200)
      await page.context().close()
    })
  }),
)
