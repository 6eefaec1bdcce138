/** The settings of several processes that serve one database, and what they need of the others. Part of settings.ts. */
import { resolve } from "node:path"
import type { ConfigShape } from "./config.ts"
import { expectedNatsAddress, type NatsAddress, readNatsAddress } from "./nats-address.ts"
import type { ProcessesConfig } from "./processes-config.ts"
import { oneOfWords, setting, wholeNumber } from "./setting.ts"

const isPostgres = (text: string): boolean => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)

const oneOrMany = oneOfWords(["one", "many"])
const children = wholeNumber(2, 64)

export const processesSettings = {
  processes: setting<"one" | "many" | number>("PARLEY_PROCESSES", "processes", {
    placeholder: "one|many|number",
    help: "Many lets several processes, on one machine or on several, serve one PostgreSQL database together (docs/scale.md). A number starts so many of them, which serve one port (Linux).",
    defaultText: "one",
    expected: `${oneOrMany.expected} or ${children.expected}`,
    read: (text) => oneOrMany.read(text) ?? children.read(text),
  }),
  bus: setting<"none" | "notify" | NatsAddress>("PARLEY_BUS", "bus", {
    placeholder: "none|notify|nats://...",
    help: "How many processes tell each other what they have committed: by NOTIFY of PostgreSQL, by servers of NATS (nats:// or tls://, with commas between them), or not, and then others learn it within a second, or when they are asked.",
    defaultText: "notify",
    expected: `none, notify or ${expectedNatsAddress}`,
    isSecret: true,
    read: (text) => (text === "none" || text === "notify" ? text : readNatsAddress(text)),
  }),
  busUrl: setting<string>("PARLEY_BUS_URL", "bus-url", {
    placeholder: "url",
    help: "The same PostgreSQL database by an address that gives each connection a session of its own, where DATABASE_URL leads to a pooler that does not.",
    defaultText: "DATABASE_URL",
    expected: "a URL like postgres://user:password@host:5432/database",
    isSecret: true,
    read: (text) => (isPostgres(text) ? text : undefined),
  }),
  busCredentialsFile: setting<string>("PARLEY_BUS_CREDENTIALS_FILE", "bus-credentials-file", {
    placeholder: "file",
    help: "The credentials (.creds) by which processes sign in to NATS. They may be renewed while the server runs.",
    defaultText: "none",
    expected: "a path",
    read: (text) => resolve(text),
  }),
  busAuthoritiesFile: setting<string>("PARLEY_BUS_CA_FILE", "bus-ca-file", {
    placeholder: "file",
    help: "Certificates in PEM that the servers of NATS are trusted by, for a bus at tls://.",
    defaultText: "those of Node",
    expected: "a path",
    read: (text) => resolve(text),
  }),
  sharedLimits: setting<"on" | "off">("PARLEY_RATE_LIMIT_SHARED", "rate-limit-shared", {
    ...oneOfWords(["on", "off"]),
    help: "Whether wrong passwords and the requests of heavy senders count at all of many processes. Off: at each for itself.",
    defaultText: "on",
  }),
} as const

interface Given {
  readonly processes: "one" | "many" | number
  readonly bus: "none" | "notify" | NatsAddress | null
  readonly busUrl: string | null
  readonly busCredentialsFile: string | null
  readonly busAuthoritiesFile: string | null
  readonly sharedLimits: "on" | "off" | null
}

const ofMany = ["bus", "busUrl", "busCredentialsFile", "busAuthoritiesFile", "sharedLimits"] as const

const isNats = (bus: Given["bus"]): bus is NatsAddress => typeof bus === "object" && bus !== null

/** What of the settings of NATS does not fit the others; null: nothing. */
const findNatsFault = ({ bus, busCredentialsFile, busAuthoritiesFile }: Given): string | null => {
  const env = processesSettings.bus.env
  const isTls = isNats(bus) && bus.isTls
  if (busAuthoritiesFile !== null && !isTls)
    return `${processesSettings.busAuthoritiesFile.env} is for ${env}=tls://...: without TLS there are no certificates`
  if (busCredentialsFile === null) return null
  const file = processesSettings.busCredentialsFile.env
  if (!isNats(bus)) return `${file} is for ${env}=nats://... or tls://...`
  return bus.login === null ? null : `${file} is set, and ${env} has a password or token: one of them is enough`
}

interface Facts extends Pick<ConfigShape, "mode" | "database" | "port"> {
  readonly portSetting: string
  /** Null: no other process has started this one as one of several. */
  readonly child: number | null
}

/** A text says what is wrong; null: one process. */
export const readProcesses = (
  given: Given,
  { mode, database, port, portSetting, child }: Facts,
): ProcessesConfig | null | string => {
  const env = `${processesSettings.processes.env}=${given.processes}`
  const { bus, busUrl, busCredentialsFile: credentialsFile, busAuthoritiesFile: authoritiesFile, sharedLimits } = given
  if (given.processes === "one") {
    const stray = ofMany.find((name) => given[name] !== null)
    if (stray === undefined) return null
    return `${processesSettings[stray].env} is for ${processesSettings.processes.env}=many: one process has nobody to tell`
  }
  if (database.kind !== "postgres") return `${env} needs DATABASE_URL: the embedded database has one process`
  if (mode === "development")
    return `${env} needs PARLEY_MODE=production: the demo of development mode is served by one process`
  if (given.processes !== "many" && port === 0)
    return `${env} needs a port that all of them open: ${portSetting} is 0, by which each would get another one`
  const fault = findNatsFault(given)
  if (fault !== null) return fault
  return {
    bus: isNats(bus) ? { ...bus, credentialsFile, authoritiesFile } : (bus ?? "notify"),
    busUrl,
    sharesLimits: sharedLimits !== "off",
    child: given.processes === "many" ? null : child,
  }
}
