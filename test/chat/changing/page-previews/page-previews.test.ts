/** Previews of pages: beside the send, once, and only of what the message still says. */
import t from "tap"
import { externalAddress, externalKey } from "../../../../src/chat/ground/external-content/external-address.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import { farServer } from "../../../kit/far-server.ts"
import { recordsIn } from "../../../kit/records.ts"
import { withServer } from "../../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
const types = { event_types: ["message", "update_message"], apply_markdown: true }

t.test("page previews", async (t) => {
  const far = await farServer(t)
  await withServer(t, { channels, network: far.network, config: { pagePreviews: true } }, async (server) => {
    server.closeAfter(far.close)
    const serve = (path: string, head: string) =>
      far.pages.set(path, (_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end(head))
    /** Serves a page when the function is called that this answers; `asked` waits until it is asked for. */
    const serveLater = (path: string, head: string) => {
      let go = () => {}
      const asked = new Promise<void>((resolve) => {
        far.pages.set(path, (_, response) => {
          go = () => void response.writeHead(200, { "Content-Type": "text/html" }).end(head)
          resolve()
        })
      })
      return { asked, answer: () => go() }
    }
    const send = (content: string) => server.as("hamlet").send("lobby", content, { topic: "t" })
    const shown = async (id: number) => {
      const [message = {}] = recordsIn([(await server.as("cordelia").must.get(`/messages/${id}`))["message"]])
      return message["content"]
    }
    const page = `${far.origin}/page`
    serve("/page", '<title>A <b></title><meta property="og:image" content="/i.png"><meta name=description content=D>')
    const embedOf = (url: string) =>
      `<p><a href="${url}">${url}</a></p>\n<div class="message_embed"><a class="message_embed_image" href="${url}" ` +
      `style="background-image: url(&quot;${externalAddress(externalKey(server.config.secret), `${far.origin}/i.png`)}` +
      `&quot;)"></a><div class="data-container"><div class="message_embed_title">` +
      `<a href="${url}" title="A &lt;b&gt;">A &lt;b&gt;</a></div><div class="message_embed_description">D</div></div></div>`

    await t.test("a message is sent as it is, then shown with its preview", async (t) => {
      const cordelia = await server.queue("cordelia", types)
      const id = await send(page)
      const plain = `<p><a href="${page}">${page}</a></p>`
      const update = await cordelia.until(({ type }) => type === "update_message")
      t.match(
        cordelia.events.find(({ type }) => type === "message"),
        { message: { id, content: plain } },
      )
      t.match(update, {
        user_id: null,
        rendering_only: true,
        message_id: id,
        message_ids: [id],
        flags: [],
        stream_id: channelId(server, "lobby"),
        stream_name: "lobby",
        content: page,
        orig_content: page,
        orig_rendered_content: plain,
        rendered_content: embedOf(page),
        is_me_message: false,
      })
      t.notOk("propagate_mode" in update)
      t.equal(await shown(id), embedOf(page))
      const [message = {}] = recordsIn([(await server.as("hamlet").must.get(`/messages/${id}`))["message"]])
      t.notOk("edit_history" in message || "last_edit_timestamp" in message, "it is no edit")
      const { message_history: history } = await server.as("hamlet").must.get(`/messages/${id}/history`)
      t.equal(recordsIn(history).length, 1)
      const to = [server.idOf("cordelia")]
      const { id: direct } = await server
        .as("hamlet")
        .must.post("/messages", { type: "direct", to, content: `x ${page}` })
      t.match(await cordelia.until((event) => event["message_id"] === direct), { rendering_only: true })
      t.equal(far.asked.length, 1, "what it says is kept")
    })

    await t.test("a message that was changed meanwhile stays as it is", async (t) => {
      const late = serveLater("/late", "<title>late</title>")
      const id = await send(`${far.origin}/late`)
      await late.asked
      await server.as("hamlet").must.patch(`/messages/${id}`, { content: "other" })
      late.answer()
      const next = await send(`${page}#after`)
      const cordelia = await server.queue("cordelia", types)
      await server.as("hamlet").must.patch(`/messages/${next}`, { content: `${page} edited` })
      // The text before the edit may be shown with its preview too, if that was made before the edit came.
      const isOfTheEdit = ({ content }: Readonly<Record<string, unknown>>) => content === `${page} edited`
      await cordelia.until((event) => event["rendering_only"] === true && isOfTheEdit(event))
      t.equal(await shown(id), "<p>other</p>")
      t.match(await shown(next), /edited<\/p>\n<div class="message_embed">/)
      t.notOk(cordelia.events.some((event) => event["message_id"] === id))
    })

    await t.test("nothing is fetched where the organization wants none", async (t) => {
      const before = far.asked.length
      serve("/unwanted", "<title>x</title>")
      await server.as("desdemona").must.patch("/realm", { inline_url_embed_preview: false })
      const id = await send(`${far.origin}/unwanted`)
      await server.as("desdemona").must.patch("/realm", { inline_url_embed_preview: true })
      const queue = await server.queue("cordelia", types)
      await send(`${page} wanted`)
      await queue.until(({ rendering_only: only }) => only === true)
      t.equal(far.asked.length, before)
      t.notMatch(await shown(id), /embed/)
    })

    await t.test("many links, and pages that do not answer, hold nobody up", async (t) => {
      far.pages.set("/silent", () => {})
      const many = Array.from({ length: 200 }, (_, n) => `http://far.example:1/${n}`).join(" ")
      const ids: Array<number> = []
      for (let n = 0; n < 8; n++) ids.push(await send(n % 2 === 0 ? many : `${far.origin}/silent?${n}`))
      t.equal(new Set(ids).size, 8)
      // While those wait for their server, the page of somebody else is shown.
      serve("/quick", "<title>Q</title>")
      const queue = await server.queue("hamlet", types)
      const id = await server.as("cordelia").send("lobby", `${far.origin}/quick`, { topic: "t" })
      t.match(await queue.until((event) => event["message_id"] === id), { rendering_only: true })
    })
  })
})
