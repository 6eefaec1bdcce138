/** Guide, the bot of the demo organization that answers: by a program of its own, also after a restart. */
import t from "tap"
import { makeDemoFlags } from "./kit/demo-place.ts"
import { originOf, Program, signIn } from "./kit/program.ts"
import { pluck, recordsIn } from "./kit/records.ts"
import { until } from "./kit/test-database.ts"

const plain = { anchor: "newest", num_before: 20, num_after: 0, apply_markdown: false }

t.test("Guide answers who mentions it or writes to it, and nobody else", async (t) => {
  const flags = await makeDemoFlags(t)
  const program = new Program(t, flags(0))
  let port = await program.port()
  let member = await signIn(port, "member")
  const page = async (of = member) => recordsIn((await of.must.get("/messages", plain))["messages"])
  const said = async (topic: string, of = member) =>
    (await page(of)).filter(({ subject, sender_full_name }) => subject === topic && sender_full_name === "Guide")
  const send = (topic: string, content: string, of = member) =>
    of.must.post("/messages", { type: "channel", to: "general", topic, content })
  const guideId = Number(
    recordsIn((await member.must.get("/users"))["members"]).find(({ full_name }) => full_name === "Guide")?.["user_id"],
  )

  // It registers its queue when the server is ready: whoever is as quick as a test asks again.
  await until("it answers", 20_000, async () => {
    await send("dice", "@**Guide** roll 20")
    return (await said("dice")).length > 0
  })
  const [first] = await said("dice")
  t.match(first?.["content"], /^@_\*\*Max Member\|\d+\*\* rolls \*\*\d+\*\* of 20\.$/)
  await send("", "@**Guide** hello")
  await until("it answers in the general topic", 10_000, async () => (await said("general chat")).length === 1)
  t.match((await said("general chat"))[0]?.["content"], /^Hello .* `@\*\*Guide\*\* roll 20`/s)
  await send("quiet", "Guide, @_**Guide** and `@**Guide**` mention nobody")
  await member.must.post("/messages", { type: "direct", to: [guideId], content: "roll" })
  const direct = async () =>
    (await page()).filter(({ type, sender_full_name }) => type === "private" && sender_full_name === "Guide")
  await until("it answers a direct message", 10_000, async () => (await direct()).length === 1)
  t.match((await direct())[0]?.["content"], /rolls \*\*[1-6]\*\* of 6\.$/)
  const bot = await signIn(port, "bot")
  await send("bots", "@**Guide** roll", bot)
  await send("after", "@**Guide** roll")
  await until("it answers what came later", 10_000, async () => (await said("after")).length === 1)
  t.same(await said("quiet"), [])
  t.same(await said("bots", bot), [], "no bot answers a bot")

  const before = pluck(await page(), "id")
  program.signal("SIGTERM")
  t.match(await program.ended, { code: 0 }, "it goes before the server ends")
  port = await new Program(t, flags(0)).port()
  member = await signIn(port, "member")
  t.same(pluck(await page(), "id"), before, "nothing is told or said a second time")
  await until("it answers after a restart", 20_000, async () => {
    await send("again", "@**Guide** roll 2")
    return (await said("again")).length > 0
  })
  const owner = await signIn(port, "owner")
  await owner.must.delete(`/bots/${guideId}`)
  t.equal((await fetch(`${originOf(port)}/health`)).status, 200, "the server does not mind that it has gone")
})
