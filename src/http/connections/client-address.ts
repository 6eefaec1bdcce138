/**
 * The address that a request is counted under. Behind trusted proxies it is taken from X-Forwarded-For: the list is
 * read from the right while the hop that wrote the entry is a trusted proxy, so that entries of the client itself are
 * ignored. Made by server.ts.
 */
import { BlockList, isIP } from "node:net"
import { isLoopback } from "../../loopback.ts"

export interface ClientAddresses {
  /** Turns the address of a connection and X-Forwarded-For (empty if absent) into the key that is counted. */
  readonly find: (peer: string, forwarded: string) => string
  /** Whether the address of a connection is that of a trusted proxy. */
  readonly isProxy: (peer: string) => boolean
  /** Whether a key is this machine's or a trusted proxy's own: such may not drown among many foreign ones. */
  readonly isNear: (key: string) => boolean
  /** Whether a request was made by a program on this machine, through no proxy that says so. */
  readonly isOfThisMachine: (peer: string, forwarded: string) => boolean
}

/** A chain of proxies is short; a longer list is not read to its end. */
const mostHops = 16

const groupsOf = (text: string): ReadonlyArray<number> =>
  text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16))

/** The eight groups of a valid IPv6 address. */
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
  /** A whole IPv4 address; of an IPv6 address the /64 network, because one client has all of it. */
  readonly key: string
}

/** Undefined for text that is no address. An IPv4 address in IPv6 form becomes the IPv4 address. */
const findAddress = (text: string): Address | undefined => {
  const kind = isIP(text)
  if (kind === 0) return undefined
  // A new string: a slice would keep the whole header in memory for as long as the key is counted.
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

/** `trusted`: valid addresses, and nets like `10.0.0.0/8`. */
export const makeClientAddresses = (trusted: ReadonlyArray<string>): ClientAddresses => {
  const proxies = new BlockList()
  for (const net of trusted) {
    const [text = "", bits] = net.split("/")
    const family = isIP(text) === 4 ? "ipv4" : "ipv6"
    if (bits === undefined) proxies.addAddress(text, family)
    else proxies.addSubnet(text, Number(bits), family)
  }
  const isTrusted = ({ text, family }: Address): boolean => proxies.check(text, family)
  const near = new Set(["::1", ...trusted].map((text) => findAddress(text)?.key))

  const find = (peer: string, forwarded: string): string => {
    let client = findAddress(peer)
    if (client === undefined) return ""
    let end = forwarded.length
    for (let hop = 0; hop < mostHops && end > 0 && isTrusted(client); hop++) {
      const comma = forwarded.lastIndexOf(",", end - 1)
      const named = findEntry(forwarded.slice(comma + 1, end).trim())
      // An entry that is no address comes from outside the trusted chain, or from a proxy that hides addresses.
      if (named === undefined) break
      client = named
      end = comma
    }
    return client.key
  }
  return {
    find,
    isProxy: (peer) => {
      const address = trusted.length === 0 ? undefined : findAddress(peer)
      return address !== undefined && isTrusted(address)
    },
    isOfThisMachine: (peer, forwarded) => forwarded === "" && isLoopback(findAddress(peer)?.text ?? ""),
    isNear: (key) => {
      if (key.startsWith("127.") || near.has(key)) return true
      const address = findAddress(key.replace("/64", ""))
      return address !== undefined && isTrusted(address)
    },
  }
}
