/** Attacks by a guest, who has an account and sees two channels only. */
import type { Attack } from "../kit.ts"
import { longMessages, manyTerms, publicChannelsRepeated, registerAll } from "../requests.ts"
import { addresses } from "../target.ts"

const from = () => addresses.guest

export const guestAttacks: ReadonlyArray<Attack> = [
  {
    name: "guest-unread",
    who: "guest",
    about: "30 large answers at once that nobody reads, anew every 20 s",
    run: async (kit) => {
      const request = longMessages(kit.account("guests"), kit.target)
      while (!kit.isOver) {
        const wires = Array.from({ length: 30 }, () => {
          const wire = kit.open(addresses.guest, {})
          wire.socket.pause()
          wire.write(request)
          kit.count("asked")
          return wire
        })
        await kit.sleep(20_000)
        for (const wire of wires) wire.close()
      }
    },
  },
  {
    name: "guest-slow-reader",
    who: "guest",
    about: "10 large answers at once, each read in pieces of 64 KB four times a second",
    run: async (kit) => {
      const request = longMessages(kit.account("guests"), kit.target)
      const one = async () => {
        while (!kit.isOver) {
          let isOpen = true
          const end = (what: string | number) => {
            if (isOpen) kit.count(what)
            isOpen = false
          }
          const wire = kit.open(addresses.guest, { answered: end, closed: end })
          wire.socket.on("data", () => wire.socket.pause())
          wire.write(request)
          while (isOpen && (await kit.sleep(250))) wire.socket.resume()
          wire.close()
          await kit.sleep(250)
        }
      }
      await Promise.all(Array.from({ length: 10 }, one))
    },
  },
  {
    name: "guest-repeated-term",
    who: "guest",
    about: `the narrow ["channels","public"] 100 times, 4 at once`,
    run: async (kit) => {
      const request = publicChannelsRepeated(kit.account("guests"))
      await kit.repeat(4, () => request, { from })
    },
  },
  {
    name: "guest-many-terms",
    who: "guest",
    about: "narrows of 100 different terms, 4 at once",
    run: async (kit) => {
      const request = manyTerms(kit.account("guests"))
      await kit.repeat(4, () => request, { from })
    },
  },
  {
    name: "guest-register",
    who: "guest",
    about: "registers for everything, 2 at once, and leaves the queues behind",
    run: async (kit) => {
      const request = registerAll(kit.account("guests"))
      await kit.repeat(2, () => request, { from })
    },
  },
]
