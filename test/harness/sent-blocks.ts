/** Every block, message and view that the bot can send: a sample of each builder, by its file and name. */
import type { KnownBlock, View } from '@slack/web-api'
import { loadConfig } from '../../src/config.ts'
import type { ToolStep } from '../../src/agent/contracts/run-events.ts'
import type { ToolQuestion } from '../../src/agent/contracts/tool.ts'
import type { RunRecord } from '../../src/stores/archive/types.ts'
import type { Schedule } from '../../src/stores/schedules/types.ts'
import type { AuditEntry } from '../../src/stores/audit/types.ts'
import * as approvalCard from '../../src/slack/approvals/approval-card.ts'
import { stepContent, stepsContent } from '../../src/slack/format/step-message.ts'
import * as blocks from '../../src/slack/format/blocks.ts'
import { chartBlock } from '../../src/slack/format/chart-block.ts'
import {
  button,
  plainContext,
  plainSection,
  preformatted,
  richTextBlock,
} from '../../src/slack/format/plain-elements.ts'
import { connectCard, endedQuestionCard, questionCard } from '../../src/slack/approvals/tool-question-card.ts'
import { pausedText } from '../../src/slack/format/schedule-words.ts'
import { changeLines } from '../../src/question/change-lines.ts'
import { answerContents } from '../../src/slack/format/answer-messages.ts'
import { tableForms } from '../../src/slack/format/table-blocks.ts'
import { foldedCard, workingCard, type CardStep } from '../../src/slack/format/work-card.ts'
import { planBlock, taskOf } from '../../src/slack/display/stream-tasks.ts'
import { adminBlocks } from '../../src/slack/views/home-tools.ts'
import { argumentsView } from '../../src/slack/views/arguments-view.ts'
import { askAboutView } from '../../src/slack/views/ask-about-view.ts'
import { FEEDBACK_GONE, feedbackView } from '../../src/slack/views/feedback-view.ts'
import { homeView } from '../../src/slack/views/home.ts'
import { aloneCard, rememberCard, settingsCard } from '../../src/slack/views/proposal-cards.ts'
import { memoryContent, outcomeContent, usedBlocks } from '../../src/slack/views/remembered-content.ts'
import {
  bulletList,
  facts,
  formModal,
  header,
  modal as plainModal,
  noteModal,
  sections,
  textInput,
} from '../../src/slack/views/plain-blocks.ts'
import { pageContent, questionView } from '../../src/slack/views/tool-question-view.ts'
import {
  pausedContent,
  scheduleBlocks,
  scheduleCard,
  scheduleCardModal,
  scheduleForm,
  scheduleList,
} from '../../src/slack/views/schedule-blocks.ts'
import { connectionBlocks, connectionsContent } from '../../src/slack/views/connection-blocks.ts'
import { settingsView } from '../../src/slack/views/settings-view.ts'
import { useBlocks } from '../../src/slack/views/home-use.ts'
import { WORK_GONE, WORK_LOADING, WORK_UNREADABLE, workView } from '../../src/slack/views/work-view.ts'

/** The input of one call of `blocks.validate`. */
export type Sent =
  { message: { text: string; blocks: blocks.ShownBlock[] } } | { blocks: blocks.ShownBlock[] } | { view: View }

const ASKER = 'U0ALICE0001'
const VALUE = '1 T1:C1:1.1 k'
const LONG = 'A sentence with *marks*, <signs> & a number, 3.14. '.repeat(30)

const schedule: Schedule = {
  ...{ id: '0123456789ab', team: 'T1', channel: 'C1', user: ASKER, createdAt: 0, text: LONG, question: LONG },
  ...{ when: { kind: 'cron', cron: '0 9 * * 1', zone: 'Europe/Berlin' }, gapMs: 604_800_000, state: 'active', due: 0 },
  ...{
    place: { isPrivate: false, isShared: false, isMember: true },
    failures: 0,
    spent: { 0: { tokens: 5, usd: 0.01 } },
  },
  runs: [{ occurrence: 'o', due: 0, at: 0, end: 'missed', count: 3 }],
}
const many: Schedule[] = Array.from({ length: 20 }, (_, i) =>
  i % 2 === 0 ? schedule : { ...schedule, state: 'paused' },
)

