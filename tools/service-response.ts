import type { Source } from '../src/agent/contracts/evidence.ts'
import { ToolError } from '../src/base/errors.ts'

/** Parses a service's JSON. @throws ToolError `arxiv did not send JSON.` */
export function parseServiceJson(body: string, service: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new ToolError(`${service} did not send JSON.`)
  }
}

/** Longer addresses are no pages that somebody opens. */
const MAX_ADDRESS = 2000

/** Returns an absolute http(s) address, or undefined for anything else that a service sent in its place. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS || !URL.canParse(value)) return undefined
  const { protocol, href } = new URL(value)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}

/** Returns the address of a service with these parameters. */
export function withQuery(address: string, parameters: Record<string, string>): URL {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

/** Returns a page that a service names as a source, or nothing if its address is none. */
export function serviceSources(title: string, address: unknown): Source[] {
  const url = webAddress(address)
  return url ? [{ title: oneLine(title, 150) || new URL(url).hostname, url }] : []
}

/** Returns a text in one line, cut at a length. */
export function oneLine(text: string, length = 1000): string {
  const start = text.slice(0, length * 2)
  const line = start.replace(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}
