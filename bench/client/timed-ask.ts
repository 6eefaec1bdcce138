/** One request of a scenario that measures single requests, and how long it took. */
import { type Account, authorization } from "./http.ts"

/** Sends a request; answers how long it took, in milliseconds. Fails where it is not a success. */
export const timedAsk = async (
  port: number,
  account: Account,
  method: "GET" | "POST" | "PATCH",
  path: string,
  fields: Record<string, string>,
): Promise<number> => {
  const form = new URLSearchParams(fields)
  // Compressing is measured by the scenario `register`.
  const headers = {
    Authorization: authorization(account).slice("Authorization: ".length),
    "Accept-Encoding": "identity",
  }
  const began = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}${method === "GET" ? `?${form}` : ""}`, {
    method,
    headers,
    ...(method === "GET" ? {} : { body: form }),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
  return performance.now() - began
}