const step: ToolStep = {
  kind: 'tool',
  turn: 1,
  thought: LONG,
  action: { tool: 'wikipedia_search', input: 'Dune (novel)' },
  observation: {
    ok: true,
    text: LONG,
    note: 'A note.',
    sources: [{ title: 'Dune', url: 'https://en.wikipedia.org/wiki/Dune' }],
  },
  ms: 1200,
}
const steps: CardStep[] = [
  { n: 1, step },
  {
    n: 2,
    step: {
      kind: 'unreadable',
      turn: 2,
      thought: '',
      text: 'Action Input',
      observation: { ok: false, text: 'Say it anew.' },
    },
  },
  {
    n: 3,
    step: {
      ...step,
      turn: 3,
      action: { tool: 'calculator', input: '' },
      observation: { ok: false, text: 'No number.' },
    },
  },
  {
    n: 4,
    step: {
      kind: 'tool',
      turn: 4,
      thought: 'And now.',
      action: { tool: 'files__write', input: { path: 'a' } },
      waiting: { since: 1 },
    },
  },
]
const manySteps = Array.from({ length: 40 }, (_, i): CardStep => ({ n: i + 1, step }))

const call = {
  tool: 'files__write',
  asker: ASKER,
  place: 'thread' as const,
  approval: {
    kind: 'approval' as const,
    input: { path: 'a.txt', text: LONG },
    says: 'Writes a file.',
    server: 'files',
  },
}
const bigCall = { ...call, approval: { ...call.approval, input: { text: LONG.repeat(20) } } }
const waiting = { deciders: 'Can approve: Alice', value: VALUE }

const connections = Array.from({ length: 30 }, (_, i) => ({
  name: `server-${i}`,
  ...(i % 2 === 0 ? { connected: { may: [LONG, LONG], usedAt: i } } : { link: 'https://bot.example.com/connect?x=1' }),
}))

const form: ToolQuestion = {
  server: 'tickets',
  message: 'Which ticket shall it be?',
  state: null,
  schema: {
    type: 'object',
    required: ['title', 'kind'],
    properties: {
      title: { type: 'string', title: 'Title', description: 'In a few words', minLength: 3, maxLength: 80 },
      body: { type: 'string', title: 'Text', maxLength: 4000 },
      mail: { type: 'string', format: 'email', default: 'a@example.com' },
      link: { type: 'string', format: 'uri' },
      due: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      count: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
      price: { type: 'number' },
      urgent: { type: 'boolean', default: true },
      kind: { type: 'string', enum: ['bug', 'wish'], enumNames: ['A bug', 'A wish'] },
      many: { type: 'string', enum: Array.from({ length: 30 }, (_, i) => `option ${i}`) },
      labels: { type: 'array', items: { enum: ['red', 'green'] }, maxItems: 2 },
    },
  },
}
const choice: ToolQuestion = {
  ...form,
  remakes: true,
  schema: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
}
const page: ToolQuestion = {
  server: 'tickets',
  message: 'Log in there.',
  state: null,
  url: 'https://login.example.com/a?b=c',
}

/** More writes than are listed, with names that become long when they are escaped. */
const hostileCalls = Array.from({ length: 14 }, () => ({
  ...{ outcome: 'failed' as const, how: 'config' as const, tool: 'files__write_file' },
  what: '&'.repeat(80),
}))

