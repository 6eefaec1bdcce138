/** What can be called, as types: `METHOD /path` is the name of an operation, api.ts has what each takes and answers. */
import type { Operations } from "./api.ts"

/** `GET /messages`, for example. */
export type Operation = keyof Operations & string

/** The parameters of an operation, under their names on the wire. Undefined is as good as absent. */
export type Params<Op extends Operation> = OptionalParams<Operations[Op]["params"]>
type OptionalParams<Fields> = { readonly [Key in keyof Fields]: Fields[Key] | Absent<Fields, Key> }
type Absent<Fields, Key extends keyof Fields> = Record<never, never> extends Pick<Fields, Key> ? undefined : never

/** The fields of a success. */
export type Reply<Op extends Operation> = Operations[Op]["reply"]

/** The codes with which an operation may be refused. A server of another version may have others. */
export type Code<Op extends Operation> = Operations[Op]["error"]

/** The further arguments of a call: parameters may be left out where none is required. */
export type CallArguments<Op extends Operation, Options> =
  Record<never, never> extends Params<Op>
    ? readonly [params?: Params<Op>, options?: Options]
    : readonly [params: Params<Op>, options?: Options]
