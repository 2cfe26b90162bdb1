import { movedKey } from '../../base/place.ts'
import type { ThreadStates } from './types.ts'

/** Returns the id of a question, or the key of its conversation, with the channel's current id. */
export async function currentPlace(key: string, { threads }: { threads: Pick<ThreadStates, 'load'> }): Promise<string> {
  const [team = '', channel = ''] = key.split(':')
  const { movedTo } = await threads.load(`${team}:${channel}`)
  return (movedTo !== undefined && movedKey(key, { team, channel }, movedTo)) || key
}