const question = {
  ...{ id: 'T1:C1:1.1', team: 'T1', channel: 'C1', thread: '1.1', user: ASKER },
  text: 'How old is the author of Dune?',
  kind: 'asked' as const,
  surface: 'mention' as const,
  at: 1,
}
const record: RunRecord = {
  ...{
    question,
    standalone: 'How old was Frank Herbert?',
    steps: steps.map((one) => one.step),
    posts: {},
    model: 'm',
    dialect: 'text',
  },
  usage: [{ model: 'm', inputTokens: 1000, outputTokens: 200, estimated: true, costUsd: 0.01 }],
  ...{ answer: { text: 'Sixty-five.', sources: [] }, startedAt: 1, endedAt: 9_000, end: 'answered', feedback: [] },
}
const write: AuditEntry = {
  ...{
    run: 'T1:C1:1.1',
    step: 1,
    team: 'T1',
    channel: 'C1',
    thread: '1.1',
    askedBy: ASKER,
    decidedBy: ASKER,
    tool: 'files__write',
  },
  ...{ how: 'always', server: 'files', argumentsHash: 'f'.repeat(64), at: 1, outcome: 'unknown' },
}
const admin: Parameters<typeof adminBlocks> = [
  [write],
  () => '@Alice',
  [{ server: 'wiki', why: 'Nobody has logged in.' }],
  [
    { server: 'files', tool: 'remove', why: 'has changed', fingerprint: 'f' },
    { server: 'files', tool: 'x', why: 'is too long' },
  ],
]

const ANSWER = `# The answer\n\n**Sixty-five**, as [Wikipedia](https://en.wikipedia.org/wiki/Dune) has it.\n\n- one\n  1. two\n\n> a quote\n\n\`\`\`js\nlet a = 1\n\`\`\`\n
| name | born | see |\n|:--|--:|:-:|\n| Herbert | 1,920 | [page](https://en.wikipedia.org/wiki/Dune) |\n| Asimov | 1,920 | – |\n\nA formula: $x^2$.\n`
const view: blocks.AnswerView = {
  ...{
    text: ANSWER,
    question: question.text,
    questionId: question.id,
    understood: 'How old was he?',
    stopped: 'steps',
  },
  sources: [{ title: 'Dune', url: 'https://en.wikipedia.org/wiki/Dune' }],
  series: [
    {
      title: 'Pages',
      points: [
        { label: '2020', value: 1 },
        { label: '2021', value: 2 },
      ],
    },
    {
      title: 'Pages, words',
      kind: 'area',
      name: 'Pages',
      more: [{ name: 'Words', values: [-3, 4] }],
      axes: { x: 'year', y: 'count' },
      points: [
        { label: '2020', value: 1 },
        { label: '2021', value: 2 },
      ],
    },
    {
      title: 'Shares',
      kind: 'pie',
      points: [
        { label: 'a', value: 1 },
        { label: 'b', value: 2 },
      ],
    },
    {
      title: 'Sizes',
      points: [
        { label: 'small', value: -1 },
        { label: 'large', value: 2.5 },
      ],
    },
  ],
  ...{ allowedHosts: ['en.wikipedia.org'], footer: '4 steps · 8.9 s' },
}

const place = { team: 'T1', channel: 'C1' }
const memory = Array.from({ length: 100 }, (_, i) => ({
  ...{ id: `1.${i}`, text: LONG.slice(0, 500), who: 'Bob', at: 1, mayForget: i % 2 === 0 },
}))

const note = blocks.noteContent('*A word* of the bot’s own.')
const cell = (words: string, isLink = false) => [{ words, isLink }]
const table = tableForms(
  [
    [cell('name'), cell('n')],
    [cell('<https://a.example|a>', true), cell('1,234')],
  ],
  ['left', 'right'],
)

/**
 * Returns a message in its best form, and in the forms for a Slack that refuses kinds of blocks with a simpler
 * alternative.
 */
function message(content: blocks.Content): Sent[] {
  const types = [...new Set([...(content.simpler?.keys() ?? [])].map(({ type }) => type))]
  const forms = [
    content.blocks,
    ...types.map((_, i) => blocks.blocksIn(content, (type) => types.slice(0, i + 1).some((one) => one === type))),
  ]
  const file = content.file ? message(content.file.without) : []
  return [...forms.map((shown) => ({ message: { text: content.text, blocks: shown } })), ...file]
}

const alone = (...shown: (blocks.ShownBlock | undefined)[]): Sent[] => [
  { blocks: shown.filter((one) => one !== undefined) },
]
const modal = (...views: View[]): Sent[] => views.map((one) => ({ view: one }))
const home = (shown: KnownBlock[]): Sent[] => [{ view: { type: 'home', blocks: shown } }]
const tasks = steps.flatMap(({ n, step: one }) => taskOf({ n, step: one }))

