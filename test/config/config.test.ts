/** Settings: what environment and arguments become, what is refused and in which words, and the exit codes. */

import { randomBytes, randomInt, randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Result from "effect/Result"
import t from "tap"
import { type CommandLine, runCli } from "../../src/cli.ts"
import { type ConfigShape, defaultLimits, limitsOf, type MailServer } from "../../src/config/config.ts"
import { describeSettings, secretsIn } from "../../src/config/describe-settings.ts"
import { loopbackEntries } from "../../src/config/outgoing-allow.ts"
import { type Environment, type OperatorSettings, readCommand } from "../../src/config/read-settings.ts"
import { checkKeptSecret, requireSecret } from "../../src/config/secret.ts"
import { allSettings, limitNames, limitSetting } from "../../src/config/settings.ts"

const developmentLimits = limitsOf("development")
const longSecret = "8f2b41d09c6e7a35fd1820cb94e6537a"
const production: Environment = {
  PARLEY_MODE: "production",
  PARLEY_SECRET: longSecret,
  PARLEY_EXTERNAL_URL: "https://chat.example.org",
}

const mailServer: MailServer = {
  host: "mail.example.org",
  port: 587,
  user: null,
  password: null,
  security: "starttls",
  from: { name: "Parley", address: "chat@example.org" },
}

/** The settings that a start would use, or the line that refuses it. */
const outcome = (env: Environment, argv: ReadonlyArray<string> = []): OperatorSettings | string => {
  const command = readCommand(env, argv)
  if (Result.isFailure(command)) return command.failure.message
  return "settings" in command.success ? command.success.settings : command.success._tag
}

/** A variable as a flag. */
const asFlag = ([env, text]: readonly [string, string]): ReadonlyArray<string> => [
  `--${env.replace("PARLEY_", "").toLowerCase().replaceAll("_", "-")}`,
  text,
]

const requireSettings = (env: Environment, argv: ReadonlyArray<string> = []): OperatorSettings => {
  const found = outcome(env, argv)
  if (typeof found === "string") throw new Error(found)
  return found
}

t.test("nothing set gives the defaults of development", async (t) => {
  t.strictSame(outcome({}), {
    mode: "development",
    host: "127.0.0.1",
    port: 9991,
    portSetting: "PARLEY_PORT",
    hostSetting: "PARLEY_HOST",
    children: null,
    log: { form: "text", level: "info" },
    dataFolder: resolve("data"),
    filesFolder: resolve("data", "files"),
    database: { kind: "pglite", folder: resolve("data", "database"), sync: true },
    secret: null,
    externalUrl: null,
    origins: [],
    trustedProxies: [],
    outgoingAllow: [...loopbackEntries],
    metricsToken: null,
    processes: null,
    leaveSeconds: 0,
    rateLimit: true,
    developmentOpenToEverybody: false,
    webPublicChannels: true,
    imagePreviews: true,
    pagePreviews: false,
    gravatar: false,
    signUpDomain: null,
    directory: null,
    mail: null,
    limits: developmentLimits,
  })
})

t.test("development mode has higher rate limits", async (t) => {
  t.match(requireSettings(production).limits, {
    userRequestsPerMinute: 200,
    pollsPerMinute: 2000,
    addressRequestsPerMinute: 100,
    pageRequestsPerMinute: 1200,
    connectionsPerAddress: 1000,
    signInFailures: 5,
    signInFailuresPerAddress: 50,
    signInFailureMinutes: 30,
  })
  t.strictSame(requireSettings(production).limits, defaultLimits)
  t.strictSame(developmentLimits, {
    ...defaultLimits,
    userRequestsPerMinute: 10_000,
    pollsPerMinute: 100_000,
    addressRequestsPerMinute: 5000,
    pageRequestsPerMinute: 60_000,
    connectionsPerAddress: 50_000,
    signInFailures: 250,
    signInFailuresPerAddress: 2500,
  })
  t.equal(requireSettings({ PARLEY_SIGN_IN_FAILURES: "5" }).limits.signInFailures, 5, "what is set is so in any mode")
})

t.test("accepted values of each setting", async (t) => {
  const accepted: ReadonlyArray<[Environment, ReadonlyArray<string>, Partial<OperatorSettings>]> = [
    [{ ...production, PARLEY_HOST: "0.0.0.0" }, [], { host: "0.0.0.0" }],
    [{ ...production, PARLEY_HOST: "chat.example.org" }, [], { host: "chat.example.org" }],
    [{ PARLEY_HOST: "::1" }, [], { host: "::1" }],
    [{ PARLEY_HOST: "0:0:0:0:0:0:0:1" }, [], { host: "0:0:0:0:0:0:0:1" }],
    [{ PARLEY_HOST: "127.8.8.8" }, [], { host: "127.8.8.8" }],
    [{ PARLEY_HOST: "localhost" }, [], { host: "localhost" }],
    [{ PARLEY_HOST: "0.0.0.0", PARLEY_DEVELOPMENT_OPEN_TO_EVERYBODY: "true" }, [], { host: "0.0.0.0" }],
    [{ PARLEY_PORT: "0" }, [], { port: 0 }],
    [{ PARLEY_PORT: "65535" }, [], { port: 65_535 }],
    [{ PARLEY_PORT: "" }, [], { port: 9991 }],
    [{ PARLEY_PORT: "1" }, ["--port", "2"], { port: 2, portSetting: "--port" }],
    [{ PARLEY_PORT: "1" }, [], { port: 1, portSetting: "PARLEY_PORT" }],
    [{ PORT: "3" }, [], { port: 3, portSetting: "PORT" }],
    [{ PORT: "0" }, [], { port: 0, portSetting: "PORT" }],
    [{ PORT: "3", PARLEY_PORT: "" }, [], { port: 3, portSetting: "PORT" }],
    [{ PORT: "", PARLEY_PORT: "" }, [], { port: 9991, portSetting: "PARLEY_PORT" }],
    [{ PORT: "3", PARLEY_PORT: "1" }, [], { port: 1, portSetting: "PARLEY_PORT" }],
    [{ PORT: "not read", PARLEY_PORT: "1" }, [], { port: 1 }],
    [{ PORT: "not read" }, ["--port=2"], { port: 2, portSetting: "--port" }],
    // Hosts set these for their own purposes: they are no settings here.
    [{ HOST: "0.0.0.0", MODE: "production", SECRET: "x" }, [], { host: "127.0.0.1", mode: "development" }],
    [{ PARLEY_PORT: "not read" }, ["--port=2"], { port: 2 }],
    [{}, ["serve", "--port=2"], { port: 2 }],
    [{}, ["--port=2", "serve"], { port: 2 }],
    [{ PARLEY_DATA_DIR: "/srv/parley" }, [], { dataFolder: "/srv/parley", filesFolder: "/srv/parley/files" }],
    [{ PARLEY_FILES_DIR: "/srv/files" }, [], { filesFolder: "/srv/files" }],
    [{}, ["--files-dir", "some where"], { filesFolder: resolve("some where") }],
    [
      { PARLEY_DATA_DIR: "/srv/p" },
      [],
      { database: { kind: "pglite", folder: join("/srv/p", "database"), sync: true } },
    ],
    [{ PARLEY_SYNC: "off" }, [], { database: { kind: "pglite", folder: resolve("data", "database"), sync: false } }],
    [{}, ["--data-dir", "some where"], { dataFolder: resolve("some where") }],
    [{ DATABASE_URL: "postgres://u:p@h/d" }, [], { database: { kind: "postgres", url: "postgres://u:p@h/d" } }],
    [{ DATABASE_URL: "postgresql:///d" }, [], { database: { kind: "postgres", url: "postgresql:///d" } }],
    [{ PARLEY_SECRET: "short" }, [], { secret: "short" }],
    [{ PARLEY_EXTERNAL_URL: "http://localhost:9991" }, [], { externalUrl: "http://localhost:9991" }],
    [{ PARLEY_EXTERNAL_URL: "https://Chat.Example.org:443/" }, [], { externalUrl: "https://chat.example.org" }],
    [{ PARLEY_ORIGINS: "https://a.org, http://b.org:8080/" }, [], { origins: ["https://a.org", "http://b.org:8080"] }],
    [{ PARLEY_TRUSTED_PROXIES: "127.0.0.1" }, [], { trustedProxies: ["127.0.0.1"] }],
    [{ PARLEY_TRUSTED_PROXIES: "10.0.0.0/8, fd00::/8,::1" }, [], { trustedProxies: ["10.0.0.0/8", "fd00::/8", "::1"] }],
    [{ PARLEY_RATE_LIMIT: "off" }, [], { rateLimit: false }],
    [{ PARLEY_RATE_LIMIT: "off" }, ["--rate-limit", "on"], { rateLimit: true }],
    [{ PARLEY_WEB_PUBLIC_CHANNELS: "false" }, [], { webPublicChannels: false }],
    [{ PARLEY_WEB_PUBLIC_CHANNELS: "false" }, ["--web-public-channels", "true"], { webPublicChannels: true }],
    [{ PARLEY_IMAGE_PREVIEWS: "false" }, [], { imagePreviews: false }],
    [{}, ["--gravatar", "true"], { gravatar: true }],
    [{}, ["--page-previews", "true"], { pagePreviews: true }],
    [{ PARLEY_SMTP_HOST: "mail.example.org", PARLEY_MAIL_FROM: "chat@example.org" }, [], { mail: mailServer }],
    [
      { PARLEY_SMTP_HOST: "mail.example.org", PARLEY_MAIL_FROM: "chat@bücher.example" },
      [],
      { mail: { ...mailServer, from: { ...mailServer.from, address: "chat@xn--bcher-kva.example" } } },
    ],
    [
      {
        PARLEY_SMTP_HOST: "::1",
        PARLEY_MAIL_FROM: "chat@localhost",
        PARLEY_SMTP_USER: "u",
        PARLEY_SMTP_PASSWORD: "p",
      },
      ["--smtp-security", "tls", "--mail-from-name", "Zoë's chat"],
      {
        mail: {
          host: "::1",
          port: 465,
          user: "u",
          password: "p",
          security: "tls",
          from: { name: "Zoë's chat", address: "chat@localhost" },
        },
      },
    ],
    [
      { PARLEY_SMTP_HOST: "mail.example.org", PARLEY_MAIL_FROM: "chat@example.org", PARLEY_SMTP_SECURITY: "none" },
      [],
      { mail: { ...mailServer, port: 25, security: "none" } },
    ],
    [
      { PARLEY_SMTP_HOST: "mail.example.org", PARLEY_MAIL_FROM: "chat@example.org", PARLEY_SMTP_PORT: "2525" },
      [],
      { mail: { ...mailServer, port: 2525 } },
    ],
    [{ PARLEY_MAX_TOPIC_LENGTH: "100" }, [], { limits: { ...developmentLimits, maxTopicLength: 100 } }],
    [{}, ["--max-topic-length=100"], { limits: { ...developmentLimits, maxTopicLength: 100 } }],
    [{ PARLEY_TEST_DATABASE_URL: "anything", PATH: "/bin" }, [], { mode: "development" }],
    [
      {
        ...production,
        PARLEY_SMTP_HOST: "mail.example.org",
        PARLEY_MAIL_FROM: "chat@example.org",
        PARLEY_SIGN_UP_DOMAIN: "Chat.example.org",
      },
      [],
      { signUpDomain: "chat.example.org" },
    ],
    [production, [], { mode: "production", secret: longSecret, externalUrl: "https://chat.example.org" }],
  ]
  for (const [env, argv, expected] of accepted) t.match(outcome(env, argv), expected, JSON.stringify([env, argv]))
})

t.test("refused values, with the setting's name and the expected form", async (t) => {
  const port = "expected a whole number from 0 to 65535"
  const url = "expected a URL like https://chat.example.org"
  const secret = "expected at least 32 random characters, such as those of openssl rand -hex 32"
  const refused: ReadonlyArray<[Environment, ReadonlyArray<string>, string]> = [
    [{ PARLEY_PORT: "65536" }, [], `PARLEY_PORT is "65536": ${port}`],
    [{ PARLEY_PORT: "tcp://10.0.0.1:9991" }, [], `PARLEY_PORT is "tcp://10.0.0.1:9991": ${port}`],
    [{ PARLEY_PORT: "-1" }, [], `PARLEY_PORT is "-1": ${port}`],
    [{ PORT: "65536" }, [], `PORT is "65536": ${port}`],
    [{ PORT: "/run/parley.sock", PARLEY_PORT: "" }, [], `PORT is "/run/parley.sock": ${port}`],
    [{ PARLEY_PORT: "80.5" }, [], `PARLEY_PORT is "80.5": ${port}`],
    [{ PARLEY_PORT: "8\n0" }, [], `PARLEY_PORT is "8\\n0": ${port}`],
    [{}, ["--port="], `--port is "": ${port}`],
    [{}, ["--port"], "--port needs a value"],
    [{}, ["--port", "--host", "::"], "--port needs a value"],
    [{}, ["--port=1", "--port=1"], "--port is given twice"],
    [{}, ["--help=yes"], "--help takes no value"],
    [{}, ["--prot=1"], "unknown option --prot; parley --help lists what there is"],
    [{}, ["--constructor"], "unknown option --constructor; parley --help lists what there is"],
    [{}, ["-p", "1"], "unknown option -p; parley --help lists what there is"],
    [{}, ["serv"], 'unknown command "serv"; parley --help lists what there is'],
    [{}, ["serve", "now"], 'unexpected argument "now"; parley --help lists what there is'],
    [{ PARLEY_PROT: "1" }, [], "unknown variable PARLEY_PROT; parley --help lists what there is"],
    [{ PARLEY_HOST: "300.1.1.1" }, [], 'PARLEY_HOST is "300.1.1.1": expected an IP address or a host name'],
    [{ PARLEY_HOST: "http://x" }, [], 'PARLEY_HOST is "http://x": expected an IP address or a host name'],
    ...["0.0.0.0", "::", "192.0.2.1", "::ffff:127.0.0.1", "chat.example.org", "127.0.0.1.example.org"].map(
      (host): [Environment, ReadonlyArray<string>, string] => [
        { PARLEY_HOST: host },
        [],
        `PARLEY_HOST is "${host}", but development mode gives everybody the owner's key and listens on loopback addresses only: set PARLEY_MODE=production, or PARLEY_DEVELOPMENT_OPEN_TO_EVERYBODY=true if whoever can reach this address may do everything`,
      ],
    ),
    [{ PARLEY_MODE: "prod" }, [], 'PARLEY_MODE is "prod": expected development or production'],
    [{ PARLEY_SYNC: "false" }, [], 'PARLEY_SYNC is "false": expected on or off'],
    [{ PARLEY_RATE_LIMIT: "no" }, [], 'PARLEY_RATE_LIMIT is "no": expected on or off'],
    [{ PARLEY_WEB_PUBLIC_CHANNELS: "1" }, [], 'PARLEY_WEB_PUBLIC_CHANNELS is "1": expected true or false'],
    [{ PARLEY_EXTERNAL_URL: "chat.org" }, [], `PARLEY_EXTERNAL_URL is "chat.org": ${url}`],
    [{ PARLEY_EXTERNAL_URL: "https://a.org/x" }, [], `PARLEY_EXTERNAL_URL is "https://a.org/x": ${url}`],
    [{ PARLEY_EXTERNAL_URL: "https://a.org?" }, [], `PARLEY_EXTERNAL_URL is "https://a.org?": ${url}`],
    [{ PARLEY_EXTERNAL_URL: "https://u@a.org" }, [], `PARLEY_EXTERNAL_URL is "https://u@a.org": ${url}`],
    [{ PARLEY_EXTERNAL_URL: "ftp://a.org" }, [], `PARLEY_EXTERNAL_URL is "ftp://a.org": ${url}`],
    [
      { PARLEY_ORIGINS: "https://a.org,*" },
      [],
      'PARLEY_ORIGINS is "https://a.org,*": expected a list of URLs like https://chat.example.org, with commas between them',
    ],
    ...["", "a", "10.0.0.0/33", "fd00::/129", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/", "fe80::1%eth0"].map(
      (net): [Environment, ReadonlyArray<string>, string] => [
        { PARLEY_TRUSTED_PROXIES: `::1,${net}` },
        [],
        `PARLEY_TRUSTED_PROXIES is "::1,${net}": expected a list of addresses or nets like 127.0.0.1,10.0.0.0/8 with commas between them`,
      ],
    ),
    [
      { DATABASE_URL: "mysql://u:hidden@h/d" },
      [],
      "DATABASE_URL is not usable: expected a URL like postgres://user:password@host:5432/database",
    ],
    [{ PARLEY_SMTP_HOST: "a b" }, [], 'PARLEY_SMTP_HOST is "a b": expected an IP address or a host name'],
    [
      { PARLEY_SMTP_HOST: "localhost" },
      [],
      "PARLEY_MAIL_FROM is needed with PARLEY_SMTP_HOST: expected an address like parley@example.org",
    ],
    ...["Chat <chat@example.org>", "chat", "a@b@c.org", "a b@example.org", "chat@example.org\nBcc: x"].map(
      (from): [Environment, ReadonlyArray<string>, string] => [
        { PARLEY_SMTP_HOST: "localhost", PARLEY_MAIL_FROM: from },
        [],
        `PARLEY_MAIL_FROM is ${JSON.stringify(from)}: expected an address like parley@example.org`,
      ],
    ),
    [
      { PARLEY_SMTP_HOST: "localhost", PARLEY_MAIL_FROM: "a@b.org", PARLEY_MAIL_FROM_NAME: "a\r\nBcc: x" },
      [],
      'PARLEY_MAIL_FROM_NAME is "a\\r\\nBcc: x": expected at most 100 printable characters',
    ],
    [
      { PARLEY_SMTP_HOST: "localhost", PARLEY_MAIL_FROM: "a@b.org", PARLEY_SMTP_PORT: "0" },
      [],
      'PARLEY_SMTP_PORT is "0": expected a whole number from 1 to 65535',
    ],
    [
      { PARLEY_SMTP_HOST: "localhost", PARLEY_MAIL_FROM: "a@b.org", PARLEY_SMTP_SECURITY: "ssl" },
      [],
      'PARLEY_SMTP_SECURITY is "ssl": expected starttls or tls or none',
    ],
    [
      { PARLEY_SMTP_HOST: "localhost", PARLEY_MAIL_FROM: "a@b.org", PARLEY_SMTP_PASSWORD: "hidden" },
      [],
      "PARLEY_SMTP_USER and PARLEY_SMTP_PASSWORD belong together",
    ],
    [{ PARLEY_MAIL_FROM: "a@b.org" }, [], "PARLEY_MAIL_FROM needs PARLEY_SMTP_HOST"],
    [{ ...production, PARLEY_SIGN_UP_DOMAIN: "example.org" }, [], "PARLEY_SIGN_UP_DOMAIN needs PARLEY_SMTP_HOST"],
    [
      { PARLEY_SIGN_UP_DOMAIN: "example.org" },
      [],
      "PARLEY_SIGN_UP_DOMAIN needs PARLEY_MODE=production: development mode serves its demo alone",
    ],
    ...["10.0.0.1", "https://example.org", "example.org:9991", ".example.org"].map(
      (text): [Environment, ReadonlyArray<string>, string] => [
        { PARLEY_SIGN_UP_DOMAIN: text },
        [],
        `PARLEY_SIGN_UP_DOMAIN is "${text}": expected the name of a domain like chat.example.org`,
      ],
    ),
    [{ ...production, PARLEY_SECRET: undefined }, [], `PARLEY_SECRET is needed in production: ${secret}`],
    [{ ...production, PARLEY_SECRET: longSecret.slice(1) }, [], `PARLEY_SECRET is too short: ${secret}`],
    [{ ...production, PARLEY_EXTERNAL_URL: "" }, [], `PARLEY_EXTERNAL_URL is needed in production: ${url}`],
    [
      { PARLEY_HEARTBEAT_MIN_SECONDS: "56" },
      [],
      "PARLEY_HEARTBEAT_MIN_SECONDS (56) must not be above PARLEY_HEARTBEAT_MAX_SECONDS (55)",
    ],
    [
      { PARLEY_HEARTBEAT_MAX_SECONDS: "60" },
      [],
      'PARLEY_HEARTBEAT_MAX_SECONDS is "60": expected a whole number from 1 to 59',
    ],
    [
      { PARLEY_QUEUE_IDLE_SECONDS: "604801" },
      [],
      "PARLEY_QUEUE_IDLE_SECONDS (604801) must not be above PARLEY_QUEUE_IDLE_MAX_SECONDS (604800)",
    ],
    [
      { PARLEY_LOG_RETENTION_DAYS: "7" },
      [],
      "PARLEY_LOG_RETENTION_DAYS (7) must be at least 8: a day more than PARLEY_QUEUE_IDLE_MAX_SECONDS (604800)",
    ],
    [
      { PARLEY_TYPING_STARTED_EXPIRY_MILLISECONDS: "29999" },
      [],
      "PARLEY_TYPING_STARTED_WAIT_MILLISECONDS (30000) must not be above PARLEY_TYPING_STARTED_EXPIRY_MILLISECONDS (29999)",
    ],
  ]
  for (const [env, argv, message] of refused) {
    t.equal(outcome(env, argv), message, JSON.stringify([env, argv]))
    t.notMatch(message, "\n")
  }
})

const searched = {
  PARLEY_LDAP_URL: "ldaps://directory.example.org/",
  PARLEY_LDAP_BIND_DN: "cn=reader,dc=example,dc=org",
  PARLEY_LDAP_BIND_PASSWORD: "pa55word",
  PARLEY_LDAP_BASE: "ou=people,dc=example,dc=org",
}
const templated = {
  PARLEY_LDAP_URL: "ldap://[::1]:1389",
  PARLEY_LDAP_DN_TEMPLATE: "uid={name},ou=people,dc=example,dc=org",
}

t.test("a directory, by looking people up in it or by a template", async (t) => {
  t.strictSame(requireSettings(searched).directory, {
    url: "ldaps://directory.example.org",
    startTls: false,
    search: {
      kind: "search",
      bindDn: "cn=reader,dc=example,dc=org",
      bindPassword: "pa55word",
      base: "ou=people,dc=example,dc=org",
      filter: "(uid={name})",
    },
    emailAttribute: "mail",
    namesAreAddresses: false,
  })
  t.strictSame(requireSettings({}, Object.entries(templated).flatMap(asFlag)).directory, {
    url: "ldap://[::1]:1389",
    startTls: true,
    search: { kind: "template", dn: "uid={name},ou=people,dc=example,dc=org" },
    emailAttribute: "mail",
    namesAreAddresses: false,
  })
  t.match(requireSettings({ ...templated, PARLEY_LDAP_TLS: "off" }).directory, { startTls: false })
  t.notMatch(describeSettings(requireSettings(searched)), "pa55word")

  const filters: ReadonlyArray<readonly [filter: string, attribute: string, areAddresses: boolean]> = [
    ["(mail={name})", "mail", true],
    ["(&(objectClass=person)(Mail={name}))", "mail", true],
    ["(|(mail={name})(otherMail={name}))", "mail", false],
    ["(|(mail={name})(uid={name}))", "mail", false],
    ["(mail={name}@example.org)", "mail", false],
    ["(mail=*{name})", "mail", false],
    ["(userPrincipalName={name})", "userPrincipalName", true],
  ]
  for (const [filter, attribute, namesAreAddresses] of filters)
    t.match(
      requireSettings({ ...searched, PARLEY_LDAP_FILTER: filter, PARLEY_LDAP_EMAIL_ATTRIBUTE: attribute }).directory,
      { search: { filter }, emailAttribute: attribute, namesAreAddresses },
      filter,
    )
  const byAddress = { ...templated, PARLEY_LDAP_DN_TEMPLATE: "mail={name},dc=example,dc=org" }
  t.match(requireSettings(byAddress).directory, { namesAreAddresses: true })
})

t.test("a directory that is not all there, or contradicts itself, is refused", async (t) => {
  const url = "expected a URL like ldaps://directory.example.org"
  const dn = "expected a distinguished name like ou=people,dc=example,dc=org"
  const filter = "expected a filter in parentheses with {name} in it, like (uid={name})"
  const unless = "is needed with PARLEY_LDAP_URL, unless PARLEY_LDAP_DN_TEMPLATE is set"
  const refused: ReadonlyArray<readonly [Environment, string]> = [
    ...["ldap://", "http://a.org", "a.org", "ldap://a.org/dc=a", "ldap://u:p@a.org", "ldap://a.org?x"].map(
      (bad) => [{ PARLEY_LDAP_URL: bad }, `PARLEY_LDAP_URL is "${bad}": ${url}`] as const,
    ),
    ...["uid={name}", "(uid=*)", "(uid={name}))", "(uid={name})(a=b)", "((uid={name})", ")(={name}()"].map(
      (bad) => [{ ...searched, PARLEY_LDAP_FILTER: bad }, `PARLEY_LDAP_FILTER is "${bad}": ${filter}`] as const,
    ),
    [{ ...searched, PARLEY_LDAP_BASE: "people" }, `PARLEY_LDAP_BASE is "people": ${dn}`],
    [{ ...searched, PARLEY_LDAP_BASE: undefined }, `PARLEY_LDAP_BASE ${unless}: ${dn}`],
    [{ ...searched, PARLEY_LDAP_BIND_DN: undefined }, `PARLEY_LDAP_BIND_DN ${unless}: ${dn}`],
    [{ ...searched, PARLEY_LDAP_BIND_PASSWORD: "" }, `PARLEY_LDAP_BIND_PASSWORD ${unless}: expected a text`],
    [
      { ...templated, PARLEY_LDAP_BASE: searched.PARLEY_LDAP_BASE },
      "PARLEY_LDAP_BASE is of no use with PARLEY_LDAP_DN_TEMPLATE: set one of them only",
    ],
    [{ PARLEY_LDAP_FILTER: "(mail={name})" }, `PARLEY_LDAP_URL is needed with PARLEY_LDAP_FILTER: ${url}`],
    [{ ...searched, PARLEY_LDAP_TLS: "off" }, "PARLEY_LDAP_TLS is off, but PARLEY_LDAP_URL begins with ldaps://"],
    [
      { ...searched, PARLEY_LDAP_EMAIL_ATTRIBUTE: "mail)(" },
      'PARLEY_LDAP_EMAIL_ATTRIBUTE is "mail)(": expected the name of an attribute, like mail',
    ],
    [
      { ...templated, PARLEY_LDAP_DN_TEMPLATE: "uid=x,dc=example" },
      'PARLEY_LDAP_DN_TEMPLATE is "uid=x,dc=example": expected a distinguished name with {name} in it, like uid={name},ou=people,dc=example,dc=org',
    ],
  ]
  for (const [env, message] of refused) t.equal(outcome(env), message, JSON.stringify(env))
})

t.test("every limit accepts its default and refuses numbers out of its range", async (t) => {
  for (const key of limitNames) {
    const setting = limitSetting(key)
    t.match(outcome({ [setting.env]: `${developmentLimits[key]}` }), { limits: developmentLimits }, setting.env)
    for (const bad of ["0", "-1", "1.5", "1e3", "0x10", " 5", "9999999999999999", "Infinity", "many"]) {
      t.equal(outcome({ [setting.env]: bad }), `${setting.env} is "${bad}": expected ${setting.expected}`)
    }
  }
})

t.test("help and version win over errors in other arguments", async (t) => {
  t.equal(outcome({ PARLEY_PORT: "x" }, ["--help"]), "Help")
  t.equal(outcome({ PARLEY_PROT: "x" }, ["what", "-h"]), "Help")
  t.equal(outcome({ PARLEY_PORT: "x" }, ["--version"]), "Version")
})

t.test("the printed settings hide the secret and passwords", async (t) => {
  const hidden = requireSettings({
    PARLEY_SECRET: "s3cret-s3cret",
    DATABASE_URL: "postgres://parley:pa55word@db.example.org:5433/chat?sslmode=require&password=pa55word",
    PARLEY_SMTP_HOST: "mail.example.org",
    PARLEY_SMTP_USER: "parley",
    PARLEY_SMTP_PASSWORD: "pa55word",
    PARLEY_MAIL_FROM: "chat@example.org",
  })
  const printed = describeSettings(hidden)
  t.notMatch(printed, "s3cret")
  t.notMatch(printed, "pa55word")
  t.match(printed, "postgres://parley:***@db.example.org:5433/chat?sslmode=require&password=***")
  t.match(JSON.parse(printed), { port: 9991, secret: "(hidden)", limits: developmentLimits })
  t.match(JSON.parse(printed), { mail: { host: "mail.example.org", user: "parley", password: "***" } })
  t.match(JSON.parse(describeSettings(requireSettings({}))), { secret: "made once and kept in the data folder" })
})

/** Of each setting that is secret, a text that can be found again in whatever is printed of it. */
const secretTexts: Readonly<Record<string, string>> = {
  PARLEY_SECRET: "Xk29-hidden-secret-4711-of-the-server",
  PARLEY_METRICS_TOKEN: "Xk29-hidden-token-4712",
  PARLEY_SMTP_PASSWORD: "Xk29-hidden-4713",
  PARLEY_LDAP_BIND_PASSWORD: "Xk29-hidden-4714",
  DATABASE_URL: "postgres://parley:Xk29-hidden-4715@db.example.org/chat",
  PARLEY_BUS: "nats://parley:Xk29-hidden-4717@nats.example.org",
  PARLEY_BUS_URL: "postgres://parley:Xk29-hidden-4716@db.example.org:5433/chat",
}

t.test("no setting that is secret is printed, nor may stand in the log", async (t) => {
  const secretSettings = allSettings.filter((setting) => setting.isSecret).map(({ env }) => env)
  t.same([...secretSettings].sort(), Object.keys(secretTexts).sort(), "a new one needs a text here")
  const all = requireSettings({
    ...secretTexts,
    PARLEY_MODE: "production",
    PARLEY_EXTERNAL_URL: "https://chat.example.org",
    PARLEY_PROCESSES: "many",
    PARLEY_SMTP_HOST: "mail.example.org",
    PARLEY_SMTP_USER: "parley",
    PARLEY_MAIL_FROM: "chat@example.org",
    PARLEY_LDAP_URL: "ldaps://directory.example.org",
    PARLEY_LDAP_BIND_DN: "cn=parley",
    PARLEY_LDAP_BASE: "dc=example",
  })
  t.notMatch(describeSettings(all), "Xk29-hidden")
  const kept = secretsIn(all)
  for (const [env, text] of Object.entries(secretTexts))
    t.ok(
      kept.some((each) => text.includes(each)),
      env,
    )
})

const secretOf = (config: Result.Result<ConfigShape, { readonly message: string }>): string =>
  Result.isSuccess(config) ? config.success.secret : config.failure.message

t.test("a development server makes its secret once and keeps it", async (t) => {
  const folder = t.testdir()
  const all = requireSettings({ PARLEY_DATA_DIR: folder })
  t.ok(Result.isSuccess(checkKeptSecret(all)), "no secret is kept yet")
  t.strictSame(readdirSync(folder), [], "reading the settings writes nothing")
  const secret = secretOf(requireSecret(all))
  t.match(secret, /^[\w-]{43}$/)
  t.equal(secretOf(requireSecret(all)), secret)
  t.equal(statSync(join(folder, "secret")).mode & 0o777, 0o600)
  t.strictSame(readdirSync(folder), ["secret"], "no draft is left")
  const another = join(folder, "another")
  mkdirSync(another)
  t.not(secretOf(requireSecret(requireSettings({ PARLEY_DATA_DIR: another }))), secret)
  t.equal(secretOf(requireSecret(requireSettings({ PARLEY_DATA_DIR: folder, PARLEY_SECRET: "given" }))), "given")
})

t.test("a secret that cannot be kept or read is refused", async (t) => {
  const folder = t.testdir({ file: "", secret: "cut\n" })
  const all = requireSettings({ PARLEY_DATA_DIR: folder })
  t.match(secretOf(requireSecret(all)), "shorter than 32 characters")
  t.match(checkKeptSecret(all), { failure: { message: /shorter than 32 characters/ } })
  t.equal(readFileSync(join(folder, "secret"), "utf8"), "cut\n", "it is left for its owner to judge")
  const inFile = secretOf(requireSecret(requireSettings({ PARLEY_DATA_DIR: join(folder, "file") })))
  t.match(inFile, /^the secret in .*file.secret is not usable: /)
})

/** Runs the command line without a process: exit code and what was printed. */
const cli = async (argv: ReadonlyArray<string>, rest: Partial<CommandLine> = {}) => {
  const printed = { out: "", err: "" }
  const served: Array<OperatorSettings> = []
  const code = await runCli({
    argv,
    env: {},
    serve: async (settings) => {
      served.push(settings)
      return Result.succeed(undefined)
    },
    print: (text) => {
      printed.out += text
    },
    complain: (text) => {
      printed.err += text
    },
    ...rest,
  })
  return { code, served, ...printed }
}

t.test("exit codes", async (t) => {
  const data = ["--data-dir", t.testdir()]
  const served = await cli([...data, "--port", "0"])
  t.match(served, { code: 0, out: "", err: "", served: [{ port: 0, secret: null }] })
  const wrong = await cli(["--port", "x"])
  t.match(wrong, { code: 2, out: "", served: [] })
  t.equal(wrong.err, 'parley: --port is "x": expected a whole number from 0 to 65535\n')
  const refused = await cli(data, { serve: async () => Result.fail("port 9991 on 127.0.0.1 is in use") })
  t.match(refused, { code: 2, err: "parley: port 9991 on 127.0.0.1 is in use\n" })
  const crashed = await cli(data, { serve: () => Promise.reject(new Error("boom")) })
  t.match(crashed, { code: 1, err: /^parley: Error: boom\n +at / })
  const old = await cli(data, { platform: { node: "18.1.0", os: "linux", processor: "x64", glibc: "2.36" } })
  t.strictSame(old, {
    code: 2,
    out: "",
    err: "parley: Node 18.1.0 is not supported: use Node 20.19, 22.12, 24 or 26\n",
    served: [],
  })
})

t.test("a secret that can be guessed is refused in production", async (t) => {
  const guessed = "can be guessed"
  const refused: Readonly<Record<string, ReadonlyArray<string>>> = {
    "is too short": ["", "x", "a".repeat(31), longSecret.slice(1)].filter((text) => text !== ""),
    [guessed]: [
      ...["a", "A", "0", "-", " ", "é", "密", "ж", "\u{1f648}"].map((letter) => letter.repeat(40)),
      ...["ab", "12", "aB", "abc", "123", "12345"].map((part) => part.repeat(20)),
      `${"a".repeat(39)}b`,
      `${"a".repeat(20)}${"b".repeat(20)}`,
      ...["0123456789", "0123456789abcdef", "9876543210"].map((row) => row.repeat(4)),
      "abcdefghijklmnopqrstuvwxyz0123456789",
      "zyxwvutsrqponmlkjihgfedcba9876543210",
      "абвгдежзийклмнопрстуфхцчшщъыьэюя",
      ...["qwertyuiopasdfghjklzxcvbnm123456", "QWERTYUIOPASDFGHJKLZXCVBNM!!!!!!", "qwertzuiopasdfghjklyxcvbnm123456"],
      "1qaz2wsx3edc4rfv1qaz2wsx3edc4rfv",
      ...["password", "Password123", "parley", "secret", "geheimnis", "пароль", "deadbeef"].map((word) =>
        word.repeat(8),
      ),
      ...["test-secret-", "secret key ", "hunter2-"].map((words) => words.repeat(5)),
      "00000000-0000-0000-0000-000000000000",
      "my super secret password for production",
    ],
    "is a placeholder": [
      ...["changeme", "CHANGE_ME", "change-me!", "change this "].map((words) => words.repeat(4)),
      "change-me-to-something-that-nobody-knows-1",
      "please change it before you go to production",
      "replace_me_with_the_output_of_pwgen_64",
      "your-256-bit-secret-goes-in-this-very-place",
      "Put your own secret key in here, please!",
      "<at least thirty-two letters of your own>",
      "<64 hexadecimal digits, made only once>",
      `\${PARLEY_SECRET_OUT_OF_THE_VAULT}`,
      "$(head -c 32 /dev/urandom | base64 -w0)",
      "{{ lookup('vault', 'chat/parley/key') }}",
      "the output of openssl rand -hex 32 goes here",
      "at least 32 random characters, and not these",
      "correct horse battery staple, and then some",
    ],
  }
  for (const [weakness, secrets] of Object.entries(refused))
    for (const secret of secrets)
      t.equal(
        outcome({ ...production, PARLEY_SECRET: secret }),
        `PARLEY_SECRET ${weakness}: expected at least 32 random characters, such as those of openssl rand -hex 32`,
        secret,
      )
  const random = Array.from({ length: 200 }, () => [
    randomBytes(16).toString("hex"),
    randomBytes(32).toString("hex").toUpperCase(),
    randomBytes(24).toString("base64"),
    randomBytes(32).toString("base64url"),
    randomUUID(),
    Array.from({ length: 40 }, () => randomInt(10)).join(""),
    String.fromCodePoint(...Array.from({ length: 32 }, () => 0x4e00 + randomInt(20_000))),
  ])
  const sentences = [
    "a secret for this test only, and long enough",
    "rhubarb violin eleven marble otter canyon",
    "Der Mond ist aufgegangen, nur nicht heute.",
  ]
  for (const secret of [...random.flat(), ...sentences])
    t.match(outcome({ ...production, PARLEY_SECRET: secret }), { secret }, secret)
  t.match(outcome({ PARLEY_SECRET: "a".repeat(40) }), { mode: "development" }, "which is for this machine only")
})

t.test("what is printed, and on which of the two streams", async (t) => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
    [["-h"], 0, /Usage: parley/],
    [["--version"], 0, /^parley \d+\.\d+\.\d+\n$/],
    [["--print-config", "--port", "123"], 0, /123/],
    [["--print-config", "--secret", "not to be seen"], 0, /^(?![\s\S]*not to be seen)[\s\S]+$/],
    [["brew"], 2, /brew/],
    [["--port", "many"], 2, /--port.*many/],
    [["--mode", "production"], 2, /PARLEY_SECRET/],
  ]
  for (const [argv, code, said] of cases) {
    const done = await cli(argv)
    t.match(done, { code, served: [] }, argv.join(" "))
    t.match(code === 0 ? done.out : done.err, said, argv.join(" "))
    if (code === 0) t.equal(done.err, "", "nothing to complain of")
    else t.match(done.err, /^parley: [^\n]+\n$/, "one line")
  }
})

