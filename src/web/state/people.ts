/** Whom the page lists, and in which order. */
import type { PagePerson } from "./model.ts"

/** Guests are told of people whom they may not know, all under one name: to list these says nothing. */
export const isKnown = ({ avatarUrl }: PagePerson): boolean => avatarUrl?.endsWith("/unknown-user-avatar.png") !== true

export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name.localeCompare(b.name)

export const personText = ({ name, email }: PagePerson): string => `${name} ${email}`
