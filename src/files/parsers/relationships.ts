/** The references from one part of an Office file to others (ECMA-376, part 2, 9.3). */
import { posix } from 'node:path'
import type { ZipMembers } from '../zip-members.ts'
import { walkXml } from './xml-walk.ts'

export interface Relationship {
  id: string
  /** The last word of the type's address, such as `slide`. */
  type: string
  /** The target inside the file. */
  path: string
  /** The target as it is written. */
  target: string
  isExternal: boolean
}

/** Returns what a part refers to, from its `_rels`. */
export function relationshipsOf(members: ZipMembers, part: string): Relationship[] {
  const found: Relationship[] = []
  const open = (name: string, attributes: Record<string, string>) => {
    const { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode } = attributes
    if (name !== 'Relationship') return
    const path = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target)
    found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), path, target, isExternal: mode === 'External' })
  }
  const rels = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`)
  walkXml(members[rels], { open })
  return found
}
