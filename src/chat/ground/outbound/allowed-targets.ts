/**
 * What an operator has opened to the programs behind outgoing webhooks, beyond public addresses (PARLEY_OUTGOING_ALLOW).
 * Each entry is judged by the address that is connected to. Nothing else than such a call looks at it: by a preview anybody
 * who writes a message could read what is in the operator's network.
 */
import ipaddr from "ipaddr.js"
import type { AllowEntry } from "../../../config/config.ts"

export interface AllowedTargets {
  /** Whether it is named itself: then it exists without a dot, and where only the machine's own table of names has it. */
  readonly names: (host: string) => boolean
  readonly has: (host: string, address: string, port: number) => boolean
  /** Whether any address of a host could be open at this port. */
  readonly mayHave: (host: string, port: number) => boolean
}

export const noTargets: AllowedTargets = { names: () => false, has: () => false, mayHave: () => false }

/**
 * Where machines of a cloud get keys and settings. Who opens a net, or a name whose addresses somebody else chooses, does
 * not mean these: they are open only where one is named itself.
 */
const metadata = [
  "169.254.0.0/16",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "fd00:c1::a9fe:a9fe/128",
].map((net) => ipaddr.parseCIDR(net))

/** Nets of IPv6 whose addresses lead to one of IPv4, and the byte at which that begins: translation and tunnels. */
const carriers = [
  ["64:ff9b::/96", 12],
  ["64:ff9b:1::/48", 12],
  ["::ffff:0:0:0/96", 12],
  ["::/96", 12],
  ["2002::/16", 2],
].map(([net, at]) => [ipaddr.IPv6.parseCIDR(String(net)), Number(at)] as const)

type Address = ReturnType<typeof ipaddr.parse>
type Net = ReturnType<typeof ipaddr.parseCIDR>

/** An address of IPv4 within IPv6 is that of IPv4. */
const parse = (text: string): Address | undefined => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined)

const isIn = (address: Address, [net, bits]: Net): boolean => address.kind() === net.kind() && address.match(net, bits)

const isMetadata = (address: Address): boolean => {
  const led =
    address instanceof ipaddr.IPv6
      ? carriers.flatMap(([net, at]) =>
          address.match(net) ? [ipaddr.fromByteArray(address.toByteArray().slice(at, at + 4))] : [],
        )
      : []
  return [address, ...led].some((each) => metadata.some((net) => isIn(each, net)))
}

const plainName = (host: string): string => host.toLowerCase().replace(/\.$/, "")

const isAt = ({ ports }: AllowEntry, port: number): boolean => ports.some(([from, to]) => port >= from && port <= to)

/** Undefined: it names addresses. */
const nameTest = ({ kind, host }: AllowEntry): ((name: string) => boolean) | undefined => {
  if (kind === "name") return (name) => name === host
  return kind === "subdomains" ? (name) => name.endsWith(`.${host}`) : undefined
}

/** Undefined: it names hosts. */
const addressTest = ({ kind, host }: AllowEntry): ((address: Address) => boolean) | undefined => {
  if (kind === "net") {
    const net = ipaddr.parseCIDR(host)
    return (address) => isIn(address, net)
  }
  const one = kind === "address" ? parse(host)?.toString() : undefined
  return one === undefined ? undefined : (address) => address.toString() === one
}

export const allowedTargets = (entries: ReadonlyArray<AllowEntry>): AllowedTargets => {
  const rules = entries.map((entry) => ({ entry, isName: nameTest(entry), isAddress: addressTest(entry) }))
  return {
    names: (host) => rules.some(({ entry, isName }) => entry.kind === "name" && isName?.(plainName(host)) === true),
    has: (host, text, port) => {
      const address = parse(text)
      if (address === undefined) return false
      const name = plainName(host)
      return rules.some(({ entry, isName, isAddress }) => {
        if (!isAt(entry, port) || !(isName?.(name) ?? isAddress?.(address) ?? false)) return false
        return entry.kind === "address" || !isMetadata(address)
      })
    },
    mayHave: (host, port) =>
      rules.some(({ entry, isName }) => isAt(entry, port) && (isName?.(plainName(host)) ?? true)),
  }
}
