/** Previews of links: pictures, videos, sounds, pages; where they stand, and how many there are. */
import t, { type Test } from "tap"
import { externalAddress } from "../../../../src/chat/ground/external-content/external-address.ts"
import { uploadsIn } from "../../../../src/chat/text/markdown/context/preview-sources.ts"
import { renderAtOnce } from "../../../../src/chat/text/markdown/rendering/render.ts"
import { someNames, somePreviews, uploads } from "./some-names.ts"

const names = { ...someNames, previews: somePreviews }
const html = (content: string, previews: typeof somePreviews | null = somePreviews) =>
  renderAtOnce(content, { ...someNames, previews }).html
const external = (url: string) => externalAddress(somePreviews.key, url)

const whole = (t: Test, cases: ReadonlyArray<readonly [content: string, html: string]>) => {
  for (const [content, expected] of cases) t.equal(html(content), expected, content)
}

const png = "https://p.example/a.png"
const picture = (url: string, title = "") =>
  `<div class="message_inline_image"><a href="${url}"${title && ` title="${title}"`}><img src="${external(url)}"></a></div>`
const link = (url: string, shown = url) => `<a href="${url}">${shown}</a>`
const photo = `/user_uploads/${uploads.photo}`
const ofPhoto = (title = "") =>
  `<div class="message_inline_image"><a href="${photo}"${title && ` title="${title}"`}>` +
  '<img data-original-content-type="image/jpeg" data-original-dimensions="1000x800" ' +
  `src="/user_uploads/thumbnail/${uploads.photo}/840x560.webp"></a></div>`

t.test("pictures", async (t) => {
  const longest = `https://p.example/${"x".repeat(2000 - 22)}.png`
  whole(t, [
    [png, picture(png)],
    [`${png}\n`, picture(png)],
    ["p.example.com/b.JPEG", picture("https://p.example.com/b.JPEG")],
    [`see ${png}, please`, `<p>see ${link(png)}, please</p>\n${picture(png)}`],
    [`[a "b"](${png})`, `<p>${link(png, "a &quot;b&quot;")}</p>\n${picture(png, "a &quot;b&quot;")}`],
    [`[a](${png} "t")`, `<p><a href="${png}" title="t">a</a></p>\n${picture(png, "t")}`],
    [`${png}?x=1&y`, picture(`${png}?x=1&y`).replaceAll("1&y", "1&amp;y")],
    [`${png}\n\nb`, `${picture(png)}\n<p>b</p>`],
    [`* ${png}\n* b ${png}`, `<ul>\n<li>\n${picture(png)}\n</li>\n<li>b ${link(png)}</li>\n</ul>`],
    [`* b ${png}`, `<ul>\n<li>b ${link(png)}\n${picture(png)}\n</li>\n</ul>`],
    [`# ${png}`, `<h1>${link(png)}</h1>\n${picture(png)}`],
    [longest, picture(longest)],
    ["https://p.example/a.mp4", `<p>${link("https://p.example/a.mp4")}</p>`],
    ["https://p.example/a.svg", `<p>${link("https://p.example/a.svg")}</p>`],
    ["https://p.example/a.png.html", `<p>${link("https://p.example/a.png.html")}</p>`],
    ["#**Verona**", html("#**Verona**", null)],
    [`\`${png}\``, `<p><code>${png}</code></p>`],
  ])
  const wide = `https://p.example/${"漢".repeat(250)}.png`
  t.equal(html(`[a](${wide})`), `<p>${link(wide, "a")}</p>`, "this server would not answer its address of it")
  t.match(html(`|a|\n|-|\n|${png}|`), `</table>\n${picture(png)}`)
  t.match(html(`\`\`\`spoiler a\n${png}\n\`\`\``), `aria-hidden="true">\n${picture(png)}\n</div></div>`)
  for (const previews of [null, { ...somePreviews, showsPictures: false }])
    t.equal(html(png, previews), `<p>${link(png)}</p>`)
  t.equal(renderAtOnce(png, someNames).html, `<p>${link(png)}</p>`)
})

