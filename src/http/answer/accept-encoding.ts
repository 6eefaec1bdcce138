/** Whether a client takes an answer compressed (RFC 9110, 12.5.3). */

const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/** The weight that a client gives a coding, from 0 (not wanted at all) to 1; one that cannot be read counts as 0. */
const readWeight = (parameter: string | undefined): number =>
  parameter === undefined ? 1 : Number(weight.exec(parameter)?.[1] ?? 0)

const readWeights = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").map((each) => {
      const [coding = "", parameter] = each.split(";").map((part) => part.trim())
      return [coding.toLowerCase(), readWeight(parameter)] as const
    }),
  )

/** `header`: all Accept-Encoding headers as one list; empty where there is none. */
export const acceptsGzip = (header: string): boolean => {
  if (header === "") return false
  const weights = readWeights(header)
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0)
}

/** Only where it is named and wanted no less than the others: browsers say `*` of what they do not know. */
export const acceptsBrotli = (header: string): boolean => {
  if (header === "") return false
  const weights = readWeights(header)
  const brotli = weights.get("br") ?? 0
  return brotli > 0 && brotli >= Math.max(weights.get("gzip") ?? 0, weights.get("identity") ?? 0)
}
