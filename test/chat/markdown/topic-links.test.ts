import t from "tap"
import { topicLinks } from "../../../src/chat/markdown/topic-links.ts"
import { someNames } from "./some-names.ts"

t.test("topics have links of addresses and linkifiers, in their order", async (t) => {
  const links = (topic: string) => topicLinks(topic, someNames.linkifiers)
  t.strictSame(links("see #45, then https://a.example/#123 and b.com"), [
    { text: "#45", url: "https://issues.example.com/45" },
    { text: "https://a.example/#123", url: "https://a.example/#123" },
    { text: "b.com", url: "https://b.com" },
  ])
  for (const topic of ["", "plain", "README.md", "javascript:alert(1)", "a#45"]) t.strictSame(links(topic), [])
  t.strictSame(topicLinks("#45", []), [])
})
