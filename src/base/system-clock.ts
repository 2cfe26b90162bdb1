/**
 * The system's clock, in milliseconds since the epoch, for times that BullMQ compares with it. Everything else is given
 * its clock as an argument.
 */
export const systemNow = Date.now
