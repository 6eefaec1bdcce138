/**
 * Takes a TypeScript text apart into code, strings and comments. It knows just enough of the grammar to tell them from
 * each other: TypeScript 7 has no interface for programs yet. Used by source-rules.ts.
 */
export interface Scanned {
  /** The code without comments; each string, template and regular expression has become `"number"`. */
  readonly code: string
  readonly strings: ReadonlyArray<string>
  readonly comments: string
  /** Modules that are imported or re-exported, in any way that names them with a plain string. */
  readonly imports: ReadonlyArray<string>
}

/** Sticky patterns, tried in this order wherever the scan stands. */
const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const quoted = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y
const regularExpression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
const templatePart = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y

/** After one of these a slash begins a regular expression, elsewhere it divides. */
const beforeExpression = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|void))\s*$/

const importName = /\b(?:from|import)\s*\(?\s*"(\d+)"/g

export const scanSource = (text: string): Scanned => {
  const strings: Array<string> = []
  const comments: Array<string> = []
  let code = ""
  let at = 0
  /** For each open template: how many braces are open inside its current `${`. */
  const templates: Array<number> = []

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const keep = (content: string) => {
    code += `"${strings.push(content) - 1}"`
  }
  /** Reads a template on from its opening quote or from the end of a `${}`. */
  const takeTemplatePart = () => {
    keep(take(templatePart) ?? "")
    if (text.startsWith("${", at)) {
      templates.push(0)
      at += 2
    } else at += 1
  }

  while (at < text.length) {
    const note = take(comment)
    if (note !== undefined) {
      comments.push(note)
      continue
    }
    const literal =
      take(quoted) ?? (text[at] === "/" && beforeExpression.test(code) ? take(regularExpression) : undefined)
    if (literal !== undefined) {
      keep(literal.slice(1, -1))
      continue
    }
    const character = text[at] ?? ""
    at += 1
    const open = templates.at(-1)
    if (character === "`") takeTemplatePart()
    else if (character === "}" && open === 0) {
      templates.pop()
      takeTemplatePart()
    } else {
      if (open !== undefined && character === "{") templates[templates.length - 1] = open + 1
      if (open !== undefined && character === "}") templates[templates.length - 1] = open - 1
      code += character
    }
  }
  const imports = [...code.matchAll(importName)].map(([, index]) => strings[Number(index)] ?? "")
  return { code, strings, comments: comments.join("\n"), imports }
}
