/** Users as they are listed, and one by one: always the same, however often a list was made before. */
import t from "tap"
import { wireMember } from "../../../../src/chat/people/users/users-read.ts"
import { makeRealm, people } from "../../../kit/hand-made-realm.ts"
import { recordsIn } from "../../../kit/records.ts"
import { withServer } from "../../../kit/with-server.ts"
import { make, own, types } from "../../organization/profile-fields/profile-scene.ts"

t.test("a listed user has is_active, and profile data where asked for", async (t) => {
  const realm = makeRealm()
  const plain = { gravatar: true, profileData: false }
  t.match(wireMember(realm, people.hamlet, people.hamlet, plain), { user_id: 2, is_active: true, avatar_url: null })
  t.equal(wireMember(realm, people.yorick, people.hamlet, plain)["is_active"], false)
  t.notOk(Object.hasOwn(wireMember(realm, people.hamlet, people.hamlet, plain), "profile_data"))
  const full = { gravatar: false, profileData: true }
  t.strictSame(wireMember(realm, people.hamlet, people.hamlet, full)["profile_data"], {})
  t.notOk(Object.hasOwn(wireMember(realm, people.echo, people.hamlet, full), "profile_data"))
})

t.test("lists have what single records have, after each change of what people show", (t) =>
  withServer(t, { config: { gravatar: true } }, async (server) => {
    const asked = [false, true].flatMap((client_gravatar) =>
      [false, true].map((include_custom_profile_fields) => ({ client_gravatar, include_custom_profile_fields })),
    )
    const agree = async (what: string) => {
      for (const fields of asked)
        for (const by of ["hamlet", "iago"] as const) {
          const members = recordsIn((await server.as(by).must.get("/users", fields))["members"])
          t.ok(members.length >= 7)
          for (const member of members) {
            const { user } = await server.as(by).must.get(`/users/${member["user_id"]}`, fields)
            t.strictSame(member, user, `${what}: ${member["full_name"]} by ${by}, ${JSON.stringify(fields)}`)
          }
        }
    }
    await agree("at first")
    const field = await make(server, { name: "Phone", field_type: types.short })
    await server.as("cordelia").must.patch(own, { data: [{ id: field, value: "555" }] })
    await agree("with a value in a profile field")
    await server.as("cordelia").must.patch(own, { data: [{ id: field, value: "556" }] })
    await server.actions.changeUserSetting("cordelia", "email_address_visibility", 3)
    await agree("with another value, and a hidden address")
    await server.as("iago").must.delete(`/realm/profile_fields/${field}`)
    await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
    await agree("without the field, and without somebody")
  }),
)
