/**
 * Classifies Redis errors. A Redis reply begins with a code in capitals, which is part of its protocol. Errors of
 * ioredis (read in 6.0.0) and OpenSSL have only a text, no code or class. Only this file knows those texts.
 */
import { messageOf, TransientError } from '../errors.ts'

/** A script of Redis 6 wraps the original code: "ERR Error running script (call to f_…): @user_script:1: -OOM …". */
const IN_SCRIPT = '^(?:ERR Error running script.*?-)?'

/** Unreachable, full or failing over: temporary, and not the fault of the command. */
const TRANSIENT_CODES = new RegExp(
  `${IN_SCRIPT}(?:OOM|READONLY|MISCONF|NOREPLICAS|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|UNBLOCKED)\\b`,
)
const TRANSIENT_TEXTS = [
  /^(?:Connection is closed|Command timed out|Socket timeout|Stream isn't writeable|Reached the max retries per request)/,
  /^(?:Too many Cluster redirections|Cluster isn't ready|None of startup nodes|Failed to refresh slots cache)/,
]

/** Returns whether an error is temporary: a store is unreachable, full or failing over. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TransientError) return true
  return error instanceof Error && [TRANSIENT_CODES, ...TRANSIENT_TEXTS].some((known) => known.test(error.message))
}

const READ_ONLY = new RegExp(`${IN_SCRIPT}READONLY\\b`)

/** Returns whether the node is a replica, such as a former master after a failover. */
export function isReadOnly(error: Error): boolean {
  return READ_ONLY.test(error.message)
}

/**
 * Returns whether Redis refuses us permanently: a password, a permission, a mode. `fault` is the result of `faultOf`.
 */
export function isRefusal(fault: string): boolean {
  return /WRONGPASS|NOAUTH|NOPERM|ERR AUTH|invalid password|cluster support disabled/i.test(fault)
}

/**
 * Returns whether a certificate is not trusted, by the texts of OpenSSL or Node: unknown issuer, expired, wrong host
 * name.
 */
export function isUntrusted(fault: string): boolean {
  return /certificate/i.test(fault)
}

/**
 * The message of an error. A Cluster's own error only says that its slots are unknown; `lastNodeError` has the cause.
 */
export function redisFault(error: Error): string {
  return messageOf('lastNodeError' in error && error.lastNodeError ? error.lastNodeError : error)
}
