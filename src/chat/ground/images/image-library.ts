/** The image library. Only the decoder's process loads it (process/decoder-process.ts): pictures are made by others. */

/** Whether it is installed. Where it is not, the server serves all the same, and takes no images. */
export const isInstalled = (): boolean => {
  try {
    return import.meta.resolve("sharp") !== ""
  } catch {
    return false
  }
}

/** It takes 100 ms and 20 MB, and keeps no pictures between images. */
export const loadLibrary = async () => {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

export type ImageLibrary = Awaited<ReturnType<typeof loadLibrary>>
