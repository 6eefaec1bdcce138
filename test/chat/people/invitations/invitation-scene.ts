/** What the tests of invitations share: a mail server that is not there, so that mails stay in the outbox, and the page. */
import * as Predicate from "effect/Predicate"
import { absentMailServer } from "../../../kit/absent-mail-server.ts"
import { type Fields, formOf } from "../../../kit/client.ts"
import { ask, type RawAnswer } from "../../../kit/raw-http.ts"
import { recordsIn } from "../../../kit/records.ts"
import type { Name, ServerSetup, TestServer } from "../../../kit/with-server.ts"

export const mailing: ServerSetup = {
  config: { mail: absentMailServer },
  channels: [
    { name: "lobby", users: ["hamlet", "desdemona"], isDefault: true },
    { name: "court", users: ["hamlet"] },
    { name: "den", users: ["cordelia", "desdemona"], isPrivate: true },
  ],
}

export interface SentMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The mails that wait in the outbox, in the order in which they were added. */
export const mailsOf = async (server: TestServer): Promise<ReadonlyArray<SentMail>> =>
  (await server.rows("select payload::text as payload from outbox where kind = 'mail' order by id")).map((row) => {
    const mail: unknown = JSON.parse(String(row["payload"]))
    if (!Predicate.isObject(mail) || !Predicate.isObject(mail["to"])) throw new Error("not a mail")
    const { to, subject, text, html } = mail
    return { to: String(to["address"]), subject: String(subject), text: String(text), html: String(html) }
  })

export const linkIn = ({ text }: SentMail): string => /https?:\/\/\S+\/join\/\S+/.exec(text)?.[0] ?? "no link"

/** The link of the newest mail to an address. */
export const linkTo = async (server: TestServer, address: string): Promise<string> => {
  const found = (await mailsOf(server)).findLast(({ to }) => to === address)
  return found === undefined ? "no mail" : linkIn(found)
}

export const invite = (server: TestServer, who: Name, emails: string, fields: Fields = {}) =>
  server.as(who).post("/invites", { invitee_emails: emails, stream_ids: [], ...fields })

export const invitesOf = async (server: TestServer, who: Name) =>
  recordsIn((await server.as(who).must.get("/invites"))["invites"])

const cut = (answer: RawAnswer | undefined): RawAnswer => {
  if (answer === undefined) throw new Error("the connection was cut")
  return answer
}

/** Looks at the page of a link. */
export const look = async (server: TestServer, link: string, method = "GET"): Promise<RawAnswer> =>
  cut(await ask(server.port, { method, path: new URL(link).pathname }))

const person: Fields = { full_name: "Rosa New", password: "a long password" }

/** Sends the form of a link's page. */
export const join = async (
  server: TestServer,
  link: string,
  fields: Fields = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> =>
  cut(
    await ask(server.port, {
      method: "POST",
      path: new URL(link).pathname,
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body: formOf({ ...person, ...fields }).toString(),
    }),
  )

/** What a user's newest direct messages say, the newest last. */
export const directOf = async (server: TestServer, address: string): Promise<ReadonlyArray<string>> => {
  const fields = { anchor: "newest", num_before: 20, num_after: 0, narrow: [["is", "dm"]], apply_markdown: false }
  const page = await server.asEmail(address).must.get("/messages", fields)
  return recordsIn(page["messages"]).map(({ content }) => String(content))
}
