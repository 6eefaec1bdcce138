/** People chat by the page, in Chromium: what they see, and what they see after the server was killed. */
import { readFileSync } from "node:fs"
import t from "tap"
import { demoPassword } from "../../src/chat/server/setup/demo-password.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { act, agree, arrives, closeDialog, patience, skip, texts, withScene, write } from "./kit.ts"

t.test("people talk, and a server that is killed loses and doubles nothing", { skip, timeout: 6 * patience }, (t) =>
  withScene(t, async (scene) => {
    const owner = await scene.signedIn("owner")
    const member = await scene.signedIn("member")

    await t.test("two pages talk", async (t) => {
      await owner.locator(".sidebar a", { hasText: "general" }).first().click()
      await owner.locator(".topics a", { hasText: "welcome" }).click()
      await member.locator(".sidebar a", { hasText: "general" }).first().click()
      await member.locator(".topics a", { hasText: "welcome" }).click()
      await owner.locator("#write").pressSequentially("Good mor")
      await member.locator(".typing", { hasText: "Olive Owner" }).waitFor()
      await write(owner, "Good **morning**")
      await arrives(member, "Good morning")
      await write(member, "And to you")
      await arrives(owner, "And to you")
      t.equal(await owner.locator(".pending").count(), 0)
    })

    await t.test("a reaction is seen by the other", async (t) => {
      const message = owner.locator(".message", { hasText: "And to you" })
      await message.hover()
      await message.locator(".message-actions [aria-label='React with heart']").click()
      const reaction = member.locator(".message", { hasText: "And to you" }).locator(".reaction")
      await reaction.waitFor()
      t.match(await reaction.getAttribute("aria-label"), /Olive Owner: :heart:/)
    })

    await t.test("an edit is seen by the other", async (t) => {
      const message = owner.locator(".message", { hasText: "Good morning" })
      await message.hover()
      await message.locator("[aria-label='Edit']").click()
      const field = owner.locator(".edit-box textarea:enabled")
      await field.fill("Good evening")
      await field.press("Enter")
      await arrives(member, "Good evening")
      t.equal(await texts(member, "Good morning").count(), 0)
    })

    await t.test("kill -9 while one types and sends", async (t) => {
      await owner.locator("#write").fill("half a sen")
      await scene.kill()
      await write(member, "sent into the dark")
      await member.locator(".pending", { hasText: "sent into the dark" }).waitFor()
      await owner.locator(".banner p").waitFor()
      await owner.locator("#write").fill("half a sentence, now whole")
      await scene.startAgain()
      await arrives(owner, "sent into the dark")
      await owner.locator(".banner p").waitFor({ state: "detached" })
      t.equal(await owner.locator("#write").inputValue(), "half a sentence, now whole")
      await owner.locator("#write").press("Enter")
      await arrives(member, "half a sentence, now whole")
      await member.locator(".pending").waitFor({ state: "detached" })
      for (const page of [owner, member])
        for (const text of ["sent into the dark", "half a sentence, now whole"])
          t.equal(await texts(page, text).count(), 1, text)
    })

    await t.test("what was typed is there after a reload", async (t) => {
      await member.locator("#write").fill("not sent yet")
      await member.reload()
      await member.locator("#write").waitFor()
      t.equal(await member.locator("#write").inputValue(), "not sent yet")
    })
  }),
)

