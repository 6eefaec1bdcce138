/** What a setting of an operator is, and what several of them accept. The tables are settings.ts and mail-settings.ts. */
import { isIP } from "node:net"

export interface Setting<out A> {
  readonly env: string
  readonly flag: string
  /** A variable that is read where `env` is not set, because hosts set it for every program that they run. */
  readonly hostEnv?: string
  /** The placeholder for the value in the help. */
  readonly placeholder: string
  readonly help: string
  /** The default value, as the help shows it. */
  readonly defaultText: string
  /** Completes "expected ..." in the error. */
  readonly expected: string
  /** True for values that no message may repeat. */
  readonly isSecret: boolean
  /** Undefined where the text is not acceptable. */
  readonly read: (text: string) => A | undefined
}

export const setting = <A>(
  env: string,
  flag: string,
  rest: Omit<Setting<A>, "env" | "flag" | "isSecret"> & { readonly isSecret?: true },
): Setting<A> => ({ isSecret: false, ...rest, env, flag })

const hostName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i

/** An IP address or the name of a host. */
export const isHost = (text: string): boolean => isIP(text) !== 0 || (hostName.test(text) && !/^[\d.]+$/.test(text))

/** `10.1.2.3`, `10.0.0.0/8`, `::1` or `fd00::/8`. */
export const isNetwork = (text: string): boolean => {
  const [address = "", bits = "0", surplus] = text.split("/")
  const most = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1
  return surplus === undefined && !address.includes("%") && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

export const wholeNumber = (min: number, max: number) => ({
  placeholder: "number",
  expected: `a whole number from ${min} to ${max}`,
  read: (text: string): number | undefined => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  },
})

export const oneOfWords = <const W extends string>(words: ReadonlyArray<W>) => ({
  placeholder: words.join("|"),
  expected: words.join(" or "),
  read: (text: string): W | undefined => words.find((word) => word === text),
})
