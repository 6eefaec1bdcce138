/**
 * Pictures of messages, which the server gives only to whoever may read them: each is fetched with the key and shown as a
 * blob. The last hundred are held; what is shown again after that is fetched again.
 */
import type { Account } from "../../client/index.ts"

const mostPictures = 100

export const authorization = ({ email, apiKey }: Account): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${email}:${apiKey}`)))}`

export class Files {
  readonly #account: Account
  readonly #held = new Map<string, Promise<string | null>>()

  constructor(account: Account) {
    this.#account = account
  }

  /** The address of a blob; null where there is none. */
  picture(path: string): Promise<string | null> {
    const known = this.#held.get(path)
    const found = known ?? this.#fetch(path)
    this.#held.delete(path)
    this.#held.set(path, found)
    const [[oldest, last] = []] = this.#held
    if (this.#held.size > mostPictures && oldest !== undefined && last !== undefined) {
      this.#held.delete(oldest)
      void last.then((url) => url !== null && URL.revokeObjectURL(url))
    }
    return found
  }

  async #fetch(path: string): Promise<string | null> {
    try {
      const response = await fetch(path, {
        headers: { Authorization: authorization(this.#account) },
        credentials: "omit",
      })
      if (!response.ok) return null
      return URL.createObjectURL(await response.blob())
    } catch {
      this.#held.delete(path)
      return null
    }
  }
}
