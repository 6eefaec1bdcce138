/** A little of everything that people do, so that a comparison of tables finds rows in most of them; and their registers. */
import { type Account, type Person, personOf } from "../../test/kit/client.ts"
import { channel } from "../target/people.ts"
import { ownOfRegister } from "./plan.ts"

/** The year 2100, in seconds. */
const farAhead = 4_102_444_800

const upload = async (origin: string, { email, key }: Account, text: string): Promise<string> => {
  const form = new FormData()
  form.set("file", new Blob([text], { type: "text/plain" }), "a.txt")
  const headers = { Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}` }
  const answer = await fetch(`${origin}/api/v1/user_uploads`, { method: "POST", headers, body: form })
  const { url }: { url?: unknown } = Object(await answer.json())
  return String(url)
}

/** Answers the account of a bot that has been made. */
export const doEverything = async (origin: string, owner: Person, member: Person, guest: Person): Promise<Account> => {
  const idOf = async (person: Person) => Number((await person.must.get("/users/me"))["user_id"])
  const [ownerId, memberId, guestId] = [await idOf(owner), await idOf(member), await idOf(guest)]
  const send = (person: Person, content: string) => person.send(channel.name, content, { topic: "deeds" })
  const linking = await send(owner, `a [file](${await upload(origin, owner.account, "the bytes of a file")})`)
  const moved = await send(member, "to be **edited** and moved")
  const deleted = await send(member, "to be deleted")
  await send(member, "/poll What is for lunch?\nsoup\nsalad")
  await owner.must.post("/messages", { type: "direct", to: [memberId, guestId], content: "only for *us*" })
  await guest.must.post(`/messages/${linking}/reactions`, { emoji_name: "tada" })
  await member.must.patch(`/messages/${moved}`, { content: "was **edited**" })
  await owner.must.patch(`/messages/${moved}`, { topic: "moved", propagate_mode: "change_all" })
  await owner.must.delete(`/messages/${deleted}`)
  await member.must.post("/messages/flags", { messages: [linking], op: "add", flag: "starred" })
  await member.must.post("/user_topics", { stream_id: channel.id, topic: "deeds", visibility_policy: 3 })
  await member.must.post(`/users/me/muted_users/${guestId}`)
  await member.must.post("/users/me/alert_words", { alert_words: ["lunch"] })
  await member.must.post("/saved_snippets", { title: "hello", content: "Hello, and **welcome**" })
  const draft = { type: "stream", to: [channel.id], topic: "deeds", content: "half a thought", timestamp: 1 }
  await member.must.post("/drafts", { drafts: [draft] })
  await member.must.post("/scheduled_messages", {
    type: "channel",
    to: channel.id,
    topic: "deeds",
    content: "from a time that has not come",
    scheduled_delivery_timestamp: farAhead,
  })
  await owner.must.post("/user_groups/create", { name: "cooks", description: "of lunch", members: [ownerId, memberId] })
  await owner.must.post("/users/me/subscriptions", { subscriptions: [{ name: "kitchen" }], principals: [memberId] })
  await owner.must.post("/realm/filters", { pattern: "#(?P<id>[0-9]+)", url_template: "https://issues.example/{id}" })
  const bot = await owner.must.post("/bots", { full_name: "Cook", short_name: "cook", bot_type: 1 })
  const made = await owner.must.get(`/users/${Number(bot["user_id"])}`)
  const { email }: { email?: unknown } = Object(made["user"])
  return { email: String(email), key: String(bot["api_key"]) }
}

/** What register answers each of these accounts, without what is another one each time. */
export const registersOf = async (
  origin: string,
  accounts: Readonly<Record<string, Account>>,
): Promise<Readonly<Record<string, string>>> => {
  const found: Record<string, string> = {}
  for (const [name, account] of Object.entries(accounts)) {
    const state: Record<string, unknown> = { ...(await personOf(origin, account).must.post("/register")) }
    for (const own of ownOfRegister) delete state[own]
    const sorted = Object.fromEntries(Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1)))
    // Each server is reached by a port of its own.
    found[name] = JSON.stringify(sorted).replaceAll(origin, "")
  }
  return found
}
