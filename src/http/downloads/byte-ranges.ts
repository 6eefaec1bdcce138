/** The part of a file that a request asks for (RFC 9110, 14): one range; several are answered with the whole file. */

export interface RequestedRange {
  readonly start: number
  /** Behind the last byte. */
  readonly end: number
}

const single = /^bytes=(\d{0,15})-(\d{0,15})$/

/** `none`: no byte of the file is in it; `all`: no range, or one that a server passes over. */
export const readRange = (header: string, size: number): RequestedRange | "all" | "none" => {
  const [, from = "", to = ""] = single.exec(header.replaceAll(" ", "")) ?? []
  if (from === "" && to === "") return "all"
  if (from === "") return to === "0" || size === 0 ? "none" : { start: Math.max(0, size - Number(to)), end: size }
  const start = Number(from)
  if (to !== "" && Number(to) < start) return "all"
  return start >= size ? "none" : { start, end: to === "" ? size : Math.min(size, Number(to) + 1) }
}
