import { cutAtObservation } from './invented-observation.ts'
import type { LabelReader } from './react-labels.ts'
import { sectionsOf, type Section } from './sections.ts'
import { stripThinking } from './thinking.ts'

// The tokens of the chat templates of Llama, Qwen, Phi, Gemma, Mistral, DeepSeek and gpt-oss.
const HEAD =
  /\s*(?:<\|(?:im_start|start_header_id|begin_of_text|start|assistant|python_tag)\|>(?:assistant)?|assistant(?=<\|)|<\|(?:end_header_id|message)\|>|<start_of_turn>(?:model)?|<s>|\[\/INST\])/y
const END =
  /<\|(?:eot_id|eom_id|im_end|endoftext|end_of_text|end_of_turn|end|eos|return|call)\|>|<end_of_turn>|<｜end▁of▁sentence｜>/g
const TAIL = ['</s>', '<eos>', '<|im_start|>', '[/INST]', '[INST]']

/** What the model said in its turn, its labelled parts, and the tools that may be named in it. */
export interface ModelOutput {
  text: string
  sections: Section[]
  tools: string[]
}

/** How a dialect parts a completion, where it differs from plain ReAct. */
export interface Parting {
  labelAt?: LabelReader
  cut?: (text: string) => string
}

/** Opens a completion for reading. */
export function modelOutputOf(completion: string, tools: string[], { labelAt, cut }: Parting = {}): ModelOutput {
  const text = turnText(completion, cut)
  return { text, sections: sectionsOf(text, labelAt), tools }
}

/**
 * The turn alone: line breaks made one kind, thinking and special tokens dropped, cut at its first invented observation
 * (or by `cut`, where a dialect calls observations otherwise).
 */
export function turnText(completion: string, cut: (text: string) => string = cutAtObservation): string {
  return withoutEnd(stripThinking(cut(withoutHead(completion.replace(/\r\n?/g, '\n')))))
}

/** Drops the tokens that open an assistant's turn in a chat template. */
function withoutHead(text: string): string {
  let at = 0
  for (HEAD.lastIndex = 0; HEAD.test(text);) at = HEAD.lastIndex
  return text.slice(at)
}

/**
 * Ends the turn at the token that ended it. Such a token ends its line or stands before the next token: an answer may
 * speak of one in the middle of a sentence.
 */
function withoutEnd(text: string): string {
  for (const { 0: token, index } of text.matchAll(END)) {
    const after = text[index + token.length] ?? '\n'
    if (after === '\n' || after === '<') return withoutTail(text.slice(0, index))
  }
  return withoutTail(text)
}

function withoutTail(text: string): string {
  let kept = text.trimEnd()
  for (let token = tailToken(kept); token; token = tailToken(kept)) kept = kept.slice(0, -token.length).trimEnd()
  return kept
}

function tailToken(text: string): string | undefined {
  return TAIL.find((token) => text.endsWith(token))
}
