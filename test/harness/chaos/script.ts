/**
 * The script of all scenarios. Each question has a unique name in all of its texts, is answered after two uses of one
 * tool, and makes three posts. The names show what is missing, repeated, out of order or in the wrong thread.
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Ends } from '../ends.ts'
import { act, finish, type PlayedRequest, type Turn } from '../played-model.ts'
import { randomFor } from './seeded-random.ts'

/** Matches the name of a question: its thread's number and its own. */
const NAME = /\bq\d+-\d+\b/

export function nameIn(text: string): string {
  return NAME.exec(text)?.[0] ?? ''
}

export function questionText(name: string): string {
  return `${name}: what does the ledger say?`
}

/** Returns the model's turn. A follow-up needs one more call, which makes it standalone. */
export function playedTurn(request: PlayedRequest): Turn {
  const name = nameIn(request.question)
  if (request.kind === 'condense') return `${name}: what does the ledger say, standing alone?`
  const seen = observationsIn(request)
  return seen < 2 ? act(`${name} thinks`, 'ledger', `${name} use ${seen + 1}`) : finalTurn(name)
}

export function finalTurn(name: string): Turn {
  return finish(`${name} is answered.`)
}

/** Returns a scripted model. It pauses before each call. */
export function delayedTurn(fromMs: number, toMs: number): (request: PlayedRequest) => Promise<Turn> {
  return async (request) => {
    await wait(randomFor(callName(request)).between(fromMs, toMs))
    return playedTurn(request)
  }
}

/** Returns the number of observations in a request, behind its question: worked turns have some too. */
export function observationsIn({ body }: PlayedRequest): number {
  const whole = body.messages.map(({ content }) => content ?? '').join('\n')
  return (whole.split(/^Question: /m).at(-1) ?? '').split(/^Observation: /m).length - 1
}

/** Returns a model call's name. No completed call may be repeated. */
export function callName(request: PlayedRequest): string {
  const turn = request.kind === 'condense' ? 'condense' : `turn ${observationsIn(request) + 1}`
  return `${nameIn(request.question)} ${turn}`
}

/** Returns the posts of questions, as `Scene.postsIn` names them. */
export function postsOf(...names: string[]): string[] {
  return names.flatMap((name) => ['step-1', 'step-2', 'answer-1'].map((step) => `${name} ${step}`))
}

/** Returns the text that a post must show at the end. */
export function wordsOf(name: string, step: string): string {
  if (step === 'card') return '2 steps, '
  if (step.startsWith('approval-')) return '✅ *Allowed once* by '
  return step.startsWith('step-') ? `noted: ${name} use ${step.slice('step-'.length)}` : `${name} is answered.`
}

export interface Ledger {
  url: string
  /** The recorded and answered calls, in order, with their times by performance.now(). */
  noted: { text: string; at: number }[]
  /** The uses that arrived, answered or not. */
  asked: string[]
  /** Holds all answers until the promise is resolved. */
  hold(until: Promise<unknown>): void
}

/** Starts the service behind the tool. */
export async function openLedger(t: Ends): Promise<Ledger> {
  const noted: Ledger['noted'] = []
  const asked: string[] = []
  let held: Promise<unknown> = Promise.resolve()
  const server = createServer((request, response) => {
    void (async () => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      asked.push(text)
      await held
      if (request.socket.destroyed) return
      noted.push({ text, at: performance.now() })
      response.end(`noted: ${text}`)
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, noted, asked, hold: (until) => void (held = until) }
}
