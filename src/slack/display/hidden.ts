import type { Display } from './types.ts'

/** `STEPS=hidden`: only what the run ends with is shown, in the way of `inner`. */
export function hideSteps(inner: Display): Display {
  return {
    show: async () => false,
    finish: (ending) => inner.finish(ending),
    end: () => inner.end(),
  }
}
