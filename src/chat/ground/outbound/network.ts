/**
 * The parts of the network that the outbound client needs: addresses for names, and which of them may be connected to.
 * Tests put others in their place, because what they serve is on this machine.
 */
import { Resolver } from "node:dns/promises"
import { isIP } from "node:net"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { isPublicAddress } from "./public-address.ts"

export interface NetworkShape {
  /** The addresses of a name; none where it has none. */
  readonly resolve: (name: string) => Promise<ReadonlyArray<string>>
  readonly mayConnect: (address: string, port: number) => boolean
}

const ports: ReadonlySet<number> = new Set([80, 443])
/** More addresses of one name are not tried. */
const mostAddresses = 8

/**
 * Asks the machine's name servers itself: the system's own function takes one of four threads that files, compression
 * and passwords need, for as long as a name server of somebody else's choice stays silent. So names of /etc/hosts do
 * not exist here.
 */
const resolve = async (name: string): Promise<ReadonlyArray<string>> => {
  if (!name.includes(".")) return []
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return asked.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : [])).slice(0, mostAddresses)
}

export class Network extends Context.Service<Network, NetworkShape>()("parley/chat/Network") {
  static readonly layer = Layer.succeed(Network, {
    resolve,
    mayConnect: (address, port) => ports.has(port) && isPublicAddress(address),
  })
}

/**
 * The addresses of a URL's host that may be connected to. A URL has its host in one form, so `0177.1`, `2130706433` and
 * the like are the addresses that they stand for.
 */
export const findAddresses = async (
  network: NetworkShape,
  { hostname, port, protocol }: URL,
): Promise<ReadonlyArray<string>> => {
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  const found = isIP(host) === 0 ? await network.resolve(host) : [host]
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
  return found.filter((address) => network.mayConnect(address, number))
}
