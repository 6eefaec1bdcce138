/**
 * What a request's headers say about who asks: the name of the client program, the host it asked and the address it
 * used. Header text is cleaned here, because it is stored. Used by server.ts and socket.ts.
 */

/** Characters of a client's name that are kept. */
const longestName = 64

/** Control characters, NUL among them, and what is not a character. */
const unwanted = /[\p{Cc}\p{Cs}\uFFFD]/gu

/** The program's name in a User-Agent: what stands before the first slash (contract 1.4). */
export const clientName = (userAgent: string): string => {
  const [token = ""] = userAgent.split(/[/(]/, 1)
  const name = token
    .slice(0, 4 * longestName)
    .replace(unwanted, "")
    .trim()
  return name === "" ? "Unspecified" : name.slice(0, longestName).trim()
}

const hostText = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** The Host header in lower case; undefined where it is none that a URL can hold. */
export const readHost = (header: string): string | undefined => {
  const host = header.toLowerCase()
  return host === "" || hostText.test(host) ? host : undefined
}

/** Without the port. */
export const hostName = (host: string): string => host.replace(/:\d+$/, "")
