/**
 * The play that all scenarios are: each question has a name that stands in all that belongs to it, is answered after
 * two uses of one tool, and so makes three posts. What is missing, twice, out of order or in another's thread shows by
 * the names.
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Ends } from '../ends.ts'
import { act, finish, type PlayedRequest, type Turn } from '../played-model.ts'
import { diceFor } from './dice.ts'

/** The name of a question: its thread's number and its own. */
const NAME = /\bq\d+-\d+\b/

export function nameIn(text: string): string {
  return NAME.exec(text)?.[0] ?? ''
}

export function questionText(name: string): string {
  return `${name}: what does the ledger say?`
}

/** The model's part. A follow-up is made standalone by one call more. */
export function playedTurn(request: PlayedRequest): Turn {
  const name = nameIn(request.question)
  if (request.kind === 'condense') return `${name}: what does the ledger say, standing alone?`
  const seen = observationsIn(request)
  return seen < 2 ? act(`${name} thinks`, 'ledger', `${name} use ${seen + 1}`) : playedEnd(name)
}

export function playedEnd(name: string): Turn {
  return finish(`${name} is answered.`)
}

/** A model that answers by script, each call after its own pause. */
export function thoughtfulTurn(fromMs: number, toMs: number): (request: PlayedRequest) => Promise<Turn> {
  return async (request) => {
    await wait(diceFor(callName(request)).between(fromMs, toMs))
    return playedTurn(request)
  }
}

/** How far the run was when it asked. */
export function observationsIn({ body }: PlayedRequest): number {
  return (body.messages.at(-1)?.content ?? '').split('\nObservation: ').length - 1
}

/** Returns a model call's name. No finished call may be repeated. */
export function callName(request: PlayedRequest): string {
  const turn = request.kind === 'condense' ? 'condense' : `turn ${observationsIn(request) + 1}`
  return `${nameIn(request.question)} ${turn}`
}

/** The posts of one question, as `Scene.postsIn` names them. */
export function postsOf(...names: string[]): string[] {
  return names.flatMap((name) => ['step-1', 'step-2', 'answer-1'].map((step) => `${name} ${step}`))
}

/** The text that a post must show at the end. */
export function wordsOf(name: string, step: string): string {
  if (step === 'card') return '2 steps, '
  if (step.startsWith('approval-')) return '✅ *Allowed once* by '
  return step.startsWith('step-') ? `noted: ${name} use ${step.slice('step-'.length)}` : `${name} is answered.`
}

export interface Ledger {
  url: string
  /** The recorded and answered calls, in order, with their times by performance.now(). */
  noted: { text: string; at: number }[]
  /** Uses that came in, answered or not. */
  asked: string[]
  /** Holds all answers until the promise is resolved. */
  hold(until: Promise<unknown>): void
}

/** The tool's other end. */
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
