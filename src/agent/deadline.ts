/**
 * A time limit within a run: it ends when the run is aborted or when its milliseconds are over. Its maker calls `release`
 * when the work is done, however it ended. Written by hand, because AbortSignal.any over AbortSignal.timeout costs twice the CPU
 * and leaves its timer and its weak references behind for the garbage collector: a third of the loop's own work.
 */
export class Deadline {
  /** From its making to its end, in milliseconds. */
  readonly ms: number
  readonly #run: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #stop = () => this.#end(this.#run.reason)
  #controller: AbortController | undefined
  #ended: { reason: unknown } | undefined
  #hasPassed = false
  #giveUp = (_reason: unknown): void => {}

  constructor(run: AbortSignal, ms: number) {
    this.#run = run
    this.ms = ms
    this.#timer = setTimeout(() => this.#pass(), ms)
    if (run.aborted) this.#stop()
    else run.addEventListener('abort', this.#stop)
  }

  /** Made when it is first asked for: most tools that only calculate never do. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#ended) this.#controller.abort(this.#ended.reason)
    return this.#controller.signal
  }

  /** True once the time was up before the run was stopped. */
  get hasPassed(): boolean {
    return this.#hasPassed
  }

  /** Waits for work, but no longer than until the end: then it throws the reason of the end. */
  wait<Result>(work: Promise<Result>): Promise<Result> {
    const over = new Promise<never>((_, reject) => (this.#giveUp = reject))
    if (this.#ended) this.#giveUp(this.#ended.reason)
    return Promise.race([work, over])
  }

  release(): void {
    clearTimeout(this.#timer)
    this.#run.removeEventListener('abort', this.#stop)
  }

  #pass(): void {
    this.#hasPassed = this.#ended === undefined
    this.#end(new DOMException('The time is up.', 'TimeoutError'))
  }

  #end(reason: unknown): void {
    if (this.#ended) return
    this.#ended = { reason }
    this.#controller?.abort(reason)
    this.#giveUp(reason)
  }
}

/** Aborted when either is. By hand, for the same reasons. `release` ends the listening. */
export function eitherOf(one: AbortSignal, other: AbortSignal | undefined): { signal: AbortSignal; release(): void } {
  if (!other) return { signal: one, release: () => {} }
  const controller = new AbortController()
  const both = [one, other].map((signal) => {
    const abort = () => controller.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    return () => signal.removeEventListener('abort', abort)
  })
  return { signal: controller.signal, release: () => both.forEach((release) => release()) }
}
