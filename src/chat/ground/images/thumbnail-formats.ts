/**
 * The smaller forms in which uploaded pictures are shown, and their names, which are the ends of their addresses. Register
 * lists them (`server_thumbnail_formats`), so that clients choose.
 */

/** The facts of a picture that its header tells. */
export interface PictureFacts {
  /** By its bytes, whatever its uploader called it. */
  readonly contentType: string
  /** In pixels, as it is shown: turned as its camera says. */
  readonly width: number
  readonly height: number
  readonly isAnimated: boolean
}

export const thumbnailWidth = 840
export const thumbnailHeight = 560

const format = (isAnimated: boolean) => ({
  name: `${thumbnailWidth}x${thumbnailHeight}${isAnimated ? "-anim" : ""}.webp`,
  max_width: thumbnailWidth,
  max_height: thumbnailHeight,
  format: "webp",
  animated: isAnimated,
})

const still = format(false)
const moving = format(true)

export const thumbnailFormats = [moving, still] as const
export const stillFormat = still.name
export const movingFormat = moving.name

/** The format whose address stands in messages. */
export const shownFormat = ({ isAnimated }: PictureFacts): string => (isAnimated ? movingFormat : stillFormat)

/** The format of a full-size copy, for a picture of a type that no browser shows; undefined for all others. */
export const transcodedFormat = ({ contentType, width, height }: PictureFacts): string | undefined =>
  contentType === "image/tiff" ? `${width}x${height}.webp` : undefined

/** All formats in which a picture is stored. */
export const formatsOf = (picture: PictureFacts): ReadonlyArray<string> => {
  const transcoded = transcodedFormat(picture)
  return [stillFormat, ...(picture.isAnimated ? [movingFormat] : []), ...(transcoded === undefined ? [] : [transcoded])]
}
