/** For `node --import`: the process lives CHAOS_AHEAD_MS later than the others. */
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
