/** The settings that are in force, as `--print-config` shows them. No password is among them. */
import type { DirectoryConfig } from "./config.ts"
import { describeNats, secretsOfNats } from "./nats-address.ts"
import { writtenEntries } from "./outgoing-allow.ts"
import type { ProcessesConfig } from "./processes-config.ts"
import type { OperatorSettings } from "./read-settings.ts"

/** The settings as JSON for people: passwords and whatever else is secret are hidden. */
export const describeSettings = (all: OperatorSettings): string => {
  const secret = all.secret === null ? "made once and kept in the data folder" : "(hidden)"
  const database =
    all.database.kind === "postgres" ? { ...all.database, url: hidePassword(all.database.url) } : all.database
  const directory = all.directory && hideBind(all.directory)
  const processes = all.processes && hideBus(all.processes)
  const mail = all.mail === null ? null : { ...all.mail, password: all.mail.password === null ? null : "***" }
  const outgoingAllow = all.outgoingAllow.flatMap(writtenEntries)
  const metricsToken = all.metricsToken === null ? null : "***"
  return JSON.stringify({ ...all, outgoingAllow, database, processes, mail, secret, metricsToken, directory }, null, 2)
}

/** The texts of these settings that no line of the log may have. */
export const secretsIn = ({
  secret,
  metricsToken,
  database,
  processes,
  mail,
  directory,
}: OperatorSettings): ReadonlyArray<string> => {
  const urls = [database.kind === "postgres" ? database.url : null, processes?.busUrl ?? null]
  return [
    secret ?? "",
    metricsToken ?? "",
    ...urls.flatMap((url) => (url === null ? [] : passwordsIn(new URL(url)))),
    ...(typeof processes?.bus === "object" ? secretsOfNats(processes.bus) : []),
    mail?.password ?? "",
    directory?.search.kind === "search" ? directory.search.bindPassword : "",
  ].filter((text) => text !== "")
}

const passwordsIn = ({ password, searchParams }: URL): ReadonlyArray<string> => [
  password,
  decodeIfPossible(password),
  searchParams.get("password") ?? "",
]

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

const hideBus = ({ bus, busUrl, ...rest }: ProcessesConfig) => ({
  ...rest,
  bus: typeof bus === "string" ? bus : { ...bus, servers: undefined, login: undefined, address: describeNats(bus) },
  busUrl: busUrl === null ? null : hidePassword(busUrl),
})

const hidePassword = (text: string): string => {
  const url = new URL(text)
  if (url.password !== "") url.password = "***"
  if (url.searchParams.has("password")) url.searchParams.set("password", "***")
  return url.href
}