t.test("print-config prints settings and serves nothing", async (t) => {
  const folder = join(t.testdir(), "data")
  const { code, out, err, served } = await cli(["--print-config", "--data-dir", folder])
  t.match({ code, err, served }, { code: 0, err: "", served: [] })
  t.match(JSON.parse(out), { dataFolder: folder })
  t.notOk(existsSync(folder))
})

t.test("help names every setting with its default; version is the package's", async (t) => {
  const { out } = await cli(["--help"])
  for (const { env, flag, placeholder } of allSettings) t.match(out, `\n  --${flag} <${placeholder}>  ${env}\n`)
  for (const line of out.split("\n")) t.ok(line.length <= 110, line)
  t.match(out, "Characters of a topic; clients lay out lists for the default. Default: 60.")
  t.match(out, "Requests of a signed-in user, polls apart. Default: 200, in development 10000.")
  const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"))
  t.match(manifest, { version: (await cli(["--version"])).out.replace(/^parley (.*)\n$/, "$1") })
})

t.test("docs/operations.md names settings that there are, with the defaults of production", async (t) => {
  const text = readFileSync("docs/operations.md", "utf8")
  const known = new Map(allSettings.map(({ env, defaultText }) => [env, defaultText]))
  const named = [...text.matchAll(/`(PARLEY_[A-Z_]+)/g)].map(([, env = ""]) => env)
  t.strictSame(
    named.filter((env) => !known.has(env)),
    [],
  )
  const units: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2 }
  const told = [...text.matchAll(/`(PARLEY_[A-Z_]+)`\s\(([\d,]+)(?:\s(KB|MB))?\)/g)]
  t.ok(told.length > 15)
  for (const [, env = "", digits = "", unit = ""] of told)
    t.equal(known.get(env)?.split(",")[0], String(Number(digits.replaceAll(",", "")) * (units[unit] ?? 1)), env)
})

t.test("no two settings share a variable or a flag", async (t) => {
  t.equal(new Set(allSettings.map(({ env }) => env)).size, allSettings.length)
  t.equal(new Set(allSettings.map(({ flag }) => flag)).size, allSettings.length)
  t.equal(allSettings.length, 44 + Object.keys(defaultLimits).length)
})
