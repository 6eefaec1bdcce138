/** Names for tests of the renderer, as if they had been looked up in a realm. */
import type { MarkdownNames } from "../../../../src/chat/text/markdown/context/markdown-names.ts"
import type { LinkedFile, PreviewSources } from "../../../../src/chat/text/markdown/context/preview-sources.ts"
import { ChannelId, GroupId, MessageId, UserId } from "../../../../src/ids.ts"

const hamlet = { id: UserId(9), name: "King Hamlet", isInactive: false }
const verona = { id: ChannelId(3), name: "Verona", newest: new Map([["topic x", MessageId(214)]]) }

const token = (digit: string) => `${digit.repeat(2)}/${digit.repeat(32)}`
/** Paths of uploaded files, by what they are. */
export const uploads = {
  photo: `2/${token("1")}/photo.jpg`,
  cat: `2/${token("2")}/Кот.gif`,
  film: `2/${token("3")}/film.mp4`,
  song: `2/${token("4")}/song.mp3`,
  text: `2/${token("5")}/text.txt`,
  broken: `2/${token("6")}/broken.png`,
  pending: `2/${token("7")}/pending.png`,
  scan: `2/${token("8")}/scan.tiff`,
}

const file = (contentType: string, width = 0, height = 0, isAnimated = false): LinkedFile => ({
  contentType,
  size: width === 0 ? null : { width, height },
  isAnimated,
  isPending: false,
})

/** Previews are on, and it is known what the pages say. */
export const somePreviews: PreviewSources = {
  showsPictures: true,
  showsPages: true,
  key: "some key",
  files: new Map([
    [uploads.photo, file("image/jpeg", 1000, 800)],
    [uploads.cat, file("image/gif", 30, 20, true)],
    [uploads.film, file("video/mp4")],
    [uploads.song, file("audio/mpeg")],
    [uploads.text, file("text/plain")],
    [uploads.broken, file("image/png")],
    [uploads.pending, { ...file("image/png", 30, 20), isPending: true }],
    [uploads.scan, file("image/tiff", 3000, 2000)],
  ]),
  pages: new Map([
    [
      "https://p.example/page",
      { title: 'A "page" <b>', description: "About & more", image: "https://p.example/i?x=(1)" },
    ],
    ["https://p.example/plain", { title: "Plain", description: "", image: "" }],
    ["https://p.example/empty", { title: "", description: "Nothing", image: "" }],
    ["https://vimeo.com/123", { title: "Film", description: "d", image: "https://i.vimeocdn.com/1.jpg" }],
  ]),
}

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
    ["a > b", { id: ChannelId(5), name: "a > b", newest: new Map() }],
    ["a & b", { id: ChannelId(4), name: "a & b", newest: new Map([["", MessageId(7)]]) }],
  ]),
  customEmoji: new Map([
    ["party", "/user_avatars/2/emoji/images/1.png"],
    ["octopus", "/user_avatars/2/emoji/images/2.png"],
  ]),
  linkifiers: [{ id: 1, pattern: "#(?P<id>[0-9]{2,8})", url_template: "https://issues.example.com/{id}" }],
  host: "chat.example.com",
  codeLanguage: "",
  previews: null,
}
