/** A clock whose time passes only while everything is waiting. */
export function virtualClock() {
  let time = 0;
  const sleepers: { at: number; wake(): void }[] = [];
  // After all promises are settled; a turn of the event loop would take several times as long.
  const settle = () => new Promise<void>((done) => process.nextTick(done));
  return {
    now: () => new Date(time),
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => {
        const at = time + milliseconds;
        // The next is the last one.
        const before = sleepers.findLastIndex((sleeper) => sleeper.at > at);
        sleepers.splice(before + 1, 0, { at, wake });
      }),
    async run(work: Promise<unknown>) {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      for (await settle(); !isDone; await settle()) {
        const next = sleepers.pop();
        if (!next) throw new Error('nothing is asleep, and nothing ends');
        time = next.at;
        next.wake();
      }
      return work;
    },
    get ms() {
      return time;
    },
  };
}
