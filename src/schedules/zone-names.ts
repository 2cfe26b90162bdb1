/** Reads the ways in which people name a time zone. */
import { timeZone } from './when.ts'

const OTHER_NAMES: [names: string, zone: string][] = [
  ['utc, gmt, z', 'UTC'],
  ['et, est, edt, eastern', 'America/New_York'],
  ['ct, cst, cdt, central', 'America/Chicago'],
  ['mt, mst, mdt, mountain', 'America/Denver'],
  ['pt, pst, pdt, pacific', 'America/Los_Angeles'],
  ['cet, cest, mez, mesz', 'Europe/Berlin'],
  ['bst', 'Europe/London'],
  ['wet, west', 'Europe/Lisbon'],
  ['eet, eest', 'Europe/Athens'],
  ['msk', 'Europe/Moscow'],
  ['ist', 'Asia/Kolkata'],
  ['jst', 'Asia/Tokyo'],
  ['kst', 'Asia/Seoul'],
  ['sgt', 'Asia/Singapore'],
  ['hkt', 'Asia/Hong_Kong'],
  ['aest, aedt', 'Australia/Sydney'],
  ['nzst, nzdt', 'Pacific/Auckland'],
  ['sast', 'Africa/Johannesburg'],
  ['munich, frankfurt, hamburg, cologne, münchen, köln', 'Europe/Berlin'],
  ['san francisco, seattle', 'America/Los_Angeles'],
  ['boston, washington', 'America/New_York'],
  ['mumbai, delhi, new delhi, bangalore, bengaluru', 'Asia/Kolkata'],
  ['beijing, peking, pékin, pekín, 北京, 上海', 'Asia/Shanghai'],
  ['tokio, 東京, 日本', 'Asia/Tokyo'],
  ['séoul, seúl, 서울, ソウル', 'Asia/Seoul'],
  ['singapur, singapour, 新加坡', 'Asia/Singapore'],
  ['香港', 'Asia/Hong_Kong'],
  ['台北', 'Asia/Taipei'],
  ['wien, vienne, viena', 'Europe/Vienna'],
  ['londres, londra, ロンドン, 伦敦', 'Europe/London'],
  ['parigi, parís, パリ, 巴黎', 'Europe/Paris'],
  ['berlino, berlín, ベルリン, 柏林', 'Europe/Berlin'],
  ['zürich, genf, genève, geneva', 'Europe/Zurich'],
  ['moskau, moscou, moscú, mosca', 'Europe/Moscow'],
  ['warschau, varsovie, warszawa', 'Europe/Warsaw'],
  ['roma, rom', 'Europe/Rome'],
  ['prag, praha', 'Europe/Prague'],
  ['lissabon, lisboa, lisbonne', 'Europe/Lisbon'],
  ['kopenhagen, københavn', 'Europe/Copenhagen'],
  ['brüssel, bruxelles, bruselas', 'Europe/Brussels'],
  ['nueva york, ニューヨーク, 纽约', 'America/New_York'],
]

let zones: Map<string, string> | undefined

/** The IANA zone of a city (`Berlin`, `New York`), an abbreviation (`CET`, `ET`) or a zone's name, in any case. */
export function zoneNamed(name: string): string | undefined {
  zones ??= readZones()
  return zones.get(name.trim().toLowerCase().replaceAll('_', ' ')) ?? (name.includes('/') ? timeZone(name) : undefined)
}

function readZones(): Map<string, string> {
  const found = new Map<string, string>()
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const lower = zone.toLowerCase().replaceAll('_', ' ')
    for (const name of [lower, lower.slice(lower.lastIndexOf('/') + 1)]) found.set(name, zone)
  }
  // The old names that some versions of ICU prefer.
  found.set('kolkata', 'Asia/Kolkata').set('kyiv', 'Europe/Kiev').set('ho chi minh city', 'Asia/Saigon')
  for (const [names, zone] of OTHER_NAMES) for (const name of names.split(', ')) found.set(name, zone)
  return found
}
