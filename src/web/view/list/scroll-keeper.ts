/**
 * Keeps a list of messages where one looks: at its end while it grows there, else at the message that is first on the screen,
 * whatever comes in above it or grows (pictures, for example). Tells when an edge is near, and which messages are seen.
 */
import type { ScrollAnchor } from "../../live/scroll-anchors.ts"

interface ScrollCallbacks {
  readonly onEdge: (where: "older" | "newer") => void
  readonly onSeen: (id: number) => void
  readonly onFar: (isFar: boolean) => void
  readonly onAnchor: (anchor: ScrollAnchor | null) => void
}

/** So near to an edge the next page is asked for. */
const edgePixels = 1_200
/** So near to the end one counts as being there. */
const endPixels = 60
const farPixels = 900

export class ScrollKeeper {
  readonly #place: HTMLElement
  readonly #told: ScrollCallbacks
  readonly #watch: ResizeObserver
  #isAtEnd = false
  #hasEnd = true
  #lastTop = 0
  /** The message that stays, and how far below the top of the list it is. */
  #anchor: { readonly id: string; readonly top: number } | null = null
  #frame = 0

  constructor(place: HTMLElement, told: ScrollCallbacks) {
    this.#place = place
    this.#told = told
    place.addEventListener("scroll", this.#onScroll, { passive: true })
    document.addEventListener("visibilitychange", this.#onScroll)
    addEventListener("focus", this.#onScroll)
    this.#watch = new ResizeObserver(() => this.settle(this.#hasEnd))
    this.#watch.observe(place)
    for (const child of place.children) this.#watch.observe(child)
  }

  end(): void {
    cancelAnimationFrame(this.#frame)
    this.#watch.disconnect()
    this.#place.removeEventListener("scroll", this.#onScroll)
    document.removeEventListener("visibilitychange", this.#onScroll)
    removeEventListener("focus", this.#onScroll)
  }

  /** At a message, or at the end. */
  begin(id: number | null, isWanted: boolean): void {
    const row = id === null ? null : this.#row(String(id))
    if (row === null) {
      this.stick()
      this.settle(true)
      return
    }
    this.#isAtEnd = false
    const margin = isWanted ? this.#place.clientHeight / 3 : 96
    this.#place.scrollTop = row.offsetTop - margin
    this.#lastTop = this.#place.scrollTop
    if (isWanted) row.classList.add("wanted")
    this.#look()
  }

  /** Where one was before. What one has read by then is read. */
  comeBack({ id, top, isAtEnd }: ScrollAnchor): void {
    const row = this.#row(String(id))
    if (row === null || isAtEnd) return this.begin(null, false)
    this.#isAtEnd = false
    this.#place.scrollTop = row.offsetTop - top
    this.#lastTop = this.#place.scrollTop
    this.#look()
  }

  stick(): void {
    this.#isAtEnd = true
  }

  /** After every change of what is in the list. */
  settle(hasEnd: boolean): void {
    this.#hasEnd = hasEnd
    const place = this.#place
    if (this.#isAtEnd && hasEnd) place.scrollTop = place.scrollHeight
    else if (this.#anchor !== null) {
      const row = this.#row(this.#anchor.id)
      if (row !== null) {
        const moved = row.offsetTop - place.scrollTop - this.#anchor.top
        if (Math.abs(moved) > 1) place.scrollTop += moved
      }
    }
    this.#onScroll()
  }

  #row(id: string): HTMLElement | null {
    return this.#place.querySelector<HTMLElement>(`[data-id="${id}"]`)
  }

  readonly #onScroll = (): void => {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#look()
    })
  }

  #look(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.#place
    const below = scrollHeight - scrollTop - clientHeight
    // What grows at the end moves it away before the list has followed: only who scrolls back leaves it.
    if (below < endPixels) this.#isAtEnd = true
    else if (scrollTop < this.#lastTop - 1) this.#isAtEnd = false
    this.#lastTop = scrollTop
    this.#told.onFar(below > farPixels)
    const rows = [...this.#place.querySelectorAll<HTMLElement>("[data-id]")]
    const first = firstBelow(rows, scrollTop)
    const row = rows[first]
    this.#anchor = row === undefined ? null : { id: row.dataset["id"] ?? "", top: row.offsetTop - scrollTop }
    const { id, top } = this.#anchor ?? { id: "", top: 0 }
    this.#told.onAnchor(id === "" ? null : { id: Number(id), top, isAtEnd: this.#isAtEnd && this.#hasEnd })
    if (document.visibilityState === "visible" && document.hasFocus())
      for (const seen of rows.slice(first)) {
        if (seen.offsetTop > scrollTop + clientHeight - 24) break
        this.#told.onSeen(Number(seen.dataset["id"]))
      }
    if (scrollTop < edgePixels) this.#told.onEdge("older")
    if (below < edgePixels) this.#told.onEdge("newer")
  }
}

/** The rows lie one below the other, so the first on the screen is found by halves. */
const firstBelow = (rows: ReadonlyArray<HTMLElement>, top: number): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]
    if (row !== undefined && row.offsetTop + row.offsetHeight <= top) low = middle + 1
    else high = middle
  }
  return low
}
