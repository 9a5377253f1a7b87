import type { HttpBehaviour, StdioBehaviour } from "./behaviour.ts";
import { death } from "./behaviours/death.ts";
import { floods } from "./behaviours/floods.ts";
import { http } from "./behaviours/http.ts";
import { listing } from "./behaviours/listing.ts";
import { requests } from "./behaviours/requests.ts";
import { results } from "./behaviours/results.ts";
import { schemas } from "./behaviours/schemas.ts";
import { silence } from "./behaviours/silence.ts";
import { texts } from "./behaviours/texts.ts";
import { trust } from "./behaviours/trust.ts";
import { wire } from "./behaviours/wire.ts";

export const stdioBehaviours: readonly StdioBehaviour[] = [
  ...schemas,
  ...listing,
  ...trust,
  ...texts,
  ...results,
  ...requests,
  ...floods,
  ...wire,
  ...silence,
  ...death,
];

export const httpBehaviours: readonly HttpBehaviour[] = http;
