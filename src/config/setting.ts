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
  readonly fallback: string
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

export const oneOf = <const W extends string>(words: ReadonlyArray<W>) => ({
  placeholder: words.join("|"),
  expected: words.join(" or "),
  read: (text: string): W | undefined => words.find((word) => word === text),
})
