/** Commands one below the other, as one stop of the Tab key. */
import type { ComponentChildren } from "preact"
import { rove } from "./roving-focus.ts"

interface Props {
  readonly label: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export const Menu = ({ label, onClose, children }: Props) => (
  <div
    role="menu"
    aria-label={label}
    tabIndex={-1}
    onKeyDown={(event) => {
      if (event.key === "Tab") onClose()
      rove(event, event.currentTarget, "button", "column")
    }}
  >
    {children}
  </div>
)
