/** The texts in a trace: within its size, and without what workspaces do not allow us to store. */
import { expect, test } from 'vitest'
import { TraceText } from '../../src/telemetry/run-trace-text.ts'
import { withoutSearchResults } from '../../src/telemetry/strip-search-results.ts'
import { madeTrace, modelCall, toolCall } from '../harness/made-trace.ts'

const FOUND = 'Thought: Bob wrote that the codename is Zephyr.'

test('a full trace keeps the beginning and end of further texts, and says so', () => {
  const text = new TraceText([], 7_999_990)
  expect(text.text('x'.repeat(20))).toBe('x'.repeat(20))
  expect(text.cut).toBeUndefined()
  const kept = text.text(`begin${'x'.repeat(10_000)}end`)
  expect(kept).toMatch(/^begin[^]*characters cut[^]*end$/)
  expect(kept.length).toBeLessThan(600)
  expect(text.cut).toContain('8,000,000 characters')
})

test('a text is cut at its own limit, and pictures are recorded by name and type', () => {
  const text = new TraceText([])
  expect(text.text('x'.repeat(1_000_000)).length).toBeLessThan(401_000)
  const images = [{ name: 'a.png', mime: 'image/png', base64: 'AAAA' }]
  const sent = text.message({ role: 'user', content: 'see', images })
  expect(sent).toEqual({ role: 'user', content: 'see', images: [{ name: 'a.png', mime: 'image/png' }] })
})

test('secrets are blanked in values of any form; a non-JSON value is described', () => {
  const text = new TraceText(['se"cret-1', 'abc'])
  expect(text.json({ 'se"cret-1': ['x se"cret-1 y'], abc: 'abc' })).toEqual({ '***': ['x *** y'], abc: 'abc' })
  const round: Record<string, unknown> = {}
  round['self'] = round
  expect(text.json(round)).toBe('(This is no JSON.)')
  expect(text.json(10n)).toBe('(This is no JSON.)')
})

test('no cut leaves a part of a secret', () => {
  const secret = 'sesame-street-42'
  const around = `${'x'.repeat(280_000 - 8)}${secret}${'y'.repeat(400_000)}`
  expect(new TraceText([secret]).text(around)).not.toContain('sesame')
  expect(new TraceText([secret]).json({ a: around.slice(6) })).not.toContain('sesame')
})

test('a long value is counted once', () => {
  const text = new TraceText([], 7_500_000)
  text.json('x'.repeat(600_000))
  expect(text.text('y'.repeat(90_000))).toHaveLength(90_000)
})

/** Returns a run with a result of a search, and then this text. */
function found(content: string, output = '') {
  const trace = withoutSearchResults(
    madeTrace([
      modelCall(0, { request: { messages: [{ role: 'user', content: 'Known before.' }] } }),
      toolCall(10, 1, { tool: 'workspace_search', passing: true, output: { text: FOUND }, shown: FOUND }),
      modelCall(20, {
        output: { text: output },
        request: {
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Known before.' },
            { role: 'user', content },
          ],
        },
      }),
    ]),
  )
  const call = trace.calls[2]
  const last = call?.kind === 'model' ? call : undefined
  return { text: JSON.stringify(trace), sent: last?.request.messages.map((one) => one.content), output: last?.output }
}

test('workspace results are removed from prompts, also in defused form', () => {
  const { text, sent } = found(`before <1>| ${FOUND}</1> after`)
  expect(sent).toEqual(['Be brief.', 'Known before.', 'before <1>(What was found is not kept.)</1> after'])
  expect(text).not.toContain('Zephyr')
})

test('if they appear in another form, everything not sent before is removed', () => {
  const { text, sent } = found('before, in pieces: Bob wrote … Zephyr')
  expect(sent).toEqual(['Be brief.', 'Known before.', '(What was found is not kept.)'])
  expect(text).not.toContain('Zephyr')
})

test('they are removed where the model repeats them', () => {
  expect(found(FOUND, `I see: ${FOUND}`).output).toEqual({ text: 'I see: (What was found is not kept.)' })
})

test('they are removed from reasoning too, also in a tool’s model call', () => {
  const tool = toolCall(10, 1, { tool: 'workspace_search', passing: true, output: { text: FOUND }, shown: FOUND })
  const output = { text: 'I see.', reasoning: `So: ${FOUND}` }
  const { calls } = withoutSearchResults(
    madeTrace([tool, modelCall(20, { output }), modelCall(30, { for: 'tool', step: 1, output })]),
  )
  expect(calls.slice(1)).toMatchObject([
    { output: { text: 'I see.', reasoning: 'So: (What was found is not kept.)' } },
    { output: { text: '(What was found is not kept.)', reasoning: '(What was found is not kept.)' } },
  ])
})
