import { LRUCache } from 'lru-cache'
import { personKey } from '../../stores/values/people-store.ts'
import type { PersonLogins } from '../login/person-logins.ts'
import type { McpServerConfig, PersonLogin } from '../types.ts'
import { isPersonal } from '../login/whose-login.ts'
import type { ToolCatalog } from './tool-catalog.ts'

/** The catalogues of people who have logged in to a server. Each is visible only to its person. */
export interface PersonalCatalogs {
  of(config: McpServerConfig, as: PersonLogin): ToolCatalog
  /** The catalogue of the asker's login; undefined without one. */
  find(config: McpServerConfig, asker: { team: string; user?: string | undefined }): Promise<ToolCatalog | undefined>
}

/** The maximum number of catalogues that a process keeps. The store has the others. */
const MAX_CATALOGS = 200

export function personalCatalogs(
  open: (config: McpServerConfig, as: PersonLogin) => ToolCatalog,
  logins: PersonLogins | undefined,
): PersonalCatalogs {
  const catalogs = new LRUCache<string, ToolCatalog>({ max: MAX_CATALOGS })
  const of = (config: McpServerConfig, as: PersonLogin) => {
    const key = `${config.name} ${as.person} ${as.since}`
    return catalogs.get(key) ?? catalogs.set(key, open(config, as)).get(key)!
  }
  return {
    of,
    async find(config, { team, user }) {
      if (!isPersonal(config) || user === undefined) return undefined
      const as = await logins?.current(config, personKey({ team, user }))
      return as && of(config, as)
    },
  }
}
