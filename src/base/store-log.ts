/**
 * The log of the stores, with the signatures of pino's methods. `fields` contains ids, counts and sizes, but no
 * people's text and no tokens. `message` is a constant sentence.
 */
export type StoreLog = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>
