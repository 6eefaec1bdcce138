/**
 * The page on a network that is slow, that stalls, that is gone for a while, and whose connections die without a word. The browser's own
 * throttle is before HTTP alone; what concerns sockets, too, is done by a proxy, or to the socket.
 */
import type { Page } from "playwright-core"
import t from "tap"
import { startProxy } from "../../src/testing/fault-proxy.ts"
import { originOf } from "../kit/program.ts"
import { until } from "../kit/test-database.ts"
import { arrives, patience, type Scene, skip, texts, withScene, write } from "./kit.ts"
import { banners, expectOnce, now, watch, wrongs } from "./watch.ts"

const welcome = "#channel/1/topic/welcome"
const outbox = `Object.keys(localStorage).filter((key) => key.startsWith("parley.outbox.")).length`
/** Milliseconds of silence after which people are told. */
const silence = 5_000

const throttle = async (page: Page, bytesPerSecond: number, latency: number): Promise<() => Promise<void>> => {
  const session = await page.context().newCDPSession(page)
  const set = (offline: boolean, latency: number, throughput: number) =>
    session.send("Network.emulateNetworkConditions", {
      offline,
      latency,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    })
  await session.send("Network.enable")
  await set(false, latency, bytesPerSecond)
  return async () => void (await set(false, 0, -1))
}

const say = async (scene: Scene, name: string, ...all: ReadonlyArray<string>): Promise<void> => {
  const person = await scene.person(name)
  for (const text of all) await person.send("general", text, { topic: "welcome" })
}

const numbered = (text: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, n) => `${text} ${n + 1}`)

