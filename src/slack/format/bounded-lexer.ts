import { Lexer, type Token, type TokensList } from 'marked'

/** What no person writes: lists and quotes nested deeper, and more marks in one paragraph, stay plain text. */
const MAX_DEPTH = 12
const MAX_MARKS = 600

/**
 * `marked` takes quadratic time for thousands of unclosed marks in a paragraph, and overflows the stack for thousands of
 * nested quotes. A model may write either, so both are bounded here; what lies beyond is shown as it was written.
 */
class BoundedLexer extends Lexer {
  #depth = 0

  override blockTokens(...args: Parameters<Lexer['blockTokens']>): Token[]
  override blockTokens(...args: Parameters<Lexer['blockTokens']>): TokensList
  override blockTokens(...args: Parameters<Lexer['blockTokens']>): Token[] {
    const [source, tokens = []] = args
    if (this.#depth >= MAX_DEPTH) return asText(source, tokens)
    this.#depth += 1
    const out = super.blockTokens(...args)
    this.#depth -= 1
    return out
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    const marks = source.match(/[*_~`[\]!<@]/g)?.length ?? 0
    return marks > MAX_MARKS ? asText(source, tokens) : super.inlineTokens(source, tokens)
  }
}

function asText(source: string, tokens: Token[]): Token[] {
  tokens.push({ type: 'text', raw: source, text: source })
  return tokens
}

/** Parses GitHub-flavoured Markdown in time linear in its length, however it is made. */
export function parseMarkdown(markdown: string): Token[] {
  return new BoundedLexer({ gfm: true }).lex(markdown)
}
