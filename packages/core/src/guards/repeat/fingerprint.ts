/** Up to this length a text is its own fingerprint. */
const SHORT = 48;

/**
 * Stands for a text in a few bytes, so that remembering it costs the same whatever its length. Two texts with the same
 * one are the same for all that repeats are about; nothing that must be safe from somebody who searches for such a pair
 * may rely on it.
 */
export function fingerprint(text: string): string {
  if (text.length <= SHORT) return `=${text}`;
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
    other ^= other >>> 13;
  }
  return `#${text.length}.${(one >>> 0).toString(36)}.${(other >>> 0).toString(36)}`;
}
