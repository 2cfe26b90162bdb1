import type { KnownBlock, ModalView } from '@slack/web-api'
import { cutText } from '../../base/cut-text.ts'
import type { AskedCall } from '../approvals/saved-call.ts'
import { argumentsText, openLine } from '../approvals/arguments-text.ts'
import { preformatted } from '../format/plain-elements.ts'
import { facts, modal } from './plain-blocks.ts'

/** Size of a piece, and of all pieces as JSON. Slack limits a modal to 100 blocks and 250,000 characters as JSON. */
const PIECE_CHARS = 2_900
const MAX_CHARS = 150_000

export function argumentsView({ tool, approval }: AskedCall): ModalView {
  const text = argumentsText(approval.input)
  const of = approval.server === undefined ? '' : ` of ${openLine(approval.server)}`
  const blocks: KnownBlock[] = [facts(`This would be sent to ${openLine(tool)}${of}:`)]
  let [at, weight] = [0, 0]
  while (at < text.length && weight < MAX_CHARS) {
    const piece = cutText(text.slice(at, at + PIECE_CHARS + 1), PIECE_CHARS)
    blocks.push(preformatted(piece))
    at += piece.length
    // Slack's limit counts the view as JSON.
    weight += JSON.stringify(piece).length
  }
  const rest = text.length - at
  if (rest > 0)
    blocks.push(
      facts(
        `… ${rest.toLocaleString('en-US')} more characters do not fit here. Only allow this if you do not need to read them.`,
      ),
    )
  return modal('Arguments', blocks)
}
