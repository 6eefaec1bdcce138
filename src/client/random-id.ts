/** A word that nobody else has. `crypto.randomUUID` is only there in pages that came encrypted. */
export const newRandomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
