/**
 * Where the stores' log lines go: pino's shape, injected. The object carries ids, counts and sizes, never what people
 * wrote and never a token; the message is a constant sentence.
 */
export interface StoreLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
