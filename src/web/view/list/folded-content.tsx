/** A long message is cut, and shown whole to who asks for it. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { words } from "../../words/words.ts"

/** About forty lines. */
const longPixels = 800

export const FoldedContent = ({ children }: { readonly children: ComponentChildren }) => {
  const place = useRef<HTMLDivElement>(null)
  const [isLong, setLong] = useState(false)
  const [isWhole, setWhole] = useState(false)
  // Pictures make it longer when they have come.
  useLayoutEffect(() => {
    const content = place.current?.firstElementChild
    if (!(content instanceof HTMLElement)) return
    const watch = new ResizeObserver(() => setLong(content.offsetHeight > longPixels))
    watch.observe(content)
    return () => watch.disconnect()
  }, [])
  // Whoever folds it stands at its end, which is gone then.
  const wasWhole = useRef(false)
  useEffect(() => {
    if (wasWhole.current && !isWhole) place.current?.closest("[data-id]")?.scrollIntoView({ block: "nearest" })
    wasWhole.current = isWhole
  }, [isWhole])
  const isCut = isLong && !isWhole
  return (
    <>
      <div
        class={isCut ? "cut" : ""}
        ref={place}
        onFocusCapture={({ currentTarget, target }) => {
          const end = currentTarget.getBoundingClientRect().bottom
          if (isCut && target instanceof Element && target.getBoundingClientRect().top > end) setWhole(true)
        }}
      >
        {children}
      </div>
      {isLong && (
        <button type="button" class="fold" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.showLess : words.showMore}
        </button>
      )}
    </>
  )
}
