/** Adds one person of each of Slack's kinds to the workspace, and their channels. Alice and Bob exist already. */
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM, type Store } from './store.ts'

export const CAROL = 'U0CAROL0001'
export const DAVE = 'U0DAVE00001'
export const ERIN = 'U0ERIN00001'
export const LAUNCH = 'G0LAUNCH001'
export const ACME = 'C0ACME00001'
const ACME_TEAM = 'T0ACME00001'

/**
 * Carol is an admin. Dave is a guest of #random and the private channel #launch. Erin belongs to Acme, which shares
 * #acme with this workspace by Slack Connect.
 */
export function addExamplePeople(store: Store): void {
  store.addUser(CAROL, { name: 'carol', real_name: 'Carol', is_admin: true })
  store.addUser(DAVE, { name: 'dave', real_name: 'Dave', is_restricted: true })
  store.addUser(ERIN, { name: 'erin', real_name: 'Erin', is_stranger: true, team_id: ACME_TEAM })
  Object.assign(store.users.get(ERIN)?.profile ?? {}, { title: 'Acme' })
  store.channel(GENERAL).members.add(CAROL)
  for (const user of [CAROL, DAVE]) store.channel(RANDOM).members.add(user)
  store.addChannel(LAUNCH, { name: 'launch', members: new Set([BOT_USER, ALICE, CAROL, DAVE]) })
  store.addChannel(ACME, { name: 'acme', shared: true, members: new Set([BOT_USER, ALICE, BOB, CAROL, ERIN]) })
}
