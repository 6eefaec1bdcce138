/** Files may be dropped anywhere: a browser that is not told otherwise leaves the page and opens them. */
import { useEffect, useRef, useState } from "preact/hooks"

const hasFiles = (data: DataTransfer | null): boolean => data?.types.includes("Files") === true

/** Answers whether files are held above the page. */
export const useDrop = (take: (files: ReadonlyArray<File>) => void): boolean => {
  const [isOver, setOver] = useState(false)
  const taken = useRef(take)
  taken.current = take
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      taken.current([...(event.dataTransfer?.files ?? [])])
    }
    addEventListener("dragover", over)
    addEventListener("dragleave", leave)
    addEventListener("drop", drop)
    return () => {
      removeEventListener("dragover", over)
      removeEventListener("dragleave", leave)
      removeEventListener("drop", drop)
    }
  }, [])
  return isOver
}
