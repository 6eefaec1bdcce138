/** Watches a page at each change of it: what is never to be seen must not be missed between two looks. */
import type { Page } from "playwright-core"

/** Runs in the page, before its own script. */
const script = `(() => {
  const watched = { banners: [], wrong: [], texts: new Map() }
  window.watched = watched
  let hasBanner = false
  new MutationObserver(() => {
    const is = document.querySelector(".banner p") !== null
    if (is && !hasBanner) watched.banners.push(performance.now())
    hasBanner = is
    if (watched.texts.size === 0) return
    const shown = [...document.querySelectorAll(".message .content")].map((each) => each.textContent.trim())
    for (const [text, wasThere] of watched.texts) {
      const count = shown.filter((each) => each === text).length
      if (count > 0) watched.texts.set(text, true)
      if (count > 1 || (count === 0 && wasThere)) watched.wrong.push(text + ": " + count)
    }
  }).observe(document, { subtree: true, childList: true, characterData: true })
})()`

export const watch = async (page: Page): Promise<void> => void (await page.addInitScript(script))

/** From here on a message of this text, once it is there, is to be there once at every moment, pending or not. */
export const expectOnce = (page: Page, ...all: ReadonlyArray<string>): Promise<void> =>
  page.evaluate(`for (const text of ${JSON.stringify(all)}) watched.texts.set(text, false)`)

/** What was there otherwise, and what never came. */
export const wrongs = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>(
    `[...watched.wrong, ...[...watched.texts].filter(([, wasThere]) => !wasThere).map(([text]) => text + ": never")]`,
  )

/** When the banner came, by the page's clock: that of `now`. */
export const banners = (page: Page): Promise<ReadonlyArray<number>> => page.evaluate("watched.banners")
export const now = (page: Page): Promise<number> => page.evaluate("performance.now()")
