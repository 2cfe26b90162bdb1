/**
 * Tools that only open a card for the asker alone: a schedule, a fact to remember, a list or the settings.
 * Nothing is stored or changed before the asker presses a button there.
 */
import { z } from 'zod'
import { isProposal } from '../../agent/proposal-names.ts'
import { zodInput } from '../../agent/tool-input.ts'
import { actionTitle } from '../../agent/tool-title.ts'
import type { Step } from '../../agent/contracts/run-events.ts'
import type { Tool, ToolContext } from '../../agent/contracts/tool.ts'
import { messageOf, ToolError } from '../../base/errors.ts'
import { personIn } from '../../base/place.ts'
import { conversationOf, isDirect, isPrivate, type Question } from '../../stores/runs/types.ts'
import { questionValue } from '../intake/asked-audience.ts'
import { refusalOf } from '../intake/remember.ts'
import { memoryFor } from '../subcommands/remembered-command.ts'
import { withNote, type Content } from '../format/blocks.ts'
import { cleanName } from '../format/escape.ts'
import { MEMORY as MEMORY_WORDS } from '../format/messages.ts'
import type { QuestionWork } from '../question-work.ts'
import { draftFor } from '../schedules/schedule-request.ts'
import { scheduleListFor } from '../schedules/schedules-command.ts'
import { areSchedulesOff } from '../services.ts'
import { memoryContent } from '../views/remembered-content.ts'
import { aloneCard, rememberCard, settingsCard } from '../views/proposal-cards.ts'

/** A tool that makes a card, or says why there is none. `note`: what suggested it, as mrkdwn. */
interface Proposal<Input> extends Pick<Tool, 'name' | 'title' | 'description'> {
  input: z.ZodType<Input>
  make(input: Input, work: QuestionWork, note?: string): Promise<Content | { refusal: string }>
}

/**
 * The tools for an ordinary person's question. The caller has looked up that the asker is a full member: nobody else
 * may save what the cards offer.
 */
export function proposalTools(work: QuestionWork): Tool[] {
  const { question, services } = work
  const isAlone = isDirect(question) || isPrivate(question)
  return [
    ...(areSchedulesOff(services) ? [] : [proposal(work, SCHEDULE), proposal(work, SCHEDULE_LIST)]),
    // What is remembered in a channel is known to everyone there.
    ...(isPrivate(question) ? [] : [proposal(work, FACT)]),
    proposal(work, MEMORY_LIST),
    ...(isAlone ? [] : [proposal(work, ALONE)]),
    proposal(work, SETTINGS),
  ]
}

/** Returns whether a question may get these tools, judged by its kind alone. */
export function mayPropose({ kind }: Question): boolean {
  return kind === 'asked' || kind === 'addition' || kind === 'about'
}

const WHEN = 'such as "every weekday at 8:30", "tomorrow at 8", "in 20 minutes"; the asker’s time zone'

const SCHEDULE: Proposal<{ when: string; question?: string | undefined }> = {
  name: 'propose_schedule',
  title: 'Offer a schedule',
  description: 'Opens a card to save a reminder or repeated question.',
  input: z.object({ when: z.string().describe(WHEN), question: z.string().optional().describe('asked then') }),
  make: draftFor,
}

const FACT: Proposal<{ text: string }> = {
  name: 'propose_memory',
  title: 'Offer to remember',
  description: 'Opens a card to have a fact remembered here.',
  input: z.object({ text: z.string().describe('the fact') }),
  make: rememberOffer,
}

const MEMORY_LIST: Proposal<object> = {
  name: 'show_memory',
  title: 'Show what is remembered',
  description: 'Shows the asker what is remembered, to forget some.',
  input: z.object({}),
  async make(_, work, note) {
    const shown = await memoryFor(work.question, work).catch((error: unknown) => {
      work.services.log.warn(
        { question: work.question.id, error: messageOf(error) },
        'could not list what is remembered',
      )
      return { refusal: MEMORY_WORDS.failed }
    })
    return 'refusal' in shown ? shown : withNote(memoryContent(shown.all, work.question), note)
  },
}

const SCHEDULE_LIST: Proposal<object> = {
  name: 'show_schedules',
  title: 'Show the schedules',
  description: 'Shows the asker their schedules and reminders.',
  input: z.object({}),
  make: (_, work, note) => scheduleListFor(work.question, work, note),
}

