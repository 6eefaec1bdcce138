/** In characters. A longer address is never fetched, so nothing is made that would need it: the renderer asks, too. */
export const longestUrl = 2000
