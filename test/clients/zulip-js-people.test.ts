/**
 * The JavaScript client zulip-js, unmodified from npm, reads and changes what there is about people: profiles, their own
 * fields, pictures, presence, settings. Where a client reads a text there is one, never null.
 */
import * as Predicate from "effect/Predicate"
import t, { type Test } from "tap"
import { makeAll, own } from "../chat/organization/profile-fields/profile-scene.ts"
import type { Fields } from "../kit/client.ts"
import { recordsIn } from "../kit/records.ts"
import { basic } from "../kit/rows.ts"
import { plainPicture } from "../kit/some-pictures.ts"
import { formBytes, formType } from "../kit/uploads.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"
import { must } from "./must.ts"
import { zulipFor } from "./zulip-js-client.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const

/** The fields of each record of a person in which clients read texts; all clients but those that hash addresses get a picture. */
const texts = ["email", "full_name", "date_joined", "timezone", "avatar_url"]
const numbers = ["user_id", "role", "avatar_version"]
const flags = ["is_active", "is_owner", "is_admin", "is_guest", "is_bot"]

/** The paths of all that is null in an answer. */
const nullsIn = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (value === null) return [path]
  if (!Predicate.isObject(value) && !Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, each]) => nullsIn(each, `${path}.${name}`))
}

const isPerson = (t: Test, record: Fields, who: string) => {
  const typed = { string: texts, number: numbers, boolean: flags }
  for (const [type, names] of Object.entries(typed))
    for (const name of names) t.equal(typeof record[name], type, `${name} of ${who}`)
}

const recordIn = (value: unknown): Fields => recordsIn([value])[0] ?? {}

