/** Decides the flavour of a text by its beginning, and then by its name's extension. */
import type { FileKind } from './types.ts'

const ENDINGS: Partial<Record<FileKind, string>> = {
  csv: 'csv tsv tab',
  json: 'json jsonl ndjson geojson ipynb',
  markdown: 'md markdown mdx',
  html: 'html htm xhtml',
  transcript: 'vtt srt',
  code:
    'js mjs cjs jsx ts mts cts tsx py rb go rs java kt kts scala c h cc cpp hpp cs swift m php pl pm r jl lua sh bash ' +
    'zsh fish ps1 bat sql graphql proto tf hcl css scss sass less vue svelte dart ex exs erl hs ml fs clj lisp el vim ' +
    'asm s zig nim gradle groovy cmake make mk dockerfile yaml yml toml ini conf cfg xml xsd svg diff patch',
}

const KIND_OF = new Map(
  Object.entries(ENDINGS).flatMap(([kind, endings]) => endings.split(' ').map((ending) => [ending, kind as FileKind])),
)

/** `head` is the beginning of the text. */
export function textKind(name: string, head: string): FileKind {
  const start = head.trimStart().slice(0, 200)
  if (/^WEBVTT\b/.test(start)) return 'transcript'
  if (/^<(?:!doctype html|html)\b/i.test(start)) return 'html'
  const known = KIND_OF.get(endingOf(name))
  if (known) return known
  return /^(?:\{\s*["}]|\[\s*[[{"\d\]])/.test(start) ? 'json' : 'text'
}

/** Includes names without a dot, such as `Dockerfile` and `Makefile`. */
function endingOf(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return last === 'makefile' ? 'make' : last
}
