/**
 * What opens above the page for a moment: beside its opener, or as a sheet from below where a finger has opened it or there is little
 * room. The focus goes into it, and back when it closes.
 */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { useDismiss } from "./hooks.ts"
import { keepOnScreen } from "./popup-position.ts"

interface Props {
  readonly class: string
  readonly label: string
  /** A menu says by itself what it is. */
  readonly role?: "dialog"
  readonly isTouch: boolean
  /** What the focus goes to. */
  readonly first: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

const little = "(max-width: 720px), (max-height: 500px)"

const isBeside = (event: MouseEvent, element: HTMLElement): boolean => {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  const { clientX: x, clientY: y, target } = event
  return target === element && (x < left || x > right || y < top || y > bottom)
}

export const Popup = ({ class: name, label, role, isTouch, first, onClose, children }: Props) => {
  const [isSheet] = useState(() => isTouch || matchMedia(little).matches)
  const place = useDismiss<HTMLElement>(onClose, !isSheet)
  const wasBeside = useRef(false)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const before = document.activeElement
    if (element instanceof HTMLDialogElement) element.showModal()
    const stop = keepOnScreen(element)
    element.querySelector<HTMLElement>(first)?.focus()
    return () => {
      stop()
      const isIn = element.contains(document.activeElement)
      // Nothing behind it takes the focus as long as it is modal.
      if (element instanceof HTMLDialogElement) element.close()
      if (!isIn) return
      const message = element.closest<HTMLElement>("[data-id]")
      const back = before instanceof HTMLElement && message?.contains(before) !== false ? before : message
      back?.focus({ preventScroll: true })
    }
  }, [])
  const take = (element: HTMLElement | null) => {
    place.current = element
  }
  const named = role === undefined ? {} : { role, "aria-label": label }
  if (!isSheet)
    return (
      <div class={`popup ${name}`} ref={take} {...named}>
        {children}
      </div>
    )
  return (
    <dialog
      class={`below ${name}`}
      ref={take}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // Of one that is gone the event comes later: by then there may be another.
      onClose={() => place.current !== null && onClose()}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        wasBeside.current = isBeside(event, event.currentTarget)
      }}
      onClick={(event) => wasBeside.current && isBeside(event, event.currentTarget) && onClose()}
    >
      {children}
    </dialog>
  )
}
