/** The settings that are in force, as `--print-config` shows them. No password is among them. */
import type { DirectoryConfig } from "./config.ts"
import type { Settings } from "./source.ts"

/** The settings as JSON for people: passwords are hidden. */
export const describeSettings = (all: Settings): string => {
  const secret = all.secret === null ? "made once and kept in the data folder" : "(hidden)"
  const database =
    all.database.kind === "postgres" ? { ...all.database, url: hidePassword(all.database.url) } : all.database
  const directory = all.directory && hideBind(all.directory)
  const mail = all.mail === null ? null : { ...all.mail, password: all.mail.password === null ? null : "***" }
  return JSON.stringify({ ...all, database, mail, secret, directory }, null, 2)
}

/** The texts of these settings that no line of the log may have. */
export const secretsIn = ({ secret, metricsToken, database, mail, directory }: Settings): ReadonlyArray<string> => {
  const url = database.kind === "postgres" ? new URL(database.url) : null
  const password = url?.password ?? ""
  return [
    secret ?? "",
    metricsToken ?? "",
    password,
    decodeIfPossible(password),
    url?.searchParams.get("password") ?? "",
    mail?.password ?? "",
    directory?.search.kind === "search" ? directory.search.bindPassword : "",
  ].filter((text) => text !== "")
}

const decodeIfPossible = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const hideBind = ({ search, ...directory }: DirectoryConfig) => ({
  ...directory,
  search: search.kind === "search" ? { ...search, bindPassword: "***" } : search,
})

const hidePassword = (text: string): string => {
  const url = new URL(text)
  if (url.password !== "") url.password = "***"
  if (url.searchParams.has("password")) url.searchParams.set("password", "***")
  return url.href
}
