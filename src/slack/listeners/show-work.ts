import type { View } from '@slack/web-api'
import type { MessageStep, Step } from '../../agent/contracts/run-events.ts'
import { settledWithin } from '../../base/async.ts'
import { readableBy, withRecord } from '../../question/may-read-answer.ts'
import type { RunRecord } from '../../stores/archive/types.ts'
import type { Presser } from '../../stores/runs/audience.ts'
import type { Installation } from '../client/installations.ts'
import { Mentions } from '../client/mentions.ts'
import { FORGET_USED, HOME_WORK, SHOW_WORK, WORK_NEXT, WORK_PREVIOUS } from '../format/action-ids.ts'
import {
  inBackground,
  isInDirect,
  openModal,
  pressedOn,
  showOrTell,
  updateModal,
  type ButtonPress,
} from '../presses/button-press.ts'
import { installationFor, presserOf, recipientOf } from '../intake/find-recipient.ts'
import { isAdmin } from '../intake/may-set.ts'
import { forgetRemembered, shownMemory } from '../subcommands/remembered-command.ts'
import { scopeNow } from '../intake/remembered-scope.ts'
import { openedBy, readMetadata, signedView } from '../presses/signed-metadata.ts'
import { maySeeQuestion } from '../home/usage-report.ts'
import type { Services } from '../services.ts'
import { readMemoryRef, type ShownMemory } from '../views/remembered-content.ts'
import { WORK_GONE, WORK_LOADING, WORK_UNREADABLE, workView } from '../views/work-view.ts'
import { onButton } from './listener.ts'

/** After this time the modal opens with a loading text: a trigger id expires after three seconds. Milliseconds. */
const QUICK_MS = 800

/** The button "Show work": opens a modal with the whole run, for the user alone. */
export const showWork = onButton(SHOW_WORK, (services) => async ({ ack, action, body, context }) => {
  const isElsewhere = isInDirect(body)
  const pressed = await pressedOn(action.value ?? '', { body, context, isAnywhere: isElsewhere }, services)
  await ack()
  if (!pressed) return
  const load = async () => readableBy(pressed, await services.archive.load(pressed.id), { isElsewhere })
  inBackground(SHOW_WORK, services, () => openWork(pressed, services, load))
})

/** The same button on an admin's Home. The user must still be an admin who may read the question. */
export const showWorkFromHome = onButton(HOME_WORK, (services) => async ({ ack, action, body, context }) => {
  const pressed = await pressedOn(action.value ?? '', { body, context, isAnywhere: true }, services)
  await ack()
  if (pressed) inBackground(HOME_WORK, services, () => openWork(pressed, services, () => forAdmin(pressed, services)))
})

async function forAdmin({ id, ...press }: ButtonPress, { archive }: Services): Promise<RunRecord | undefined> {
  const { team, user, installation } = press
  const [person, record] = await Promise.all([
    installation.directory.factsOf(team, user, { isFresh: true }),
    archive.load(id),
  ])
  return record && isAdmin(person) && (await maySeeQuestion(record, press)) ? record : undefined
}

/** The buttons that turn the modal's pages. */
export const turnWorkPage = onButton(
  [WORK_PREVIOUS, WORK_NEXT],
  (services) =>
    async ({ ack, action, body, context }) => {
      const question = (await openedBy(body.view ?? {}, body, context, services))?.metadata
      await ack()
      const id = body.view?.id
      const installation = question && (await installationFor(question, context, services))
      if (!installation || id === undefined) return
      inBackground(action.action_id, services, async () => {
        const presser = await presserOf(body, installation, services)
        await updateWork(id, question, { page: Number(action.value), ...presser, installation, services })
      })
    },
)

