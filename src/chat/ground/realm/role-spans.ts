/**
 * Spans: from which position of the log to which a user had a role or a subscription. They are half-open: the row that
 * opens a span is inside, the row that closes it is outside. Closed spans are kept, because audiences of past rows are
 * found by them.
 */

import type { UserId } from "../../../ids.ts"
import { type Role, roles } from "./domain-values.ts"

export interface LogSpan {
  readonly opened: number
  /** null: still open. */
  readonly closed: number | null
}

const covers = (span: LogSpan, position: number): boolean =>
  span.opened <= position && (span.closed === null || position < span.closed)

const closeLast = <S extends LogSpan>(spans: ReadonlyArray<S>, position: number): ReadonlyArray<S> =>
  spans.map((span) => (span.closed === null ? { ...span, closed: position } : span))

/** The roles of users over time. A user without an open span is deactivated. */
export class RoleSpans {
  readonly #spans = new Map<UserId, ReadonlyArray<LogSpan & { readonly role: Role }>>()
  /** Those whose newest role is that of a guest, deactivated ones too. */
  readonly #guests = new Set<UserId>()
  #changes = 0

  get guests(): ReadonlySet<UserId> {
    return this.#guests
  }

  /** Number of changes so far: while it is the same, so is who is active. */
  get changes(): number {
    return this.#changes
  }

  /** Spans may come in any order: a load has them as they lie in the database. */
  add(user: UserId, role: Role, { opened, closed }: LogSpan): void {
    this.#changes += 1
    const spans = [...(this.#spans.get(user) ?? []), { role, opened, closed }]
    this.#spans.set(user, spans.length === 1 ? spans : spans.sort((a, b) => a.opened - b.opened))
    if (spans.at(-1)?.role === roles.guest) this.#guests.add(user)
    else this.#guests.delete(user)
  }

  close(user: UserId, position: number): void {
    this.#changes += 1
    this.#spans.set(user, closeLast(this.#spans.get(user) ?? [], position))
  }

  /** The role at a position; undefined if the user was not active then. */
  at(user: UserId, position: number): Role | undefined {
    return this.#spans.get(user)?.find((span) => covers(span, position))?.role
  }

  /** Whether the user had a role at any position from the one to the other. */
  hadBetween(user: UserId, role: Role, from: number, to: number): boolean {
    const spans = this.#spans.get(user) ?? []
    return spans.some((span) => span.role === role && span.opened <= to && (span.closed === null || from < span.closed))
  }

  /** The position at which a deactivated user was deactivated. A span of length zero is a role given to them since. */
  leftAt(user: UserId): number | null {
    return this.#spans.get(user)?.findLast((span) => span.opened !== span.closed)?.closed ?? null
  }

  /** The newest span, open or closed. */
  last(user: UserId): (LogSpan & { readonly role: Role }) | undefined {
    return this.#spans.get(user)?.at(-1)
  }
}
