import { required } from '../args.ts'
import { fileObject } from '../files/file-object.ts'
import { isKnownToBot, previewOf } from '../files/stored-files.ts'
import { declined } from '../types.ts'
import type { Method } from './method.ts'

/** https://docs.slack.dev/reference/methods/files.info */
export const fileMethods: Record<string, Method> = {
  'files.info': (args, { store, base }) => {
    const file = store.files.get(required(args, 'file'))
    // Messages can contain old ids and ids of other workspaces, so asking is not the app's mistake.
    if (!file || !isKnownToBot(store, file) || file.access === 'access_denied') throw declined('file_not_found')
    if (file.mode === 'tombstone') throw declined('file_deleted')
    const known = { ...file }
    delete known.access
    const content = file.mode === 'snippet' && { content: previewOf(file) }
    return { file: fileObject(known, base()), ...content, comments: [], response_metadata: { next_cursor: '' } }
  },
}
