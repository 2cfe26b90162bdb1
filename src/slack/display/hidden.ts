import type { Display } from './types.ts'

/** `STEPS=hidden`: shows only the ending of a run, through `inner`. */
export function hideSteps(inner: Display): Display {
  return {
    show: async () => false,
    finish: (ending) => inner.finish(ending),
    end: () => inner.end(),
  }
}
