/** Returns the rows of the Markdown table whose header line begins with `header`, cell by cell. Backticks are kept. */
export function tableUnder(header: string, text: string): string[][] {
  const lines = text.split('\n')
  const begin = lines.findIndex((line) => line.startsWith(header))
  if (begin < 0) throw new Error(`There is no table that begins with ${header}`)
  const end = lines.findIndex((line, i) => i > begin && !line.startsWith('|'))
  return lines.slice(begin + 2, end < 0 ? undefined : end).map(cellsOf)
}

/** Returns the text between the first pair of backticks. */
export function codeIn(cell: string | undefined): string {
  return /`([^`]*)`/.exec(cell ?? '')?.[1] ?? ''
}

/** Returns the first code block after these words. */
export function codeAfter(words: string, text: string): string {
  const code = text.slice(text.indexOf(words)).match(/```\w+\n([^]*?)```/)?.[1]
  if (code === undefined) throw new Error(`There is no code after ${words}`)
  return code
}

/** Returns the targets of a text's links and pictures. */
export function linksIn(text: string): string[] {
  const written = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
  const tags = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
  return [...written, ...tags].map(([, address]) => address!)
}

/** Returns the anchors of a text's headings, as GitHub names them: `## Make the Slack app` is `make-the-slack-app`. */
export function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!.toLowerCase())
  return headings.map((heading) =>
    heading
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}
