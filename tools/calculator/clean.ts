const SUPERSCRIPTS: Record<string, string> = { '⁻': '-', '⁰': '0', '¹': '1', '²': '2', '³': '3' }
for (const [i, digit] of [...'⁴⁵⁶⁷⁸⁹'].entries()) SUPERSCRIPTS[digit] = String(i + 4)

/** Signs that mean the same as a plain one, LaTeX's included. */
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
 * What models wrap an expression in, taken off: code fences, quotes, a trailing `=`, Markdown's backslashes (seed 003's
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

/** Takes off up to three layers of fences, quotes or dollar signs that enclose the whole. */
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