/** The samples by `file name`. */
export const SENT: Record<string, () => Sent[]> = {
  'display/stream-tasks.ts taskOf': () => alone(planBlock('Working', tasks)),
  'display/stream-tasks.ts planBlock': () => alone(planBlock('4 steps', tasks)),
  'approvals/approval-card.ts waitingCard': () =>
    [call, bigCall, { ...call, approval: { ...call.approval, isRepeat: true as const } }].flatMap((one) =>
      message(approvalCard.waitingCard({ ...one, ...waiting, canAskOthers: true })),
    ),
  'approvals/approval-card.ts decidedCard': () =>
    [
      { outcome: 'expired' as const },
      { outcome: 'ended' as const },
      { outcome: 'denied' as const, by: 'Bob', at: 1, reason: 'No.' },
      { outcome: 'allowed' as const, by: 'Bob', at: 1, always: true as const },
    ].flatMap((verdict) => message(approvalCard.decidedCard(call, verdict))),
  'format/step-message.ts stepContent': () =>
    [
      { thought: LONG },
      { ...step, understood: 'It is he.' },
      { thought: '', unreadable: true },
      { thought: 'x', action: step.action },
      { thought: 'x', action: step.action, waits: true },
    ].flatMap((one) => message(stepContent(one))),
  'format/step-message.ts stepsContent': () => message(stepsContent([step, step])),
  'format/blocks.ts rootContent': () => message(blocks.rootContent(ASKER, question.text)),
  'format/blocks.ts cardContent': () => message(blocks.cardContent('A card.')),
  'format/blocks.ts noteContent': () => [...message(note), ...message(blocks.noteContent('It failed.', question.id))],
  'format/blocks.ts withPrivateChoice': () => message(blocks.withPrivateChoice(note, question.id, ['x'.repeat(400)])),
  'format/blocks.ts forgetContent': () => message(blocks.forgetContent('All of it?', 'T1')),
  'format/blocks.ts audienceContent': () =>
    message(blocks.audienceContent('*Who should see it?*', { text: question.text, value: LONG.slice(0, 2000) })),
  'format/blocks.ts withNote': () => message(blocks.withNote(note, '_Suggested after reading a file_')),
  'format/blocks.ts askEditedContent': () => message(blocks.askEditedContent(question.id)),
  'format/blocks.ts aboutContent': () => message(blocks.aboutContent(question.text, note)),
  'format/blocks.ts withoutBlocks': () => message(blocks.withoutBlocks(note, 'chat.postMessage')),
  'format/blocks.ts blocksIn': () => alone(...blocks.blocksIn(workingCard(steps, question.id), () => true)),
  'format/blocks.ts buttons': () => alone(...blocks.buttons(question.id).map(([best]) => best)),
  'format/blocks.ts section': () => alone(blocks.section(LONG)),
  'format/blocks.ts context': () => alone(blocks.context(['*one*', 'two'])),
  'format/chart-block.ts chartBlock': () => (view.series ?? []).flatMap((one) => alone(chartBlock(one))),
  'format/plain-elements.ts plainContext': () => alone(plainContext('plain')),
  'format/plain-elements.ts plainSection': () =>
    alone(plainSection('plain', button('share_private', 'Share', { value: VALUE }))),
  'format/plain-elements.ts preformatted': () => alone(preformatted('plain')),
  'format/plain-elements.ts richTextBlock': () => alone(richTextBlock('plain')),
  'approvals/tool-question-card.ts questionCard': () =>
    [form, choice, page].flatMap((asked) => message(questionCard(asked, { asker: ASKER, value: VALUE }))),
  'approvals/tool-question-card.ts connectCard': () =>
    message(connectCard(page, { asker: ASKER, value: VALUE, link: 'https://bot.example.com/connect?x=1' })),
  'approvals/tool-question-card.ts endedQuestionCard': () =>
    (['accept', 'decline', 'cancel', 'expired', 'over'] as const).flatMap((end) =>
      message(endedQuestionCard(form, ASKER, end)),
    ),
  'format/answer-messages.ts answerContents': () =>
    [
      view,
      { ...view, text: '' },
      { ...view, done: changeLines(hostileCalls, () => 'Bob') },
      { ...view, gaveUp: true, text: LONG.repeat(50) },
      { ...view, text: `${LONG}\n\n`.repeat(60) },
    ].flatMap((one) => answerContents(one).flatMap(message)),
  'format/table-blocks.ts tableForms': () => [...alone(table?.dataTable), ...alone(table?.table)],
  'format/work-card.ts workingCard': () =>
    [[], steps, manySteps].flatMap((all) => message(workingCard(all, question.id))),
  'format/work-card.ts foldedCard': () =>
    [[], steps, manySteps].flatMap((all) => message(foldedCard(all, { ms: 8_900, hasFailed: all.length > 9 }))),
  'views/home-tools.ts adminBlocks': () => home(adminBlocks(...admin)),
  'views/arguments-view.ts argumentsView': () => modal(argumentsView(call), argumentsView(bigCall)),
  'views/ask-about-view.ts askAboutView': () => modal(askAboutView('{}')),
  'views/connection-blocks.ts connectionBlocks': () => home(connectionBlocks(connections)),
  'views/connection-blocks.ts connectionsContent': () =>
    [connections, []].flatMap((some) => message(connectionsContent(some))),
  'views/feedback-view.ts feedbackView': () => modal(feedbackView(question.id, true)),
  'views/feedback-view.ts FEEDBACK_GONE': () => modal(FEEDBACK_GONE),
  'views/home.ts homeView': () => modal(homeOf(false), homeOf(true), fullHome()),
  'views/proposal-cards.ts rememberCard': () =>
    message(
      rememberCard(
        { id: question.id, text: LONG.slice(0, 500), value: LONG.slice(0, 2000) },
        '_Suggested after reading a file_',
      ),
    ),
  'views/proposal-cards.ts aloneCard': () => message(aloneCard({ text: question.text, value: LONG.slice(0, 2000) })),
  'views/proposal-cards.ts settingsCard': () => message(settingsCard(question.id, '_Suggested after reading a file_')),
  'views/remembered-content.ts outcomeContent': () =>
    message(outcomeContent({ kept: { id: '1.1', text: memory[0]!.text } }, place)!),
  'views/remembered-content.ts memoryContent': () =>
    [memory, memory.slice(0, 1), []].flatMap((all) => message(memoryContent(all, place))),
  'views/remembered-content.ts usedBlocks': () => home(usedBlocks(memory.slice(0, 2), place)),
  'views/plain-blocks.ts sections': () => home(sections(LONG.repeat(5))),
  'views/plain-blocks.ts header': () => home([header('A head')]),
  'views/plain-blocks.ts bulletList': () => home([bulletList([[{ type: 'text', text: 'a line' }]])]),
  'views/plain-blocks.ts facts': () => home([facts('some facts')]),
  'views/plain-blocks.ts modal': () => modal(plainModal('A title', [header('A head')])),
  'views/plain-blocks.ts formModal': () =>
    modal(formModal('A title', ['Send', 'Skip'], 'form', '{}', sections('A word.'))),
  'views/plain-blocks.ts textInput': () =>
    modal(
      formModal('A title', ['Send', 'Skip'], 'form', '{}', [
        textInput('in', 'A label', { max_length: 9, hint: 'A hint' }),
      ]),
    ),
  'views/plain-blocks.ts noteModal': () => modal(noteModal('A title', 'A word.')),
  'views/tool-question-view.ts pageContent': () => message(pageContent(page, VALUE)),
  'views/tool-question-view.ts questionView': () => modal(questionView(form, '{}')),
  'views/schedule-blocks.ts scheduleCard': () =>
    message(scheduleCard(schedule, { tools: ['Calculator', LONG], question: LONG.repeat(5), now: 0 })),
  'views/schedule-blocks.ts scheduleList': () =>
    [many, []].flatMap((own) => message(scheduleList({ own, others: [], now: 0, nameOf: () => 'Bob' }, 'Done.'))),
  'views/schedule-blocks.ts scheduleBlocks': () =>
    home(scheduleBlocks({ own: many.slice(0, 1), others: many, now: 0, nameOf: () => 'Bob' })),
  'views/schedule-blocks.ts pausedContent': () => message(pausedContent(pausedText(schedule, 'archived'), schedule)),
  'views/schedule-blocks.ts scheduleCardModal': () =>
    modal(scheduleCardModal(scheduleCard(schedule, { tools: ['Calculator'], question: LONG.repeat(5), now: 0 }), '{}')),
  'views/schedule-blocks.ts scheduleForm': () => modal(scheduleForm(schedule, '{}')),
  'views/settings-view.ts settingsView': () => modal(settingsOf(false), settingsOf(true)),
  'views/home-use.ts useBlocks': () => home(useBlocks(use)),
  'views/work-view.ts workView': () =>
    modal(
      workView(record, 0, () => 'Bob'),
      ...[0, 1].map((at) =>
        workView(
          { ...record, steps: manySteps.map((one) => ({ ...one.step, thought: LONG.repeat(10) })) },
          at,
          () => 'Bob',
        ),
      ),
    ),
  'views/work-view.ts WORK_LOADING': () => modal(WORK_LOADING),
  'views/work-view.ts WORK_GONE': () => modal(WORK_GONE),
  'views/work-view.ts WORK_UNREADABLE': () => modal(WORK_UNREADABLE),
}

