/**
 * The files of the pictures of custom emoji, which anybody may fetch who knows their address: it holds 128 random bits, and
 * clients show pictures without signing the request (ground/faces).
 */
import { type FileName, fileName } from "../../ground/files/files.ts"

/** Their folder within that of an organization. */
export const emojiFolder = ["emoji", "images"] as const

export const emojiFile = (realm: number, file: string): FileName => fileName(String(realm), ...emojiFolder, file)
