/** Parts of a message, found in its HTML: what the renderer makes, and previews as messages show them. */
import t from "tap"
import { contentKindsOf } from "../../../../src/chat/text/markdown/content-kinds.ts"
import { renderAtOnce } from "../../../../src/chat/text/markdown/rendering/render.ts"
import { someNames } from "./some-names.ts"

const found = (html: string) =>
  Object.entries(contentKindsOf(html))
    .flatMap(([name, has]) => (has ? [name.replace("has_", "")] : []))
    .join(" ")
const ofContent = (content: string) => found(renderAtOnce(content, someNames).html)

t.test("what the renderer makes", async (t) => {
  const cases: ReadonlyArray<readonly [content: string, parts: string]> = [
    ["plain", ""],
    ["https://parley.example/a", "link"],
    ["[a](https://parley.example)", "link"],
    ["example.com and a@example.com", "link"],
    ["`https://parley.example` \\<a href", ""],
    ['<a href="https://parley.example">', "link"],
    ["https://parley.example/cat.PNG", "link image"],
    ["https://parley.example/cat.png?size=2", "link image"],
    ["https://parley.example/?of=cat.png https://parley.example/cat.png.html", "link"],
    ["[notes](/user_uploads/1/ab/x/notes.txt)", "link attachment"],
    ["[cat](/user_uploads/1/ab/x/cat.webp)", "link image attachment"],
    ["https://parley.example/user_uploads/1", "link"],
    [":smile:", ""],
    ["#**lobby**", ""],
  ]
  for (const [content, parts] of cases) t.equal(ofContent(content), parts, content)
})

t.test("previews", async (t) => {
  const cases: ReadonlyArray<readonly [html: string, parts: string]> = [
    ['<img alt=":x:" class="emoji" src="/user_avatars/1/x" title="x">', ""],
    [
      '<div class="message_inline_image"><a href="https://p.example/1"><img src="/external_content/a/b"></a></div>',
      "link image",
    ],
    [
      '<div class="message_inline_image message_inline_video"><a href="/user_uploads/1/a/v.mp4"><video src="/user_uploads/1/a/v.mp4"></video></a></div>',
      "link attachment",
    ],
    ['<audio controls preload="metadata" src="/user_uploads/1/a/s.mp3" title="s"></audio>', "attachment"],
    [
      '<div class="youtube-video message_inline_image"><a data-id="x" href="https://p.example/x"><img src="/x.png"></a></div>',
      "link",
    ],
    [
      '<div class="youtube-video message_inline_image"><a href="https://p.example/x"><img src="/x"></a></div><div class="message_inline_image"><a href="/user_uploads/1/a/c"><img src="/user_uploads/thumbnail/1/a/c/840x560.webp"></a></div>',
      "link image attachment",
    ],
    ['<a class="stream" data-stream-id="9" href="/#narrow/channel/9-a.png">#a.png</a>', ""],
    ['<a class="message-link" href="/#narrow/channel/9-a/near/4">#a</a>', ""],
  ]
  for (const [html, parts] of cases) t.equal(found(html), parts, html)
})
