// An open page asks again by itself, as things happen. A session must end all the same when nobody is at it any more: whether
// somebody is, shows in what they do with mouse, keys or fingers.

const patienceMs = 60_000;
let latest = Date.now();

for (const act of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
  addEventListener(act, () => (latest = Date.now()), { passive: true, capture: true });
}

export const isAttended = (): boolean => Date.now() - latest < patienceMs;