t.test("phone, keyboard, accessibility", { skip, timeout: 6 * patience }, (t) =>
  withScene(t, async (scene) => {
    await t.test("by password; a new key ends all sessions", async (t) => {
      const page = await scene.page()
      await page.goto(`${scene.origin}/`)
      await page.locator("input[type=email]").fill("guest@demo.example")
      await page.locator("input[type=password]").fill("wrong")
      await page.locator(".sign-in .primary").click()
      await page.locator(".sign-in .fault", { hasText: "wrong" }).waitFor()
      await page.locator("input[type=password]").fill(demoPassword)
      await page.locator(".sign-in .primary").click()
      await page.locator(".sidebar").waitFor()
      const other = await scene.signedIn("guest")
      await page.locator(".sidebar [aria-label='Settings']").click()
      await page.locator("dialog button", { hasText: "Sign out everywhere" }).click()
      await agree(page)
      for (const each of [page, other]) await each.locator(".sign-in form").waitFor()
      t.equal(await other.evaluate("localStorage.getItem('parley.account')"), null)
    })

    await t.test("a new channel with people in it", async (t) => {
      const admin = await scene.signedIn("admin")
      const member = await scene.signedIn("member")
      await admin.locator(".sidebar [aria-label='All channels']").click()
      await admin.locator("dialog button", { hasText: "New channel" }).click()
      await admin.locator("dialog label", { hasText: "Name" }).locator("input").fill("garden")
      await admin.locator("dialog .people label", { hasText: "Max Member" }).click()
      await admin.locator("dialog button[type=submit]").click()
      await member.locator(".sidebar a", { hasText: "garden" }).click()
      await admin.locator("#topic").fill("roses")
      await admin.locator("#topic").press("Tab")
      await write(admin, "in bloom")
      await arrives(member, "in bloom")
      t.match(await member.locator(".place-bar", { hasText: "roses" }).count(), 1)
    })

    await t.test("the width of a phone", async (t) => {
      const page = await scene.signedIn("member", "", { viewport: { width: 360, height: 700 } })
      t.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true)
      t.equal(await page.locator(".sidebar").isVisible(), false)
      await page.locator(".place-header [aria-label='Channels and conversations']").click()
      await page.locator(".sidebar a", { hasText: "announcements" }).click()
      await page.locator(".place-header h1", { hasText: "announcements" }).waitFor()
      await page.locator(".sidebar").waitFor({ state: "hidden" })
    })

    await t.test("in German", async (t) => {
      const page = await scene.signedIn("member", "", { locale: "de-DE" })
      await page.locator(".sidebar a", { hasText: "Alle Nachrichten" }).waitFor()
      t.equal(await page.evaluate("document.documentElement.lang"), "de")
    })

    await t.test("by keyboard alone", async (t) => {
      const page = await scene.signedIn("owner")
      await page.keyboard.press("Escape")
      await page.keyboard.press("?")
      await page.locator("dialog[open] .keys").waitFor()
      await page.keyboard.press("Escape")
      await page.locator("dialog").waitFor({ state: "detached" })
      await page.keyboard.press("/")
      await page.keyboard.type("queue restarts")
      await page.keyboard.press("Enter")
      await page.locator(".content .highlight").first().waitFor()
      await page.keyboard.press("Escape")
      await page.keyboard.press("j")
      await page.locator(".message.selected").waitFor()
      await page.keyboard.press("r")
      await page.keyboard.type("by keys @Max")
      await page.locator(".offer").waitFor()
      await page.keyboard.press("Tab")
      t.equal(await page.locator("#write").inputValue(), "by keys @**Max Member** ")
      await page.keyboard.press("Enter")
      await page.keyboard.press("Escape")
      await page.keyboard.press("a")
      await page
        .locator(".message", { hasText: "by keys" })
        .locator(".user-mention", { hasText: "@Max Member" })
        .waitFor()
    })

    await t.test("axe finds nothing serious", async (t) => {
      const axe = readFileSync(packageFile("node_modules/axe-core/axe.min.js"), "utf8")
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await scene.signedIn("owner", "", { colorScheme })
        const check = async (what: string) => {
          const found = await page.evaluate<ReadonlyArray<string>>(
            `axe.run().then(({ violations }) => violations
              .filter(({ impact }) => impact === "serious" || impact === "critical")
              .map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))`,
          )
          t.strictSame(found, [], `${what}, ${colorScheme}`)
        }
        await page.evaluate(axe)
        await page.locator(".message").first().waitFor()
        await check("messages")
        for (const name of ["Settings", "Organization", "Scheduled messages", "All channels", "New direct message"]) {
          await page.locator(`.sidebar [aria-label='${name}']`).click()
          await page.locator("dialog[open]").waitFor()
          await check(name)
          await closeDialog(page)
        }
        await page.goto(`${scene.origin}/#channel/1/topic/lunch on Friday`)
        await page.locator(".poll").first().waitFor()
        await check("a poll")
        await write(page, `/todo Before we go (${colorScheme})\nBook a table: for eight\nTell Greta`)
        // By its title: to click the list of the round before would take up again what is done there.
        const list = page.locator(".todo", { hasText: `Before we go (${colorScheme})` })
        await list.locator("label", { hasText: "Tell Greta" }).click()
        await list.locator(".done").waitFor()
        await check("a to-do list")
        await page.route("**/api/v1/user_uploads", (route) => route.abort())
        const file = { name: "menu.txt", mimeType: "text/plain", buffer: Buffer.from("soup") }
        await page.locator(".compose input[type=file]").setInputFiles(file)
        await page.locator(".uploads .fault").waitFor()
        await check("a file that does not get through")
        await page.locator("[aria-label='Leave out: menu.txt']").click()
        await act(page, "What shall we eat", "Who has read it")
        await page.locator("dialog [role=status]").first().waitFor()
        await check("readers")
        await closeDialog(page)
        await page.goto(`${scene.origin}/#channel/1`)
        await page.locator(".place-header [aria-label='Settings of the channel']").click()
        await page.locator("[aria-label='Remove: Max Member']").waitFor()
        await check("settings of a channel")
        await closeDialog(page)
        await page.locator("#write").fill("a draft")
        await page.locator(".sidebar button", { hasText: "Drafts" }).click()
        await page.locator("dialog li").waitFor()
        await check("drafts")
        await page.locator("dialog li button", { hasText: "Delete" }).click()
        await closeDialog(page)
        for (const name of ["Groups", "Server"]) {
          await page.locator(".sidebar [aria-label='Settings']").click()
          await page.locator("dialog button", { hasText: new RegExp(`^${name}$`) }).click()
          await page.locator("dialog h2", { hasText: name }).waitFor()
          if (name === "Server") await page.locator("dialog .figures td").first().waitFor()
          await check(name)
          await closeDialog(page)
        }
      }
    })

    await t.test("from right to left", async (t) => {
      const page = await scene.signedIn("owner", "#channel/1/topic/statistics")
      await page.locator(".message .content").first().waitFor()
      await page.evaluate("document.documentElement.dir = 'rtl'")
      const edges = await page.evaluate<ReadonlyArray<number>>(`(() => {
        const box = (selector) => document.querySelector(selector).getBoundingClientRect()
        const [menu, list, people] = [box(".sidebar"), box(".messages"), box(".people-panel")]
        const [sender, text] = [box(".message .sender"), box(".message .content")]
        return [people.right - list.left, list.right - menu.left, sender.right - text.right]
      })()`)
      for (const edge of edges) t.ok(Math.abs(edge) <= 1, `${edges}`)
      t.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true)
    })
  }),
)
