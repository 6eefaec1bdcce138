/**
 * Rows on their way to other processes, encrypted: NOTIFY knows no rights, so whoever may connect to the database hears what is
 * sent by it. One key for all, derived once from the server's secret; a piece can be opened only as what it was sealed as.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"

const algorithm = "aes-256-gcm"
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

export interface PieceSeal {
  /** `as`: what the piece is, which is not secret. */
  readonly close: (as: string, text: string) => string
  /** Undefined where it was closed with another secret, or as something else. */
  readonly open: (as: string, sealed: string) => string | undefined
}

/** `cluster`: the name of those who have this key. */
export const makePieceSeal = (secret: string, cluster: string): PieceSeal => {
  const key = Buffer.from(hkdfSync("sha256", secret, cluster, "parley rows between processes", keyBytes))
  return {
    close: (as, text) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(`${cluster} ${as}`))
      const closed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final()])
      return Buffer.concat([closed, cipher.getAuthTag()]).toString("base64")
    },
    open: (as, sealed) => {
      const bytes = Buffer.from(sealed, "base64")
      if (bytes.length < nonceBytes + tagBytes) return undefined
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(`${cluster} ${as}`)).setAuthTag(bytes.subarray(-tagBytes))
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()])
        return text.toString("utf8")
      } catch {
        return undefined
      }
    },
  }
}
