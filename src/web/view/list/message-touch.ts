/** Fingers on a message: a tap where there is nothing to press, or a long press, opens what can be done with it. */
import { useRef } from "preact/hooks"

const longMilliseconds = 450
const slackPixels = 10

/** What a tap does something with by itself. */
const pressed = "a, button, input, textarea, label, img, video, audio, [role=button], [data-user-id], .edit-box, dialog"
/** What a long press does something with: the browser's menu of links and pictures, the marks of a selection. */
const heldSelector = "a, input, textarea, img, video, audio, dialog"

const isIn = ({ target }: Event, what: string): boolean => target instanceof Element && target.closest(what) !== null

interface TouchState {
  isTouch: boolean
  wasLong: boolean
  timer: ReturnType<typeof setTimeout> | undefined
  x: number
  y: number
}

export const useTouch = (open: () => void) => {
  const { current: kept } = useRef<TouchState>({ isTouch: false, wasLong: false, timer: undefined, x: 0, y: 0 })
  const stop = () => clearTimeout(kept.timer)
  const openLong = () => {
    kept.wasLong = true
    open()
  }
  return {
    /** Whether it was a finger that was on it last. */
    isByTouch: () => kept.isTouch,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        stop()
        kept.isTouch = event.pointerType !== "mouse"
        kept.wasLong = false
        kept.x = event.clientX
        kept.y = event.clientY
        if (kept.isTouch && event.isPrimary && !isIn(event, heldSelector))
          kept.timer = setTimeout(openLong, longMilliseconds)
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        if (Math.hypot(clientX - kept.x, clientY - kept.y) > slackPixels) stop()
      },
      onPointerUp: stop,
      onPointerCancel: stop,
      onContextMenu: (event: Event) => {
        if (!kept.isTouch || isIn(event, heldSelector)) return
        stop()
        event.preventDefault()
        if (!kept.wasLong) openLong()
      },
      // What the finger lets go of at the end of a long press is not pressed: it may be what has opened under it.
      onClickCapture: (event: MouseEvent) => {
        const isByKey = event.detail === 0
        if (!kept.wasLong || isByKey) return
        kept.wasLong = false
        event.preventDefault()
        event.stopPropagation()
      },
      onClick: (event: Event) => {
        if (kept.isTouch && !isIn(event, pressed) && getSelection()?.isCollapsed !== false) open()
      },
    },
  }
}
