import type { FleetTool } from "../fleet/fleet.ts";

/**
 * The answer to `tool.list`, as JSON of at most so many bytes. A list that is too long goes without descriptions; one that
 * is too long even so is cut, and says how many more there are.
 */
export function toolList(tools: readonly FleetTool[], most: number): string {
  const whole = JSON.stringify({ tools });
  if (Buffer.byteLength(whole) <= most) return whole;
  const short = tools.map((tool) => JSON.stringify({ ...tool, description: "" }));
  let bytes = JSON.stringify({ tools: [], more: tools.length }).length;
  const kept = short.filter((each) => {
    bytes += Buffer.byteLength(each) + 1;
    return bytes <= most;
  });
  const more = tools.length - kept.length;
  return `{"tools":[${kept.join(",")}]${more > 0 ? `,"more":${more}` : ""}}`;
}
