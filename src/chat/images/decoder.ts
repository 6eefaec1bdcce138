/** The image library, for all who decode pictures of others. */

/** Loaded when the first image comes: it takes 100 ms and 20 MB. It keeps no pictures between images. */
export const loadSharp = async () => {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

export type Decoder = Awaited<ReturnType<typeof loadSharp>>
