import type { ReadStream, WriteStream } from 'node:tty'

/**
 * Matches a terminal's codes for cursor keys (an escape, a bracket, some numbers, a letter), and the marks around
 * pasted text.
 */
const KEYS = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])/g
const INTERRUPT = '\u0003'
const END = '\u0004'
const ERASE = /[\u0008\u007f]/

/** How the setup talks to a person. */
export interface Prompter {
  say(text?: string): void
  ask(prompt: string, options?: { hidden?: boolean }): Promise<string>
  confirm(prompt: string, preset: boolean): Promise<boolean>
  /** Resolves to whether the address was opened in a browser. */
  open(address: string): Promise<boolean>
}

/** An open question. */
interface OpenPrompt {
  hidden: boolean
  resolve: (answer: string) => void
}

/**
 * Asks questions in a terminal whose echo is off the whole time. Text that is typed or pasted while no question is
 * open, such as a token with its line end, is never shown.
 */
export class Terminal implements Prompter {
  readonly open: Prompter['open']
  readonly #input: ReadStream
  readonly #output: WriteStream
  readonly #leave: () => void
  #typed = ''
  #last = ''
  #question: OpenPrompt | undefined
  readonly #lines: string[] = []

  /** `leave` is called on Ctrl+C and when the terminal goes away, after the terminal was restored. */
  constructor(input: ReadStream, output: WriteStream, leave: () => void, open: Prompter['open']) {
    this.open = open
    this.#input = input
    this.#output = output
    this.#leave = leave
    input.setRawMode(true)
    input.setEncoding('utf8')
    input.on('data', this.#take)
    input.on('end', this.#end)
  }

  say(text = ''): void {
    this.#output.write(`${text}\n`)
  }

  /** With `hidden` the answer is not shown. */
  ask(prompt: string, { hidden = false } = {}): Promise<string> {
    this.#output.write(prompt)
    return new Promise((resolve) => {
      this.#question = { hidden, resolve }
      if (!hidden) this.#output.write(this.#lines[0] ?? this.#typed)
      this.#answer()
    })
  }

  /** Asks for yes or no. Enter alone means `preset`. */
  async confirm(prompt: string, preset: boolean): Promise<boolean> {
    const answer = (await this.ask(`${prompt} [${preset ? 'Y/n' : 'y/N'}] `)).toLowerCase()
    return answer === '' ? preset : answer === 'y' || answer === 'yes'
  }

  /** Restores the terminal. */
  close(): void {
    this.#input.off('data', this.#take)
    this.#input.off('end', this.#end)
    this.#input.setRawMode(false)
    this.#input.pause()
  }

  readonly #take = (chunk: string): void => {
    for (const key of chunk.replace(KEYS, '')) {
      if (key === INTERRUPT || (key === END && this.#typed === '')) return this.#end()
      const isSecondHalf = key === '\n' && this.#last === '\r'
      this.#last = key
      if (isSecondHalf) continue
      if (key === '\r' || key === '\n') this.#enter()
      else if (ERASE.test(key)) this.#erase()
      else if (key >= ' ') this.#type(key)
    }
  }

  readonly #end = (): void => {
    this.close()
    this.#output.write('\n')
    this.#leave()
  }

  #type(key: string): void {
    this.#typed += key
    if (this.#question && !this.#question.hidden) this.#output.write(key)
  }

  #erase(): void {
    if (this.#typed !== '' && this.#question && !this.#question.hidden) this.#output.write('\b \b')
    this.#typed = [...this.#typed].slice(0, -1).join('')
  }

  #enter(): void {
    this.#lines.push(this.#typed)
    this.#typed = ''
    this.#answer()
  }

  #answer(): void {
    const question = this.#question
    const [line] = this.#lines
    if (!question || line === undefined) return
    this.#lines.shift()
    this.#question = undefined
    this.#output.write('\n')
    question.resolve(line.trim())
  }
}
