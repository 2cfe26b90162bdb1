/** https://docs.slack.dev/reference/methods: views.*, and blocks.validate. */
import { invalid, isObject, optional, required } from '../args.ts'
import { checkBlocks, VIEW_BLOCKS } from '../blocks/block-rules.ts'
import { Refusal, type Json } from '../types.ts'
import type { Method } from './method.ts'
import { readContent } from './method-content.ts'

const MAX_TITLE = 24
const MAX_METADATA = 3000
/** The maximum size of a view as JSON, in bytes. */
const MAX_VIEW = 250_000

export const viewMethods: Record<string, Method> = {
  'views.open': (args, { views, useTrigger }) => {
    const view = checkView(args['view'], 'modal')
    return { view: views.open(useTrigger(required(args, 'trigger_id')), view) }
  },

  'views.push': (args, { views, useTrigger }) => {
    const view = checkView(args['view'], 'modal')
    return { view: views.push(useTrigger(required(args, 'trigger_id')), view) }
  },

  'views.update': (args, { views }) => {
    const [id, external] = [optional(args, 'view_id'), optional(args, 'external_id')]
    if (id === undefined && external === undefined) throw invalid('[ERROR] missing required field: view_id')
    const type = isObject(args['view']) && args['view']['type'] === 'home' ? 'home' : 'modal'
    const view = checkView(args['view'], type)
    return { view: views.update({ id, external, hash: optional(args, 'hash') }, view) }
  },

  'views.publish': (args, { store, views }) => {
    const user = required(args, 'user_id')
    if (!store.users.has(user)) throw new Refusal('user_not_found', { why: `There is no user ${user}.` })
    return { view: views.publish(user, checkView(args['view'], 'home')) }
  },

  'blocks.validate': (args) => {
    const { blocks, message, view } = args
    if ([blocks, message, view].filter((one) => one !== undefined).length !== 1)
      throw invalid('[ERROR] provide exactly one of blocks, message or view')
    if (blocks !== undefined) validated('blocks', () => checkBlocks(blocks))
    if (isObject(message)) validated('message', () => void readContent({ text: ' ', ...message }))
    if (isObject(view)) validated('view', () => void checkView(view, view['type'] === 'home' ? 'home' : 'modal'))
    return {}
  },
}

/**
 * Returns the errors of `blocks.validate`, each with a pointer. The method is a query, so an error is a normal result.
 */
function validated(what: string, check: () => void) {
  try {
    check()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [, message = error.message, pointer = ''] = /^(.*?)(?: \[json-pointer:(.*)\])?$/s.exec(error.message) ?? []
    // For a list of blocks, the pointer is relative to that list.
    const place = what === 'blocks' ? pointer.replace(/^\/blocks/, '') : pointer
    const errors = [{ pointer: place, code: 'failed_constraint', message }]
    throw new Refusal(`invalid_${what}`, { why: message, blame: false, more: { errors } })
  }
}

/** Checks a modal or a Home. @throws Refusal `invalid_arguments` or `invalid_blocks` */
export function checkView(view: unknown, type: 'home' | 'modal'): Json {
  if (!isObject(view) || view['type'] !== type) throw invalid(`[ERROR] a view of type ${type} is needed`)
  const { blocks } = view
  checkBlocks(blocks, { max: VIEW_BLOCKS, surface: type })
  if (type === 'modal') checkModal(view, blocks)
  checkLength(view, 'private_metadata', MAX_METADATA)
  checkLength(view, 'callback_id', 255)
  checkLength(view, 'external_id', 255)
  if (Buffer.byteLength(JSON.stringify(view)) > MAX_VIEW)
    throw new Refusal('view_too_large', { why: `over ${MAX_VIEW} bytes` })
  return view
}

function checkLength(view: Json, name: string, max: number) {
  const value = view[name] ?? ''
  if (typeof value !== 'string' || value.length > max) throw invalid(`[ERROR] ${name} is over ${max} characters`)
}

/** https://docs.slack.dev/reference/views/modal-views */
function checkModal(view: Json, blocks: Json[]) {
  for (const name of ['title', 'submit', 'close']) {
    if (view[name] === undefined && name !== 'title') continue
    const { type, text } = isObject(view[name]) ? view[name] : {}
    if (type !== 'plain_text' || typeof text !== 'string' || text === '' || text.length > MAX_TITLE)
      throw invalid(`[ERROR] ${name} is a plain_text of at most ${MAX_TITLE} characters`)
  }
  if (view['submit'] === undefined && blocks.some((block) => block['type'] === 'input'))
    throw invalid('[ERROR] a modal with an input needs submit')
}
