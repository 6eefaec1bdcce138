/** Attacks by a client that asks for events and does not read them, while a member sends long messages. */

import { authorization } from "../../client/http.ts"
import type { Attack } from "../kit.ts"
import { send } from "../requests.ts"
import { longText } from "../seed-steps.ts"
import { addresses, host } from "../target.ts"
import { register } from "./polls.ts"

export const slowAttacks: ReadonlyArray<Attack> = [
  {
    name: "slow-events",
    who: "slow",
    about: "50 WebSockets and 50 polls that nobody reads, and three long messages a second for them",
    run: async (kit) => {
      const account = kit.account("slow")
      const { noise } = kit.target.channels
      for (let n = 0; n < 100 && !kit.isOver; n++) {
        const queue = await register(kit, account, [])
        if (queue === null) continue
        const query = `queue_id=${queue.queue_id}&last_event_id=${queue.last_event_id}`
        const isSocket = n % 2 === 0
        const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
        const lines = [
          `GET /api/v1/events${isSocket ? "/ws" : ""}?${query} HTTP/1.1`,
          `Host: ${host}`,
          authorization(account),
          ...(isSocket ? [...upgrade, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="] : []),
        ]
        const wire = kit.open(addresses.slow, { closed: (why) => kit.count(`${isSocket ? "socket" : "poll"} ${why}`) })
        wire.socket.pause()
        wire.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`))
      }
      const message = send(kit.account("members", 12), noise.name, "long", longText())
      while (await kit.sleep(333)) await kit.once(addresses.slow, message)
    },
  },
]
