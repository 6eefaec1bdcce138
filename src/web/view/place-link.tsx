/** A place that one can go to, and how much in it is unread. */
import type { PageNarrow } from "../state/model.ts"
import { linkTo } from "../state/narrow.ts"
import { words } from "../words/words.ts"

export const Count = ({ n, isQuiet = false }: { readonly n: number; readonly isQuiet?: boolean }) =>
  n === 0 ? null : (
    <span class={`count ${isQuiet ? "muted" : ""}`}>
      <span aria-hidden="true">{n > 999 ? "999+" : n}</span>
      <span class="unseen">{words.unread(n)}</span>
    </span>
  )

interface LinkProps {
  readonly narrow: PageNarrow
  readonly isHere: boolean
  readonly class?: string
  readonly children: preact.ComponentChildren
}

export const PlaceLink = ({ narrow, isHere, class: extra = "", children }: LinkProps) => (
  <a class={`place ${extra}`} href={linkTo(narrow)} aria-current={isHere ? "page" : undefined}>
    {children}
  </a>
)
