import t from "tap"
import { linkifiers } from "../../../../src/chat/text/linkifiers/linkifiers.ts"
import { topicLinks } from "../../../../src/chat/text/markdown/topic-links.ts"
import { makeRealm } from "../../../kit/hand-made-realm.ts"
import { someNames } from "./some-names.ts"

t.test("topics have links of addresses and linkifiers, in their order", async (t) => {
  const realm = makeRealm()
  t.strictSame(topicLinks(realm, "#45"), [], "without linkifiers")
  realm.part(linkifiers).set({ last_id: 1, linkifiers: someNames.linkifiers })
  t.strictSame(topicLinks(realm, "see #45, then https://a.example/#123 and b.com"), [
    { text: "#45", url: "https://issues.example.com/45" },
    { text: "https://a.example/#123", url: "https://a.example/#123" },
    { text: "b.com", url: "https://b.com" },
  ])
  t.strictSame(topicLinks(realm, "看#45（https://a.example/x）、b.com。"), [
    { text: "#45", url: "https://issues.example.com/45" },
    { text: "https://a.example/x", url: "https://a.example/x" },
    { text: "b.com", url: "https://b.com" },
  ])
  for (const topic of ["", "plain", "README.md", "javascript:alert(1)", "a#45"])
    t.strictSame(topicLinks(realm, topic), [], topic)
})
