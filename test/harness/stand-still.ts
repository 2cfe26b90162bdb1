/** Stops all of this process for so many ms, as a machine does that is busy with others. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
