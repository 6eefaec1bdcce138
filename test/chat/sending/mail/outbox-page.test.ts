/** The page of mails that development mode shows instead of sending them. */
import * as Effect from "effect/Effect"
import t from "tap"
import { addMail, wakeMail } from "../../../../src/chat/sending/mail/mail.ts"
import { mailParts } from "../../../../src/chat/sending/mail/mail-parts.ts"
import { outboxPage } from "../../../../src/chat/sending/mail/outbox-page.ts"
import { change } from "../../../../src/events/command.ts"
import { until } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const send = async (server: TestServer, subjects: ReadonlyArray<string>) => {
  const mails = subjects.map((subject, n) => ({
    to: { name: `Person ${n} <b>`, address: `a${n}@demo.example` },
    subject,
    ...mailParts({ paragraphs: [subject], button: { label: "Join", url: `https://chat.example/join?a=1&n=${n}` } }),
  }))
  await server.run(server.realm.writer.submit({ judge: () => change([addMail(...mails)]) }))
  await server.run(wakeMail)
  await until("they are kept", 20_000, async () => (await server.rows("select id from outbox")).length === 0)
}

const read = async (server: TestServer, init: RequestInit = {}) => {
  const response = await fetch(`${server.origin}/outbox`, init)
  return { status: response.status, headers: response.headers, html: await response.text() }
}

t.test("in development mode mails are shown, the newest first", (t) =>
  withServer(t, { config: { mode: "development" } }, async (server) => {
    t.match((await read(server)).html, "There is none yet.")
    await send(server, ["first"])
    await send(server, ['second <script>alert("x")</script>'])
    const { status, headers, html } = await read(server)
    t.equal(status, 200)
    t.equal(headers.get("content-type"), "text/html; charset=utf-8")
    t.match(headers.get("content-security-policy"), /^default-src 'none'; style-src 'unsafe-inline';/)
    t.match(headers.get("content-security-policy"), "frame-ancestors 'none'")
    t.equal(headers.get("cache-control"), "no-store")
    t.equal(headers.get("x-content-type-options"), "nosniff")
    t.equal(headers.get("access-control-allow-origin"), null)
    t.ok(html.indexOf("<h2>second") < html.indexOf("<h2>first"))
    t.match(html, "Person 0 &lt;b&gt; &lt;a0@demo.example&gt;")
    t.match(html, '<a href="https://chat.example/join?a=1&amp;n=0">')
    t.notMatch(html, "<script")
    await server.restart()
    t.equal((await read(server)).html, html, "they outlive a restart")
    t.equal((await read(server, { method: "HEAD" })).status, 200)
    t.equal((await read(server, { method: "POST" })).status, 405)
  }),
)

t.test("the newest 100 are kept", (t) =>
  withServer(t, { config: { mode: "development" } }, async (server) => {
    await send(
      server,
      Array.from({ length: 103 }, (_, n) => `mail ${n}`),
    )
    t.equal((await read(server)).html.split("<article>").length - 1, 100)
    t.match(await server.rows("select count(*)::int as n from kept_mail"), [{ n: 100 }])
  }),
)

t.test("for others, and in production, there is no such page", async (t) => {
  await t.test("development mode", (t) =>
    withServer(t, { config: { mode: "development", trustedProxies: ["127.0.0.1"] } }, async (server) => {
      const other = await read(server, { headers: { "X-Forwarded-For": "198.51.100.7" } })
      const missing = await fetch(`${server.origin}/nothing`)
      t.strictSame([other.status, other.html], [404, await missing.text()])
      t.equal(await server.run(outboxPage(false)), null)
    }),
  )
  await t.test("production", (t) =>
    withServer(t, {}, async (server) => {
      const missing = await fetch(`${server.origin}/nothing`)
      for (const method of ["GET", "POST"]) {
        const { status, html } = await read(server, { method })
        t.equal(status, 404)
        if (method === "GET") t.equal(html, await missing.clone().text())
      }
      t.equal(await server.run(outboxPage(true)), null)
    }),
  )
  await t.test("while the database does not answer", (t) =>
    withServer(t, { config: { mode: "development" } }, async (server) => {
      server.faults.failQueries("kept_mail")
      t.equal((await read(server)).status, 503)
      server.faults.flow()
      t.equal(await server.run(Effect.map(outboxPage(true), (html) => html !== null)), true)
    }),
  )
})
