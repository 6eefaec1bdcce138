/** A mail server that is not there, so that mails stay in the outbox. */
import type { MailServer } from "../../src/config/config.ts"

/** Nothing listens on this port, and nothing may without being root. */
export const absentMailServer: MailServer = {
  host: "127.0.0.1",
  port: 1,
  user: null,
  password: null,
  security: "none",
  from: { name: "Parley", address: "parley@test.example" },
}
