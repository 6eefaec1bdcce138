/**
 * The parts of the network that the outbound client needs: addresses for names, and which of them may be connected to.
 * Tests put others in their place, because what they serve is on this machine.
 */
import { lookup, Resolver } from "node:dns/promises"
import { isIP } from "node:net"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { isLoopback } from "../../../loopback.ts"
import { type AllowedTargets, noTargets } from "./allowed-targets.ts"
import { isPublicAddress } from "./public-address.ts"

export interface OutboundNetworkShape {
  /** The addresses of a name; none where it has none. `isNamed`: an operator has named it. */
  readonly resolve: (name: string, isNamed?: boolean) => Promise<ReadonlyArray<string>>
  readonly mayConnect: (address: string, port: number) => boolean
  /** Ports at which `mayConnect` may be true. */
  readonly ports: ReadonlySet<number>
}

export const publicPorts: ReadonlySet<number> = new Set([80, 443])
/** More addresses of one name are not tried. */
const mostAddresses = 8

const isTimedOut = (answer: PromiseSettledResult<unknown>): boolean =>
  answer.status === "rejected" && answer.reason instanceof Error && Reflect.get(answer.reason, "code") === "ETIMEOUT"

/**
 * Asks the machine's name servers itself: the system's own function takes one of four threads that files, compression
 * and passwords need, for as long as a name server of somebody else's choice stays silent. So names of /etc/hosts do
 * not exist here, but for those that an operator has named: where a name server has just answered that it knows no such
 * name, the system's function is asked, too, and does not wait.
 */
const resolve = async (name: string, isNamed = false): Promise<ReadonlyArray<string>> => {
  if (!isNamed && !name.includes(".")) return []
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = asked.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  const isLookedUp = isNamed && found.length === 0 && !asked.some(isTimedOut)
  const known = isLookedUp ? await lookup(name, { all: true }).catch(() => []) : []
  return [...found, ...known.map(({ address }) => address)].slice(0, mostAddresses)
}

export class OutboundNetwork extends Context.Service<OutboundNetwork, OutboundNetworkShape>()("parley/chat/Network") {
  static readonly layer = Layer.succeed(OutboundNetwork, {
    resolve,
    mayConnect: (address, port) => publicPorts.has(port) && isPublicAddress(address),
    ports: publicPorts,
  })
}

/** The host of a URL without brackets, and its port. */
export const hostAndPort = ({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } => ({
  host: hostname.replace(/^\[(.*)\]$/, "$1"),
  port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
})

/** `allowedTargets`: for the call of a program. No name server is asked what a name of this machine itself means. */
export const resolveHost = async (
  network: OutboundNetworkShape,
  host: string,
  allowedTargets: AllowedTargets,
): Promise<ReadonlyArray<string>> => {
  if (isIP(host) !== 0) return [host]
  if (allowedTargets === noTargets) return network.resolve(host)
  return isLoopback(host) ? ["127.0.0.1", "::1"] : network.resolve(host, allowedTargets.names(host))
}

/**
 * The addresses of a URL's host that may be connected to. A URL has its host in one form, so `0177.1`, `2130706433` and
 * the like are the addresses that they stand for.
 */
export const findAllowedAddresses = async (
  network: OutboundNetworkShape,
  url: URL,
  allowedTargets: AllowedTargets = noTargets,
): Promise<ReadonlyArray<string>> => {
  const { host, port } = hostAndPort(url)
  const found = await resolveHost(network, host, allowedTargets)
  return found.filter((address) => network.mayConnect(address, port) || allowedTargets.has(host, address, port))
}

/**
 * Whether a program at this address could be called, for whoever makes a bot of it. False only where that is certain: a name
 * that nobody knows now may be known when it is called, and is judged again then.
 */
export const mayCall = async (
  network: OutboundNetworkShape,
  url: URL,
  allowedTargets: AllowedTargets,
): Promise<boolean> => {
  const { host, port } = hostAndPort(url)
  if (!network.ports.has(port) && !allowedTargets.mayHave(host, port)) return false
  const found = await resolveHost(network, host, allowedTargets)
  return (
    found.length === 0 ||
    found.some((address) => network.mayConnect(address, port) || allowedTargets.has(host, address, port))
  )
}
