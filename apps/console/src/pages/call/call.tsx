import type { PageProps } from "../../location/route.tsx";
import { CallStoryView } from "./call-story.tsx";

/** A call as a page of its own: what a link to a call opens. */
export function Call({ params }: PageProps) {
  return (
    <div class="page call-page">
      <CallStoryView id={params.id ?? ""} />
    </div>
  );
}
