/**
 * The card on which a person allows a tool's call. It shows what would be sent and who may decide. Slack formats no
 * text that others wrote.
 */
import type { ActionsBlock, InputBlock, KnownBlock, RichTextBlock } from '@slack/web-api'
import { toolTitle } from '../../agent/tool-title.ts'
import { cutText } from '../../base/cut-text.ts'
import { ALLOW_ALWAYS, ALLOW_ONCE, ASK_APPROVERS, DENY, DENY_REASON, SHOW_ARGUMENTS } from '../format/action-ids.ts'
import { clipSection, context, section, type Content } from '../format/blocks.ts'
import { button, plainContext, plainTextElement, preformatted } from '../format/plain-elements.ts'
import { escapeWithin, withVisibleMarks } from '../format/escape.ts'
import { utcTime } from '../format/messages.ts'
import type { AskedCall, Verdict } from './saved-call.ts'
import { argumentsText, openLine } from './arguments-text.ts'

export interface WaitingCall extends AskedCall {
  /** The sentence that says who may decide, escaped. */
  deciders: string
  /** Lines that notify those who are to decide. They may mention people (`Content.mentions`). */
  asked?: string[]
  /** The name of the person whose login the call is made with, `@Alice`; absent if it is the workspace's. */
  as?: string | undefined
  /** Whether a button sends the card, which only the asker sees, to the others who may decide. */
  canAskOthers?: boolean
  /** The value of each button, which names the call. */
  value: string
}

/** Arguments on the card are cut at this length; a button shows the rest. */
const ARGUMENT_CHARS = 2_500
const NAME = { max: 80, maxEscaped: 400 }
const SAYS = { max: 300, maxEscaped: 900 }
const REASON = { max: 500, maxEscaped: 1_500 }

/** The card with its buttons. */
export function waitingCard(call: WaitingCall): Content {
  const { approval, asker, deciders } = call
  const whose = asker === undefined ? "A bot's" : `<@${asker}>'s`
  const line = `🔐 ${whose} request needs approval: ${whatOf(call)}${asWhom(call)}`
  const shown = shownArguments(approval.input)
  const reason = reasonInput()
  const blocks: KnownBlock[] = [
    section(line),
    ...(call.asked ?? []).map(section),
    ...(approval.isRepeat ? [section(REPEATED)] : []),
    shown.block,
    ...saysBlocks(call),
    context([deciders]),
    reason,
    buttonsOf(call, shown.length),
  ]
  const simpler = new Map<KnownBlock, KnownBlock[]>([
    [shown.block, [shown.plain]],
    [reason, []],
  ])
  return { text: clipSection(line), blocks, simpler }
}

/** The card after the decision, without buttons. */
export function decidedCard(call: AskedCall, verdict: Verdict): Content {
  const line = verdictLine(verdict, call)
  const shown = shownArguments(call.approval.input)
  const reason = 'reason' in verdict && verdict.reason ? openLine(verdict.reason) : ''
  const why = reason === '' ? [] : [plainContext(`Reason: ${escapeWithin(reason, REASON)}`)]
  const blocks: KnownBlock[] = [section(line), shown.block, ...why]
  return { text: clipSection(line), blocks, simpler: new Map([[shown.block, [shown.plain]]]) }
}

const REPEATED =
  '⚠️ I already made this call or a similar one. I do not know whether it took effect, or whether you want it twice. Please check before you approve it again.'

function verdictLine(verdict: Verdict, call: AskedCall): string {
  const what = whatOf(call)
  if (verdict.outcome === 'expired') return `⌛ *Not done*: ${what}. Nobody decided in time.`
  if (verdict.outcome === 'ended') return `⏹ *Not done*: ${what}. The question ended before anybody decided.`
  const { by, at, always } = verdict
  const when = at === undefined ? '' : ` (${utcTime(at)})`
  const how =
    verdict.outcome === 'denied'
      ? '⛔ *Denied*'
      : `✅ *${always && !call.approval.isRepeat ? `Always allowed in this ${call.place}` : 'Allowed once'}*`
  return `${how} by ${inMrkdwn(by)}${when}: ${what}`
}

function asWhom({ as }: WaitingCall): string {
  return as === undefined ? '' : `, as ${inMrkdwn(as)}`
}

/** Returns a title as a part of a sentence: "Add a note" as "add a note", and "Write File" as it is. */
function inSentence(title: string): string {
  return /\p{Lu}/u.test(title.slice(1)) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`
}

/** `add a note (notes)`. */
function whatOf({ tool, approval: { server, title } }: AskedCall): string {
  const what = inMrkdwn(inSentence(toolTitle({ name: tool, title, server })))
  return server === undefined ? what : `${what} (${inMrkdwn(server)})`
}

/** Returns a name by others as mrkdwn: shortened, on one line and without formatting. */
function inMrkdwn(name: string): string {
  return withVisibleMarks(escapeWithin(openLine(name), NAME))
}

function shownArguments(input: unknown): { block: RichTextBlock; plain: KnownBlock; length: number } {
  const text = argumentsText(input)
  const head = cutText(text, ARGUMENT_CHARS) || '{}'
  const more = text.length - head.length
  const shown = more > 0 ? `${head}\n… ${more.toLocaleString('en-US')} more characters` : head
  const plain = plainContext(escapeWithin(shown, { max: ARGUMENT_CHARS + 100, maxEscaped: 2_900 }))
  return { block: preformatted(shown), plain, length: more > 0 ? text.length : 0 }
}

/** The tool's real name is shown, because a server chooses its titles. */
function saysBlocks({ tool, approval: { says } }: WaitingCall): KnownBlock[] {
  const line = escapeWithin(openLine(says), SAYS)
  const name = escapeWithin(openLine(tool), NAME)
  return line === '' ? [] : [plainContext(`The tool ${name} says: ${line}`)]
}

function reasonInput(): InputBlock {
  return {
    type: 'input',
    block_id: DENY_REASON,
    optional: true,
    label: plainTextElement('Reason, if you deny'),
    element: { type: 'plain_text_input', action_id: DENY_REASON, max_length: REASON.max },
  }
}

/** `length`: of the arguments if they are cut, else 0. A repeated call may have taken effect, so it has no "always". */
function buttonsOf({ value, place, canAskOthers, approval: { isRepeat } }: WaitingCall, length: number): ActionsBlock {
  return {
    type: 'actions',
    elements: [
      button(ALLOW_ONCE, 'Allow once', { value, style: 'primary' }),
      ...(isRepeat ? [] : [button(ALLOW_ALWAYS, `Always in this ${place}`, { value })]),
      button(DENY, 'Deny', { value, style: 'danger' }),
      ...(canAskOthers ? [button(ASK_APPROVERS, 'Ask approvers', { value })] : []),
      ...(length > 0
        ? [button(SHOW_ARGUMENTS, `Show all ${length.toLocaleString('en-US')} characters`, { value })]
        : []),
    ],
  }
}