t.test("uploaded files", async (t) => {
  const cat = `/user_uploads/${encodeURI(uploads.cat)}`
  const film = `/user_uploads/${uploads.film}`
  const scan = `/user_uploads/${uploads.scan}`
  const waiting = `/user_uploads/${uploads.pending}`
  const ofWaiting =
    `<div class="message_inline_image"><a href="${waiting}"><img class="image-loading-placeholder" ` +
    'data-original-content-type="image/png" data-original-dimensions="30x20" ' +
    'src="/static/images/loading/loader-black.svg"></a></div>'
  const video = `<video preload="metadata" src="${film}"></video>`
  const ofFilm = (title = "") =>
    `<div class="message_inline_image message_inline_video"><a href="${film}"${title}>${video}</a></div>`
  whole(t, [
    [`[photo](${photo})`, `<p>${link(photo, "photo")}</p>\n${ofPhoto("photo")}`],
    [`![photo](${photo})`, `<p>!${link(photo, "photo")}</p>\n${ofPhoto("photo")}`],
    [`https://chat.example.com${photo}`, ofPhoto()],
    [`[](${photo})`, ofPhoto()],
    [
      `[cat](${cat})`,
      `<p>${link(cat, "cat")}</p>\n<div class="message_inline_image"><a href="${cat}" title="cat"><img ` +
        'data-animated="true" data-original-content-type="image/gif" data-original-dimensions="30x20" ' +
        `src="/user_uploads/thumbnail/${encodeURI(uploads.cat)}/840x560-anim.webp"></a></div>`,
    ],
    [`https://chat.example.com${waiting}`, ofWaiting],
    [
      `https://chat.example.com${scan}`,
      `<div class="message_inline_image"><a href="${scan}"><img data-original-content-type="image/tiff" ` +
        'data-original-dimensions="3000x2000" data-transcoded-image="3000x2000.webp" ' +
        `src="/user_uploads/thumbnail/${uploads.scan}/840x560.webp"></a></div>`,
    ],
    [`[film](${film})`, `<p>${link(film, "film")}</p>\n${ofFilm(' title="film"')}`],
    [`https://chat.example.com${film}`, ofFilm()],
    [
      `a ![song](/user_uploads/${uploads.song}) b`,
      `<p>a <audio controls preload="metadata" src="/user_uploads/${uploads.song}" title="song"></audio> b</p>`,
    ],
    [`[song](/user_uploads/${uploads.song})`, `<p>${link(`/user_uploads/${uploads.song}`, "song")}</p>`],
  ])
  for (const path of [uploads.text, uploads.broken, "2/77/77777777777777777777777777777777/none.png"])
    t.equal(html(`[a](/user_uploads/${path})`), `<p>${link(`/user_uploads/${path}`, "a")}</p>`)
})

t.test("videos of other sites", async (t) => {
  const id = "abcdef-_123"
  const preview = (url: string) =>
    `<div class="youtube-video message_inline_image"><a data-id="${id}" href="${url}">` +
    `<img src="${external(`https://i.ytimg.com/vi/${id}/mqdefault.jpg`)}"></a></div>`
  for (const url of [
    `https://www.youtube.com/watch?v=${id}`,
    `https://youtu.be/${id}?t=5`,
    `https://m.youtube.com/shorts/${id}`,
    `https://www.youtube-nocookie.com/embed/${id}`,
  ])
    t.equal(html(url), `<p>${link(url)}</p>\n${preview(url)}`, "a still does not stand for the link")
  for (const url of [
    `https://youtube.com.evil.example/watch?v=${id}`,
    "https://youtu.be/short",
    "https://youtube.com/",
  ])
    t.notMatch(html(url), /<div/)
  const vimeo = "https://vimeo.com/123"
  t.equal(
    html(vimeo),
    `<p>${link(vimeo)}</p>\n<div class="embed-video message_inline_image"><a data-id="123" href="${vimeo}" title="Film">` +
      `<img src="${external("https://i.vimeocdn.com/1.jpg")}"></a></div>`,
  )
})

