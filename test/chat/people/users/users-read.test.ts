import t from "tap"
import { wireMember } from "../../../../src/chat/people/users/users-read.ts"
import { makeRealm, people } from "../../../kit/hand-made-realm.ts"

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
