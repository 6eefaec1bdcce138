/** What the tests of accounts share: mails that stay in the outbox, the links in them, and the forms behind these. */
import { absentMailServer } from "../../../kit/absent-mail-server.ts"
import { type Fields, formOf } from "../../../kit/client.ts"
import { ask, type RawAnswer } from "../../../kit/raw-http.ts"
import { until } from "../../../kit/test-database.ts"
import type { ServerSetup, TestServer } from "../../../kit/with-server.ts"
import { mailsOf, type SentMail } from "../invitations/invitation-scene.ts"

export const mailing: ServerSetup = { config: { mail: absentMailServer } }

export const resetPath = "/accounts/password/reset/"

/** A person with a password, made by the owner as an administrator would. */
export const addPerson = async (server: TestServer, email: string, full_name = "New Person"): Promise<number> => {
  const fields = { email, password: "a long password", full_name }
  return Number((await server.as("desdemona").must.post("/users", fields))["user_id"])
}

export const signIn = async (server: TestServer, username: string, password: string) =>
  (await server.anonymous("POST", "/fetch_api_key", { username, password })).status

/** The path of the link in a mail; empty: there is none. */
export const linkIn = ({ text }: SentMail): string => /https?:\/\/[^/\s]+(\/accounts\/\S+)/.exec(text)?.[1] ?? ""

/** The mails to an address, the newest last. */
export const mailsTo = async (server: TestServer, address: string) =>
  (await mailsOf(server)).filter(({ to }) => to === address)

export const linksTo = async (server: TestServer, address: string): Promise<ReadonlyArray<string>> =>
  (await mailsTo(server, address)).map(linkIn).filter((link) => link !== "")

const answered = (answer: RawAnswer | undefined): RawAnswer => {
  if (answer === undefined) throw new Error("the connection was cut")
  return answer
}

export const look = async (server: TestServer, path: string): Promise<RawAnswer> =>
  answered(await ask(server.port, { method: "GET", path }))

export const send = async (
  server: TestServer,
  path: string,
  fields: Fields = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> =>
  answered(
    await ask(server.port, {
      method: "POST",
      path,
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body: formOf(fields).toString(),
    }),
  )

/** Whether everything that was asked for by the page is done, so that a mail that is not there yet never comes. */
export const quiet = (server: TestServer): Promise<number> =>
  until("nothing is asked for any more", 10_000, async () => {
    const rows = await server.rows("select id from outbox where kind = 'another password'")
    return rows.length === 0
  })

/** Asks for another password; answers the path of the link that was mailed. */
export const askForPassword = async (server: TestServer, email: string): Promise<string> => {
  const address = server.realm.realm.findUserByEmail(email)?.email ?? email
  const before = await linksTo(server, address)
  const { status } = await send(server, resetPath, { email })
  if (status !== 200) throw new Error(`asking was answered ${status}`)
  await quiet(server)
  const links = await linksTo(server, address)
  return links.length > before.length ? (links.at(-1) ?? "") : ""
}

/** The origin of the pages that these ask for (raw-http.ts). */
export const ownOrigin = "http://chat.example.org:9991"
