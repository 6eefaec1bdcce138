/**
 * The list of what outgoing webhooks may call beyond public addresses: how its entries are written. What they open is
 * decided in chat/ground/outbound/allowed-targets.ts.
 */
import { isIP, isIPv6 } from "node:net"
import { domainToASCII } from "node:url"
import * as Result from "effect/Result"
import type { AllowEntry } from "./config.ts"
import { isHost, isNetwork } from "./setting.ts"

export const expectedEntries =
  "names, *.names, addresses or nets with commas between them, each with a port or ports where these are not 80 and 443, such as builds.example.org:8080,10.1.0.0/16:8000-8999,[fd00::1]:80"

/** This machine, as development mode has it for programs that somebody is writing. */
export const loopbackEntries: ReadonlyArray<AllowEntry> = [
  { kind: "net", host: "127.0.0.0/8", ports: [[1, 65_535]] },
  { kind: "address", host: "::1", ports: [[1, 65_535]] },
]

const usualPorts: AllowEntry["ports"] = [
  [80, 80],
  [443, 443],
]

/** `host`, `host:8080`, `host:8000-8999`; an address of IPv6 in brackets, with the length of a net in them or behind. */
const entryPattern = /^(?:\[([^\]/]+(?:\/\d+)?)\]|\[([^\]/]+)\](\/\d+)|([^:[\]]+))(?::(\d{1,5})(?:-(\d{1,5}))?)?$/

const readPorts = (first: string | undefined, last: string | undefined): AllowEntry["ports"] | undefined => {
  if (first === undefined) return usualPorts
  const [from, to] = [Number(first), Number(last ?? first)]
  return from >= 1 && to <= 65_535 && from <= to ? [[from, to]] : undefined
}

/** An address of IPv4 has one form, and a net of them is not written within IPv6. */
const isMappedNet = (net: string): boolean => {
  const [address = ""] = net.split("/")
  return isIPv6(address) && new URL(`http://[${address}]`).hostname.startsWith("[::ffff:")
}

const readHost = (host: string): Pick<AllowEntry, "kind" | "host"> | undefined => {
  if (isNetwork(host)) {
    if (!host.includes("/")) return { kind: "address", host }
    return isMappedNet(host) ? undefined : { kind: "net", host }
  }
  if (/[/?#@\\%\s]/.test(host)) return undefined
  const isBelow = host.startsWith("*.")
  // As a URL has it: other letters than these are written in them.
  const name = domainToASCII(isBelow ? host.slice(2) : host)
  if (isIP(name) !== 0 || !isHost(name)) return undefined
  return { kind: isBelow ? "subdomains" : "name", host: name.toLowerCase() }
}

/** Undefined where it is none. */
export const readAllowEntry = (text: string): AllowEntry | undefined => {
  if (isIPv6(text.split("/")[0] ?? "")) {
    const found = readHost(text.toLowerCase())
    return found && { ...found, ports: usualPorts }
  }
  const [, within, address, length, plain, first, last] = entryPattern.exec(text) ?? []
  const bracketed = within ?? (address === undefined ? undefined : `${address}${length}`)
  if (bracketed !== undefined && !isIPv6(bracketed.split("/")[0] ?? "")) return undefined
  const host = bracketed ?? plain
  const ports = readPorts(first, last)
  const found = host === undefined ? undefined : readHost(host.toLowerCase())
  return found && ports && { ...found, ports }
}

const portsText = ([from, to]: readonly [number, number]): string => (from === to ? `${from}` : `${from}-${to}`)

/** An entry as it can be written; of several ports each by itself. */
export const writtenEntries = ({ kind, host, ports }: AllowEntry): ReadonlyArray<string> => {
  const name = kind === "subdomains" ? `*.${host}` : host.includes(":") ? `[${host}]` : host
  return ports.map((range) => `${name}:${portsText(range)}`)
}

/** The entries of a setting, or the line that refuses it. `name`: by which it was given. */
export const allowedCalls = (
  given: { readonly name: string; readonly text: string } | undefined,
  isLoopbackOpen: boolean,
): Result.Result<ReadonlyArray<AllowEntry>, string> => {
  const entries = given === undefined ? [] : given.text.split(",").map((entry) => entry.trim())
  const wrong = entries.find((entry) => readAllowEntry(entry) === undefined)
  return wrong === undefined
    ? Result.succeed([
        ...entries.flatMap((entry) => readAllowEntry(entry) ?? []),
        ...(isLoopbackOpen ? loopbackEntries : []),
      ])
    : Result.fail(`${given?.name} has the entry ${JSON.stringify(wrong)}: expected ${expectedEntries}`)
}
