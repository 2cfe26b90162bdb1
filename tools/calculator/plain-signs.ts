const SUPERSCRIPTS: Record<string, string> = { '⁻': '-', '⁰': '0', '¹': '1', '²': '2', '³': '3' }
for (const [i, digit] of [...'⁴⁵⁶⁷⁸⁹'].entries()) SUPERSCRIPTS[digit] = String(i + 4)

/** Alternative spellings of plain signs, including LaTeX. */
const SIGNS: [RegExp, string][] = [
  [/\\(?:times|cdot)(?![a-z])|[×⋅·∙∗]/g, '*'],
  [/\\div(?![a-z])|[÷∕⁄]/g, '/'],
  [/\\(?:left|right)(?![a-z])/g, ''],
  [/\\pi(?![a-z])|π/g, ' pi '],
  [/\\sqrt(?![a-z])|√/g, ' sqrt '],
  [/[−–—]/g, '-'],
  [/\\([*_^()+\-/%!])/g, '$1'],
  [/\*\*/g, '^'],
]

/**
 * Removes what models wrap an expression in: code fences, quotes, a trailing `=`, Markdown's backslashes (seed 003's
 * `(54-32)\*5/9`), typographic and full-width signs, superscripts.
 */
export function clean(text: string): string {
  let expression = unwrap(text).replace(/[！-～]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
  for (const [sign, plain] of SIGNS) expression = expression.replace(sign, plain)
  expression = expression.replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (run) => `^(${[...run].map((c) => SUPERSCRIPTS[c]).join('')})`)
  return expression
    .replace(/^\s*=/, '')
    .replace(/[=?\s]+$/, '')
    .trim()
}

/** Removes up to three enclosing layers of fences, quotes or dollar signs. */
function unwrap(text: string): string {
  let inner = text.trim()
  for (let layer = 0; layer < 3; layer += 1) {
    const fence = /^```[a-z]*\s([^`]*)```$/i.exec(inner)
    const quoted = /^(["'`$])([^"'`$]*)\1$/.exec(inner) ?? /^([“‘])([^”’]*)[”’]$/.exec(inner)
    const next = fence?.[1] ?? quoted?.[2]
    if (next === undefined) return inner
    inner = next.trim()
  }
  return inner
}
