/** Starts the separate processes of `npm run dev`, which load the code as it is now. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Env } from '../../src/config.ts'
import { ROOT } from '../../src/base/package-root.ts'
import type { TryResult, TryRequest } from './try-prompts.ts'

/** Returns the arguments with which Node runs a source file. */
export function sourceArgs(file: string): string[] {
  return ['--import', 'tsx', join(ROOT, file)]
}

/** Returns the error in what Node prints when a process crashes: one sentence, without the stack. */
export function crashSentence(stderr: string): string {
  const text = stderr.replaceAll(`${ROOT}/`, '').replaceAll('file://', '')
  // esbuild has the place before the word ERROR.
  const [, place = '', fault = 'The process ended and did not say why'] =
    /^(\S+: )ERROR: (.+)$/m.exec(text) ?? /^()\w*Error(?: \[\w+\])?: (.+)$/m.exec(text) ?? []
  const sentence = `${place}${fault}`.slice(0, 500)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

interface TryOptions {
  settings: Env
  signal: AbortSignal
  nodeArgs?: ((file: string) => string[]) | undefined
}

/** Tries a prompt. @throws Error with a sentence */
export async function tryInProcess(
  request: TryRequest,
  { settings: env, signal, nodeArgs = sourceArgs }: TryOptions,
): Promise<TryResult> {
  if (!env['REDIS_URL'])
    throw new Error('To try a prompt, npm run dev needs Redis: install redis-server, and start again.')
  const args = nodeArgs('playground/bot/try-process.ts')
  const trying = promisify(execFile)(process.execPath, args, { cwd: ROOT, env, signal })
  // The process may end before it is asked. It then says why on stderr.
  trying.child.stdin?.on('error', () => undefined).end(JSON.stringify(request))
  const { stdout } = await trying.catch(({ stderr = '' }: { stderr?: string }) => {
    throw new Error(crashSentence(stderr))
  })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as TryResult
}
