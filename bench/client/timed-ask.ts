/** One request of a scenario that measures single requests, and how long it took. */
import { type Account, askBy } from "./http.ts"

/**
 * Sends a request; answers how long it took, in milliseconds. Fails where it is not a success. Not by `fetch`, which takes
 * a millisecond itself of the five that a page may take.
 */
export const timedAsk = async (
  port: number,
  account: Account,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  fields: Record<string, string>,
): Promise<number> => {
  const form = new URLSearchParams(fields).toString()
  const began = performance.now()
  await askBy(method, port, `/api/v1${path}`, account, form)
  return performance.now() - began
}
