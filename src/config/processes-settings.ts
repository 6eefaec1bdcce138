/** The settings of several processes that serve one database, and what they need of the others. Part of settings.ts. */
import type { ConfigShape, ProcessesConfig } from "./config.ts"
import { oneOfWords, setting } from "./setting.ts"

const isPostgres = (text: string): boolean => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)

export const processesSettings = {
  processes: setting<"one" | "many">("PARLEY_PROCESSES", "processes", {
    ...oneOfWords(["one", "many"]),
    help: "Many lets several processes, on one machine or on several, serve one PostgreSQL database together (docs/scale.md).",
    defaultText: "one",
  }),
  bus: setting<string>("PARLEY_BUS", "bus", {
    placeholder: "none|notify",
    help: "How many processes tell each other what they have committed: by NOTIFY of PostgreSQL, or not, and then others learn it within a second, or when they are asked.",
    defaultText: "notify",
    expected: "none or notify",
    read: (text) => (text === "none" || text === "notify" || text.startsWith("nats:") ? text : undefined),
  }),
  busUrl: setting<string>("PARLEY_BUS_URL", "bus-url", {
    placeholder: "url",
    help: "The same PostgreSQL database by an address that gives each connection a session of its own, where DATABASE_URL leads to a pooler that does not.",
    defaultText: "DATABASE_URL",
    expected: "a URL like postgres://user:password@host:5432/database",
    isSecret: true,
    read: (text) => (isPostgres(text) ? text : undefined),
  }),
} as const

interface Given {
  readonly processes: "one" | "many"
  readonly bus: string | null
  readonly busUrl: string | null
}

/** A text says what is wrong; null: one process. */
export const readProcesses = (
  { processes, bus, busUrl }: Given,
  { mode, database }: Pick<ConfigShape, "mode" | "database">,
): ProcessesConfig | null | string => {
  const { env } = processesSettings.processes
  if (processes === "one") {
    const stray = bus !== null ? processesSettings.bus.env : busUrl !== null ? processesSettings.busUrl.env : null
    return stray === null ? null : `${stray} is for ${env}=many: one process has nobody to tell`
  }
  if (database.kind !== "postgres") return `${env}=many needs DATABASE_URL: the embedded database has one process`
  if (mode === "development")
    return `${env}=many needs PARLEY_MODE=production: the demo of development mode is served by one process`
  if (bus?.startsWith("nats:") === true)
    return `${processesSettings.bus.env}=nats://... is not built yet: expected ${processesSettings.bus.expected}`
  return { bus: bus === "none" ? "none" : "notify", busUrl }
}
