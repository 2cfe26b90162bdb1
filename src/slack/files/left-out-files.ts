/** Texts about files that are left out, as mrkdwn. */
import { MEBIBYTE } from '../../files/types.ts'
import type { NotTranscribed } from '../../model/transcribe.ts'
import type { NotLoaded } from '../client/download.ts'
import { NAMELESS } from '../content/file-text.ts'
import { escapeText } from '../format/escape.ts'
import { MAX_BYTES, MAX_FILES, MAX_RECORDING_MS } from './file-limits.ts'

export interface LeftOutFile {
  name: string
  why: string
}

/** Names per line; the rest are counted. */
const NAMED = 5

/** Returns one line per reason. */
export function leftOutText(left: readonly LeftOutFile[]): string {
  const reasons = [...new Set(left.map(({ why }) => why))]
  const of = (reason: string) => left.filter(({ why }) => why === reason)
  return reasons.map((why) => `📎 ${namesOf(of(why))} not read: ${escapeText(why)}`).join('\n')
}

function namesOf(files: readonly LeftOutFile[]): string {
  if (files.length > 1 && files.every(({ name }) => name === NAMELESS)) return `${files.length} files were`
  const names = files.slice(0, NAMED).map(({ name }) => escapeText(name))
  const more = files.length - NAMED
  const all = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
  return `${all} ${files.length === 1 ? 'was' : 'were'}`
}

const SCOPE = 'the app lacks the scope files:read. The person who runs me can add it and reinstall the app.'

export const WHY = {
  tooMany: `I read at most ${MAX_FILES} files with a question.`,
  tooLarge: `it is larger than ${MAX_BYTES.file / MEBIBYTE} MB.`,
  largePicture: 'Slack has no smaller picture of it, and it is too large for models to see.',
  tooMuch: `together they are larger than ${MAX_BYTES.question / MEBIBYTE} MB.`,
  tooLong: 'it holds more than I can read at once. Please attach a part of it.',
  notAllowed: 'I do not accept files from the person who shared it.',
  unknown: 'Slack did not tell me which file it is. Please upload it again.',
  tombstone: 'it was deleted.',
  hidden: 'Slack hides it because the workspace has reached the limit of its plan.',
  external: 'it is a link to a file outside Slack. Please upload the file itself.',
  noTranscript:
    'Slack has no transcript of it yet, and I do not transcribe here. The person who runs me can set TRANSCRIBE_MODEL.',
  largeRecording: `I transcribe recordings of at most ${MAX_BYTES.recording / MEBIBYTE} MB.`,
  longRecording: `I transcribe recordings of at most ${MAX_RECORDING_MS / 60_000} minutes.`,
  noWords: 'there are no words in it.',
  scope: SCOPE,
  tooLate: 'there was no time left to read it. Please ask again in a while.',
  endedReader: 'it takes too much time or memory to read. Please attach a part of it.',
  internal: 'something went wrong on my side.',
}

export const NOT_LOADED: Record<NotLoaded, string> = {
  login: SCOPE,
  tooLarge: WHY.tooLarge,
  tooSlow: 'Slack took too long to give it to me.',
  elsewhere: 'it is not stored in Slack.',
  refused: 'Slack did not give it to me.',
  unreachable: 'Slack did not give it to me. Please try again in a while.',
}

export const NOT_TRANSCRIBED: Record<NotTranscribed, string> = {
  refused:
    'it could not be transcribed. Please type what you said. The person who runs me can find the reason in the log.',
  tooLarge: WHY.largeRecording,
  unreachable: 'it could not be transcribed. Please try again in a while, or type it.',
}

const GONE = new Set(['file_not_found', 'file_deleted'])

/** Returns the reason for an error code of Slack. */
export function whyRefused(code: string): string {
  if (code === 'missing_scope') return SCOPE
  if (GONE.has(code)) return 'it was deleted, or I am not allowed to see it.'
  return `Slack refused to show it to me (${code}).`
}
