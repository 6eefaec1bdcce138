/** The contents of the demo organization, asked of a server that serves it. */
import sharp from "sharp"
import type { Test } from "tap"
import { demoAccounts } from "../../../../src/chat/server/setup/demo.ts"
import { demoBots } from "../../../../src/chat/server/setup/demo-bots.ts"
import { demoFaces } from "../../../../src/chat/server/setup/demo-faces.ts"
import { demoPassword } from "../../../../src/chat/server/setup/demo-password.ts"
import { request } from "../../../kit/client.ts"
import { originOf, signIn } from "../../../kit/program.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"

/** What people did with their messages, and how they are now. */
const checkLife = async (t: Test, port: number): Promise<void> => {
  const [member, admin, visitor] = [
    await signIn(port, "member"),
    await signIn(port, "admin"),
    await signIn(port, "visitor"),
  ]
  const page = { anchor: "oldest", num_before: 0, num_after: 100 }
  const messages = recordsIn((await member.must.get("/messages", page))["messages"])
  const of = (topic: string) => messages.filter(({ subject }) => subject === topic)
  const days = messages.map(({ timestamp }) => Number(timestamp) / 86_400)
  t.same(days, days.toSorted(), "in the order in which they were sent")
  t.ok(Math.max(...days) - Math.min(...days) > 2, "over some days")
  const [poll] = of("lunch on Friday")
  t.equal(
    new Set(pluck(poll?.["submessages"], "content").map((each) => JSON.parse(String(each)).key)).size,
    3,
    "what the poll is, and two options with votes",
  )
  t.equal(of("✔ printer is jammed").length, 3, "it is resolved, and says so")
  t.match(
    of("website / main"),
    [
      { sender_full_name: "Builds", content: /pushed.*2 commits/s },
      { sender_full_name: "Builds", content: /Tests.*succeeded/s },
    ],
    "what GitHub has told",
  )
  const [, , picture] = of("statistics")
  const url = /\/user_uploads\/[^"]+\.png/.exec(String(picture?.["content"]))?.[0] ?? ""
  const file = await member.get(url)
  t.equal(file.status, 200, "the picture is there")
  t.match(String(of("statistics")[0]?.["content"]), /codehilite/)
  t.match(
    messages.flatMap(({ reactions }) => pluck(reactions, "emoji_name")),
    ["wave", "heart", "heart", "wave", "+1", "tada"],
  )
  const state = await member.must.post("/register")
  t.equal(Object(state["starred_messages"]).length, 1)
  t.equal(Object.keys(Object(state["user_status"])).length, 2)
  t.ok(Object.keys(Object(state["presences"])).length >= 2, "somebody is here")
  t.match((await admin.must.post("/register"))["muted_topics"], [["general", "lunch on Friday"]])
  const known = pluck((await visitor.must.get("/users"))["members"], "full_name")
  t.same(known, ["Mona Moderator", "Max Member", "Vera Visitor", "Demo Bot", "Guide", "Builds"], "a guest with limits")
}

/** Asserts that every account, channel and message of the demo is there exactly once. */
export const checkDemo = async (t: Test, port: number): Promise<void> => {
  const owner = await signIn(port, "owner")
  const { members } = await owner.must.get("/users")
  t.same(
    pluck(members, "email"),
    [...demoAccounts, ...demoBots].map(({ email }) => email),
  )
  t.same(
    recordsIn(members).flatMap(({ email, avatar_url }) => (String(avatar_url).includes("/avatars/") ? [email] : [])),
    [...demoFaces.keys()],
  )
  for (const url of pluck(members, "avatar_url"))
    for (const each of [String(url), String(url).replace(".png", "-medium.png")]) {
      const answer = await fetch(`${originOf(port)}${each}`)
      t.equal(answer.status, 200, each)
      t.match(await sharp(await answer.arrayBuffer()).stats(), { entropy: Number }, `${each} is a whole picture`)
    }
  const { streams } = await owner.must.get("/streams", { include_all: true })
  t.same(
    recordsIn(streams).map(({ name, subscriber_count }) => [name, subscriber_count]),
    [
      ["announcements", 6],
      ["general", 6],
      ["leads", 3],
      ["support", 3],
    ],
  )
  const { user } = await owner.must.get("/users/owner@demo.example", { include_custom_profile_fields: true })
  t.match(Object(user).profile_data, { 1: { value: "she/her" }, 4: { value: "north" } })
  const { custom_fields } = await owner.must.get("/realm/profile_fields")
  t.same(pluck(custom_fields, "name"), ["Pronouns", "Phone", "About me", "Office", "Here since", "GitHub username"])
  const seen = async (name: string) => {
    const page = { anchor: "oldest", num_before: 0, num_after: 100 }
    return pluck((await (await signIn(port, name)).must.get("/messages", page))["messages"], "content")
  }
  for (const [name, count] of [
    ["owner", 15],
    ["moderator", 21],
    ["guest", 13],
    ["member", 15],
    ["visitor", 4],
  ] as const) {
    const contents = await seen(name)
    t.equal(contents.length, count, `${name} sees ${count} messages`)
    t.equal(new Set(contents).size, count, "each once")
  }
  await checkLife(t, port)
  const password = { username: "member@demo.example", password: demoPassword }
  t.equal((await request(originOf(port), "POST", "/fetch_api_key", password)).status, 200)
}
