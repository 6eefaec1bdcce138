/**
 * Which address a request is counted under. Behind proxies that the operator names, it is what they say in
 * X-Forwarded-For: the list is read from the right, as long as the hop that wrote the entry is one of them, so that
 * nothing a client writes there itself is believed. Used by api.ts and socket.ts.
 */
import { BlockList, isIP } from "node:net"

/** The address of the connection, and what X-Forwarded-For says or an empty text, to the key that is counted. */
export type ClientAddress = (peer: string, forwarded: string) => string

/** A chain of proxies is short; a longer list is not read to its end. */
const mostHops = 16

const groupsOf = (text: string): ReadonlyArray<number> =>
  text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16))

/** The eight groups of an IPv6 address that has been judged to be one. */
const expand = (text: string): ReadonlyArray<number> => {
  const [plain = ""] = text.split("%", 1)
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain)
  const [, start = "", ...bytes] = dotted ?? []
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number)
  const hexadecimal = dotted === null ? plain : `${start}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  const [left = "", right] = hexadecimal.split("::")
  const first = groupsOf(left)
  const last = groupsOf(right ?? "")
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
}

interface Address {
  readonly family: "ipv4" | "ipv6"
  readonly text: string
  /** All of an IPv4 address; of an IPv6 one the network, of which one client has 2^64 addresses. */
  readonly key: string
}

/** An IPv4 address in the form of an IPv6 one is the IPv4 address. Undefined for what is no address. */
const findAddress = (text: string): Address | undefined => {
  const kind = isIP(text)
  if (kind === 0) return undefined
  // A new text: a piece of the header would keep the whole of it in memory for as long as the key is counted.
  if (kind === 4) return { family: "ipv4", text, key: text.split(".").join(".") }
  const groups = expand(text)
  const [high = 0, low = 0] = groups.slice(6)
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const plain = [high >> 8, high & 255, low >> 8, low & 255].join(".")
    return { family: "ipv4", text: plain, key: plain }
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return { family: "ipv6", text, key: `${network.join(":")}::/64` }
}

/** An entry of the list, which some proxies write with a port. */
const findEntry = (entry: string): Address | undefined => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)
  if (bracketed !== null) return findAddress(bracketed[1] ?? "")
  return findAddress(/^[\d.]+:\d+$/.test(entry) ? entry.replace(/:\d+$/, "") : entry)
}

/** `trusted`: addresses, and nets like `10.0.0.0/8`, as the configuration has judged them. */
export const makeClientAddress = (trusted: ReadonlyArray<string>): ClientAddress => {
  const proxies = new BlockList()
  for (const net of trusted) {
    const [text = "", bits] = net.split("/")
    const family = isIP(text) === 4 ? "ipv4" : "ipv6"
    if (bits === undefined) proxies.addAddress(text, family)
    else proxies.addSubnet(text, Number(bits), family)
  }
  const isTrusted = ({ text, family }: Address): boolean => proxies.check(text, family)

  return (peer, forwarded) => {
    let client = findAddress(peer)
    if (client === undefined) return ""
    let end = forwarded.length
    for (let hop = 0; hop < mostHops && end > 0 && isTrusted(client); hop++) {
      const comma = forwarded.lastIndexOf(",", end - 1)
      const named = findEntry(forwarded.slice(comma + 1, end).trim())
      // What is no address was written before the chain that is trusted, or by a proxy that hides it.
      if (named === undefined) break
      client = named
      end = comma
    }
    return client.key
  }
}
