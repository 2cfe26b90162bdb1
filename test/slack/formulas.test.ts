import { expect, test } from 'vitest'
import { answer } from '../harness/slack-content.ts'

test.each([
  ['a fraction', '\\(\\frac{a}{b}\\) and $\\frac{a+1}{2b}$', 'a/b and (a+1)/2b'],
  [
    'powers and indices',
    '$x^2 + y_1$, $x^{2n}$, $a_{ij}$, $e^{i\\pi}$, $x_{i+1}$',
    'x² + y₁, x²ⁿ, a_ij, e^iπ, x_(i+1)',
  ],
  ['Greek letters and signs', '$\\alpha \\le \\Omega \\times \\infty$', 'α ≤ Ω × ∞'],
  ['roots', '\\(\\sqrt{2} + \\sqrt[3]{x+1}\\)', '√2 + ³√(x+1)'],
  ['functions', '$\\sin\\theta + \\log_2 n$', 'sin θ + log₂ n'],
  ['a formula of its own', 'So\n\n$$\\int_0^1 x\\,dx = \\frac{1}{2}$$\n\nthen.', 'So\n\n∫₀¹ x dx = 1/2\n\nthen.'],
  ['a formula in brackets', '\\[\nE = mc^2\n\\]', 'E = mc²'],
  ['lines of an environment', '\\begin{align}a &= b \\\\ c &= d\\end{align}', 'a = b\nc = d'],
  ['a matrix', '$$\\begin{pmatrix}1 & 2 \\\\ 3 & 4\\end{pmatrix}$$', '[1, 2; 3, 4]'],
  ['what stands without dollars', 'It is \\boxed{42} and \\frac{1}{2}.', 'It is 42 and 1/2.'],
  ['words and styles', '$\\text{speed} = \\frac{\\text{way}}{\\text{time}}$', 'speed = way/time'],
  ['a chemical formula', 'H$_2$O', 'H₂O'],
  ['one letter, and a function', '$n$ of $f(x)$', 'n of f(x)'],
  ['sets', '$x \\in \\mathbb{R} \\setminus \\{0\\}$', 'x ∈ ℝ ∖ {0}'],
  ['a product is not bold', '$a * b * c$', 'a ∗ b ∗ c'],
  ['a sum at the beginning is no list', '$$+ 1 - x^2$$', '+ 1 - x²'],
  ['what would be a link is none', '$f[x](y) = 1$', 'f[x](y) = 1'],
])('%s', (_, markdown, shown) => {
  expect(answer(markdown).join('\n\n')).toBe(shown)
})

test.each([
  'It costs $5 and $6.',
  'From $5-$10, or US$5 and A$6=7.',
  '$10-20 (or 5$)',
  'Set $HOME/$PATH and $FOO_BAR/$BAZ.',
  'Between $5, 3 < x and $6.',
  '5$ = 6$',
])('no formula: %s', (text) => {
  expect(answer(text)).toEqual([text.replaceAll('<', '&lt;')])
})

test('escaped brackets and dollars are no formula', () => {
  expect(answer('\\(see below\\) costs \\$5 or \\$6^2')).toEqual(['(see below) costs $5 or $6^2'])
})

test('code keeps its dollars and its commands', () => {
  const code = 'echo "$x^2$" \\(a+b\\)'
  expect(answer(`\`\`\`sh\n${code}\n\`\`\`\n\nand \`$y^2$\` beside $z^2$`)).toEqual([
    `\`\`\`\n${code}\n\`\`\`\n\nand \`$y^2$\` beside z²`,
  ])
  expect(answer(`- a:\n  \`\`\`sh\n  ${code}\n  \`\`\``)).toEqual([`• a:\n\n\`\`\`\n${code}\n\`\`\``])
})

test('a broken formula is shown as it is, and pings nobody', () => {
  expect(answer('\\frac{a}{')).toEqual(['\\frac{a}{'])
  expect(answer('$x^{2$ and $<!channel>^2$')).toEqual([expect.not.stringContaining('<!')])
})
