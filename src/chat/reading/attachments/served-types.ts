/**
 * How browsers may take an uploaded file. What they show by themselves without running anything is shown as what its
 * uploader called it; whatever else is downloaded, and nothing is guessed from its bytes.
 */

/** Text is shown as text, whatever is in it. */
const shownTypes: ReadonlySet<string> = new Set(
  (
    "image/png image/jpeg image/gif image/webp image/avif image/bmp audio/mpeg audio/ogg audio/wav audio/x-wav audio/aac " +
    "audio/flac audio/mp4 audio/webm video/mp4 video/webm video/ogg text/plain application/pdf"
  ).split(" "),
)

/** RFC 8187: what is not in this set is percent-encoded. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** Clients that know no other form get a name of plain characters. */
const plain = (name: string): string => name.replace(/[^\w.-]/g, "_")

const disposition = (kind: "inline" | "attachment", name: string): string =>
  `${kind}; filename="${plain(name)}"; filename*=UTF-8''${encoded(name)}`

type Header = readonly [name: string, value: string]

/**
 * The headers that keep a file from being run: nothing in it may load, run or be taken for another type. Chromium's own
 * viewer of PDF works under them.
 */
const guards: ReadonlyArray<Header> = [
  ["X-Content-Type-Options", "nosniff"],
  [
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox",
  ],
  ["Cache-Control", "private, max-age=3600"],
]

/** `pages`: which of other servers may show the file without asking this one for leave (CORS). */
export const servedHeaders = (
  contentType: string,
  name: string,
  pages: "same-site" | "cross-origin",
): ReadonlyArray<Header> => {
  const isShown = shownTypes.has(contentType)
  const type = !isShown
    ? "application/octet-stream"
    : contentType === "text/plain"
      ? "text/plain; charset=utf-8"
      : contentType
  return [
    ["Content-Type", type],
    ["Content-Disposition", disposition(isShown ? "inline" : "attachment", name)],
    ["Cross-Origin-Resource-Policy", pages],
    ...guards,
  ]
}
