/** The parameters that all statements about messages share. */
import type { Parameter } from "../../../../db/database.ts"
import type { RealmId, UserId } from "../../../../ids.ts"

export type BindParameter = (value: Parameter) => string

/** Parameters are numbered in order of use; $1 is the realm, $2 the user: null for a visitor without an account. */
export const binder = ({ realm, user }: { readonly realm: RealmId; readonly user: UserId | null }) => {
  const parameters: Array<Parameter> = [realm, user]
  return { parameters, bind: (value: Parameter) => `$${parameters.push(value)}` }
}
