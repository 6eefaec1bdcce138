/**
 * Commands and answers as they stand in rows of the database: encrypted by a key derived from the server's secret, because
 * they may hold a password or an API key. Each row has a key of its own; scrypt makes guesses of a weak secret slow.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto"
import * as Effect from "effect/Effect"

/** 16 MiB and about 40 ms, in a thread of its own. */
const cost = { N: 2 ** 14, r: 8, p: 1 }
const algorithm = "aes-256-gcm"
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

export interface CommandSeal {
  readonly close: (what: "command" | "answer", text: string) => string
  /** Undefined where it was closed with another secret, for another row or as something else. */
  readonly open: (what: "command" | "answer", sealed: string) => string | undefined
}

export const makeCommandSeal = (secret: string, row: string): Effect.Effect<CommandSeal> =>
  Effect.map(
    Effect.callback<Buffer>((resume) => {
      scrypt(secret, `parley command ${row}`, keyBytes, cost, (error, key) =>
        resume(error === null ? Effect.succeed(key) : Effect.die(error)),
      )
    }),
    (key) => ({
      close: (what, text) => {
        const nonce = randomBytes(nonceBytes)
        const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(what))
        const closed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
        return Buffer.concat([nonce, cipher.getAuthTag(), closed]).toString("base64url")
      },
      open: (what, sealed) => {
        const bytes = Buffer.from(sealed, "base64url")
        if (bytes.length < nonceBytes + tagBytes) return undefined
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(what)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
        try {
          const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()])
          return text.toString("utf8")
        } catch {
          return undefined
        }
      },
    }),
  )
