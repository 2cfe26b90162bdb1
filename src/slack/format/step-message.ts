/** A step as a message, and how much of it people see. */
import type { KnownBlock } from '@slack/web-api'
import type { Action, Observation } from '../../agent/contracts/run-events.ts'
import { inputForPeople } from '../../agent/tool-input.ts'
import { actionTitle } from '../../agent/tool-title.ts'
import { clipSection, context, section, type Content } from './blocks.ts'
import { codeSpan, escapeText, escapeWithin, shorten, type TextLimit } from './escape.ts'
import { unreadableTitle } from './messages.ts'
import { plainContext } from './plain-elements.ts'

const THOUGHT = { max: 1200, maxEscaped: 2800 }

export interface StepView {
  thought: string
  unreadable?: boolean
  /** See UnreadableStep. */
  isAnswer?: true | undefined
  action?: Action
  waits?: boolean
  observation?: Observation
  /** The standalone form of a follow-up; shown with the first step. */
  understood?: string | undefined
}

/** One reasoning step: the thought, the tool with its input, and the observation once it exists. */
export function stepContent(view: StepView): Content {
  return stepsIn([view], FULL)
}

/** Several steps in one message, each shortened: up to `STEPS_A_MESSAGE` fit. */
export function stepsContent(views: StepView[]): Content {
  return stepsIn(views, BRIEF)
}

export const STEPS_A_MESSAGE = 6

interface StepLimits {
  thought: TextLimit
  observation: TextLimit
  input: number
}

const FULL: StepLimits = { thought: THOUGHT, observation: { max: 500, maxEscaped: 2800 }, input: 600 }
const BRIEF: StepLimits = {
  thought: { max: 250, maxEscaped: 400 },
  observation: { max: 150, maxEscaped: 300 },
  input: 80,
}

function stepsIn(views: StepView[], limits: StepLimits): Content {
  const plain = views.flatMap((view) => stepWords(view, limits)).join('\n')
  return { text: clipSection(plain), blocks: views.flatMap((view) => stepBlocks(view, limits)), plain }
}

function stepBlocks(view: StepView, limits: StepLimits): KnownBlock[] {
  return [
    ...(view.understood ? [context([understoodLine(view.understood)])] : []),
    ...(view.thought ? [section(`💭 ${escapeWithin(view.thought, limits.thought)}`)] : []),
    ...(view.action ? [context([actionLine(view.action, limits.input)])] : []),
    view.observation && !view.unreadable
      ? plainContext(observationWords(view.observation, limits.observation))
      : context([stateWords(view)]),
  ]
}

/** The step as lines of plain text. */
function stepWords(view: StepView, limits: StepLimits): string[] {
  const { understood, thought, action, observation, unreadable } = view
  return [
    ...(understood ? [`Understood as: ${escapeWithin(understood, THOUGHT)}`] : []),
    ...(thought ? [`💭 ${escapeWithin(thought, limits.thought)}`] : []),
    ...(action
      ? [
          `🔧 ${escapeText(`${shorten(bothNames(action), 120)} ${shorten(inputForPeople(action.input), limits.input)}`.trimEnd())}`,
        ]
      : []),
    observation && !unreadable ? observationWords(observation, limits.observation) : stateWords(view),
  ]
}

export function understoodLine(question: string): string {
  return `_Understood as:_ ${escapeWithin(question, THOUGHT)}`
}

/** `Add a note (notes__add)`: Slack's search reads a message's text, so a step is found by either name. */
function bothNames(action: Action): string {
  const title = actionTitle(action)
  return title.toLowerCase() === action.tool.toLowerCase() ? action.tool : `${title} (${action.tool})`
}

function actionLine(action: Action, max: number): string {
  return `🔧 *${escapeText(shorten(actionTitle(action), 80))}* ${codeSpan(inputForPeople(action.input), max)}`.trimEnd()
}

/** A tool's result, for plain text. */
function observationWords({ ok, note, text }: Observation, limit: TextLimit): string {
  return `${ok ? '👁' : '⚠️'} ${escapeWithin(text.trim(), limit)}${note ? `\n⚠️ ${escapeText(note)}` : ''}`
}

/** The state of a step that has no observation to show. */
function stateWords({ action, unreadable, isAnswer, waits }: StepView): string {
  if (unreadable) return `⚠️ ${unreadableTitle({ isAnswer })}, so I asked it again.`
  return waits ? '⏳ waiting for a person' : action ? '⏳ running …' : '…'
}
