/** The configuration of the servers that are measured: as in production, without limits on requests per minute. */
import type { ConfigShape } from "../../src/config.ts"

export const productionConfig = (
  own: Pick<ConfigShape, "database" | "dataFolder" | "secret" | "limits">,
): ConfigShape => ({
  mode: "production",
  host: "127.0.0.1",
  port: 0,
  externalUrl: null,
  origins: [],
  trustedProxies: [],
  rateLimit: false,
  developmentOpenToEverybody: false,
  webPublicChannels: true,
  ...own,
})
