/** The image library. Only the decoder's process loads it (process/decoder-process.ts): pictures are made by others. */

/** It takes 100 ms and 20 MB, and keeps no pictures between images. */
export const loadLibrary = async () => {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

export type ImageLibrary = Awaited<ReturnType<typeof loadLibrary>>
