/** The weight of rendering a text, told from it before it is parsed: whether it is done at once or in the worker. */

/** Up to here the worst content takes 5 ms; twice as long content twice as much. */
const shortContent = 1000

const fenceWithWord = /^[ \t>]*(?:`{3,}|~{3,})[ \t]*([^\s`]+)/gm
const containers: ReadonlySet<string> = new Set(["quote", "spoiler"])

/** The words after fences, without those that make quotes and spoilers. */
export const wordsOfFences = (content: string): ReadonlySet<string> => {
  const words = new Set<string>()
  if (!/```|~~~/.test(content)) return words
  for (const [, word = ""] of content.matchAll(fenceWithWord)) if (!containers.has(word.toLowerCase())) words.add(word)
  return words
}

export const mayHoldMath = (content: string): boolean => {
  const first = content.indexOf("$$")
  return (first >= 0 && content.includes("$$", first + 2)) || /(?:`{3}|~{3})[ \t]*math/i.test(content)
}

/** Whether it is rendered on the server's own thread. `codeLanguage`: of code blocks that name none. */
export const isLight = (content: string, codeLanguage: string): boolean =>
  content.length <= shortContent &&
  !mayHoldMath(content) &&
  wordsOfFences(content).size === 0 &&
  (codeLanguage === "" || !/```|~~~|^ {4}|\t/m.test(content))
