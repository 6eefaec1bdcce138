/** What an operator may set of several processes that serve one database. Part of config.ts. */

/** The servers of NATS by which processes tell each other what they have committed. */
export interface NatsConfig {
  /** Each as `host:port`. */
  readonly servers: ReadonlyArray<string>
  readonly isTls: boolean
  readonly login: { readonly user: string; readonly password: string } | { readonly token: string } | null
  /** A file with credentials (`.creds`), read for each connection. */
  readonly credentialsFile: string | null
  /** A file with certificates in PEM that are trusted instead of the usual ones. */
  readonly authoritiesFile: string | null
}

/** The variable by which a process that starts others tells each its number. No setting of an operator. */
export const childVariable = "PARLEY_CHILD"

/** How several processes that serve one database know of each other. */
export interface ProcessesConfig {
  /** How what one has committed is told to the others; `none`: they find it. */
  readonly bus: "none" | "notify" | NatsConfig
  /** The database by an address that gives sessions; null: that of the database does. */
  readonly busUrl: string | null
  /** Whether failed sign-ins and requests of heavy senders count at all processes. */
  readonly sharesLimits: boolean
  /** Its number among those of one parent, which serve one port together; null: it has its port to itself. */
  readonly child: number | null
}
