import { expect } from 'vitest'
import { GENERAL, type LocalSlack } from '../../playground/slack/slack.ts'

export type SlackAnswer = Record<string, unknown>

/** A method, its arguments, and its expected error or part of its answer. */
export type SlackStep = [method: string, args: SlackAnswer, expected: string | SlackAnswer]

/** Calls a method like @slack/web-api: a form with structured arguments as JSON. Default channel: #general. */
export async function callSlack(slack: LocalSlack, method: string, args: SlackAnswer = {}): Promise<SlackAnswer> {
  const { token = slack.botToken, ...rest } = { channel: GENERAL, channel_id: GENERAL, ...args }
  const body = new URLSearchParams()
  for (const [key, value] of Object.entries(rest))
    body.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value))
  const headers = { authorization: `Bearer ${String(token)}` }
  return (await (await fetch(slack.apiUrl + method, { method: 'POST', body, headers })).json()) as SlackAnswer
}

/** Makes the calls one after another, and compares each answer with the expected one. */
export async function slackStory(slack: LocalSlack, steps: SlackStep[]): Promise<void> {
  for (const [method, args, expected] of steps) {
    const part = typeof expected === 'string' ? { ok: false, error: expected } : { ok: true, ...expected }
    expect(await callSlack(slack, method, args), `${method} ${JSON.stringify(args)}`).toMatchObject(part)
  }
}