function homeOf(isAdmin: boolean): View {
  const config = loadConfig({})
  const help = { steps: config.STEPS, followUps: config.FOLLOW_UPS, dmMemoryMinutes: config.DM_MEMORY_MINUTES }
  const settings = {
    ...help,
    model: { name: 'm' },
    dialect: { name: 'text' },
    tools: [{ name: 'calculator', description: 'Does sums.' }],
  }
  return homeView({
    ...{ channel: 'D0ALICE0001', settings, maySeeSettings: true, toolsOff: [{ name: 'search', why: 'it has no key' }] },
    asked: [
      { record, text: question.text, url: 'https://a.slack.com/archives/C1/p1' },
      { record, text: '', url: undefined },
    ],
    left: [{ limit: 'userHour', allowed: 9, left: 2, nextInMs: 0, fullInMs: 9_000 }],
    ...(isAdmin ? { admin: adminBlocks(...admin) } : {}),
  })
}

/** Returns a Home with more content than fits. */
function fullHome(): View {
  const shown = { own: many, others: [], now: 0, nameOf: () => 'Bob' }
  return homeView({
    ...{ channel: 'D0ALICE0001', maySeeSettings: false, admin: adminBlocks(...admin) },
    schedules: Array.from({ length: 3 }, () => scheduleBlocks(shown)).flat(),
  })
}

