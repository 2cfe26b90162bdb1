import type { Handler } from '../../src/queue/types.ts'
import type { Run } from '../../src/stores/runs/types.ts'
import { toolStep } from './stores.ts'

/** The posts that reached people, in order: `question name: post key`. It detects a repeated or lost post. */
export class PlayedSlack {
  readonly posts: string[] = []

  post(text: string): string {
    return `${this.posts.push(text)}.0`
  }

  find(text: string): string | undefined {
    const at = this.posts.indexOf(text)
    return at < 0 ? undefined : `${at + 1}.0`
  }

  /**
   * Returns a handler that posts and saves two steps and an answer, as the bot does. It looks up a post whose fate is
   * unknown.
   */
  handler(): Handler {
    return async ({ ts }, run) => {
      if (run.saved.standalone === undefined) await run.save({ part: 'standalone', value: `${ts}` })
      for (const n of [1, 2]) {
        await this.postOnce(run, `step-${n}`, `${ts}: step-${n}`)
        if (!run.saved.steps[n - 1]) await run.save({ part: 'step', n, value: toolStep(n) })
      }
      await this.postOnce(run, 'answer-1', `${ts}: answer-1`)
    }
  }

  async postOnce(run: Run, key: string, text: string): Promise<void> {
    const claim = await run.claimPost(key)
    if (typeof claim === 'object') return
    const ts = claim === 'unsure' ? this.find(text) : undefined
    await run.posted(key, ts ?? this.post(text))
  }

  /** The posts that this handler makes for these questions, in order. */
  static postsOf(...names: string[]): string[] {
    return names.flatMap((name) => ['step-1', 'step-2', 'answer-1'].map((key) => `${name}: ${key}`))
  }
}
