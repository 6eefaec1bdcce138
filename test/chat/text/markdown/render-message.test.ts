/** Messages rendered by a server: what their sender may see of the realm, the worker, and POST /messages/render. */
import sharp from "sharp"
import t from "tap"
import { ask } from "../../../kit/at-once.ts"
import { type ChannelSetup, type Name, names } from "../../../kit/cast.ts"
import { until } from "../../../kit/test-database.ts"
import { uploaded } from "../../../kit/uploads.ts"
import { withServer } from "../../../kit/with-server.ts"

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: names },
  { name: "secret", users: ["iago"], isPrivate: true },
  { name: "kept", users: ["iago"], isPrivate: true, historyShared: false },
  { name: "young", users: ["iago"], isPrivate: true, historyShared: false },
  { name: "up > down", users: names },
  { name: "lobby>secret", users: ["iago"], isPrivate: true },
]

t.test("a message is rendered with what its sender may see", (t) =>
  withServer(t, { channels }, async (server) => {
    const render = async (who: Name, content: string) =>
      (await server.as(who).must.post("/messages/render", { content }))["rendered"]
    const channelId = (name: string) => server.realm.realm.findChannelByName(name)?.id ?? 0
    const send = async (who: Name, to: string, topic: string, content = "c") =>
      (await server.as(who).must.post("/messages", { type: "channel", to, topic, content }))["id"]

    await t.test("names of people and groups are looked up", async (t) => {
      const mention = (shown: string, silent = "") =>
        `<p><span class="user-mention${silent}" data-user-id="${server.idOf("iago")}">${shown}</span></p>`
      for (const content of [
        "@**iago**",
        "@**IAGO**",
        `@**iago|${server.idOf("iago")}**`,
        `@**|${server.idOf("iago")}**`,
      ])
        t.equal(await render("hamlet", content), mention("@iago"), content)
      for (const content of [`@**shiva|${server.idOf("iago")}**`, "@**ia**", "@**iago|99999**"])
        t.match(await render("hamlet", content), /^<p>@<strong>/, content)
      t.equal(
        await render("hamlet", "@_*role:moderators* @_*Moderators*"),
        `<p>${Array(2).fill('<span class="user-group-mention silent" data-user-group-id="5">Moderators</span>').join(" ")}</p>`,
      )
      const { user_id: twin } = await server
        .as("desdemona")
        .must.post("/users", { email: "twin@test.example", password: "a long password", full_name: "Iago" })
      t.match(await render("hamlet", "@**iago**"), /^<p>@<strong>/, "two have the name")
      t.match(await render("hamlet", `@**iago|${twin}**`), `data-user-id="${twin}"`)
      await server.as("desdemona").must.delete(`/users/${twin}`)
      t.equal(await render("hamlet", "@**iago**"), mention("@iago"), "one of them is active")
      t.match(await render("hamlet", `@**|${twin}**`), 'class="user-mention silent"')
    })

    await t.test(
      "a name with pipes is one by which people are mentioned, and so is a former name with an id",
      async (t) => {
        const id = server.idOf("polonius")
        const of = (name: string) => `<p><span class="user-mention" data-user-id="${id}">@${name}</span></p>`
        const rename = (full_name: string) => server.as("desdemona").must.patch(`/users/${id}`, { full_name })
        for (const name of ["Kim | Ops", "a|9 & b", "|", "Kim|7|"]) {
          await rename(name)
          const shown = of(name.replace("&", "&amp;"))
          for (const content of [`@**${name}**`, `@**${name}|${id}**`, `@**${name.toUpperCase()}|${id}**`])
            t.equal(await render("hamlet", content), shown, content)
        }
        await rename("Kim | Ops")
        const row = await render("hamlet", `| a | b |\n|---|---|\n| @_**Kim | Ops|${id}** | x |`)
        t.match(row, /<td><span class="user-mention silent"[^>]*>Kim \| Ops<\/span><\/td>\s*<td>x<\/td>/, "in a table")
        await rename("polonius")
        t.equal(await render("hamlet", `@**Kim | Ops|${id}**`), of("polonius"), "the former name")
        t.match(await render("hamlet", "@**Kim | Ops**"), /^<p>@<strong>/, "the former name alone is text")
      },
    )

    await t.test("a channel that they may not see is like one that does not exist", async (t) => {
      const id = channelId("secret")
      const seen = `<p><a class="stream" data-stream-id="${id}" href="/#narrow/channel/${id}-secret">#secret</a></p>`
      t.equal(await render("iago", "#**secret**"), seen)
      t.equal(await render("iago", "#**SECRET**"), seen)
      for (const content of ["#**NAME**", "#**NAME>t**", "#**NAME>t@7**"]) {
        const of = (name: string) => render("hamlet", content.replace("NAME", name))
        t.equal(
          (await of("secret"))?.toString().replace("secret", "X"),
          (await of("nosuch"))?.toString().replace("nosuch", "X"),
        )
      }
    })

    await t.test("where a name holds the divider, the longest one that they may see counts", async (t) => {
      t.match(await render("hamlet", "#**up > down**"), `data-stream-id="${channelId("up > down")}"`)
      const newest = await send("iago", "up > down", "a > b")
      t.match(await render("hamlet", "#**UP > down>a > b**"), `/topic/a.20.3E.20b/with/${newest}"`)
      t.match(await render("hamlet", "#**up &gt; down>a &gt; b**"), `/topic/a.20.3E.20b/with/${newest}"`)
      t.match(await render("iago", "#**lobby>secret>t**"), `data-stream-id="${channelId("lobby>secret")}"`)
      for (const content of ["#**lobby>NAME**", "#**lobby>NAME>t**", "#**lobby>NAME>t@7**"]) {
        const of = async (name: string) => `${await render("hamlet", content.replace("NAME", name))}`
        const hidden = await of("secret")
        t.match(hidden, `data-stream-id="${channelId("lobby")}"`)
        t.equal(hidden.replaceAll("secret", "X"), (await of("nosuch")).replaceAll("nosuch", "X"), content)
      }
    })

    await t.test(
      "names may be written with entities, and those that hold what looks like one come first",
      async (t) => {
        const add = async (full_name: string, email: string) =>
          (await server.as("desdemona").must.post("/users", { email, password: "a long password", full_name }))[
            "user_id"
          ]
        const plain = await add("Tom & Jerry", "tom@test.example")
        const shown = async (content: string) => /data-user-id="(\d+)"/.exec(`${await render("hamlet", content)}`)?.[1]
        for (const name of ["Tom & Jerry", "Tom &amp; Jerry", "Tom &#38; Jerry", "Tom&#32;&#x26; Jerry"])
          t.equal(await shown(`@**${name}**`), `${plain}`, name)
        const odd = await add("Tom &amp; Jerry", "odd@test.example")
        t.equal(await shown("@**Tom &amp; Jerry**"), `${odd}`)
        t.equal(await shown("@**Tom & Jerry**"), `${plain}`)
        t.equal(await shown("@**Tom &amp;amp; Jerry**"), `${odd}`)
      },
    )

    await t.test("a link to a topic names its newest message that they may see", async (t) => {
      const first = await send("iago", "lobby", "Plan")
      const newest = await send("iago", "lobby", "plan")
      t.ok(Number(newest) > Number(first))
      t.match(await render("hamlet", "#**lobby>PLAN**"), `/topic/PLAN/with/${newest}"`)
      t.match(await render("hamlet", "#**lobby>none**"), '/topic/none"')
      const many = Array.from({ length: 25 }, (_, n) => `#**lobby>t${n}**`).join(" ")
      t.notMatch(await render("hamlet", `${many} #**lobby>plan**`), "/with/", "no more than 20 are looked up")

      await send("iago", "kept", "old")
      await server.as("iago").must.post("/users/me/subscriptions", {
        subscriptions: [{ name: "kept" }],
        principals: [server.idOf("cordelia")],
      })
      t.match(await render("iago", "#**kept>old**"), "/topic/old/with/")
      t.match(await render("cordelia", "#**kept>old**"), '/topic/old"', "not one from before she joined")
      const later = await send("iago", "kept", "old")
      t.match(await render("cordelia", "#**kept>old**"), `/topic/old/with/${later}"`)
    })

    await t.test(
      "who asks for topics meanwhile is asked for by one statement, and each sees what they may",
      async (t) => {
        await send("iago", "young", "old")
        await server.as("iago").must.post("/users/me/subscriptions", {
          subscriptions: [{ name: "young" }],
          principals: [server.idOf("cordelia")],
        })
        let statements = 0
        let open = () => {}
        const opened = new Promise<void>((resolve) => {
          open = resolve
        })
        server.faults.slow("newest_of_topics", () => {
          statements++
          return opened
        })
        const asking = (who: Name, content: string) => ask(server, who, "POST /messages/render", { content })
        const first = asking("hamlet", "#**lobby>plan**")
        await until("it is being read", 10_000, () => statements === 1)
        const texts = [...Array.from({ length: 9 }, (_, n) => `#**lobby>t${n}** #**lobby>plan**`), "#**young>old**"]
        const all = texts.flatMap((text) => [asking("iago", text), asking("cordelia", text)])
        open()
        t.match(await first, { data: { rendered: /topic.plan.with/ } })
        const [cordelia, iago, ...others] = (await Promise.all(all)).reverse()
        server.faults.flow()
        t.match(iago, { data: { rendered: /topic.old.with/ } })
        t.match(cordelia, { data: { rendered: /topic.old"/ } }, "not one from before she joined")
        for (const each of others) t.match(each, { data: { rendered: /topic.t\d".*topic.plan.with/ } })
        t.ok(statements <= 3, `${statements} statements for ${all.length + 1} messages`)
      },
    )

    await t.test("topics that cannot be read cost the messages of then an answer, and none of later", async (t) => {
      server.faults.failQueries("newest_of_topics")
      const failed = await Promise.all(
        Array.from({ length: 5 }, () => ask(server, "hamlet", "POST /messages/render", { content: "#**lobby>plan**" })),
      )
      t.same(new Set(failed.map(({ told }) => told)), new Set(["unavailable"]))
      server.faults.flow()
      t.match(await render("hamlet", "#**lobby>plan**"), "/topic/plan/with/")
    })

    await t.test("rendering gives what sending gives", async (t) => {
      const contents = ["*a* @**iago** #**lobby>plan** :smile:", "$$x^2$$", "```py\nx = 1\n```", "a ".repeat(1500)]
      for (const content of contents) {
        const id = await send("hamlet", "lobby", "same", content)
        const { message } = await server.as("hamlet").must.get(`/messages/${id}`, { apply_markdown: true })
        t.match(message, { content: await render("hamlet", content) })
      }
      const here = `${server.origin}/#narrow/channel/1`
      t.equal(
        await render("hamlet", `[a](${here}) ${here}`),
        `<p><a href="/#narrow/channel/1">a</a> <a href="/#narrow/channel/1">${here}</a></p>`,
      )
    })

    await t.test("notices mention silently, and hold what was written in descriptions", async (t) => {
      await server
        .as("iago")
        .must.patch(`/streams/${channelId("lobby")}`, { description: "*new* @**hamlet** #**secret**" })
      const { messages } = await server.as("hamlet").must.get("/messages", {
        anchor: "newest",
        num_before: 1,
        num_after: 0,
        narrow: [["topic", "channel events"]],
      })
      const silent = (name: Name) =>
        `<span class="user-mention silent" data-user-id="${server.idOf(name)}">${name}</span>`
      const [notice] = Array.isArray(messages) ? messages : []
      t.match(notice, { content: silent("iago") })
      t.match(notice, { content: `<em>new</em> ${silent("hamlet")} #<strong>secret</strong>` })
      const { stream } = await server.as("hamlet").must.get(`/streams/${channelId("lobby")}`)
      t.match(stream, { rendered_description: "<em>new</em>" })
    })

    await t.test("the emoji of the server itself is shown by a picture that it has", async (t) => {
      const [, address = ""] = / src="([^"]*)"/.exec(`${await render("hamlet", ":zulip:")}`) ?? []
      const picture = await fetch(`${server.origin}${address}`)
      t.equal(picture.status, 200)
      t.equal(picture.headers.get("content-type"), "image/png")
      t.match(picture.headers.get("cache-control"), /^public, max-age=\d+$/)
      const { format, width, height } = await sharp(Buffer.from(await picture.arrayBuffer())).metadata()
      t.strictSame({ format, width, height }, { format: "png", width: 64, height: 64 })
    })

    await t.test("uploaded sounds are played where no previews are shown, and pictures are links", async (t) => {
      const file = (name: string, type: string) =>
        uploaded(server, "hamlet", { name, type, bytes: Buffer.from("no real sound") })
      const song = await file("a.mp3", "audio/mpeg")
      const picture = await file("b.png", "image/png")
      const content = `![song](${song}) [b](${picture}) https://x.example/c.png`
      const sound = `<audio controls preload="metadata" src="${song}" title="song"></audio>`
      await server
        .as("desdemona")
        .must.patch("/realm", { inline_image_preview: false, inline_url_embed_preview: false })
      t.equal(
        await render("hamlet", content),
        `<p>${sound} <a href="${picture}">b</a> <a href="https://x.example/c.png">https://x.example/c.png</a></p>`,
      )
      t.match(await render("hamlet", `![song](${song.replace(/\/a\.mp3$/, "/none.mp3")})`), /^<p>!<a /)
      await server.as("desdemona").must.patch("/realm", { inline_image_preview: true })
      t.match(await render("hamlet", content), sound)
    })

    await t.test("what cannot be rendered is refused", async (t) => {
      const post = (content: string) => server.as("hamlet").post("/messages/render", { content })
      t.match(await post(" \n"), { status: 400, body: { msg: "Message must not be empty" } })
      t.match(await server.as("hamlet").post("/messages/render", {}), { body: { code: "REQUEST_VARIABLE_MISSING" } })
      t.match(await post("$$\\frac{x}{y}$$ ".repeat(600)), { status: 400, body: { msg: "Unable to render message" } })
      t.match(await post("x".repeat(20_000)), { status: 200, body: { rendered: /message truncated\]<\/p>$/ } })
    })
  }),
)
