/**
 * Which addresses the server may connect to for others: those of the public internet only. What a user names must not
 * reach the machine itself, its network, or what a cloud offers to its machines (server-side request forgery).
 * Everything that is not certainly public is refused, so a range that is reserved later needs no change here.
 */
import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/** Global unicast. Addresses of IPv4 within IPv6, of translation and of tunnels lie outside of it or have a range. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")
/** Documentation and others that older lists of ranges lack. */
const reserved = ["3fff::/20", "5f00::/16", "2001::/23", "2002::/16"].map((net) => ipaddr.IPv6.parseCIDR(net))

/** A public address that is the host of a machine in Azure: it gives out the machine's keys and settings. */
const azureHost = "168.63.129.16"

/** `text`: an address as a resolver writes it, or as the host of a URL, without brackets. */
export const isPublicAddress = (text: string): boolean => {
  // ipaddr.js also reads `127.1` and `0x7f.1`; no address that is connected to is written so.
  if (isIP(text) === 0 || text.includes("%") || text === azureHost) return false
  const address = ipaddr.parse(text)
  if (address.range() !== "unicast") return false
  if (address instanceof ipaddr.IPv4) return true
  return address.match(globalUnicast) && !reserved.some((net) => address.match(net))
}
