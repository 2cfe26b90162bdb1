/** A saved run on its page (npm run trace FILE), and what a person can see and open there. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTracePage } from '../../playground/page-server/trace-server.ts'
import { asRunTrace, type RunTrace } from '../../src/stores/runs/run-trace.ts'
import { temporaryFolder, startCommand } from '../harness/command.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { fullTrace, madeTrace, modelCall, toolCall } from '../harness/made-trace.ts'
import { pagesInChromium, setLook, type Look } from '../harness/open-page.ts'
import { longestTask } from '../harness/page-tasks.ts'

const HOSTILE =
  '<img src=x onerror="document.title=1"><script>document.title=2</script>\u0000\u001b[31m\u202eevil\u2028</pre>'

test('the hand-made trace is valid', () => {
  expect(asRunTrace(fullTrace()).wrong).toBeUndefined()
})

test('a trace of another version is read, and one with wrong amounts is not', () => {
  const waits = [{ step: 1, from: 0, for: 'something new' }]
  expect(asRunTrace({ ...fullTrace(), stopped: 'something new', waits }).wrong).toBeUndefined()
  const usage = { model: 'm', inputTokens: -1, outputTokens: 0, estimated: false }
  const calls = [{ ...modelCall(0), usage: [usage] }]
  expect(asRunTrace({ ...fullTrace(), calls }).wrong).toBe('calls.0.usage.0.inputTokens')
})

describe('npm run trace', () => {
  test('prints the address of the run’s page, and ends on a signal', async (t) => {
    const file = join(await temporaryFolder(t), 'run.json')
    // npm prints lines of its own before the output of `npm run runs -- trace ID > FILE`.
    await writeFile(file, `\n> thinkaloud@0.1.0 runs\n> node dist\n\n${JSON.stringify(fullTrace(), null, 2)}\n`)
    const command = startCommand(t, 'playground/trace.ts', { args: [file] })
    const [, url = ''] = await command.shows(/(http:\/\/localhost:\d+)/)
    expect(await (await fetch(`${url}/trace`)).json()).toEqual(fullTrace())
    expect((await fetch(`${url}/trace`, { headers: { origin: 'http://evil.example' } })).status).toBe(403)
    command.signal('SIGINT')
    expect((await command.ended).code).toBe(0)
  })

  test.each([
    ['no file', undefined, /Usage: npm run trace FILE/],
    ['one that is not there', '', /cannot be read/],
    ['no JSON', 'nonsense', /is not JSON/],
    ['another JSON', '{"version":1}', /is not a trace of a run: id is wrong/],
  ])('%s is a sentence and exit code 1', async (_, content, sentence) => {
    const folder = await temporaryFolder({ onTestFinished })
    const file = join(folder, 'run.json')
    if (content) await writeFile(file, content)
    const args = content === undefined ? [] : [file]
    const command = startCommand({ onTestFinished }, 'playground/trace.ts', { args })
    expect((await command.ended).code).toBe(1)
    expect(command.stderr().trim()).toMatch(sentence)
    expect(command.stderr()).not.toMatch(/\n\s+at /)
  })
})

describeWithChromium('the page of a saved run', () => {
  const openPage = pagesInChromium()

  async function open(trace: RunTrace) {
    const served = await startTracePage(trace)
    onTestFinished(served.close)
    const foreign: string[] = []
    const { page, axe } = await openPage(served.url, {
      drawn: 'text=The run is shown.',
      before: async (fresh) =>
        fresh.on('request', (request) => request.url().startsWith(served.url) || foreign.push(request.url())),
    })
    const [flow, timings] = ['Flow of the run', 'Timings'].map((name) => page.getByRole('list', { name }))
    const part = page.getByRole('region', { name: 'Opened part' })
    return { page, flow: flow!, timings: timings!, part, axe, foreign }
  }

  test('the flow goes from the question over thoughts, actions and observations to the answer', async () => {
    const { flow, axe, foreign } = await open(fullTrace())
    const labels = () => flow.locator('.flow-label').allInnerTexts()
    await expect
      .poll(async () => (await labels()).map((label) => label.replace(/ · [\d.]+ m?s$/, '')))
      .toEqual([
        ...['Question', 'Condense', 'Thought 1', 'Action · wikipedia', 'Observation', 'Action · wikipedia', 'Error'],
        ...['Thought 2', 'Unreadable', 'Hint', 'Thought 3', 'Action · llm_math', 'Observation'],
        ...['Added by a person', 'Thought 4', 'Action · notes__add', 'Waited', 'Observation', 'Thought 5', 'Answer'],
      ])
    const others = flow.getByRole('list', { name: 'Alternative branches' })
    await expect.poll(() => others.first().innerText()).toMatch(/answer\s+unreadable → hint\s+budget/)
    await expect.poll(() => others.nth(1).innerText()).toBe('tool error')
    expect(await axe()).toEqual([])
    expect(foreign).toEqual([])
  })

  const LOOKS: Look[] = [{}, { colorScheme: 'dark' }, { viewport: { width: 320, height: 700 } }]

  test('each box opens its part, in raw output the parsed parts are marked, the address keeps it, and a reload brings it back', async () => {
    const { page, flow, part, axe } = await open(fullTrace())
    await flow.getByRole('button', { name: /^Error/ }).click()
    await part.getByText('Wikipedia answered 503.').first().waitFor()
    await flow.getByRole('button', { name: /^Hint/ }).click()
    await part.getByText('This output could not be read.').waitFor()
    await flow.getByRole('button', { name: /^Waited/ }).click()
    await part.getByText('It waited 2 h 3 min for a person.').waitFor()
    await flow.getByRole('button', { name: /^Added/ }).click()
    await part.getByText('And write it down, please.').waitFor()
    await flow.getByRole('button', { name: /^Answer/ }).click()
    await part.getByRole('region', { name: 'Answer' }).waitFor()
    const read = async () => {
      const marks = part.getByRole('region', { name: 'Raw output' }).locator('mark')
      return (await marks.allTextContents()).map((text) => text.trim())
    }
    await flow.getByRole('button', { name: /^Thought 1/ }).click()
    await expect
      .poll(() => read())
      .toEqual([
        'thought I look up both.',
        ...['action wikipedia', 'input Mont Blanc', 'action wikipedia', 'input Matterhorn'],
      ])
    await flow.getByRole('button', { name: /^Thought 4/ }).click()
    await expect.poll(() => read()).toEqual(['thought I note it down.', 'action notes__add', 'input Mont Blanc'])
    await flow.getByRole('button', { name: /^Thought 5/ }).click()
    await expect.poll(() => read()).toEqual(['answer Mont Blanc is higher.'])
    await expect.poll(async () => (await part.locator('.run-unread').last().textContent())?.trim()).toBe('That is all.')
    for (const look of LOOKS) {
      await setLook(page, look)
      expect(await axe(), JSON.stringify(look)).toEqual([])
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    }
    await flow.getByRole('button', { name: /^Action · llm_math/ }).click()
    await expect.poll(() => new URL(page.url()).hash).toBe('#call-7')
    await page.reload()
    await part.getByRole('heading', { name: 'llm_math: step 4' }).waitFor()
  })

  test('changes of the messages since the previous call are marked, with the size of the cached beginning', async () => {
    const [system, first] = [{ role: 'system' as const, content: 'Be brief.' }, 'Question: moons?\nThought:']
    const calls = [
      modelCall(0, { request: { messages: [system, { role: 'user', content: `${first} END` }] } }),
      modelCall(1_000, {
        request: { messages: [system, { role: 'user', content: `${first} I look.\nObservation: two END` }] },
      }),
    ]
    const { timings, part } = await open(madeTrace(calls))
    await timings.getByRole('button').first().click()
    await part.getByText('as they were sent').waitFor()
    await timings.getByRole('button').nth(1).click()
    await part.getByText(/A cache keeps the first 35 characters \(55 %, about 667 of 1,200 tokens\)/).waitFor()
    await expect.poll(() => part.locator('ins').allTextContents()).toEqual(['I look.\nObservation: two '])
    await part.getByText('As before: 9 characters').click()
    await part.getByText('Be brief.').waitFor()
    await expect.poll(() => part.locator('del').count()).toBe(0)
  })

  test('timings are on one scale: parallel tools, the first piece, and a folded wait', async () => {
    const { timings, page } = await open(fullTrace())
    const rows = timings.getByRole('button')
    await expect.poll(() => rows.count()).toBe(12)
    await expect
      .poll(() => rows.nth(1).innerText())
      .toMatch(/Thought 1\s+0\.9 s\s+1,200 → 40 tokens · 800 cached · \$0.00040 · first piece after 0\.3 s/)
    const bars = await timings.locator('.fall-bar').evaluateAll((all) =>
      all.map((bar) => {
        const { x, width } = bar.getBoundingClientRect()
        return { x, width }
      }),
    )
    const [thought, one, other, wait, after] = [1, 2, 3, 8, 9].map((row) => bars[row])
    expect(one!.x).toBeGreaterThanOrEqual(thought!.x + thought!.width - 1)
    expect(other!.x).toBeLessThan(one!.x + one!.width)
    expect(other!.width / one!.width).toBeCloseTo(2, 0)
    // A folded wait of two hours takes no more room than a second.
    expect(wait!.width).toBeLessThan(thought!.width)
    expect(after!.x).toBeGreaterThanOrEqual(wait!.x + wait!.width - 1)
    await page.getByText('of work, 2 h 3 min waiting for a person').waitFor()
    await page.getByText('8,400 tokens in, 5,600 of them cached, 280 out').waitFor()
    await page.getByText('$0.0028').waitFor()
  })

  test('texts by models, tools and people are shown as plain text', async () => {
    const read = {
      kind: 'actions' as const,
      thought: HOSTILE,
      actions: [{ step: 1, tool: HOSTILE, input: { [HOSTILE]: HOSTILE } }],
    }
    const output = { text: HOSTILE, sources: [{ title: HOSTILE, url: 'javascript:document.title=3' }] }
    const calls = [
      modelCall(0, {
        request: { messages: [{ role: 'user', content: HOSTILE }] },
        output: { text: HOSTILE, reasoning: HOSTILE },
        read,
      }),
      toolCall(900, 1, { tool: HOSTILE, input: HOSTILE, output, shown: HOSTILE }),
      toolCall(950, 1, { tool: '__proto__', input: { __proto__: null }, error: HOSTILE, ok: false }),
    ]
    const hostile = madeTrace(calls, { question: HOSTILE, answer: HOSTILE, cut: HOSTILE, id: HOSTILE })
    const { page, timings, part, foreign } = await open(hostile)
    for (const row of [0, 1, 2]) await timings.getByRole('button').nth(row).click()
    await timings.getByRole('button').nth(1).click()
    await expect.poll(() => page.title()).toContain('<img src=x')
    await expect.poll(() => page.locator('img[src="x"], .run-view a[href^="javascript"]').count()).toBe(0)
    await expect
      .poll(() => part.getByRole('region', { name: 'Input' }).innerText())
      .toContain('␀␛[31m‹U+202E›evil‹U+2028›</pre>')
    expect(foreign).toEqual([])
  })

  test('a long run with long prompts opens without a freeze', async () => {
    const page50k = 'The prompt says what it says. '.repeat(1_700)
    const calls = Array.from({ length: 100 }, (_, i) =>
      modelCall(i * 1_000, {
        turn: i + 1,
        request: { messages: [{ role: 'user', content: `${page50k}${'step '.repeat(i)}` }] },
        output: { text: `${page50k}Action: wikipedia` },
        read: { kind: 'actions', thought: page50k.trim(), actions: [{ step: i + 1, tool: 'wikipedia', input: 'x' }] },
      }),
    )
    const { page, flow, part } = await open(madeTrace(calls))
    const longest = await longestTask(page, async () => {
      await page.reload()
      await flow.getByRole('button', { name: /^Thought 100/ }).click()
      await part.getByText('A cache keeps').waitFor()
    })
    expect(longest).toBeLessThan(2_000)
    await expect.poll(() => part.locator('mark').count()).toBe(2)
  })
})
