/**
 * A server's configuration as in production, on a free local port and without limits on requests per minute:
 * for the servers of tests and those that are measured.
 */
import { join } from "node:path"
import type { ConfigShape } from "../../src/config/config.ts"

export const productionConfig = (
  own: Pick<ConfigShape, "database" | "dataFolder" | "secret" | "limits"> & Partial<ConfigShape>,
): ConfigShape => ({
  mode: "production",
  host: "127.0.0.1",
  port: 0,
  externalUrl: null,
  origins: [],
  trustedProxies: [],
  outgoingAllow: [],
  metricsToken: null,
  processes: null,
  leaveSeconds: 0,
  rateLimit: false,
  developmentOpenToEverybody: false,
  webPublicChannels: true,
  imagePreviews: true,
  pagePreviews: false,
  gravatar: false,
  signUpDomain: null,
  directory: null,
  mail: null,
  filesFolder: join(own.dataFolder, "files"),
  ...own,
})
