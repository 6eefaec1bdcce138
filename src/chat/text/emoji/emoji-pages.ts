/**
 * Pages about emoji that clients fetch outside of the API, by addresses that they know or that register tells them. Put
 * into the HTTP server by src/app.ts.
 */
import { ownEmoji, ownEmojiPicture } from "./own-emoji.ts"
import { allEmoji } from "./unicode-emoji.ts"

const cacheSeconds = 24 * 3600

/** The names of each emoji, the one that is shown first, by its code. It changes with the program only. */
const emojiNames = {
  status: 200,
  cacheSeconds,
  body: JSON.stringify({
    code_to_names: Object.fromEntries(Array.from(allEmoji(), ({ code, name, aliases }) => [code, [name, ...aliases]])),
  }),
}

/** The picture that `:zulip:` is shown as. */
const emojiPicture = { status: 200, cacheSeconds, contentType: "image/png", body: ownEmojiPicture }

export const emojiPages = {
  "/static/emoji.json": () => emojiNames,
  [ownEmoji.address]: () => emojiPicture,
}