/** *Forget*, beside a remembered item that a run used. */
export const forgetUsed = onButton(FORGET_USED, (services) => async ({ ack, action, body, context }) => {
  const ref = readMemoryRef(action.value)
  const recipient = await recipientOf({ context, isShared: true }, services)
  const installation = ref && recipient && (await services.installations.of(ref.team))
  await ack()
  const { id, private_metadata: signed = '' } = body.view ?? {}
  const user = body.user.id
  const question = installation && readMetadata(signed, { user, installation })
  if (!installation || id === undefined || !question?.startsWith(`${ref.team}:${ref.channel}:`)) return
  inBackground(FORGET_USED, services, async () => {
    const presser = await presserOf(body, installation, services)
    await forgetRemembered(ref.id, { ...ref, ...presser }, { installation, services })
    await updateWork(id, question, { page: 0, ...presser, installation, services })
  })
})

async function openWork(
  pressed: ButtonPress,
  services: Services,
  load: () => Promise<RunRecord | undefined>,
): Promise<void> {
  const { user, userTeam, homes, trigger, installation } = pressed
  const loading = withRecord(load)
  const isQuick = await settledWithin(QUICK_MS, [loading])
  const whole = viewOf(loading, { page: 0, user, userTeam, homes, installation, services })
  await showOrTell(pressed, async () => {
    const opened = await openModal(installation, trigger, isQuick ? await whole : WORK_LOADING)
    if (!isQuick && opened !== undefined) await updateModal(installation, opened, await whole)
  })
}

/** The view is for the person who pressed a button. */
interface WorkViewRequest extends Presser {
  page: number
  installation: Installation
  services: Services
}

/** Shows a page of a question's run in the open modal. */
async function updateWork(viewId: string, question: string, request: WorkViewRequest): Promise<void> {
  const { installation, services } = request
  const view = await viewOf(
    services.archive.load(question).then((record) => readableBy(request, record)),
    request,
  )
  await updateModal(installation, viewId, view)
}

/** Never rejects: if the store does not answer, the view says so. */
async function viewOf(loading: Promise<RunRecord | undefined>, request: WorkViewRequest): Promise<View> {
  const { page, installation } = request
  try {
    const record = await loading
    if (!record) return WORK_GONE
    const remembered = await usedIn(record, request)
    const names = new Mentions(installation.directory, record.question)
    const view = workView(withNames(record, names), page, (id) => names.nameOf(id), remembered)
    return signedView(view, request)
  } catch {
    return WORK_UNREADABLE
  }
}

/** The remembered items that the model got and that still exist. */
async function usedIn({ question, remembered: ids = [] }: RunRecord, request: WorkViewRequest): Promise<ShownMemory[]> {
  if (ids.length === 0) return []
  const { installation, services } = request
  const scope = await scopeNow(question, installation, services.remembered).catch(() => undefined)
  const all = scope === undefined ? [] : await services.remembered.list(scope).catch(() => [])
  const isForeign = request.userTeam !== undefined && request.userTeam !== question.team
  const isAdminHere = !isForeign && isAdmin(installation.directory.knownFacts(question.team, request.user))
  const viewer = { ...request, isAdmin: isAdminHere }
  const used = all.filter(({ id }) => ids.includes(id))
  return shownMemory(used, question, viewer, installation)
}

/** Uses only names that are known, because a look-up would take longer than the trigger is valid. */
function withNames(record: RunRecord, names: Mentions): RunRecord {
  const { question, standalone, steps, answer } = record
  const figures = answer?.figures?.map((figure) => ({ ...figure, text: names.forPeople(figure.text) }))
  return {
    ...record,
    ...(answer && figures ? { answer: { ...answer, figures } } : {}),
    question: { ...question, text: names.forPeople(question.text) },
    ...(standalone === undefined ? {} : { standalone: names.forPeople(standalone) }),
    steps: names.steps(steps).map((step: Step) => (step.kind === 'message' ? withName(step, names) : step)),
  }
}

function withName(step: MessageStep, names: { forPeople(text: string): string }): MessageStep {
  const mention = `<@${step.user}>`
  const name = names.forPeople(mention)
  return { ...step, user: name === mention ? 'somebody' : name }
}
