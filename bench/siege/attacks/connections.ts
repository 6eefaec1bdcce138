/** Many connections that are held open, by nobody's attacks: what is closed is opened again, within a bound. */
import { type Kit, stranger } from "../kit.ts"
import type { Wire } from "../wire.ts"

/** New connections of one attack within a second at most. */
const perSecond = 250

/** Holds so many connections open, each of which says `first` when it opens. */
export const holdOpen = (
  kit: Kit,
  count: number,
  first: Uint8Array | null,
  { answered }: { readonly answered?: (wire: Wire) => void } = {},
): void => {
  let open = 0
  let opened = 0
  const one = () => {
    open++
    let isRefused = false
    const wire: Wire = kit.open(stranger(opened++), {
      answered: (status) => {
        kit.count(status)
        if (answered !== undefined) return answered(wire)
        isRefused = true
        wire.close()
      },
      closed: (why) => {
        open--
        if (!isRefused) kit.count(why)
      },
    })
    if (first !== null) wire.write(first)
  }
  const fill = async () => {
    do {
      for (let n = 0; n < perSecond / 10 && open < count; n++) one()
    } while (await kit.sleep(100))
  }
  void fill()
}

/** Connections that begin alike and then send a byte a second. */
export const drip = (kit: Kit, count: number, begin: string): void => {
  const wires = new Set<Wire>()
  let opened = 0
  const beat = async () => {
    do {
      for (const wire of wires) wire.write(Buffer.from("a"))
      for (let n = 0; n < perSecond && wires.size < count; n++) {
        const wire: Wire = kit.open(stranger(opened++), {
          answered: (status) => kit.count(status),
          closed: (why) => {
            wires.delete(wire)
            kit.count(why)
          },
        })
        wires.add(wire)
        wire.write(Buffer.from(begin))
      }
    } while (await kit.sleep(1000))
  }
  void beat()
}