const amounts = { questions: 9, inputTokens: 12_345, outputTokens: 678, costUsd: 1.5 }
const month = {
  ...amounts,
  ends: { answered: 5, gave_up: 1, stopped: 1, failed: 2, rated_down: 1 },
  byChannel: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`C${i}`, amounts])),
  byPerson: { [ASKER]: amounts },
  byTool: { [`server__${'x'.repeat(200)}`]: { ...amounts, calls: 12 } },
}
const use = {
  ...{ days7: month, days30: month, nameOf: () => LONG, channelNameOf: (id: string) => `#${id}` },
  unanswered: { shown: [{ id: question.id, text: LONG, place: '#general', why: 'gave_up' as const }], hidden: 2 },
}

function settingsOf(isDirect: boolean): View {
  return settingsView({
    ...{ isDirect, mayChangeForget: true, metadata: '{}' },
    set: isDirect
      ? {}
      : {
          steps: 'card',
          model: 'm',
          dialect: 'text',
          tools: ['calculator'],
          instructions: 'Be short.',
          whoMayStop: 'anyone',
        },
    defaults: {
      followUps: 'thread',
      steps: 'replies',
      dialect: 'text',
      whoMayStop: 'asker',
      whoMayForget: 'admins',
      model: 'm',
      tools: ['calculator'],
    },
    choices: {
      models: ['m', 'n'],
      dialects: ['text', 'json'],
      tools: ['calculator', 'wikipedia'],
      skills: ['a'.repeat(64)],
    },
    titles: new Map([['calculator', 'Calculator']]),
  })
}
