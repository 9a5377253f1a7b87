import { headers, type PublishOptions } from "@nats-io/transport-node";
import type { Signer } from "../wire/signature.ts";

/** The options of a message that its caller signs, if it does. */
export function signed(
  signer: Signer | undefined,
  subject: string,
  text: string,
): Pick<PublishOptions, "headers"> {
  if (signer === undefined) return {};
  const made = headers();
  for (const [name, value] of Object.entries(signer.sign(subject, text))) made.append(name, value);
  return { headers: made };
}