const ALONE: Proposal<{ question?: string | undefined }> = {
  name: 'answer_privately',
  title: 'Offer a private answer',
  description: 'Opens a card to get the answer alone, instead of an answer here.',
  input: z.object({ question: z.string().optional().describe('the question') }),
  make: aloneOffer,
}

const SETTINGS: Proposal<object> = {
  name: 'propose_settings',
  title: 'Offer the settings',
  description: 'Opens a card to change your settings here.',
  input: z.object({}),
  make: async (_, { question }, note) => settingsCard(question.id, note),
}

async function rememberOffer(
  { text }: { text: string },
  { question, installation, services }: QuestionWork,
  note?: string,
): Promise<Content | { refusal: string }> {
  const fact = text.trim()
  const refusal = await refusalOf({ question, text: fact }, installation, services)
  if (refusal !== undefined) return { refusal }
  const { id } = question
  const value = questionValue({ id, text: fact })
  return value === undefined
    ? { refusal: 'The text is too long for a card.' }
    : rememberCard({ id, text: fact, value }, note)
}

async function aloneOffer(
  { question: wanted }: { question?: string | undefined },
  { question }: QuestionWork,
  note?: string,
): Promise<Content | { refusal: string }> {
  const { id, team, channel } = question
  const text = wanted?.trim() || question.text
  const place = `${team}:${channel}:`
  const value = questionValue({ id: `${place}ask-alone-${id.slice(place.length).replaceAll(':', '-')}`, text })
  return value === undefined ? { refusal: 'The question is too long for a card.' } : aloneCard({ text, value }, note)
}

/** The memory key of the card of a run: there is at most one. */
const MEMORY = 'proposal'

const OPENED =
  'A card is open, which the asker alone sees. Nothing is saved, changed or done until they press a button on it. Tell them that it waits for them, and do not say that anything is done.'

function proposal<Input>(work: QuestionWork, { input, make, ...named }: Proposal<Input>): Tool {
  return {
    ...named,
    ...zodInput(input),
    effects: 'read',
    proposes: true,
    run: async (given: Input, { memory }: ToolContext) => {
      const { question, run, outbox } = work
      if (memory[MEMORY] !== undefined) throw new ToolError('There is a card already, and an answer has at most one.')
      const isOthers = run.saved.steps.some((step) => step.kind === 'message' && step.user !== question.user)
      if (isOthers) throw new ToolError('Others have added to this question, so no card is opened. Answer in words.')
      memory[MEMORY] = named.name
      try {
        const source = await suggestedBy(work)
        const made = await make(given, work, source && `_Suggested after ${source}_`)
        if ('refusal' in made) throw new ToolError(`No card was opened: ${made.refusal}`)
        await outbox.sendEphemeral('proposal', made)
      } catch (error) {
        delete memory[MEMORY]
        throw error
      }
      return OPENED
    },
  }
}

/** At most this many things are named. */
const MAX_NAMED = 3

/**
 * Names what a run has read besides its asker's words: `reading status.example.org and using Calculator`. Any of it may
 * have told the model to propose something. Undefined if it has read nothing else.
 */
async function suggestedBy({ question, run, services }: QuestionWork): Promise<string | undefined> {
  const { steps, said, remembered = [] } = run.saved
  const turns = await services.history.load(conversationOf(question))
  const read = [
    ...steps.flatMap(readIn),
    ...(question.files || said?.hasFiles ? ['reading a file'] : []),
    ...(question.attached ? ['reading a forwarded message'] : []),
    ...(said?.by.some((by) => by !== personIn(question)) ? ['reading this thread'] : []),
    ...(turns.length > 0 ? ['reading this conversation'] : []),
    ...(remembered.length > 0 ? ['reading what is remembered here'] : []),
  ]
  const named = [...new Set(read)].slice(0, MAX_NAMED)
  return named.length === 0 ? undefined : new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(named)
}

/** Skips skills, which the operator wrote, and hints, which the loop wrote. */
function readIn(step: Step): string[] {
  if (step.kind !== 'tool' || !step.observation || step.observation.hint || step.observation.instructions) return []
  if (isProposal(step.action.tool)) return []
  const hosts = (step.observation.sources ?? []).flatMap(({ url }) => (URL.canParse(url) ? [new URL(url).host] : []))
  return hosts.length > 0
    ? hosts.map((host) => `reading ${cleanName(host)}`)
    : [`using ${cleanName(actionTitle(step.action))}`]
}
