/** Registers queues and holds a poll on each, as many as the accounts' allowances admit. Used by members' attacks. */
import { request as ask } from "node:http"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { idAt } from "../../../src/command-line/bench/wire/last-event-id.ts"
import type { Kit } from "../kit.ts"
import { matchingTerms, request } from "../requests.ts"
import { type Account, addresses, host } from "../target.ts"

const Registered = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ queue_id: Schema.String, last_event_id: Schema.Number })),
)

/** A queue for messages that match; null where the server gave none. */
export const register = (
  kit: Kit,
  { email, key }: Account,
  narrow: ReadonlyArray<readonly [string, string]> = matchingTerms,
): Promise<{ readonly queue_id: string; readonly last_event_id: number } | null> =>
  new Promise((resolve) => {
    const form = `event_types=%5B%22message%22%5D&fetch_event_types=%5B%5D&narrow=${encodeURIComponent(JSON.stringify(narrow))}`
    const asked = ask(
      {
        port: kit.port,
        host: "127.0.0.1",
        localAddress: addresses.member,
        method: "POST",
        path: "/api/v1/register",
        headers: { Host: host, "Content-Type": "application/x-www-form-urlencoded", "Content-Length": form.length },
        auth: `${email}:${key}`,
        timeout: 20_000,
      },
      (response) => {
        let text = ""
        response.on("data", (part) => {
          text += part
        })
        response.on("end", () => {
          kit.count(`register ${response.statusCode}`)
          resolve(Option.getOrNull(Registered(text)))
        })
        response.on("error", () => resolve(null))
      },
    )
    asked.on("timeout", () => asked.destroy())
    asked.on("error", () => resolve(null))
    asked.end(form)
  })

/** Polls again whenever an answer has come. */
const holdPoll = async (kit: Kit, auth: Account): Promise<void> => {
  const queue = await register(kit, auth)
  if (queue === null || kit.isOver) return
  const { queue_id, last_event_id: first } = queue
  const poll = (last: number) =>
    request("GET", "/api/v1/events", { auth, query: { queue_id, last_event_id: `${last}` } })
  let last = first
  const wire = kit.open(addresses.member, {
    answered: (status, end) => {
      kit.count(`poll ${status}`)
      if (status !== 200) return wire.close()
      // An answer without events ends with no id.
      last = Math.max(last, idAt(end, end.length) || 0)
      wire.write(poll(last))
    },
    closed: (why) => kit.count(`poll ${why}`),
  })
  wire.write(poll(first))
}

/** The accounts after those of the other attacks of members. */
const furtherAccounts = 12

/** Resolves when all that were admitted are held. */
export const holdPolls = async (kit: Kit, accounts: number, each: number): Promise<void> => {
  const one = async (n: number) => {
    for (let k = 0; k < each && !kit.isOver; k++) await holdPoll(kit, kit.account("members", furtherAccounts + n))
  }
  await Promise.all(Array.from({ length: accounts }, (_, n) => one(n)))
}