/** Shows a picture as a browser does: by its address, from the server's own where it names no other. */
const shows = async (t: Test, server: TestServer, url: unknown, who: string) => {
  const answer = await fetch(new URL(String(url), server.origin))
  t.equal(answer.status, 200, `the picture of ${who}`)
  t.match(answer.headers.get("content-type"), /^image\//)
  t.ok((await answer.arrayBuffer()).byteLength > 0)
}

const whole = { client_gravatar: false, include_custom_profile_fields: true }

t.test("zulip-js: people", (t) =>
  withServer(t, { channels }, async (server) => {
    const zulip = zulipFor(t)
    const clientOf = (name: "hamlet" | "iago") => {
      const { email, key } = server.as(name).account
      return zulip({ username: email, apiKey: key, realm: server.origin })
    }
    const client = await clientOf("hamlet")
    const id = server.idOf("hamlet")
    const person = async (who: string | number) => {
      const { user } = await must(client.callEndpoint(`/users/${who}`, "GET", whole))
      return recordIn(user)
    }

    await t.test("one's own profile", async (t) => {
      const { result: _, msg: __, ...profile } = await must(client.users.me.getProfile())
      isPerson(t, profile, "oneself")
      t.equal(profile["user_id"], id)
      t.same(profile["profile_data"], {})
      t.same(nullsIn(profile), [], "nothing that there is not")
      await shows(t, server, profile["avatar_url"], "oneself")
    })

    await t.test("a new account, then everybody, by list, by id and by address", async (t) => {
      const iago = await clientOf("iago")
      const fresh = { email: "ophelia@test.example", password: "a long password", full_name: "Ophelia" }
      const { user_id } = await must(iago.users.create(fresh))
      const bot = { full_name: "Echo", short_name: "echo" }
      await must(client.callEndpoint("/bots", "POST", bot))
      await server.actions.changeUserSetting("cordelia", "email_address_visibility", 5)
      const members = recordsIn((await must(client.users.retrieve(whole)))["members"])
      t.ok(members.some((member) => member["user_id"] === user_id))
      t.ok(members.some((member) => member["is_bot"] === true))
      for (const member of members) {
        const who = String(member["full_name"])
        isPerson(t, member, who)
        const absent = member["is_bot"] === true ? [] : [".bot_type"]
        if (who === "cordelia") absent.push(".delivery_email")
        t.same(nullsIn(member), absent.sort(), `null of ${who}`)
        t.same(await person(Number(member["user_id"])), member, `${who} by id`)
        t.same(await person(String(member["email"])), member, `${who} by address`)
        await shows(t, server, member["avatar_url"], who)
      }
      const asked = { user_ids: JSON.stringify([id]), client_gravatar: false }
      t.match((await must(client.callEndpoint("/users", "GET", asked)))["members"], [{ user_id: id }])
      const unknown = await client.callEndpoint("/users/nobody@test.example", "GET", whole)
      t.match(unknown, { result: "error", msg: "No such user" })
    })

    await t.test("fields of the organization, and what people have in them", async (t) => {
      const made = await makeAll(server)
      const fields = recordsIn((await must(client.callEndpoint("/realm/profile_fields")))["custom_fields"])
      t.equal(fields.length, Object.keys(made).length)
      for (const field of fields)
        for (const name of ["name", "hint", "field_data"]) t.equal(typeof field[name], "string", `${name} of a field`)
      t.same(nullsIn(fields), [])
      const values: ReadonlyArray<readonly [field: number, value: unknown]> = [
        [made.short, "555"],
        [made.long, "A *prince*"],
        [made.choice, "tea"],
        [made.date, "1990-01-31"],
        [made.link, "https://elsinore.example/"],
        [made.people, [server.idOf("cordelia")]],
        [made.account, "hamlet"],
      ]
      const data = JSON.stringify(values.map(([field, value]) => ({ id: field, value })))
      await must(client.callEndpoint(own, "PATCH", { data }))
      const data_of = async () => recordIn((await person(id))["profile_data"])
      const shown = await data_of()
      t.same(nullsIn(shown), [], "what somebody has no value for is not there")
      t.same(
        Object.keys(shown).map(Number),
        values.map(([field]) => field).sort((a, b) => a - b),
      )
      for (const [field, value] of values) {
        const text = typeof value === "string" ? value : JSON.stringify(value)
        t.match(shown[String(field)], { value: text }, `field ${field}`)
      }
      t.match(shown[String(made.long)], { rendered_value: "<p>A <em>prince</em></p>" })
      const { profile_data } = await must(client.users.me.getProfile())
      t.same(profile_data, shown, "as in one's own profile")
      await must(client.callEndpoint(own, "DELETE", { data: JSON.stringify([made.short]) }))
      t.notOk(String(made.short) in (await data_of()))
    })

    await t.test("another picture, and none again", async (t) => {
      const before = await person(id)
      // The client sends no files, and puts a form of its own in the place of the usual one.
      const bytes = await plainPicture(200, 200).png().toBuffer()
      const answer = await fetch(`${server.origin}/api/v1/users/me/avatar`, {
        method: "POST",
        headers: { Authorization: basic(server.as("hamlet").account), "Content-Type": formType },
        body: new Uint8Array(formBytes({ name: "me.png", type: "image/png", bytes })),
      })
      t.equal(answer.status, 200)
      const uploaded = await person(id)
      t.not(uploaded["avatar_url"], before["avatar_url"])
      t.ok(Number(uploaded["avatar_version"]) > Number(before["avatar_version"]))
      await shows(t, server, uploaded["avatar_url"], "whoever has uploaded one")
      t.equal((await must(client.users.me.getProfile()))["avatar_url"], uploaded["avatar_url"])
      await must(client.callEndpoint("/users/me/avatar", "DELETE"))
      const { avatar_url } = await person(id)
      t.equal(typeof avatar_url, "string")
      t.not(avatar_url, uploaded["avatar_url"])
      await shows(t, server, avatar_url, "whoever has none")
    })

    await t.test("presence and status", async (t) => {
      const ping = { status: "active", ping_only: "false", new_user_input: "true" }
      const told = await must(client.callEndpoint("/users/me/presence", "POST", ping))
      const { email } = server.as("hamlet").account
      t.match(told, { presences: { [email]: { aggregated: { status: "active", client: String } } } })
      t.same(nullsIn(told), [])
      for (const who of [email, id]) {
        const { presence } = await must(client.callEndpoint(`/users/${who}/presence`))
        t.match(presence, { aggregated: { status: "active", timestamp: Number }, website: { status: "active" } })
        t.same(nullsIn(presence), [])
      }
      const all = await must(client.callEndpoint("/realm/presence"))
      t.match(all, { presences: { [email]: {} }, server_timestamp: Number })
      t.same(nullsIn(all), [])
      const nothing = await must(client.callEndpoint(`/users/${id}/status`))
      t.same(nullsIn(nothing), [], "no status is no text")
      const status = { status_text: "in mourning", emoji_name: "octopus" }
      await must(client.callEndpoint("/users/me/status", "POST", status))
      const shown = await must(client.callEndpoint(`/users/${id}/status`))
      t.match(shown, { status: { ...status, emoji_code: "1f419", reaction_type: "unicode_emoji" } })
    })

    await t.test("settings", async (t) => {
      const changed = { timezone: "Europe/Copenhagen", color_scheme: 2, enable_sounds: false }
      await must(client.callEndpoint("/settings", "PATCH", changed))
      const asked = { event_types: ["user_settings", "realm_user"], client_gravatar: "false" }
      const state = await must(client.queues.register(asked))
      const settings = recordIn(state["user_settings"])
      t.match(settings, changed)
      t.same(nullsIn(settings), [])
      const known = recordsIn(state["realm_users"]).find((each) => each["user_id"] === id) ?? {}
      t.match(known, { timezone: "Europe/Copenhagen" })
      t.equal(typeof state["full_name"], "string")
      t.equal((await person(id))["timezone"], "Europe/Copenhagen")
      await must(client.queues.deregister({ queue_id: state["queue_id"] }))
    })
  }),
)
