/**
 * Every local Slack has the same ids. If several are simulated at once, the ids of each but the first get another
 * digit: `T0LOCAL0001` becomes `T1LOCAL0001` outside of workspace 1.
 */
import type { Json } from '../slack/types.ts'

/**
 * The digits of a workspace's channels and of its people. In an organisation, a person has the same id in all
 * workspaces.
 */
export interface Digits {
  place: number
  person: number
}

export interface OtherIds {
  /** Returns a text as the app sees it. */
  outward(text: string): string
  /** Returns a text of the app as the workspace knows it. */
  inward(text: string): string
}

/** Ids have eleven characters. */
const swap = (text: string, { letters, from, to }: { letters: string; from: number; to: number }) =>
  from === to
    ? text
    : text.replace(new RegExp(`(?<![A-Za-z0-9])([${letters}])${from}(?=[A-Z0-9]{9}(?![A-Z0-9]))`, 'g'), `$1${to}`)

export function otherIds({ place, person }: Digits): OtherIds {
  return {
    outward: (text) =>
      swap(swap(text, { letters: 'TCDG', from: 0, to: place }), { letters: 'UWB', from: 0, to: person }),
    inward: (text) =>
      swap(swap(text, { letters: 'TCDG', from: place, to: 0 }), { letters: 'UWB', from: person, to: 0 }),
  }
}

/** Rewrites the body of a request or an answer. Bytes of files stay unchanged. */
export function mapBody(body: Buffer, type: string, map: (text: string) => string): Buffer | string {
  if (type.includes('application/x-www-form-urlencoded'))
    return new URLSearchParams(
      [...new URLSearchParams(body.toString())].map(([key, value]) => [key, map(value)] as [string, string]),
    ).toString()
  return type.includes('json') ? map(body.toString()) : body
}

/** Returns a payload as an organisation's app receives it: with the organisation's id. */
export function forOrganisation(payload: Json, { id, name }: { id: string; name: string }): Json {
  const authorizations: unknown = payload['authorizations']
  if (Array.isArray(authorizations))
    return {
      ...{ ...payload, enterprise_id: id },
      authorizations: authorizations.map((one: Json) => ({ ...one, enterprise_id: id, is_enterprise_install: true })),
    }
  if ('command' in payload)
    return { ...payload, enterprise_id: id, enterprise_name: name, is_enterprise_install: 'true' }
  return { ...payload, team: null, enterprise: { id, name }, is_enterprise_install: true }
}
