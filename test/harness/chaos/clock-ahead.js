/** For `node --import`: sets the process's clock ahead by CHAOS_AHEAD_MS. */
const ahead = Number(process.env.CHAOS_AHEAD_MS)
const Real = Date

globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length > 0 ? given : [Real.now() + ahead]))
  }

  static now() {
    return Real.now() + ahead
  }
}