t.test("pages", async (t) => {
  const page = "https://p.example/page"
  const embed =
    `<div class="message_embed"><a class="message_embed_image" href="${page}" style="background-image: ` +
    `url(&quot;${external("https://p.example/i?x=(1)")}&quot;)"></a><div class="data-container">` +
    `<div class="message_embed_title"><a href="${page}" title="A &quot;page&quot; &lt;b&gt;">A &quot;page&quot; &lt;b&gt;</a></div>` +
    '<div class="message_embed_description">About &amp; more</div></div></div>'
  whole(t, [
    [page, `<p>${link(page)}</p>\n${embed}`],
    [`[x](${page}) y`, `<p>${link(page, "x")} y</p>\n${embed}`],
    [
      "https://p.example/plain",
      `<p>${link("https://p.example/plain")}</p>\n<div class="message_embed"><div class="data-container">` +
        '<div class="message_embed_title"><a href="https://p.example/plain" title="Plain">Plain</a></div>' +
        '<div class="message_embed_description"></div></div></div>',
    ],
    ["https://p.example/empty", `<p>${link("https://p.example/empty")}</p>`],
    ["https://p.example/unknown", `<p>${link("https://p.example/unknown")}</p>`],
  ])
  const pages = (content: string, previews: typeof somePreviews | null = somePreviews) =>
    renderAtOnce(content, { ...names, previews }).pages
  t.strictSame(pages(`${page} ${page} ${png} https://q.example [a](/help) a@b.com\n\n> https://r.example`), [
    page,
    "https://q.example",
  ])
  t.equal(pages(Array.from({ length: 100 }, (_, n) => `https://q.example/${n}`).join(" ")).length, 5)
  t.strictSame(pages(page, { ...somePreviews, showsPages: false }), [])
  t.strictSame(pages(page, null), [])
})

t.test("once for each address, none in quotes, and 24 in a message", async (t) => {
  const count = (content: string) => html(content).split("<div class=").length - 1
  t.equal(count(`${png} [b](${png})\n\n${png}`), 1)
  t.equal(count(`> ${png}\n\n\`\`\`quote\n${png}\n\`\`\``), 0)
  t.equal(html(`> ${png}\n\n${png}`), `<blockquote>\n<p>${link(png)}</p>\n</blockquote>\n${picture(png)}`)
  const many = Array.from({ length: 30 }, (_, n) => `https://p.example/${n}.png`)
  t.equal(count(many.join("\n")), 24)
  t.equal(count(many.join("\n\n")), 24)
})

t.test("the files that a text may link", async (t) => {
  const all = Object.values(uploads)
  const text = `[a](/user_uploads/${all[0]}) https://x.example/user_uploads/${all[1]}. (user_uploads/${all[2]}) ${all[3]}`
  const found = uploadsIn(text)
  t.strictSame(
    all.map((path) => found.has(path)),
    [true, true, true, false, false, false, false, false],
  )
  for (const behind of ["）。", "」です", "，看", "&gt;x", "}", "…", "。)"])
    t.ok(uploadsIn(`https://chat.example.com/user_uploads/${all[0]}${behind}`).has(all[0] ?? ""), behind)
  t.ok(uploadsIn(`user_uploads/${all[0]} `.repeat(1000)).size < 200)
  const han = `${String(all[0]).replace(/[^/]+$/, "")}${"漢".repeat(116)}.png`
  t.ok(uploadsIn(`[a](/user_uploads/${encodeURI(han)})`).has(han), "a long name, percent-encoded")
  t.same([...uploadsIn(`[a](/user_uploads/${all[0]}%00)`)], [], "no database keeps U+0000")
})
