/** What people do in the page beside writing, in Chromium: in channels, groups, polls and dialogs, and what others see of it. */
import type { Page } from "playwright-core"
import t from "tap"
import { until } from "../kit/test-database.ts"
import { act, agree, arrives, closeDialog, patience, type Scene, skip, texts, withScene, write } from "./kit.ts"

const general = "#channel/1"
const welcome = "#channel/1/topic/welcome"

const row = (page: Page, text: string) => page.locator("dialog li", { hasText: text })

/** A picture of one point. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

const addEmoji = async (scene: Scene, name: string): Promise<void> => {
  const { account } = await scene.person("owner")
  const form = new FormData()
  form.append("file", new Blob([Buffer.from(png, "base64")], { type: "image/png" }), "point.png")
  const authorization = `Basic ${Buffer.from(`${account.email}:${account.key}`).toString("base64")}`
  const address = `${scene.origin}/api/v1/realm/emoji/${name}`
  const answer = await fetch(address, { method: "POST", body: form, headers: { Authorization: authorization } })
  if (!answer.ok) throw new Error(await answer.text())
}

t.test("channels, groups, polls and the rest", { skip, timeout: 8 * patience }, (t) =>
  withScene(t, async (scene) => {
    const owner = await scene.signedIn("owner", welcome)
    const member = await scene.signedIn("member", welcome)

    await t.test("settings of a channel: what it is, who posts, who is in it", async (t) => {
      await member.goto(`${scene.origin}/${general}`)
      await member.locator(".place-header [aria-label='Settings of the channel']").click()
      t.equal(await member.locator("dialog input[disabled]").count(), 3, "a member changes nothing")
      t.equal(await member.locator("dialog button", { hasText: "Archive" }).count(), 0)
      // Who is in it is asked when the dialog opens.
      await row(member, "Greta Guest").waitFor()
      t.equal(await row(member, "Greta Guest").locator("button").count(), 0, "and takes nobody out")
      await closeDialog(member)

      await owner.goto(`${scene.origin}/${general}`)
      await owner.locator(".place-header [aria-label='Settings of the channel']").click()
      const field = (name: string) => owner.locator("dialog label", { hasText: name }).locator("input, select")
      await field("Description").fill("All and everything.")
      await field("Who may post").selectOption({ label: "Moderators" })
      await owner.locator("dialog .primary", { hasText: "Save" }).click()
      await member.locator(".place-header p", { hasText: "All and everything." }).waitFor()
      await member.locator(".compose.closed").waitFor()
      t.equal(await member.locator("#write").count(), 0)
      // What another administrator changes while the dialog is open stays when something else is saved.
      await (await scene.person("admin")).must.patch("/streams/1", { description: "Changed meanwhile." })
      await member.locator(".place-header p", { hasText: "Changed meanwhile." }).waitFor()
      await field("Who may post").selectOption({ label: "Everybody" })
      await owner.locator("dialog .primary", { hasText: "Save" }).click()
      await member.locator("#write").waitFor()
      t.match(await member.locator(".place-header p").first().textContent(), "Changed meanwhile.")
      t.equal(await field("Description").inputValue(), "Changed meanwhile.")

      await owner.locator("[aria-label='Remove: Greta Guest']").click()
      await agree(owner)
      await row(owner, "Greta Guest").waitFor({ state: "detached" })
      await owner.locator("dialog [type=search]").fill("greta")
      await owner.locator("[aria-label='Add: Greta Guest']").click()
      await owner.locator("[aria-label='Remove: Greta Guest']").waitFor()
      await closeDialog(owner)
    })

    await t.test("a channel is archived", async () => {
      await (await scene.person("owner")).must.post("/channels/create", {
        name: "old things",
        subscribers: JSON.stringify([(await (await scene.person("owner")).must.get("/users/me"))["user_id"]]),
      })
      await owner.locator(".sidebar a", { hasText: "old things" }).click()
      await owner.locator(".place-header h1", { hasText: "old things" }).waitFor()
      await owner.locator(".place-header [aria-label='Settings of the channel']").click()
      await owner.locator("dialog button", { hasText: "Archive" }).click()
      await agree(owner)
      await owner.locator(".sidebar a", { hasText: "old things" }).waitFor({ state: "detached" })
      await owner.goto(`${scene.origin}/${welcome}`)
      await member.goto(`${scene.origin}/${welcome}`)
    })

    await t.test("a group is made, changed and left", async (t) => {
      await owner.locator(".sidebar [aria-label='Settings']").click()
      await owner.locator("dialog button", { hasText: "Groups" }).click()
      await owner.locator("dialog button", { hasText: "New group" }).click()
      await owner.locator("dialog label", { hasText: "Name" }).locator("input").fill("gardeners")
      await owner.locator("dialog .people label", { hasText: "Max Member" }).click()
      await owner.locator("dialog .primary", { hasText: "Create" }).click()
      await owner.locator("[aria-label='Open: gardeners']").click()
      await owner.locator("[aria-label='Remove: Max Member']").waitFor()
      await owner.locator("dialog label", { hasText: "Description" }).locator("input").fill("who water")
      await owner.locator("dialog .primary", { hasText: "Save" }).click()
      await owner.locator("dialog [type=search]").fill("mona")
      await owner.locator("[aria-label='Add: Mona Moderator']").click()
      await owner.locator("dialog [type=search]").fill("")
      await owner.locator("[aria-label='Remove: Mona Moderator']").waitFor()
      await closeDialog(owner)

      await member.locator(".sidebar [aria-label='Settings']").click()
      await member.locator("dialog button", { hasText: "Groups" }).click()
      await row(member, "gardeners").locator("p", { hasText: "3 people · who water" }).waitFor()
      await member.locator("[aria-label='Open: gardeners']").click()
      t.equal(await member.locator("dialog input[disabled]").count(), 2)
      t.equal(await member.locator("[aria-label='Remove: Mona Moderator']").count(), 0)
      await member.locator("[aria-label='Remove: Max Member']").click()
      await agree(member)
      await row(member, "Max Member").waitFor({ state: "detached" })
      await closeDialog(member)
    })

    await t.test("a poll: votes and another option", async (t) => {
      await owner.locator("#write").fill("/poll Where to?\nHills\nSea")
      await owner.locator("#write").press("Enter")
      const poll = (page: Page) => page.locator(".poll", { hasText: "Where to?" })
      const vote = (page: Page, option: string) => poll(page).locator("li", { hasText: option }).locator(".vote")
      await vote(member, "Sea").click()
      await poll(owner).locator("li", { hasText: "Sea" }).locator(".quiet", { hasText: "Max Member" }).waitFor()
      t.equal(await vote(owner, "Sea").textContent(), "1")
      t.equal(await vote(owner, "Sea").getAttribute("aria-pressed"), "false")
      await poll(member).locator("li", { hasText: "Sea" }).locator(".vote[aria-pressed=true]").waitFor()
      await poll(member).locator("input").fill("Desert")
      await poll(member).locator("button", { hasText: "Add" }).click()
      await vote(owner, "Desert").click()
      await vote(member, "Sea").click()
      await poll(owner).locator("li", { hasText: "Sea" }).locator(".quiet").waitFor({ state: "detached" })
      await poll(member).locator("li", { hasText: "Desert" }).locator(".quiet", { hasText: "Olive Owner" }).waitFor()
      await member.reload()
      await vote(member, "Desert").waitFor()
      t.equal(await vote(member, "Desert").textContent(), "1", "and after a reload")
    })

    await t.test("a to-do list: what is done, and what is to be done, too", async (t) => {
      await owner.locator("#write").fill("/todo Before the feast\nBread: dark\nCandles")
      await owner.locator("#write").press("Enter")
      const list = (page: Page) => page.locator(".todo", { hasText: "Before the feast" })
      const task = (page: Page, text: string) => list(page).locator("li", { hasText: text })
      await task(member, "Bread").locator(".quiet", { hasText: "dark" }).waitFor()
      await task(member, "Bread").locator("label").click()
      await task(owner, "Bread").locator(".done").waitFor()
      t.equal(await task(owner, "Bread").locator("input").isChecked(), true)
      t.equal(await list(owner).locator(".done").count(), 1)
      await list(member).locator(".row input").fill("Wine: red: and white")
      await list(member).locator("button", { hasText: "Add" }).click()
      await task(owner, "Wine").locator(".quiet", { hasText: "red: and white" }).waitFor()
      await task(owner, "Wine").locator("input").focus()
      await owner.keyboard.press("Space")
      await task(member, "Wine").locator(".done").waitFor()
      await task(owner, "Bread").locator("label").click()
      await task(member, "Bread").locator(".done").waitFor({ state: "detached" })
      // Other clients do it by the same words.
      const other = await scene.person("moderator")
      const message_id = await list(owner).locator("xpath=ancestor::article").getAttribute("data-id")
      await other.must.post("/submessage", {
        message_id,
        msg_type: "widget",
        content: { type: "strike", key: "1,canned" },
      })
      await task(member, "Candles").locator(".done").waitFor()
      await member.reload()
      await task(member, "Wine").locator(".done").waitFor()
      t.strictSame(await list(member).locator(".done").allTextContents(), ["Candles", "Winered: and white"])
    })

    await t.test("the organization's own emoji are pictures", async (t) => {
      await addEmoji(scene, "point")
      await member.locator("#write").pressSequentially("see :poin")
      await member.locator(".offer img.emoji").waitFor()
      await member.keyboard.press("Tab")
      await member.keyboard.press("Enter")
      const message = owner.locator(".message", { hasText: "see" }).last()
      const picture = message.locator(".content img.emoji")
      await picture.waitFor()
      t.equal(await owner.evaluate(`document.querySelector(".content img.emoji").decode().then(() => true)`), true)
      await message.hover()
      await message.locator("[aria-label='Add a reaction']").click()
      await message.locator(".picker input").fill("point")
      await message.locator(".picker [aria-label='point']").click()
      await member.locator(".reaction img.emoji").waitFor()
      t.match(await member.locator(".reaction", { has: member.locator("img") }).getAttribute("aria-label"), /:point:/)
    })

    await t.test("who has read a message", async () => {
      await write(owner, "read me")
      await arrives(member, "read me")
      await member.bringToFront()
      await member.locator(".message:not(.is-unread)", { hasText: "read me" }).waitFor()
      await act(owner, "read me", "Who has read it")
      await row(owner, "Max Member").waitFor()
      await closeDialog(owner)
    })

    await t.test("drafts of all devices in one list", async (t) => {
      await member.locator("#write").fill("to be continued")
      await member.locator(".sidebar button", { hasText: "Drafts" }).click()
      await row(member, "to be continued").locator("b", { hasText: "#general › welcome" }).waitFor()
      await row(member, "to be continued").locator("button", { hasText: "Go on" }).click()
      t.equal(await member.locator("#write").inputValue(), "to be continued")
      await member.locator(".sidebar button", { hasText: "Drafts" }).click()
      await row(member, "to be continued").locator("button", { hasText: "Delete" }).click()
      await row(member, "to be continued").waitFor({ state: "detached" })
      await closeDialog(member)
      t.equal(await member.locator("#write").inputValue(), "")
    })

    await t.test("an owner looks at the server's figures", async (t) => {
      await owner.locator(".sidebar [aria-label='Settings']").click()
      await owner.locator("dialog button", { hasText: /^Server$/ }).click()
      await owner.locator("dialog .facts div", { hasText: "Database" }).locator("dd", { hasText: "works" }).waitFor()
      await owner.locator("dialog .figures td", { hasText: "POST /messages" }).first().waitFor()
      await closeDialog(owner)
      await member.locator(".sidebar [aria-label='Settings']").click()
      await member.locator("dialog button", { hasText: "Groups" }).waitFor()
      t.equal(await member.locator("dialog button", { hasText: /^Server$/ }).count(), 0)
      await closeDialog(member)
    })

    await t.test("starred, moved and deleted", async (t) => {
      await write(owner, "a thing to keep")
      await write(owner, "a thing to move")
      await write(owner, "a thing to lose")
      await arrives(member, "a thing to lose")
      await act(owner, "a thing to keep", "Star")
      await owner.locator(".message .star").waitFor()
      await owner.locator(".sidebar a", { hasText: "Starred" }).click()
      await arrives(owner, "a thing to keep")
      t.equal(await owner.locator(".message").count(), 1)
      await owner.goto(`${scene.origin}/${welcome}`)
      await act(owner, "a thing to move", "Move")
      await owner
        .locator("dialog label", { hasText: /^Topic/ })
        .locator("input")
        .fill("elsewhere")
      await owner.locator("dialog .primary", { hasText: "Move" }).click()
      await texts(member, "a thing to move").waitFor({ state: "detached" })
      await member.locator(".topics a", { hasText: "elsewhere" }).waitFor()
      await act(owner, "a thing to lose", "Delete")
      await owner.locator("dialog .danger").click()
      await texts(member, "a thing to lose").waitFor({ state: "detached" })
      await member.goto(`${scene.origin}/#channel/1/topic/elsewhere`)
      await arrives(member, "a thing to move")
      await member.goto(`${scene.origin}/${welcome}`)
    })

    await t.test("a topic is muted", async (t) => {
      await member.goto(`${scene.origin}/#channel/1/topic/elsewhere`)
      await member.locator(".place-header [aria-label='Mute']").click()
      await member.locator(".topics a.muted", { hasText: "elsewhere" }).waitFor()
      await member.locator(".sidebar a", { hasText: "All messages" }).click()
      await arrives(member, "a thing to keep")
      t.equal(await texts(member, "a thing to move").count(), 0)
      await member.goto(`${scene.origin}/${welcome}`)
    })

    await t.test("sent later", async (t) => {
      await member.locator("#write").fill("good night")
      await member.locator(".compose [aria-label='Send later']").click()
      await member.locator(".later .primary").click()
      await member.locator(".notice", { hasText: "It will be sent" }).waitFor()
      t.equal(await member.locator("#write").inputValue(), "")
      await member.locator(".sidebar [aria-label='Scheduled messages']").click()
      await row(member, "good night").locator("button", { hasText: "Delete" }).click()
      await row(member, "good night").waitFor({ state: "detached" })
      await closeDialog(member)
    })
  }),
)

t.test("people among themselves", { skip, timeout: 8 * patience }, (t) =>
  withScene(t, async (scene) => {
    const writer = await scene.signedIn("member", welcome)
    await t.test("something is to be sent later", async () => {
      await writer.locator("#write").fill("sent at its time")
      await writer.locator(".compose [aria-label='Send later']").click()
      // The next whole minute that is not too near.
      const when = await writer.evaluate<string>(`(() => {
        const at = new Date(Math.ceil((Date.now() + 60_000) / 60_000) * 60_000)
        return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
      })()`)
      await writer.locator(".later input").fill(when)
      await writer.locator(".later .primary").click()
      await writer.locator(".notice", { hasText: "It will be sent" }).waitFor()
    })

    await t.test("three write to each other directly", async () => {
      const owner = await scene.signedIn("owner")
      const member = await scene.signedIn("member")
      await owner.locator(".sidebar [aria-label='New direct message']").click()
      for (const name of ["Max Member", "Greta Guest"])
        await owner.locator("dialog .people label", { hasText: name }).click()
      await owner.locator("dialog .primary", { hasText: "Start" }).click()
      await owner.locator(".place-header h1", { hasText: /Max Member, Greta Guest|Greta Guest, Max Member/ }).waitFor()
      await write(owner, "just us three")
      const place = member.locator(".sidebar section[aria-labelledby=directs] a", { hasText: "Greta Guest" })
      await place.click()
      await arrives(member, "just us three")
      await write(member, "and nobody else")
      await arrives(owner, "and nobody else")
    })

    await t.test("what opens beside the last message is seen whole", async (t) => {
      const page = await scene.signedIn("owner", welcome)
      const message = page.locator(".message").last()
      for (const [label, popup] of [
        ["More", ".popup.menu"],
        ["Add a reaction", ".popup.picker"],
      ] as const) {
        await message.hover()
        await message.locator(`[aria-label='${label}']`).click()
        await page.locator(popup).waitFor()
        const [list, box] = [await page.locator("#messages").boundingBox(), await page.locator(popup).boundingBox()]
        t.ok(list !== null && box !== null && box.y >= list.y && box.y + box.height <= list.y + list.height, popup)
        await page.keyboard.press("Escape")
        await page.locator(popup).waitFor({ state: "detached" })
      }
      await page.context().close()
    })

    await t.test("the card of a person", async (t) => {
      const page = await scene.signedIn("owner", welcome)
      await page.locator(".message .sender", { hasText: "Max Member" }).first().click()
      const facts = page.locator("dialog .facts")
      await facts.locator("dd", { hasText: "member@demo.example" }).waitFor()
      t.match(await facts.textContent(), /Role\s*Member/)
      await page.locator("dialog button", { hasText: "Send a direct message" }).click()
      await page.locator(".place-header h1", { hasText: /^Max Member$/ }).waitFor()
      await page.context().close()
    })

    await t.test("what somebody writes who is muted is folded up, after a reload too", async (t) => {
      const page = await scene.signedIn("guest", welcome)
      const other = await scene.signedIn("member", welcome)
      await page.locator(".message .sender", { hasText: "Max Member" }).first().click()
      await page.locator("dialog button", { hasText: /^Mute$/ }).click()
      await page.locator("dialog button", { hasText: /^Unmute$/ }).waitFor()
      await closeDialog(page)
      const folded = page.locator(".message button", { hasText: "whom you have muted" })
      const before = await folded.count()
      await write(other, "can you hear me")
      await folded.nth(before).waitFor()
      t.equal(await texts(page, "can you hear me").count(), 0)
      await page.reload()
      await folded.nth(before).click()
      await arrives(page, "can you hear me")
      for (const each of [page, other]) await each.context().close()
    })

    await t.test("one's own settings", async (t) => {
      const page = await scene.signedIn("moderator", welcome)
      const other = await scene.signedIn("owner", welcome)
      await page.locator(".sidebar [aria-label='Settings']").click()
      await page.locator("dialog label", { hasText: "Full name" }).locator("input").fill("Mona Lisa")
      await page.locator("dialog label", { hasText: "Status" }).locator("input").fill("in a frame")
      await page.locator("dialog .primary", { hasText: "Save" }).click()
      await other.locator(".people-panel .name", { hasText: "Mona Lisa in a frame" }).waitFor()
      const isSet = page.waitForResponse(
        (response) => response.request().method() === "PATCH" && response.url().endsWith("/api/v1/settings"),
      )
      await page.locator("dialog label", { hasText: "Enter sends" }).locator("input").uncheck()
      t.equal((await isSet).status(), 200)
      await closeDialog(page)
      await page.locator("#write").fill("first line")
      // The box has heard of it.
      await page.locator(".compose-tools .grow", { hasText: /^$/ }).waitFor({ state: "attached" })
      await page.locator("#write").press("Enter")
      t.equal(await page.locator("#write").inputValue(), "first line\n")
      await page.locator("#write").press("Control+Enter")
      await arrives(other, "first line")
      for (const each of [page, other]) await each.context().close()
    })

    await t.test("an administrator gives another role", async (t) => {
      const admin = await scene.signedIn("admin")
      const member = await scene.signedIn("member")
      t.equal(await member.locator(".sidebar [aria-label='Organization']").count(), 0)
      await admin.locator(".sidebar [aria-label='Organization']").click()
      await admin.locator("[aria-label='Role: Max Member']").selectOption({ label: "Administrator" })
      await agree(admin)
      await member.locator(".sidebar [aria-label='Organization']").waitFor()
      await admin.locator("[aria-label='Role: Max Member']").selectOption({ label: "Member" })
      await agree(admin)
      await member.locator(".sidebar [aria-label='Organization']").waitFor({ state: "detached" })
      for (const each of [admin, member]) await each.context().close()
    })

    await t.test("whoever is invited comes in", async (t) => {
      const admin = await scene.signedIn("admin")
      await admin.locator(".sidebar [aria-label='Organization']").click()
      await admin.locator("[aria-label='Addresses, as you copied them']").fill("nora@demo.example")
      await admin.locator("dialog .primary", { hasText: "Invite" }).click()
      await row(admin, "nora@demo.example").waitFor()
      const page = await scene.page()
      await page.goto(`${scene.origin}/outbox`)
      const link = page.locator("a", { hasText: "/join/" }).first()
      await until("the mail is kept", patience, async () => {
        await page.reload()
        return (await link.count()) > 0
      })
      await page.goto(String(await link.getAttribute("href")))
      await page.locator("[name=full_name]").fill("Nora New")
      await page.locator("[name=password]").fill("a password of mine")
      await page.locator("button, [type=submit]").first().click()
      await page.locator("a", { hasText: "Sign in here" }).click()
      await page.locator("input[type=email]").fill("nora@demo.example")
      await page.locator("input[type=password]").fill("a password of mine")
      await page.locator(".sign-in .primary").click()
      await page.locator(".sidebar footer .name", { hasText: "Nora New" }).waitFor()
      await page.goto(`${scene.origin}/${welcome}`)
      await write(page, "I am new here")
      await admin.goto(`${scene.origin}/${welcome}`)
      await arrives(admin, "I am new here")
      // Whoever is invited next is in a list that was read anew.
      await admin.locator(".sidebar [aria-label='Organization']").click()
      await admin.locator("[aria-label='Addresses, as you copied them']").fill("otto@demo.example")
      await admin.locator("dialog .primary", { hasText: "Invite" }).click()
      const invited = (address: string) =>
        row(admin, address).filter({ has: admin.locator("button", { hasText: "Revoke" }) })
      await invited("otto@demo.example").waitFor()
      t.equal(await invited("nora@demo.example").count(), 0)
    })

    await t.test("and is sent then, once", async (t) => {
      const reader = await scene.signedIn("owner", welcome)
      await texts(reader, "sent at its time").waitFor({ timeout: 3 * patience })
      await texts(writer, "sent at its time").waitFor()
      t.equal(await texts(writer, "sent at its time").count(), 1)
      await writer.locator(".sidebar [aria-label='Scheduled messages']").click()
      await writer.locator("dialog", { hasText: "Nothing is to be sent later." }).waitFor()
    })
  }),
)
