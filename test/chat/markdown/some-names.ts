/** Names for tests of the renderer, as if they had been looked up in a realm. */
import type { MarkdownNames } from "../../../src/chat/markdown/markdown-names.ts"
import { ChannelId, GroupId, MessageId, UserId } from "../../../src/ids.ts"

const hamlet = { id: UserId(9), name: "King Hamlet", isInactive: false }
const verona = { id: ChannelId(3), name: "Verona", newest: new Map([["topic x", MessageId(214)]]) }

export const someNames: MarkdownNames = {
  users: new Map([
    ["King Hamlet", hamlet],
    ["king hamlet|9", hamlet],
    ["|9", hamlet],
    ["Gone", { id: UserId(10), name: "Gone", isInactive: true }],
    ["A <b>", { id: UserId(11), name: 'A <b> "c"', isInactive: false }],
  ]),
  groups: new Map([
    ["team", { id: GroupId(20), name: "team", isInactive: false, isSystem: false }],
    ["old", { id: GroupId(21), name: "old", isInactive: true, isSystem: false }],
    ["role:administrators", { id: GroupId(6), name: "Administrators", isInactive: false, isSystem: true }],
  ]),
  channels: new Map([
    ["Verona", verona],
    ["a & b", { id: ChannelId(4), name: "a & b", newest: new Map([["", MessageId(7)]]) }],
  ]),
  customEmoji: new Map([
    ["party", "/user_avatars/2/emoji/images/1.png"],
    ["octopus", "/user_avatars/2/emoji/images/2.png"],
  ]),
  linkifiers: [{ id: 1, pattern: "#(?P<id>[0-9]{2,8})", url_template: "https://issues.example.com/{id}" }],
  host: "chat.example.com",
  codeLanguage: "",
}
