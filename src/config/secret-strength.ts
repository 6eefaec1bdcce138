/**
 * Whether a secret can be guessed: too short, of too little variety (one letter over and over, a word repeated, a row of the
 * keyboard), or what documents and templates show in its place. It is no measure of what is left, which cannot be told from
 * the text alone; what `openssl rand` makes always passes. Asked by read-settings.ts for production.
 */

/** The shortest secret: 256 bits as hexadecimal are 64, 190 random bits as base64 are 32. */
const shortest = 32

export const expectedSecret = `at least ${shortest} random characters, such as those of openssl rand -hex 32`

/** Digits alone are ten. Of 32 random ones fewer than six differ once in ten million times. */
const fewestLetters = 6

/** Of 32 random digits, the worst case, hardly one secret in a million has fewer pieces. */
const fewestPieces = 16

/** What people write where they do not think: rows of the keyboard, and words of examples. */
const wellKnown =
  "qwertyuiopasdfghjklzxcvbnm qwertzuiopasdfghjklyxcvbnm azertyuiopqsdfghjklmwxcvbn 1qaz2wsx3edc4rfv 1q2w3e4r5t6y " +
  "password passphrase passwort secret secretkey apikey token development production testing default example sample " +
  "admin administrator root letmein welcome iloveyou parley zulip server random characters string changeme deadbeef " +
  "cafebabe correcthorsebatterystaple loremipsumdolorsitamet"

/** With nothing but letters and digits left. They are so long that they come up by chance in no random text. */
const placeholders =
  /change(?:me|this|it|the|your|before)|replace(?:me|this|with|the|your)|placeholder|your.{0,20}(?:secret|key|password)|(?:secret|key|password)(?:goes)?here|(?:insert|put|enter|paste)your|opensslrand|randomcharacters|correcthorsebattery|donotuse|notsecure|insecure/

/** What a template or a shell would have replaced: `<secret>`, `${SECRET}`, `$(openssl ...)`, `{{ secret }}`. */
const unfilled = /^(?:<[\w ,.'-]*>|\$\{[^{}]*\}|\$\([^()]*\)|\{\{[^{}]*\}\})$/

/** The length of what is predictable at a place: letters that step on equally, or that were there before. */
const predictable = (text: string, from: number): number => {
  const step = text.charCodeAt(from + 1) - text.charCodeAt(from)
  let run = Math.abs(step) <= 1 ? 2 : 1
  while (run > 1 && text.charCodeAt(from + run) - text.charCodeAt(from + run - 1) === step) run++
  const before = `${wellKnown}\n${text.slice(0, from)}`
  let copied = 0
  while (from + copied < text.length && before.includes(text.slice(from, from + copied + 1))) copied++
  return Math.max(run, copied)
}

/** Shorter ones are chance. */
const shortestPiece = 4

/** Whether a text has so few pieces: single letters, runs such as `aaaa` and `4321`, and what repeats. */
const isPredictable = (text: string): boolean => {
  let [pieces, at] = [0, 0]
  while (at < text.length && pieces < fewestPieces) {
    const length = predictable(text, at)
    at += length < shortestPiece ? 1 : length
    pieces++
  }
  return pieces < fewestPieces
}

/** What is looked at of a long one. */
const mostLetters = 512

/** What is wrong with a secret, to be said after its name; undefined if nothing is seen. */
export const findWeakness = (secret: string): string | undefined => {
  if (secret.length < shortest) return "is too short"
  const folded = secret.slice(0, mostLetters).toLowerCase()
  const plain = folded.replaceAll(/[^\p{L}\p{N}]+/gu, "")
  if (unfilled.test(secret.trim()) || placeholders.test(plain)) return "is a placeholder"
  const letters = new Set(folded)
  return letters.size < fewestLetters || isPredictable(folded) ? "can be guessed" : undefined
}
