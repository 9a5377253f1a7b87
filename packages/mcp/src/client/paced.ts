const EVERY_MS = 50;
const AT_ONCE = 100;

/** Lets through the first notes of a server, and then so many a second: more of them say nothing more. */
export function paced(): () => boolean {
  let room = AT_ONCE;
  let since = performance.now();
  return () => {
    const now = performance.now();
    room = Math.min(AT_ONCE, room + (now - since) / EVERY_MS);
    since = now;
    if (room < 1) return false;
    room -= 1;
    return true;
  };
}
