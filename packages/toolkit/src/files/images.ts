/** Pictures that models are shown, by the first bytes of the file. */
export function imageType(head: Buffer): string | undefined {
  if (head.subarray(0, 8).equals(PNG)) return "image/png";
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return "image/jpeg";
  const ascii = head.toString("latin1", 0, 12);
  if (ascii.startsWith("GIF87a") || ascii.startsWith("GIF89a")) return "image/gif";
  return ascii.startsWith("RIFF") && ascii.endsWith("WEBP") ? "image/webp" : undefined;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
