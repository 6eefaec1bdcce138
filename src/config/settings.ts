/**
 * Every setting of an operator as a value: its variable, its flag, what it accepts and why its default is what it is.
 * `parley --help` is printed from these tables and read-settings.ts reads by them, so neither can miss a setting.
 */
import { isIP } from "node:net"
import { type Limits, limitsOf, outgoingAllowName } from "./config.ts"
import { directorySettings } from "./directory-settings.ts"
import { limitBounds } from "./limit-bounds.ts"
import { mailSettings } from "./mail-settings.ts"
import { expectedEntries } from "./outgoing-allow.ts"
import { processesSettings } from "./processes-settings.ts"
import { isHost, isNetwork, oneOfWords, type Setting, setting, wholeNumber } from "./setting.ts"

const findUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** `https://chat.example.org`, with or without the slash at its end. */
const findOrigin = (text: string): string | undefined => {
  const url = findUrl(text)
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
  return url.href === `${url.origin}/` && !/[?#]/.test(text) ? url.origin : undefined
}

const findOrigins = (text: string): ReadonlyArray<string> | undefined => {
  const origins: Array<string> = []
  for (const each of text.split(",")) {
    const origin = findOrigin(each.trim())
    if (origin === undefined) return undefined
    origins.push(origin)
  }
  return origins
}

const findNets = (text: string): ReadonlyArray<string> | undefined => {
  const nets = text.split(",").map((each) => each.trim())
  return nets.every(isNetwork) ? nets : undefined
}

const onOrOff = oneOfWords(["on", "off"])

const trueOrFalse = {
  ...oneOfWords(["true", "false"]),
  read: (text: string): boolean | undefined => (text === "true" ? true : text === "false" ? false : undefined),
}

export const settings = {
  host: setting<string>("PARLEY_HOST", "host", {
    placeholder: "address",
    help: "Address to listen on. The default reaches this machine only: put a proxy that speaks TLS in front of it.",
    defaultText: "127.0.0.1",
    expected: "an IP address or a host name",
    read: (text) => (isHost(text) ? text : undefined),
  }),
  port: setting<number>("PARLEY_PORT", "port", {
    hostEnv: "PORT",
    placeholder: "number",
    help: "Port to listen on; 0 lets the system choose one. Where PARLEY_PORT is not set, PORT is read.",
    defaultText: "9991",
    expected: "a whole number from 0 to 65535",
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
  }),
  dataFolder: setting<string>("PARLEY_DATA_DIR", "data-dir", {
    placeholder: "folder",
    help: "Folder of the embedded database, of uploaded files, and of the secret that development mode makes.",
    defaultText: "./data; with DATABASE_URL ./data-postgresql, unless ./data has its files already",
    expected: "a path",
    read: (text) => (text.includes("\u0000") ? undefined : text),
  }),
  filesFolder: setting<string>("PARLEY_FILES_DIR", "files-dir", {
    placeholder: "folder",
    help: "Folder of uploaded files, their thumbnails and custom emoji. To be backed up together with the database.",
    defaultText: "files in the data folder",
    expected: "a path",
    read: (text) => (text.includes("\u0000") ? undefined : text),
  }),
  databaseUrl: setting<string>("DATABASE_URL", "database-url", {
    placeholder: "url",
    help: "PostgreSQL (15 or newer) to use instead of the embedded database.",
    defaultText: "the embedded database in the data folder",
    expected: "a URL like postgres://user:password@host:5432/database",
    isSecret: true,
    read: (text) => (/^postgres(ql)?:$/.test(findUrl(text)?.protocol ?? "") ? text : undefined),
  }),
  sync: setting<"on" | "off">("PARLEY_SYNC", "sync", {
    ...onOrOff,
    help: "Whether the embedded database has every commit on the disk before it answers. Off only where a power cut may lose messages, as in tests.",
    defaultText: "on",
  }),
  mode: setting<"development" | "production">("PARLEY_MODE", "mode", {
    ...oneOfWords(["development", "production"]),
    help: "Production refuses to start without a secret and an external URL.",
    defaultText: "development",
  }),
  secret: setting<string>("PARLEY_SECRET", "secret", {
    placeholder: "text",
    help: "What API keys are derived from: whoever knows it has every key, and a new one makes all keys invalid. As a flag it shows in the process list: prefer the variable.",
    defaultText: "in development made once and kept in the data folder",
    expected: "a text",
    isSecret: true,
    read: (text) => text,
  }),
  externalUrl: setting<string>("PARLEY_EXTERNAL_URL", "external-url", {
    placeholder: "url",
    help: "How clients reach the server, without a path.",
    defaultText: "the Host that the client used",
    expected: "a URL like https://chat.example.org",
    read: findOrigin,
  }),
  origins: setting<ReadonlyArray<string>>("PARLEY_ORIGINS", "origins", {
    placeholder: "url,url,...",
    help: "Further origins whose pages may call this server from a browser.",
    defaultText: "none but the server's own",
    expected: "a list of URLs like https://chat.example.org, with commas between them",
    read: findOrigins,
  }),
  trustedProxies: setting<ReadonlyArray<string>>("PARLEY_TRUSTED_PROXIES", "trusted-proxies", {
    placeholder: "net,net,...",
    help: "Proxies whose X-Forwarded-For tells a client's address, for the rate limits. Without it they share one.",
    defaultText: "none",
    expected: "a list of addresses or nets like 127.0.0.1,10.0.0.0/8 with commas between them",
    read: findNets,
  }),
  outgoingAllow: setting<string>(outgoingAllowName, "outgoing-allow", {
    placeholder: "address,name,...",
    help: "What outgoing webhooks may call beyond the ports 80 and 443 of public addresses. Opens it to everybody who may make bots.",
    defaultText: "none; in development mode this machine",
    expected: expectedEntries,
    read: (text) => text,
  }),
  metricsToken: setting<string>("PARLEY_METRICS_TOKEN", "metrics-token", {
    placeholder: "token",
    help: "Whoever sends it as a bearer token may read GET /metrics. Without it, programs on this machine may.",
    defaultText: "none",
    expected: "16 to 200 letters, digits or any of - . _ ~ + / =",
    isSecret: true,
    read: (text) => (/^[\w.~+/=-]{16,200}$/.test(text) ? text : undefined),
  }),
  logFormat: setting<"json" | "text">("PARLEY_LOG_FORMAT", "log-format", {
    ...oneOfWords(["json", "text"]),
    help: "How the log is written on standard error: a JSON object in each line, for programs that gather logs, or lines for people.",
    defaultText: "json, in development text",
  }),
  logLevel: setting<"debug" | "info" | "warn" | "error">("PARLEY_LOG_LEVEL", "log-level", {
    ...oneOfWords(["debug", "info", "warn", "error"]),
    help: "The least that is logged; debug has a line for each answer of the API but that of a poll that waited.",
    defaultText: "info",
  }),
  leaveSeconds: setting<number>("PARLEY_LEAVE_SECONDS", "leave-seconds", {
    ...wholeNumber(0, 600),
    help: "For how long a server that is told to end serves on while /ready says that it leaves, so that a proxy turns to others first.",
    defaultText: "0, with several processes 5",
  }),
  rateLimit: setting<"on" | "off">("PARLEY_RATE_LIMIT", "rate-limit", {
    ...onOrOff,
    help: "Off only for tests and measurements: guesses of passwords are limited by it.",
    defaultText: "on",
  }),
  developmentOpenToEverybody: setting<boolean>(
    "PARLEY_DEVELOPMENT_OPEN_TO_EVERYBODY",
    "development-open-to-everybody",
    {
      ...trueOrFalse,
      help: "True lets development mode listen on any address and answer to any Host. Whoever can reach it, and every web page that somebody there opens, can then take the owner's key.",
      defaultText: "false: this machine only",
    },
  ),
  webPublicChannels: setting<boolean>("PARLEY_WEB_PUBLIC_CHANNELS", "web-public-channels", {
    ...trueOrFalse,
    help: "Whether organizations may open channels to visitors without an account. Each decides for itself, too.",
    defaultText: "true",
  }),
  imagePreviews: setting<boolean>("PARLEY_IMAGE_PREVIEWS", "image-previews", {
    ...trueOrFalse,
    help: "Whether organizations may show the pictures that messages link, and uploaded videos. The server fetches pictures of others when somebody looks at them.",
    defaultText: "true",
  }),
  pagePreviews: setting<boolean>("PARLEY_PAGE_PREVIEWS", "page-previews", {
    ...trueOrFalse,
    help: "Whether organizations may show title and description of the pages that messages link. The server then fetches every such page when the message is sent.",
    defaultText: "false",
  }),
  gravatar: setting<boolean>("PARLEY_GRAVATAR", "gravatar", {
    ...trueOrFalse,
    help: "Whether people without a picture of their own are shown with the one that gravatar.com has for their address. Their readers' clients then ask that server. Otherwise this one draws a pattern.",
    defaultText: "false",
  }),
  signUpDomain: setting<string>("PARLEY_SIGN_UP_DOMAIN", "sign-up-domain", {
    placeholder: "domain",
    help: "Lets people make organizations by themselves, on the page at /new/, each at a name of their choice below this domain. All names below it must lead to this server. Production only.",
    defaultText: "none: only operators make organizations",
    expected: "the name of a domain like chat.example.org",
    read: (text) => (isHost(text) && isIP(text) === 0 && text.length <= 200 ? text.toLowerCase() : undefined),
  }),
  ...processesSettings,
  ...directorySettings,
  ...mailSettings,
} as const

const shownDefault = (key: keyof Limits): string => {
  const [production, development] = [limitsOf("production")[key], limitsOf("development")[key]]
  return production === development ? String(production) : `${production}, in development ${development}`
}

/** `maxTopicLength` is PARLEY_MAX_TOPIC_LENGTH and --max-topic-length. */
export const limitSetting = (key: keyof Limits): Setting<number> => {
  const { min, max, help } = limitBounds[key]
  const words = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return setting<number>(`PARLEY_${words.replaceAll("-", "_").toUpperCase()}`, words, {
    ...wholeNumber(min, max),
    help,
    defaultText: shownDefault(key),
  })
}

const isLimit = (name: string): name is keyof Limits => Object.hasOwn(limitBounds, name)
export const limitNames: ReadonlyArray<keyof Limits> = Object.keys(limitBounds).filter(isLimit)

export const allSettings: ReadonlyArray<Setting<unknown>> = [
  ...Object.values(settings),
  ...limitNames.map(limitSetting),
]
