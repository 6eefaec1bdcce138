/** Where one is, in Chromium: after a topic has moved, a channel was lost, a queue was lost, and after Back. */
import type { Page } from "playwright-core"
import t from "tap"
import { until } from "../kit/test-database.ts"
import { arrives, patience, type Scene, skip, withScene, write } from "./kit.ts"

const say = async (scene: Scene, name: string, topic: string, content: string): Promise<number> =>
  Number(
    (await (await scene.person(name)).must.post("/messages", { type: "channel", to: "general", topic, content }))["id"],
  )

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value)

/** The number of the message that is first on the screen, and how far below the top of the list it is. */
const firstShown = (page: Page) =>
  page.evaluate<readonly [string, number]>(`(() => {
    const list = document.querySelector("#messages")
    const row = [...list.querySelectorAll("[data-id]")].find((each) => each.offsetTop + each.offsetHeight > list.scrollTop)
    return [row.dataset.id, Math.round(row.offsetTop - list.scrollTop)]
  })()`)

t.test("where one is", { skip, timeout: 8 * patience }, (t) =>
  withScene(t, async (scene) => {
    await t.test("readers follow a topic that is moved, with what they have begun to write", async (t) => {
      await say(scene, "owner", "leaves", "leaf one")
      const last = await say(scene, "owner", "leaves", "leaf two")
      const page = await scene.signedIn("member", "#channel/1/topic/leaves")
      await arrives(page, "leaf two")
      await page.locator("#write").fill("begun before")
      await (await scene.person("owner")).must.patch(`/messages/${last}`, {
        topic: "trees",
        propagate_mode: "change_all",
      })
      await page.locator(".place-header h1", { hasText: "trees" }).waitFor()
      await arrives(page, "leaf one")
      t.equal(new URL(page.url()).hash, "#channel/1/topic/trees")
      t.equal(await page.locator("#write").inputValue(), "begun before")
      await write(page, "under the trees")
      await arrives(page, "under the trees")
      await (await scene.person("owner")).must.patch(`/messages/${last}`, {
        topic: "fruit",
        propagate_mode: "change_one",
      })
      const notice = page.locator(".notice", { hasText: "1 message was moved" })
      await notice.waitFor()
      t.match(await page.locator(".place-header h1").textContent(), /trees/, "a part takes nobody along")
      await notice.locator("a").click()
      await page.locator(".place-header h1", { hasText: "fruit" }).waitFor()
      await page.context().close()
    })

    await t.test(
      "whoever edits or writes goes on while the topic moves; Send is pressed once after a topic",
      async (t) => {
        const owner = await scene.person("owner")
        const page = await scene.signedIn("member", "#channel/1/topic/wandering")
        await write(page, "to be changed")
        await arrives(page, "to be changed")
        const id = Number(await page.locator("[data-id]").first().getAttribute("data-id"))
        const rename = (topic: string) => owner.must.patch(`/messages/${id}`, { topic, propagate_mode: "change_all" })
        await page.locator("#write").press("ArrowUp")
        const field = page.locator(".edit-box textarea:enabled")
        await field.fill("changed by half")
        await rename("wandered")
        await page.locator(".place-header h1", { hasText: "wandered" }).waitFor()
        await page.keyboard.type(" and whole")
        t.equal(await field.inputValue(), "changed by half and whole")
        await field.press("Enter")
        await arrives(page, "changed by half and whole")
        await page.locator("#write").fill("in the midd|")
        await page.locator("#write").press("ArrowLeft")
        await rename("arrived")
        await page.locator(".place-header h1", { hasText: "arrived" }).waitFor()
        await page.keyboard.type("le")
        t.equal(await page.locator("#write").inputValue(), "in the middle|")
        await page.locator("#write").fill("")
        await page.goto(`${scene.origin}/#channel/1`)
        await page.locator("#topic").waitFor()
        await page.locator("#write").fill("sent by one press")
        await page.locator("#topic").fill("typed topic")
        await page.locator(".send").click()
        await arrives(page, "sent by one press")
        t.equal(await page.locator(".place-bar", { hasText: "typed topic" }).count(), 1)
        await page.context().close()
      },
    )

    await t.test("a topic that one may not follow is not called new; what is said can be put away", async () => {
      const owner = await scene.person("owner")
      const subscribers = JSON.stringify([(await owner.must.get("/users/me"))["user_id"]])
      const made = await owner.must.post("/channels/create", { name: "behind", subscribers, invite_only: "true" })
      const id = await say(scene, "owner", "leaving", "goes where you may not")
      const page = await scene.signedIn("member", "#channel/1/topic/leaving")
      await arrives(page, "goes where you may not")
      await owner.must.patch(`/messages/${id}`, { stream_id: Number(made["id"]), propagate_mode: "change_all" })
      await page.locator(".empty", { hasText: "moved or deleted" }).waitFor()
      const notice = page.locator(".notice", { hasText: "moved or deleted" })
      await notice.locator("button").click()
      await notice.waitFor({ state: "detached" })
      await page.context().close()
    })

    await t.test("whoever is removed, or finds the channel archived, is told, and has no box", async (t) => {
      const owner = await scene.person("owner")
      const { user_id } = await (await scene.person("member")).must.get("/users/me")
      const people = JSON.stringify([user_id, (await owner.must.get("/users/me"))["user_id"]])
      const made = await owner.must.post("/channels/create", {
        name: "secret",
        subscribers: people,
        invite_only: "true",
      })
      const id = Number(made["id"])
      const page = await scene.signedIn("member", `#channel/${id}/topic/plans`)
      await page.locator("#write").waitFor()
      await owner.must.delete("/users/me/subscriptions", {
        subscriptions: JSON.stringify(["secret"]),
        principals: JSON.stringify([user_id]),
      })
      await page.locator(".notice", { hasText: "You cannot see #secret any more." }).waitFor()
      t.equal(await page.locator("#write").count(), 0)
      await page.reload()
      await page.locator("#messages, .messages", { hasText: "You may not see this channel" }).waitFor()
      await page.locator(".messages a", { hasText: "Go to all messages" }).click()
      await page.locator(".place-header h1", { hasText: "All messages" }).waitFor()

      const open = await owner.must.post("/channels/create", { name: "open once", subscribers: people })
      await page.goto(`${scene.origin}/#channel/${Number(open["id"])}/topic/plans`)
      await write(page, "still allowed")
      await arrives(page, "still allowed")
      await owner.must.delete(`/streams/${Number(open["id"])}`)
      await page.locator(".compose.closed", { hasText: "archived" }).waitFor()
      t.equal(await page.locator("#write").count(), 0)
      await page.reload()
      await arrives(page, "still allowed")
      await page.locator(".compose.closed", { hasText: "archived" }).waitFor()
      await page.context().close()
    })

    await t.test("whoever is removed from a public channel can come back from its topic", async (t) => {
      const page = await scene.signedIn("guest", "#channel/1/topic/welcome")
      const owner = await scene.person("owner")
      const { user_id } = await (await scene.person("member")).must.get("/users/me")
      const member = await scene.signedIn("member", "#channel/1/topic/welcome")
      await member.locator("#write").waitFor()
      await owner.must.delete("/users/me/subscriptions", {
        subscriptions: JSON.stringify(["general"]),
        principals: JSON.stringify([user_id]),
      })
      await member.locator(".notice", { hasText: "no longer subscribed" }).waitFor()
      await member.locator(".place-header button", { hasText: "Subscribe" }).click()
      await member.locator(".sidebar a", { hasText: "general" }).first().waitFor()
      t.equal(await member.locator(".place-header button", { hasText: "Subscribe" }).count(), 0)
      await member.context().close()
      await page.context().close()
    })

    await t.test("Back leads to where one was, and a lost queue takes nobody from there", async (t) => {
      for (let n = 0; n < 80; n++) await say(scene, "owner", "long", `line ${n}`)
      const page = await scene.page()
      const registered = page.waitForResponse("**/api/v1/register")
      await scene.enter(page, "member", "#channel/1/topic/long")
      const queue = fieldsOf(await (await registered).json())
      await page.locator(".message").first().waitFor()
      await page.locator("#messages").evaluate("(list) => list.scrollBy(0, -900)")
      const moved = async () => (await firstShown(page))[0] !== ""
      await until("it has scrolled", patience, moved)
      const before = await firstShown(page)
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
      await page.locator(".sidebar a", { hasText: "Starred" }).click()
      await page.locator(".place-header h1", { hasText: "Starred" }).waitFor()
      await page.goBack()
      await page.locator(".message").first().waitFor()
      await until("one is there again", patience, async () => (await firstShown(page))[0] === before[0])
      t.equal((await firstShown(page))[1], before[1])

      const lost = page.waitForResponse("**/api/v1/register")
      await (await scene.person("member")).must.delete("/events", { queue_id: String(queue["queue_id"]) })
      await lost
      await say(scene, "owner", "long", "came while nothing was heard")
      await page.locator(".sidebar a", { hasText: "Mentions" }).waitFor()
      await until("the messages are read again", patience, async () => (await firstShown(page))[0] === before[0])
      t.equal((await firstShown(page))[1], before[1])
      await page.context().close()
    })
  }),
)
