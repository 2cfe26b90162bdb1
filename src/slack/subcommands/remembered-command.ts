/** `/ask remember …` and `/ask memory`. */
import type { PersonInPlace, Place } from '../../base/place.ts'
import { isSamePerson, type Presser } from '../../stores/runs/audience.ts'
import type { Question } from '../../stores/runs/types.ts'
import { scopesOf, type Remembered } from '../../stores/remembered/types.ts'
import type { Installation } from '../client/installations.ts'
import { Mentions } from '../client/mentions.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { denialText, MEMORY } from '../format/messages.ts'
import { memoryContent, outcomeContent, type ShownMemory } from '../views/remembered-content.ts'
import type { WorkspaceServices } from '../services.ts'
import { denialNow } from '../intake/access.ts'
import { isAdmin } from '../intake/may-set.ts'
import type { AskedPrivacy } from '../intake/private-words.ts'
import { scopeNow } from '../intake/remembered-scope.ts'
import { remember, unreadable } from '../intake/remember.ts'

const COMMAND = /^remember(?![\p{L}\p{N}])\s*[:\uff1a]?(.*)$/isu

/** Returns whether the text of `/ask`, without a wish for privacy, begins with `remember`; a colon may follow. */
export function isRememberCommand(text: string): boolean {
  return COMMAND.test(text)
}

/**
 * Handles `/ask remember …`. @returns the outcome for the asker alone; undefined if they know it @throws if a store
 * fails
 */
export async function rememberByCommand(
  { command, text, asked }: { command: Question; text: string; asked: AskedPrivacy | undefined },
  { installation, services }: WorkspaceServices,
): Promise<Content | undefined> {
  const [, words = ''] = COMMAND.exec(asked?.text ?? text) ?? []
  if (asked !== undefined && !command.channel.startsWith('D')) return noteContent(MEMORY.notPrivate)
  const wanted = { question: command, id: command.thread, text: words.trim() }
  return outcomeContent(await remember(wanted, installation, services), command)
}

/** Handles `/ask memory`. Shows it to the asker alone. @throws if a store fails */
export async function showMemory({ command }: { command: Question }, there: WorkspaceServices): Promise<Content> {
  const shown = await memoryFor(command, there)
  return 'refusal' in shown ? noteContent(shown.refusal) : memoryContent(shown.all, command)
}

/** Denials that do not keep a person from reading: guests and people of connected workspaces. */
const READERS = new Set(['guest', 'external'])

/** Returns what is remembered in a place, or why a person may not see it. @throws if a store fails */
export async function memoryFor(
  command: Question,
  deps: WorkspaceServices,
): Promise<{ refusal: string } | { all: ShownMemory[] }> {
  const { installation, services } = deps
  const settings = await services.settingsFor(command)
  const applicant = { question: command, settings, installation, signal: AbortSignal.timeout(10_000) }
  const denial = await denialNow(applicant)
  if (denial && !READERS.has(denial)) return { refusal: denialText(denial) }
  const all = await memoryOf(command, deps).catch(unreadable)
  return all === 'unreadable' ? { refusal: MEMORY.unreadable } : { all }
}

/** The remembered items of a place, for a person in it. @throws if the store fails */
export async function memoryOf(
  place: PresserInPlace,
  { installation, services }: WorkspaceServices,
): Promise<ShownMemory[]> {
  const scope = await scopeNow(place, installation, services.remembered)
  const all = scope === undefined ? [] : await services.remembered.list(scope)
  const viewer = { ...place, isAdmin: isAdmin(await installation.directory.factsOfAuthor(place)) }
  return shownMemory(all, place, viewer, installation)
}

/** A person who sees what is remembered in a place. */
interface PresserInPlace extends Presser, PersonInPlace {}

interface Viewer extends Presser {
  isAdmin: boolean
}

/** Returns whether a person may forget the item: its author, the person who added it, or an admin. */
function mayForget({ by, keptBy, userTeam }: Remembered, { team }: Pick<Place, 'team'>, viewer: Viewer): boolean {
  const isAuthor = isSamePerson(viewer, { team, user: by, userTeam })
  return viewer.isAdmin || isAuthor || (keptBy !== undefined && isSamePerson(viewer, { team, user: keptBy }))
}

/**
 * Forgets an item for a person in its place.
 * @returns the reason if the person may not. @throws if the store fails
 */
export async function forgetRemembered(
  id: string,
  place: PresserInPlace,
  { installation: { directory }, services }: WorkspaceServices,
): Promise<string | undefined> {
  const { remembered, log } = services
  for (const scope of scopesOf(place)) {
    const item = (await remembered.list(scope)).find((one) => one.id === id)
    if (!item) continue
    const isOwn = mayForget(item, place, { ...place, isAdmin: false })
    if (!isOwn && !isAdmin(await directory.factsOfAuthor(place, { isFresh: true }))) return MEMORY.notYours
    await remembered.remove(scope, id)
    log.info(
      { team: place.team, channel: place.channel, user: place.user, isOwn },
      'something that was remembered is forgotten',
    )
    return undefined
  }
  return undefined
}

/** Returns the items with names instead of ids. */
export async function shownMemory(
  all: Remembered[],
  place: Place,
  viewer: Viewer,
  installation: Installation,
): Promise<ShownMemory[]> {
  const mentions = new Mentions(installation.directory, place)
  const spoken = await mentions.messagesForModel(all.map(({ by, text }) => ({ user: by, text })))
  return all.map((one, i) => ({
    id: one.id,
    at: one.at,
    text: spoken[i]?.text ?? one.text,
    who: spoken[i]?.name?.replace(/^@/, '') ?? 'somebody',
    mayForget: mayForget(one, place, viewer),
  }))
}
