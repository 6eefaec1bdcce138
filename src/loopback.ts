/**
 * Which names and addresses mean this machine itself. Development mode listens on them only and answers to no others:
 * config/read-settings.ts checks the address to listen on, http/connections/hosts.ts the Host of each request.
 */

const loopbackNet = /^127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

/** `host` in any case, an IPv6 address with or without brackets, no port. */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1")
  if (name.includes(":")) {
    const url = `http://[${name}]`
    // The URL writes an address in its one shortest form.
    return URL.canParse(url) && new URL(url).hostname === "[::1]"
  }
  // Nobody can own a name below localhost, and browsers resolve them to this machine without asking.
  return loopbackNet.test(name) || name === "localhost" || name.endsWith(".localhost")
}