t.test("on a bad network nothing is lost, doubled or gone for a moment", { skip, timeout: 10 * patience }, (t) =>
  withScene(t, async (scene) => {
    await t.test("slow: 400 ms, 50 KB in a second", async (t) => {
      const proxy = await startProxy("127.0.0.1", scene.port)
      t.teardown(() => proxy.close())
      const page = await scene.page()
      await watch(page)
      // The socket's part of the slowness.
      proxy.slow(50_000)
      await throttle(page, 50_000, 400)
      await scene.enter(page, "owner", welcome, originOf(proxy.port))
      await page.locator(".message").first().waitFor()
      const own = numbered("sent slowly", 3)
      const others = numbered("came slowly", 20)
      await expectOnce(page, ...own, ...others)
      const said = say(scene, "member", ...others)
      for (const text of own) {
        await write(page, text)
        // At once, whatever the network does.
        t.equal(await page.locator(".message .content", { hasText: text }).count(), 1, text)
      }
      await said
      for (const text of [...own, ...others]) await arrives(page, text)
      await page.locator(".pending").first().waitFor({ state: "detached" })
      await page.locator(".sidebar a", { hasText: "All messages" }).click()
      await arrives(page, "came slowly 20")
      t.strictSame(await banners(page), [], "a slow server is no server that is away")
      await page.context().close()
    })

    await t.test("all stalls for a while, then goes on", async (t) => {
      const proxy = await startProxy("127.0.0.1", scene.port)
      t.teardown(() => proxy.close())
      const page = await scene.page()
      await watch(page)
      await scene.enter(page, "owner", welcome, originOf(proxy.port))
      await page.locator(".message").first().waitFor()
      await expectOnce(page, "into the silence", "out of the silence")
      const stalledAt = await now(page)
      proxy.stall()
      await write(page, "into the silence")
      await page.locator(".pending", { hasText: "into the silence" }).waitFor()
      await say(scene, "member", "out of the silence")
      await page.locator("#write").fill("half a thought")
      await page.locator(".banner p").waitFor()
      const [first = 0] = await banners(page)
      t.ok(first - stalledAt >= silence, `told after ${first - stalledAt} ms`)
      t.equal(await page.locator(".pending").count(), 1)
      proxy.resume()
      await arrives(page, "into the silence")
      await arrives(page, "out of the silence")
      await page.locator(".banner p").waitFor({ state: "detached" })
      await page.locator(".pending").waitFor({ state: "detached" })
      t.equal(await page.locator("#write").inputValue(), "half a thought")
      t.strictSame(await wrongs(page), [])
      // Nothing waits any more, so it is the page's own that is sent next.
      await page.locator("#write").press("Enter")
      await arrives(page, "half a thought")
      t.equal(await page.evaluate(outbox), 0)
      await page.context().close()
    })

    await t.test("no network for a while", async (t) => {
      const page = await scene.page()
      await watch(page)
      await scene.enter(page, "owner", welcome)
      await page.locator(".message").first().waitFor()
      await expectOnce(page, "written in a tunnel", "said meanwhile")
      const goneAt = await now(page)
      await page.context().setOffline(true)
      await write(page, "written in a tunnel")
      await page.locator(".pending", { hasText: "written in a tunnel" }).waitFor()
      await say(scene, "member", "said meanwhile")
      await page.locator(".banner p").waitFor()
      const [first = 0] = await banners(page)
      t.ok(first - goneAt >= silence, `told after ${first - goneAt} ms`)
      t.strictSame(await wrongs(page).then((all) => all.filter((each) => !each.endsWith("never"))), [])
      // A place that cannot be read now is read as soon as it can be.
      await page.evaluate(`location.hash = "#channel/1/topic/statistics"`)
      await page.locator(".messages[aria-busy]").waitFor()
      await page.locator("#write").fill("typed in a tunnel")
      await page.context().setOffline(false)
      await page.locator(".message").first().waitFor()
      await page.locator(".banner p").waitFor({ state: "detached" })
      t.equal(await page.locator("#write").inputValue(), "typed in a tunnel")
      await page.evaluate(`location.hash = ${JSON.stringify(welcome)}`)
      for (const text of ["written in a tunnel", "said meanwhile"]) {
        await arrives(page, text)
        t.equal(await texts(page, text).count(), 1, text)
      }
      await until("nothing waits", patience, async () => (await page.evaluate(outbox)) === 0)
      await page.context().close()
    })

    await t.test("the socket dies without a word, requests are answered", async (t) => {
      const page = await scene.page()
      await watch(page)
      const held: Array<() => void> = []
      let isHeld = false
      let sockets = 0
      await page.routeWebSocket(/\/events\/ws/, (socket) => {
        const number = ++sockets
        const server = socket.connectToServer()
        server.onMessage((message) => {
          const pass = () => socket.send(message)
          if (isHeld && number === 1) held.push(pass)
          else pass()
        })
      })
      await scene.enter(page, "owner", welcome)
      await say(scene, "member", "by the first socket")
      await arrives(page, "by the first socket")
      await until("it is read by a socket", patience, () => sockets === 1)

      isHeld = true
      await expectOnce(page, "answered, not told")
      await write(page, "answered, not told")
      await until("it is answered", patience, async () => (await page.evaluate(outbox)) === 0)
      await arrives(page, "answered, not told")
      t.ok(held.length > 0, "its event has not come")
      t.strictSame(await wrongs(page), [])
      for (const pass of held.splice(0)) pass()
      await write(page, "once more")
      await arrives(page, "once more")
      t.equal(await texts(page, "answered, not told").count(), 1, "nor is it doubled by its event")

      // Whoever was away does not trust it any more.
      await expectOnce(page, "by the second socket")
      await page.context().setOffline(true)
      await page.locator(".banner p").waitFor()
      await page.context().setOffline(false)
      await page.locator(".banner p").waitFor({ state: "detached" })
      await until("it is read by another socket", patience, () => sockets >= 2)
      await say(scene, "member", "by the second socket")
      await arrives(page, "by the second socket")
      t.strictSame(await wrongs(page), [])
      await page.context().close()
    })

    await t.test("a file goes slowly, is cut off, goes again, and comes where it belongs", async (t) => {
      const proxy = await startProxy("127.0.0.1", scene.port)
      t.teardown(() => proxy.close())
      const page = await scene.page()
      await scene.enter(page, "owner", welcome, originOf(proxy.port))
      const free = await throttle(page, 50_000, 400)
      await page.locator("#write").fill("look at")
      const file = { name: "long.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(600_000, 7) }
      await page.locator(".compose input[type=file]").setInputFiles(file)
      const done = `document.querySelector(".uploads progress")?.value ?? 0`
      const goesOn = () =>
        until("a part of it has gone", patience, async () => {
          const part = Number(await page.evaluate(done))
          return part > 0 && part < 1
        })
      await goesOn()
      // A browser tries once more by itself, by another connection.
      await proxy.refuse()
      proxy.cut()
      await page.locator(".uploads .fault", { hasText: "does not get through" }).waitFor()
      await proxy.accept()
      await page.locator(".uploads button", { hasText: "Try again" }).click()
      await goesOn()
      // One need not stay and watch.
      await page.evaluate(`location.hash = "#channel/1/topic/statistics"`)
      await page.locator(".compose .target", { hasText: "statistics" }).waitFor()
      t.equal(await page.locator(".uploads li").count(), 0, "it is shown where it belongs")
      const answered = page.waitForResponse("**/api/v1/user_uploads")
      await free()
      t.equal((await answered).status(), 200)
      await page.evaluate(`location.hash = ${JSON.stringify(welcome)}`)
      await page.locator(".compose .target", { hasText: "welcome" }).waitFor()
      await until("the link is there", patience, async () => (await page.locator("#write").inputValue()) !== "look at")
      t.match(await page.locator("#write").inputValue(), /^look at \[long\.bin\]\(\/user_uploads\/\S+\) $/)
      t.equal(await page.locator(".uploads li").count(), 0)
      await page.context().close()
    })
  }),
)
