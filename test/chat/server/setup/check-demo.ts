/** The contents of the demo organization, asked of a server that serves it. */
import sharp from "sharp"
import type { Test } from "tap"
import { demoAccounts } from "../../../../src/chat/server/setup/demo.ts"
import { demoFaces } from "../../../../src/chat/server/setup/demo-faces.ts"
import { demoPassword } from "../../../../src/chat/server/setup/demo-password.ts"
import { request } from "../../../kit/client.ts"
import { originOf, signIn } from "../../../kit/program.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"

/** Asserts that every account, channel and message of the demo is there exactly once. */
export const checkDemo = async (t: Test, port: number): Promise<void> => {
  const owner = await signIn(port, "owner")
  const { members } = await owner.must.get("/users")
  t.same(
    pluck(members, "email"),
    demoAccounts.map(({ email }) => email),
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
    ["owner", 6],
    ["moderator", 7],
    ["guest", 6],
    ["member", 5],
  ] as const) {
    const contents = await seen(name)
    t.equal(contents.length, count, `${name} sees ${count} messages`)
    t.equal(new Set(contents).size, count, "each once")
  }
  const password = { username: "member@demo.example", password: demoPassword }
  t.equal((await request(originOf(port), "POST", "/fetch_api_key", password)).status, 200)
}
