/** The special tokens of chat templates that leak into texts, for all model families. */

/** Tokens that open an assistant's turn, or the part of it that is for people. */
const HEAD =
  /\s*(?:<\|(?:im_start(?!\|>(?:think|analysis|reason))|start_header_id|begin_of_text|startoftext|start|begin|assistant|bot|python_tag|begin_of_solution|start_of_solution|START_RESPONSE|START_OF_TURN_TOKEN|CHATBOT_TOKEN|im_assistant|im_middle|content)\|>(?:assistant|model)?|assistant(?=<\|)|<\|(?:end_header_id|message)\|>|<start_of_turn>(?:model)?|<\|turn>(?:model)?|<s>|<bos>|<[｜|](?:Assistant|begin▁of▁sentence)[｜|]>|\[\/INST\]|<(?:response|output|reply|solution)>|<answer>(?=\s{0,9}(?:[#*_]{0,4}\s?(?:thought|action|final|思考|行动)|<[|｜]?(?:tool|function)s?[▁_ ]?calls?\b|\[TOOL_CALLS)))/iy

/** Tokens that end a turn. */
const END =
  /<\|(?:eot_id|eom_id|eot|eom|im_end|endoftext|end_of_text|end_of_turn|end|eos|return|call|end_of_solution|END_RESPONSE|END_OF_TURN_TOKEN|user|observation|separator|endofassistant|im_user)\|>|<end_of_turn>|<turn\|>|<end_of_utterance>|<end_code>|<｜end▁of▁sentence｜>|<｜User｜>|<seed:eos>|<\/(?:response|output|reply|solution)>/gi
const TAIL = ['</s>', '<eos>', '<|im_start|>', '<|start|>', '[/INST]', '[INST]', '[e~[']

/** The marks of harmony (gpt-oss) before the part for people, and before a message to a tool. */
const FINAL = /<\|channel\|>final[^<\n]{0,40}<\|message\|>|<\|START_RESPONSE\|>|^\s{0,20}assistant ?final(?=\S)/
const TO_TOOL = /\bto=[\w.]/
/** The boundary between two harmony messages. */
const NEXT_MESSAGE = /<\|end\|>\s{0,9}(?:<\|start\|>)?(?=assistant)/g
const PREAMBLE = /^\s{0,20}<\|channel\|>commentary\s{0,9}<\|message\|>/
/** The frame that vision models put around their answer. */
const BOX = /<\|(?:begin|end)_of_box\|>/g

/** Special tokens of any family, which a tokenizer would read as conversation structure. */
const ANY =
  /<(?=[|｜][^|｜<>\s]{1,40}[|｜]>|\/?[|｜]DSML[|｜]|\|?[a-z_]{1,20}\|?>(?<=\|>|<\|[a-z_]{1,20}>)|\/?s>|(?:bos|eos|pad|unk|sop|eop|mask)>|(?:start|end)_of_(?:turn|utterance|image)>|<\/?SYS>>|\/?(?:[a-z]{1,12}:)?(?:think|thinking|tool_calls?|tool_response|function_calls?|tool_result)>|(?:unused|extra_id_|reserved_)\d{1,4}>|_(?:user|bot|system|start|end)>|(?:im_start|im_end|eod)>)|◁(?=\/?[a-z]{1,20}▷)|\](?=~!?b[[\]])|\[(?=e~\[|\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|CALL_ID|ARGS|THINK|gMASK|MASK|CLS|SEP|IMG)\])/gi

/** A cheap check before the functions below: every token, or remainder of one, contains one of these. */
export const MAY_HOLD_TOKENS = /[<◁[\]]|assistant ?final/

/** Separates the first character of each special token from the rest, so that it is no longer a token. */
export function defuseTokens(text: string): string {
  return text.replace(ANY, (first) => `${first} `)
}

/** Marks that open or close a section of native calls, or their turn, at the end of a text. */
const CALL_MARKS =
  /(?:function(?=<[|｜]tool[▁_ ]sep)|<[|｜]{0,2}\/?(?:[a-z]{1,12}:|DSML[|｜]{1,2})?(?:tools?|functions?)[▁_ ]?(?:calls?|request|use|sep)?(?:[▁_ ](?:section|begin|start|end))*[|｜]{0,2}>|\[\/?TOOL_(?:CALLS|REQUEST)\]|<\|(?:start|channel|im_start|start_header_id|python_tag|action_start|plugin|message|end)\|>(?:assistant(?![^\s<]))?|(?<![\w.])functools|\s){1,20}$/iu

/** Drops leaked opening marks of native calls from the end of a thought. */
export function withoutCallMarks(thought: string): string {
  const marks = CALL_MARKS.exec(thought.slice(-MAX_MARKS))?.[0].length ?? 0
  return thought.slice(0, thought.length - marks)
}

/** How much of a thought's end is searched for marks, in characters. */
const MAX_MARKS = 200

/** Drops the tokens that open a turn. */
export function withoutHead(text: string): string {
  let at = 0
  for (HEAD.lastIndex = 0; HEAD.test(text);) at = HEAD.lastIndex
  return text.slice(at)
}

/** Returns whether a harmony completion that lost its tokens has a final part. */
export function hasFinalPart(completion: string): boolean {
  return /^\s{0,20}analysis/.test(completion) && /assistant ?final/.test(completion)
}

/**
 * The part that a model marked as the one for people, with `isFinal`. Returns the whole text if none is marked, or if a
 * tool is called before it.
 */
export function finalPart(text: string): { text: string; isFinal: boolean } {
  const match = FINAL.exec(text)
  const called = TO_TOOL.exec(text)
  if (match && (!called || called.index > match.index))
    return { text: text.slice(match.index + match[0].length), isFinal: true }
  const joined = text.replace(NEXT_MESSAGE, '\n').replace(PREAMBLE, '')
  const unboxed = joined.replace(BOX, '')
  return { text: unboxed, isFinal: unboxed.length < joined.length }
}

/**
 * Cuts the text at the token that ends the turn. Such a token ends its line or precedes the next token: an answer may
 * mention one in the middle of a sentence.
 */
export function withoutEnd(text: string): string {
  if (!text.includes('<')) return withoutTail(text)
  const finalAt = text.lastIndexOf('<|channel|>final')
  for (const { 0: token, index } of text.matchAll(END)) {
    const after = text[index + token.length] ?? '\n'
    const behind = text.slice(index + token.length)
    const isBefore = token === '<|call|>' && (finalAt > index || GOES_ON.test(behind))
    const isEnd = after === '\n' || after === '<' || NEXT_TURN.test(behind)
    if (index > 0 && !isBefore && isEnd) return withoutTail(text.slice(0, index))
  }
  return withoutTail(text)
}

/** The next turn, which the model invents behind the end of its own. */
const NEXT_TURN = /^\s{0,9}(?:human|user|assistant|question|system)\s{0,3}(?:[:：]|\n)/i

/** Prose or a final answer behind a call: the model did not stop for it. */
const GOES_ON = /^\s*(?!<\||\s|$)/

/** Drops tokens at the end, and the closing tag of an answer whose opening tag precedes the turn. */
function withoutTail(text: string): string {
  let kept = text.trimEnd()
  while (kept.endsWith('>') || kept.endsWith('[') || kept.endsWith(']')) {
    const token = tailToken(kept, text.includes('<answer>'))
    if (!token) break
    kept = kept.slice(0, -token.length).trimEnd()
  }
  return kept
}

function tailToken(text: string, opensAnswer: boolean): string | undefined {
  return (
    TAIL.find((token) => text.endsWith(token)) ?? (!opensAnswer && text.endsWith('</answer>') ? '</answer>' : undefined)
  )
}
