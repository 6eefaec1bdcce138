/** Signing in to NATS by a file with credentials, as its operators hand them out: here they are made as they are there. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { nkeys } from "@nats-io/transport-node"
import t from "tap"
import { findFileFault, openConnection } from "../../../src/db/nats/nats-connection.ts"
import { natsAt, startNats, withoutNats } from "../../kit/nats-server.ts"
import { createFolder } from "../../kit/test-database.ts"

type Key = ReturnType<typeof nkeys.createUser>

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** What `signer` says of `subject`. */
const signed = (signer: Key, subject: Key, nats: object): string => {
  const claims = { jti: "1", iat: 1_700_000_000, iss: signer.getPublicKey(), sub: subject.getPublicKey(), name: "n" }
  const body = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ ...claims, nats: { version: 2, ...nats } })}`
  return `${body}.${Buffer.from(signer.sign(Buffer.from(body))).toString("base64url")}`
}

const credentials = (jwt: string, key: Key): string =>
  [
    `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n`,
    `-----BEGIN USER NKEY SEED-----\n${Buffer.from(key.getSeed()).toString()}\n------END USER NKEY SEED------\n`,
  ].join("\n")

const unlimited = { subs: -1, data: -1, payload: -1 }
const ofAccount = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }

t.test("credentials in a file sign in, and those of another key do not", { skip: withoutNats }, async (t) => {
  const [operator, account] = [nkeys.createOperator(), nkeys.createAccount()]
  const [user, stranger] = [nkeys.createUser(), nkeys.createUser()]
  const { host } = await startNats(
    t,
    `operator: ${signed(operator, operator, { type: "operator" })}`,
    "resolver: MEMORY",
    `resolver_preload: { ${account.getPublicKey()}: ${signed(operator, account, { type: "account", limits: ofAccount })} }`,
  )
  const jwt = signed(account, user, { type: "user", ...unlimited })
  const file = join(await createFolder(t), "parley.creds")
  const config = natsAt(`nats://${host}`, { credentialsFile: file })
  writeFileSync(file, credentials(jwt, stranger))
  t.equal(await findFileFault(config), null)
  await t.rejects(openConnection(config, host, "a process"), { message: "Authorization Violation" })
  // They are read anew for each connection.
  writeFileSync(file, credentials(jwt, user))
  const connection = await openConnection(config, host, "a process")
  await connection.close()
})
