import tseslint from 'typescript-eslint'

/** The sizes of CONTRIBUTING.md. */
const sizes = {
  'max-params': ['error', 5],
  'max-lines': ['error', 300],
  'max-lines-per-function': ['error', { max: 60, IIFEs: true }],
}

/** The browser globals that the playground's page uses. */
const browser = [
  'document',
  'window',
  'location',
  'navigator',
  'fetch',
  'console',
  'WebSocket',
  'URL',
  'URLSearchParams',
]
browser.push('setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'requestAnimationFrame', 'localStorage')
browser.push(
  'Node',
  'Element',
  'HTMLElement',
  'Event',
  'CustomEvent',
  'KeyboardEvent',
  'getSelection',
  'matchMedia',
  'history',
)

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', 'tmp/**', 'eval-results/**', 'tools/custom/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...sizes,
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['playground/page/**/*.js'],
    languageOptions: { globals: Object.fromEntries(browser.map((name) => [name, 'readonly'])) },
    rules: { ...sizes, 'no-undef': 'error' },
  },
  {
    files: ['scripts/*.js'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly' } },
    rules: { ...sizes, 'no-undef': 'error' },
  },
  { files: ['test/**/*.ts'], rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' } },
)
