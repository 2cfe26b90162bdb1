/**
 * The log of the stores, with the signatures of pino's methods. `fields` has ids, counts and sizes, never what people wrote
 * and never a token; `message` is a constant sentence.
 */
export interface StoreLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
