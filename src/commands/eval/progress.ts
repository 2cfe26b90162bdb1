/** The stream that shows the progress, usually stderr. */
export interface ProgressStream {
  isTTY?: boolean | undefined
  write(text: string): unknown
}

const WIDTH = 24
/** How many progress lines are written if there is no terminal. */
const PARTS = 10

/** Shows a bar that redraws itself in a terminal; in a file or a log, one line per tenth. */
export class Progress {
  readonly #stream: ProgressStream
  readonly #options: { label: string; total: number; now(): number }
  readonly #from: number
  #done = 0
  #right = 0
  #failed = 0
  #skipped = 0

  constructor(stream: ProgressStream, options: { label: string; total: number; now(): number }) {
    this.#stream = stream
    this.#options = options
    this.#from = options.now()
  }

  /** Counts a question that an earlier evaluation has answered. */
  skip(isRight: boolean): void {
    this.#skipped++
    this.#count(isRight)
  }

  add({ isRight, hasFailed }: { isRight: boolean; hasFailed: boolean }): void {
    if (hasFailed) this.#failed++
    const before = this.#part()
    this.#count(isRight)
    if (this.#stream.isTTY) this.#stream.write(`\r${this.#line()}\u001b[K`)
    else if (this.#part() > before) this.#stream.write(`${this.#line()}\n`)
  }

  end(): void {
    if (this.#stream.isTTY) this.#stream.write('\n')
  }

  #count(isRight: boolean): void {
    this.#done++
    if (isRight) this.#right++
  }

  #part(): number {
    return Math.floor((PARTS * this.#done) / this.#options.total)
  }

  #line(): string {
    const { label, total, now } = this.#options
    const filled = Math.round((WIDTH * this.#done) / total)
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
    const perQuestion = (now() - this.#from) / 1000 / (this.#done - this.#skipped)
    const left = duration(perQuestion * (total - this.#done))
    const failed = this.#failed > 0 ? `, ${this.#failed} failed` : ''
    return `${label} ${bar} ${this.#done}/${total}, ${this.#right} right${failed}, ${left} left`
  }
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
